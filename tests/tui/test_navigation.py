"""Navigation: cursor, dialogs, search, mouse, and other processes' writes."""

from pathlib import Path

from curator import curation
from curator.tui.widgets.virtual_list import PAGE
from effort import exhaustive, thorough
from factories import put
from store import Store
from tui.driver import opened

pytestmark = thorough


async def test_the_cursor_stays_inside_the_list(store: Store) -> None:
    ids = put(store, *(f"memory number {n}" for n in range(100)))[::-1]
    async with opened(store, (100, 30)) as app:
        places = []
        for key in ("k", "j", "down", "ctrl+d", "ctrl+u", "pagedown", "G", "j", "pageup", "g"):
            await app.press(key)
            places.append(app.listing.cursor)
        page = app.listing.page
        assert places == [0, 1, 2, 2 + page // 2, 2, 2 + page, 99, 99, 99 - page, 0]
        assert app.listing.current == ids[0]


async def test_only_the_pages_in_view_and_next_to_it_are_read(store: Store) -> None:
    ids = put(store, *(f"memory number {n}" for n in range(6 * PAGE)))[::-1]
    async with opened(store) as app:
        await app.press("G")
        assert app.listing.row(ids[-1]) is not None
        assert app.listing.row(ids[3 * PAGE]) is None
        assert f"memory number {0} " in app.seen()


async def test_search_narrows_as_you_type_and_esc_pops_one_layer(store: Store) -> None:
    tea, coffee, teapot = put(store, "likes tea", "likes coffee", "owns a TEApot")
    async with opened(store) as app:
        await app.press("slash")
        await app.write("tea")
        assert app.ids == [teapot, tea] and "2 found" in app.seen()
        await app.press("enter", "space")
        assert app.listing.marks == {teapot}
        await app.press("escape")
        assert not app.listing.marks and app.ids == [teapot, tea]
        await app.press("escape")
        assert app.ids == [teapot, coffee, tea] and app.listing.current == tea


async def test_typing_in_the_search_field_decides_nothing(store: Store) -> None:
    put(store, "likes tea", "adds sugar")
    before = store.state_hash()
    async with opened(store) as app:
        await app.press("slash", "a", "d", "x", "u", "space", "q")
        assert store.state_hash() == before and app.ids == []
        assert app.app.is_running


async def test_a_verb_applies_to_what_was_found(store: Store) -> None:
    tea, coffee = put(store, "likes tea", "likes coffee")
    async with opened(store) as app:
        await app.press("slash")
        await app.write("coffee")
        await app.press("enter", "d", "escape")
        assert app.ids == [tea] and store.get(coffee).life == "forgotten"


async def test_marks_outside_a_new_search_are_dropped(store: Store) -> None:
    tea, _coffee = put(store, "likes tea", "likes coffee")
    async with opened(store) as app:
        await app.press("*", "slash")
        await app.write("tea")
        assert app.listing.marks == {tea}


async def test_any_search_text_is_only_text(store: Store) -> None:
    put(store, "likes tea")
    async with opened(store) as app:
        await app.press("slash")
        for hostile in ("%", "'; DROP TABLE memories; --", "[", "\\", "🦊" * 200, "x" * 1_000):
            await app.write(hostile)
            assert "0 found" in app.seen() or "no exact match" in app.seen()
        for no_filter in ("kind:nonsense", "age:<x", "x" * 10_000, "said:9999-99"):
            await app.write(no_filter)
            assert "invalid filter" in app.seen()


async def test_what_another_process_writes_shows_without_moving_the_cursor(store: Store, tmp_path: Path) -> None:
    ids = put(store, *(f"memory number {n}" for n in range(9)))[::-1]
    other = Store.open(tmp_path / "store")
    async with opened(store) as app:
        await app.press("j", "j", "j")
        curation.forget(other, ids[:2])
        (new,) = put(other, "written elsewhere")
        await app.pilot.pause(0.5)
        await app.rest()
        assert app.ids == [new, *ids[2:]]
        assert app.listing.current == ids[3]
    other.close()


async def test_a_click_selects(store: Store) -> None:
    ids = put(store, "one", "two", "three")[::-1]
    async with opened(store) as app:
        await app.pilot.click("MemoryList", offset=(12, 2))
        assert app.listing.current == ids[2]


async def test_a_click_on_a_key_does_what_the_key_does(store: Store) -> None:
    (only,) = put(store, "one")
    async with opened(store) as app:
        await app.pilot.click("KeyBar", offset=(3, 0))
        await app.rest()
        assert store.get(only).review == "validated"


async def test_narrow_shows_the_detail_on_enter(store: Store) -> None:
    put(store, "one", "two")
    async with opened(store, (60, 20)) as app:
        assert not app.app.screen.query_one("MemoryPane").display
        await app.press("enter")
        assert app.app.screen.query_one("MemoryPane").display and not app.listing.display
        await app.press("j")
        assert "one" in app.seen()
        await app.press("escape")
        assert app.listing.display


@exhaustive
async def test_rows_keep_coming_while_one_is_forgotten_after_another(store: Store) -> None:
    put(store, *(f"memory number {n}" for n in range(4 * PAGE)))
    async with opened(store) as app:
        for _ in range(3 * PAGE):
            app.listing.drop(0)
        await app.rest()
        assert f"memory number {PAGE - 1} " in app.seen() and f"memory number {PAGE - 20} " in app.seen()


async def test_a_change_elsewhere_leaves_a_scrolled_view_where_it_is(store: Store, tmp_path: Path) -> None:
    put(store, *(f"memory number {n}" for n in range(300)))
    other = Store.open(tmp_path / "store")
    async with opened(store) as app:
        app.listing.scroll_to(y=200, animate=False)
        put(other, "written elsewhere")
        await app.pilot.pause(0.5)
        await app.rest()
        assert app.listing.scroll_y == 200 and app.listing.cursor == 1
        assert "memory number 100 " in app.seen()
    other.close()
