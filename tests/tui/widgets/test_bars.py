"""The view bar in terminals with little room."""

import pytest
from textual.content import Content

from curator.tui.widgets.bars import TabBar
from curator.tui.widgets.filter_bar import FilterBar
from effort import some, thorough
from factories import put
from store import Store
from tui.driver import opened

COUNTS = {"inbox": 578, "memories": 9_999, "conflicts": 74}


NAMES = (
    (40, "inbox", "1 Inbox·578  2  3·74  4  5  6  7"),
    (60, "inbox", "1 Inbox·578  2 Memories  3 Conflicts·74  4 Recall  5  6  7"),
    (60, "history", "1 Inbox·578  2 Memories  3·74  4  5  6  7 History"),
    (80, "inbox", "1 Inbox·578 2 Memories 3 Conflicts·74 4 Recall 5 Sources 6 Insights 7 History"),
    (80, "history", "1 Inbox·578 2 Memories 3 Conflicts·74 4 Recall 5 Sources 6 Insights 7 History"),
    (80, "memories", "1 Inbox 2 Memories·9,999 3 Conflicts 4 Recall 5 Sources 6 Insights 7 History"),
    (86, "inbox", "1 Inbox·578  2 Memories  3 Conflicts·74  4 Recall  5 Sources  6 Insights  7 History"),
)


@thorough
async def test_areas_have_their_names_as_far_as_there_is_room(store: Store) -> None:
    put(store, "one")
    async with opened(store, (40, 24)) as app:
        for width, here, line in some(NAMES, 3):
            await app.pilot.resize_terminal(width, 24)
            await app.rest()
            app.frame.query_one(TabBar).show(here, COUNTS)
            await app.rest()
            assert app.seen().splitlines()[0].strip() == line
            await app.pilot.click(TabBar, offset=(line.index(" 5") + 2, 0))
            await app.rest()
            assert app.view.NAME == "sources"
            await app.press("2")


@thorough
@pytest.mark.parametrize("width", some([40, 60, 80], 1))
async def test_the_hint_is_cut_before_the_count(store: Store, width: int) -> None:
    put(store, "one")
    async with opened(store, (width, 20)) as app:
        line = app.view.query_one(FilterBar)
        line._hint = (
            "search, or filter: kind:task tier:core is:pinned age:<90d by:model source:claude and more than that"
        )
        line.chips(())
        line.count(Content("526"))
        await app.rest()
        assert app.seen().splitlines()[1].rstrip().endswith("… 526")
