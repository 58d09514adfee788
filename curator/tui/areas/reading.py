"""Reading what is under the cursor of a list of memories into the pane beside it."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from curator.tui import details
from curator.tui.details import Details, Proposed
from curator.tui.widgets.detail import Detail

if TYPE_CHECKING:
    from curator.tui.areas.browser import Browser

REST = 0.06  # seconds the cursor rests before the detail is read
SETTLED = 0.6  # seconds it rests before what is related is looked for


class Reading:
    """What is read into `pane`; `leading` is the form of the inbox."""

    def __init__(self, area: "Browser", leading: bool) -> None:
        self._area = area
        self._leading = leading
        self.pane = Detail(area.desk.glyphs)

    @property
    def proposed(self) -> Proposed | None:
        """Other words for the memory under the cursor, if they are on the screen."""
        shown = self.pane.details
        return shown.proposed if shown is not None and shown.memory.id == self._area.list.current else None

    def begin(self) -> None:
        """Read what is under the cursor, once it rests there."""
        self._area.begin(partial(self._read, self._area.list.current), "detail")

    def filled(self) -> None:
        """DuckDB has its copy: now what is related is looked for."""
        if self.pane.details is not None:
            self._area.begin(partial(self._enrich, self.pane.details), "related detail")

    async def _read(self, memory: int | None) -> None:
        """The detail at once as it is quick, and with what is related when the cursor has settled."""
        await asyncio.sleep(REST)
        desk = self._area.desk
        found = None if memory is None else await desk.lanes["rows"].run(partial(details.load, desk.store, memory))
        former = self.pane.details
        self.pane.show(found, self._leading)
        if any(shown is not None and shown.proposed is not None for shown in (former, found)):
            self._area.screen.refresh_bindings()
        if found is not None:
            self._area.begin(partial(self._enrich, found), "related detail")

    async def _enrich(self, found: Details) -> None:
        await asyncio.sleep(SETTLED)
        desk = self._area.desk
        if self._area.list.current != found.memory.id or not desk.analytics.filled:
            return
        rich = await desk.lanes["slow"].run(lambda: details.enrich(desk.store, found, desk.index()))
        if self._area.list.current == found.memory.id:
            self.pane.show(rich, self._leading)
