"""The facets beside the list: a value under the cursor is chosen by enter or space."""

import asyncio
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.events import Show
from textual.message import Message
from textual.worker import Worker

from curator.filters.memories import with_term, without_term
from curator.tui import text_format as text
from curator.tui.context import AppContext
from curator.tui.memories import queries
from curator.tui.memories.queries import FacetRow
from curator.tui.widgets.virtual_list import Cells, VirtualList


class Facets(VirtualList[FacetRow]):
    """Headings and values; reads anew when it is told to follow and can be seen."""

    RESTS: ClassVar[bool] = False
    DEFAULT_CSS = """
    Facets { width: 21; height: 1fr; }
    """

    @dataclass
    class Picked(Message):
        """A value was chosen or taken off; `text` is the filter with that."""

        text: str

    class Left(Message):
        """The keys have gone elsewhere."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context.glyphs)
        self.context = context
        self._base, self._text = "", ""
        self._only: Sequence[int] | None = None

    def follow(self, base: str, terms: str, only: Sequence[int] | None = None) -> None:
        """Count for another filter, or in a list named one by one."""
        self._base, self._text, self._only = base, terms, only
        if self.display and self.context.analytics.filled:
            _: Worker[None] = self.app.run_worker(
                self._read, group=f"facets {id(self)}", exclusive=True, exit_on_error=False
            )

    def on_show(self, _event: Show) -> None:
        """It was not read while it was not seen."""
        self.follow(self._base, self._text, self._only)

    def on_blur(self) -> None:
        """Say so: where there is little room it goes."""
        self.post_message(self.Left())

    async def _read(self) -> None:
        await asyncio.sleep(self.context.timings.facets)
        context = self.context

        def work() -> list[FacetRow]:
            context.analytics.follow()
            return queries.facets(context.analytics, self._base, self._text, context.now(), self._only)

        rows = await context.executors["facets"].run(work)
        here = self._row()
        places = [place for place, row in enumerate(rows) if here is not None and row.term == here.term != ""]
        cursor = places[0] if places else next((place for place, row in enumerate(rows) if row.term), 0)
        self.show_rows(array("q", range(len(rows))), dict(enumerate(rows)), cursor)

    def _row(self) -> FacetRow | None:
        return None if self.current is None else self.row(self.current)

    def move_to(self, place: int) -> None:
        """Only values can be chosen: headings are stepped over."""
        step = -1 if place < self.cursor else 1
        while 0 <= place < len(self.ids) and not self._is_value(place):
            place += step
        if 0 <= place < len(self.ids):
            super().move_to(place)

    def _is_value(self, place: int) -> bool:
        row = self.row(place)
        return row is not None and bool(row.term)

    def choose(self) -> None:
        """Filter by the value under the cursor, or no longer."""
        row = self._row()
        if row is not None and row.term:
            change = without_term if row.chosen else with_term
            self.post_message(self.Picked(change(self._text, row.term)))

    def cells(self, number: int, row: FacetRow | None, width: int) -> Cells:
        """A heading in capitals, or a value and its count."""
        if row is None:
            return []
        if not row.term:
            return [(text.fit(row.label.upper() if row.count else f"  {row.label}", width), "muted")]
        count = f"{row.count:>4,} "
        words = text.fit(f"{self.glyphs.mark if row.chosen else ' '} {text.one_line(row.label)}", width - len(count))
        return [(words, "accent" if row.chosen else "plain"), (count, "muted")]
