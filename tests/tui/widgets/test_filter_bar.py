"""Invalid filters: the field keeps the focus, and the list does not change."""

import pytest

from curator import curation
from effort import thorough
from factories import put
from store import Filter, Store
from tui.conflict_pairs import clash
from tui.driver import opened

pytestmark = thorough

BOGUS = "kind:bogus"


@pytest.mark.parametrize("first", ["memories", "inbox"])
async def test_enter_stays_in_the_field_and_says_why(store: Store, first: str) -> None:
    ids = put(store, "likes tea", "likes coffee")
    async with opened(store, (80, 24), first=first) as app:
        await app.press("slash", *"kind", "colon", *"bogus")
        await app.press("enter")
        assert app.view.line.typing and "kind is one of identity" in app.seen()  # type: ignore[attr-defined]
        assert BOGUS in app.seen(), "what is typed stands there still"
        await app.press("x")
        assert store.count(Filter()) == 2 and app.view.line.text == BOGUS + "x"  # type: ignore[attr-defined]
        await app.write("kind:fact coffee")
        assert "kind is one of" not in app.seen() and app.ids == ids[1:]
        await app.press("enter", "x")
        assert store.list_ids(Filter()) == ids[:1]


async def test_enter_in_haste_stays_too(store: Store) -> None:
    put(store, "likes tea", "likes coffee")
    async with opened(store) as app:
        await app.pilot.press("slash", *"kind", "colon", *"bogus", "enter", "*", "x", "enter")
        await app.rest()
        assert store.count(Filter()) == 2 and not app.listing.marks and "kind is one of" in app.seen()


async def test_nothing_is_done_to_the_list_by_another_way_there(store: Store) -> None:
    first, *_ = put(store, "likes milk", "likes tea", "likes coffee")
    async with opened(store) as app:
        await app.press("G", "x", "slash")
        assert store.list_ids(Filter(), descending=False)[0] != first
        await app.write(BOGUS)
        app.listing.focus()
        for keys in (("x",), ("*", "x"), ("space", "x"), ("v", "j", "x"), ("J", "x"), (".",)):
            await app.press(*keys)
            assert store.count(Filter()) == 2 and not app.listing.marks, keys
            assert "invalid filter: kind is one of" in app.status, keys
        await app.press("escape", "x")
        assert store.count(Filter()) == 1, "without the filter the list is meant again"


async def test_esc_takes_it_off(store: Store) -> None:
    put(store, "likes tea", "likes coffee")
    async with opened(store) as app:
        await app.press("slash")
        await app.write("tea")
        await app.write(BOGUS)
        await app.press("enter", "escape")
        assert len(app.ids) == 2 and app.view.line.text == "" and app.listing.has_focus  # type: ignore[attr-defined]


async def test_in_conflicts(store: Store) -> None:
    clash(store)
    before = store.state_hash()
    async with opened(store, first="conflicts") as app:
        await app.press("slash")
        await app.write("class:bogus")
        await app.press("enter", "b")
        assert app.view.line.typing and "class is one of" in app.seen()  # type: ignore[attr-defined]
        app.view.focus()
        await app.press("b")
        assert store.state_hash() == before and "invalid filter: class is one of" in app.status
        await app.press("M")
        assert len(app.app.screen_stack) == 1 and "invalid filter" in app.status
        await app.press("escape", "b")
        assert store.alerts.open() == []


async def test_in_history(store: Store) -> None:
    (only,) = put(store, "likes tea")
    curation.forget(store, [only])
    async with opened(store, first="history") as app:
        await app.press("slash")
        await app.write("by:nobody")
        await app.press("enter", "z")
        assert app.view.line.typing and "by is one of" in app.seen()  # type: ignore[attr-defined]
        app.view.list.focus()  # type: ignore[attr-defined]
        await app.press("z")
        assert store.count(Filter()) == 0 and "invalid filter: by is one of" in app.status
        await app.press("escape", "z")
        assert store.count(Filter()) == 1


async def test_an_order_that_is_not_the_usual_one_has_its_name(store: Store) -> None:
    put(store, "one", "two")
    async with opened(store) as app:
        await app.press("s", "n")
        assert "sort: created ↑" in app.seen()
        await app.press("s", "n")
        assert "sort:" not in app.seen()
