"""A store without live memories: forgotten ones can be listed and restored, and the list keeps the focus."""

import pytest

from curator import curation
from curator.tui.widgets.virtual_list import VirtualList
from effort import thorough
from factories import put
from store import Filter, Store
from store.model import Life
from tui.driver import Driven, opened

pytestmark = thorough


async def test_what_was_let_go_can_be_found_and_restored(store: Store) -> None:
    ids = put(store, "likes tea", "likes coffee", "likes milk")
    curation.forget(store, ids[:1])
    curation.reject(store, ids[1:2])
    curation.supersede(store, ids[2:], curation.add(store, "likes water").id)
    async with opened(store, (80, 24)) as app:
        await app.press("x")
        seen = app.seen()
        assert "no active memories · 3 is:forgotten · 1 is:superseded" in seen
        assert "No memories yet" not in seen and "/ search" in seen
        await app.press("D", "d", "enter")
        assert app.app.is_running and store.count(Filter()) == 0
        await app.press("slash", *"is", "colon", *"forgotten", "enter")
        assert len(app.ids) == 3 and app.listing.has_focus and "no active memories" not in app.seen()
        await app.press("*", "R")
        assert store.count(Filter()) == 3
        await app.press("escape", "escape")
        assert len(app.ids) == 3


async def test_esc_leaves_the_field_again(store: Store) -> None:
    curation.forget(store, put(store, "likes tea"))
    async with opened(store) as app:
        await app.press("slash")
        assert app.view.line.typing  # type: ignore[attr-defined]
        await app.press("escape")
        assert "no active memories" in app.seen() and not app.view.line.typing  # type: ignore[attr-defined]


async def test_words_found_only_in_others_name_the_filter_that_lists_them(store: Store) -> None:
    curation.reject(store, put(store, "flies with Ryanair", "likes tea")[:1])
    async with opened(store) as app:
        await app.press("slash", *"ryanair", "enter")
        assert "0 found · 1 is:forgotten" in app.seen()
        await app.press("slash", *" is", "colon", *"forgotten", "enter")
        assert len(app.ids) == 1 and "1 found" in app.seen()


async def test_a_store_in_which_all_was_purged_is_empty(store: Store) -> None:
    curation.purge(store, put(store, "likes tea"))
    async with opened(store) as app:
        assert "No memories yet" in app.seen()


def with_keys(app: Driven) -> list[VirtualList[object]]:
    """Return the focused lists."""
    return [rows for rows in app.view.query(VirtualList) if rows.has_focus]


@pytest.mark.parametrize(("number", "below"), [(4, 0), (60, 2), (4, 2), (60, 0)])
async def test_undo_of_all_gives_the_keys_and_the_cursor_back_to_the_list(
    store: Store, number: int, below: int
) -> None:
    ids = put(store, *(f"memory number {n}" for n in range(number)))[::-1]
    async with opened(store) as app:
        await app.press(*"j" * below, "*", "x")
        if number > 50:
            await app.press("enter")
        assert store.count(Filter()) == 0
        await app.press("u")
        assert app.ids == ids and app.listing.current == ids[below]
        assert with_keys(app) == [app.listing]
        await app.press("j")
        assert app.listing.current == ids[below + 1] and with_keys(app) == [app.listing]


async def test_of_what_an_undo_brings_back_the_first_gets_the_cursor(store: Store) -> None:
    ids = put(store, *(f"memory number {n}" for n in range(200)))[::-1]
    curation.forget(store, ids[20:150])
    async with opened(store) as app:
        await app.press("G")
        app.app.action_undo()
        await app.rest()
        if len(app.app.screen_stack) > 1:
            await app.press("enter")
        assert app.ids == ids and app.listing.current == ids[20]


async def test_where_the_facets_had_the_keys_the_list_has_them(store: Store) -> None:
    put(store, "likes tea")
    async with opened(store) as app:
        await app.press("x")
        assert store.count(Filter(lives=(Life.FORGOTTEN,))) == 1
        await app.press("u", "x")
        assert store.count(Filter(lives=(Life.FORGOTTEN,))) == 1
