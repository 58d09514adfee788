"""Facets beside the list; enter or space chooses the value under the cursor."""

import asyncio
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.events import Show
from textual.message import Message
from textual.worker import Worker

from curator.filters import with_term, without_term
from curator.topics import Topics, topics_of
from curator.tui import text_format as text
from curator.tui.context import AppContext
from curator.tui.memories import queries
from curator.tui.memories.queries import FacetRow
from curator.tui.widgets.virtual_list import Cells, VirtualList
from store import Filter

_TOPICS_OF = 200_000  # maximum memories of a store whose topics are counted


class Facets(VirtualList[FacetRow]):
    """List of headings and values; counted again on `follow` if visible."""

    RESTS: ClassVar[bool] = False
    DEFAULT_CSS = """
    Facets { width: 21; height: 1fr; }
    """

    @dataclass
    class Picked(Message):
        """A value was chosen or removed; `text` is the resulting filter."""

        text: str

    def __init__(self, context: AppContext) -> None:
        super().__init__(context.glyphs)
        self.context = context
        self._base, self._text = "", ""
        self._only: Sequence[int] | None = None
        self._topics: Topics | None = None  # as last found
        self._unfolded: set[str] = set()

    def follow(self, base: str, terms: str, only: Sequence[int] | None = None) -> None:
        """Count for a new filter, or only among the memories `only`."""
        self._base, self._text, self._only = base, terms, only
        if self.display and self.context.analytics.filled:
            _: Worker[None] = self.app.run_worker(
                self._read, group=f"facets {id(self)}", exclusive=True, exit_on_error=False
            )

    def on_show(self, _event: Show) -> None:
        """Count now, since hidden facets are not counted."""
        self.follow(self._base, self._text, self._only)

    async def _read(self) -> None:
        await asyncio.sleep(self.context.timings.facets)
        context = self.context

        def work() -> list[FacetRow]:
            context.analytics.follow()
            return queries.facets(
                context.analytics,
                self._topics,
                self._base,
                self._text,
                context.now(),
                self._only,
                self._unfolded,
                finding,
            )

        def small() -> bool:  # for a million memories, finding topics takes a minute and 7 GB
            context.analytics.follow()
            return context.analytics.count(Filter(lives=())) <= _TOPICS_OF

        finding = "topic:" in self._text.casefold() or await context.run("facets", small)
        if self._topics is None or not finding:
            self._topics = None
            self._show(await context.run("facets", work))  # topics take a second, the first time
        if finding:
            self._topics = await context.run("facets", topics_of, context.store)
            self._show(await context.run("facets", work))

    def _show(self, rows: list[FacetRow]) -> None:
        here = self.current_row
        first = next((index for index, row in enumerate(rows) if row.term), 0)
        at_first = self.cursor <= next((n for n in range(len(self.ids)) if self._is_value(n)), 0)
        indices = [index for index, row in enumerate(rows) if here is not None and row.term == here.term != ""]
        cursor = first if at_first or not indices else indices[0]
        if here is not None and here.unfolds and self.cursor < len(rows):
            cursor = self.cursor  # the first newly listed value
        self.show_rows(array("q", range(len(rows))), dict(enumerate(rows)), cursor)

    def move_to(self, index: int) -> None:
        """Move the cursor to a value, skipping headings."""
        step = -1 if index < self.cursor else 1
        while 0 <= index < len(self.ids) and not self._is_value(index):
            index += step
        if 0 <= index < len(self.ids):
            super().move_to(index)

    def _is_value(self, index: int) -> bool:
        row = self.row(index)
        return row is not None and bool(row.term or row.unfolds)

    def choose(self) -> None:
        """Add the value under the cursor to the filter, or remove it; the last line lists all values of its facet."""
        row = self.current_row
        if row is not None and row.unfolds:
            self._unfolded.add(row.unfolds)
            self.follow(self._base, self._text, self._only)
        elif row is not None and row.term:
            change = without_term if row.chosen else with_term
            self.post_message(self.Picked(change(self._text, row.term)))

    def cells(self, row_id: int, row: FacetRow | None, width: int) -> Cells:
        """Return a heading in capitals, or a value and its count."""
        if row is None:
            return []
        if not row.term:
            return [(text.fit(row.label.upper() if row.count else f"  {row.label}", width), "muted")]
        count = f"{row.count:>4,} "
        words = text.fit(f"{self.glyphs.mark if row.chosen else ' '} {text.one_line(row.label)}", width - len(count))
        return [(words, "accent" if row.chosen else "plain"), (count, "muted")]
