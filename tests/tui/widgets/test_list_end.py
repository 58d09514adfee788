"""Rows removed while a list is scrolled to its end leave no empty line below it."""

from effort import thorough
from factories import put
from store import Store
from tui.driver import opened


@thorough
async def test_the_view_ends_with_the_list(store: Store) -> None:
    put(store, *(f"number {n} is a memory" for n in range(60)))
    async with opened(store, (80, 24)) as app:
        await app.press("G")
        rows = app.listing
        for _ in range(6):
            await app.press("d")
            assert rows.cursor == len(rows.ids) - 1
            assert round(rows.scroll_y) == rows.max_scroll_y == len(rows.ids) - rows.size.height
            bar = rows.vertical_scrollbar
            assert bar.window_virtual_size == len(rows.ids) == rows.virtual_size.height
        await app.press("g", "d", "d")
        assert round(rows.scroll_y) == 0 and rows.vertical_scrollbar.window_virtual_size == len(rows.ids) == 52
