"""Reading what is under the cursor of a list of memories into the pane beside it."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from curator.tui.memories import detail_queries
from curator.tui.memories.detail_pane import MemoryPane
from curator.tui.memories.detail_queries import Details, Proposed

if TYPE_CHECKING:
    from curator.tui.memories.browser import Browser


class DetailLoader:
    """What is read into `pane`; `leading` is the form of the inbox."""

    def __init__(self, view: "Browser", leading: bool) -> None:
        self._view = view
        self._leading = leading
        self.pane = MemoryPane(view.context.glyphs)

    @property
    def proposed(self) -> Proposed | None:
        """Other words for the memory under the cursor, if they are on the screen."""
        shown = self.pane.details
        return shown.proposed if shown is not None and shown.memory.id == self._view.list.current else None

    def begin(self) -> None:
        """Read what is under the cursor, once it rests there."""
        self._view.begin(partial(self._read, self._view.list.current), "detail")

    def filled(self) -> None:
        """DuckDB has its copy: now what is related is looked for."""
        if self.pane.details is not None:
            self._view.begin(partial(self._enrich, self.pane.details), "related detail")

    async def _read(self, memory: int | None) -> None:
        """The detail at once as it is quick, and with what is related when the cursor has settled."""
        context = self._view.context
        await asyncio.sleep(context.timings.rest)
        found = (
            None
            if memory is None
            else await context.executors["rows"].run(partial(detail_queries.load, context.store, memory))
        )
        former = self.pane.details
        self.pane.show(found, self._leading)
        if any(shown is not None and shown.proposed is not None for shown in (former, found)):
            self._view.screen.refresh_bindings()
        if found is not None:
            self._view.begin(partial(self._enrich, found), "related detail")

    async def _enrich(self, found: Details) -> None:
        context = self._view.context
        await asyncio.sleep(context.timings.related)
        if self._view.list.current != found.memory.id or not context.analytics.filled:
            return
        rich = await context.executors["slow"].run(lambda: detail_queries.enrich(context.store, found, context.index()))
        if self._view.list.current == found.memory.id:
            self.pane.show(rich, self._leading)
