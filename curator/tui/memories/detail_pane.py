"""Detail pane of the memory under the cursor."""

import asyncio
from collections.abc import Coroutine
from functools import partial

from textual.content import Content
from textual.worker import Worker

from curator.tui.context import AppContext
from curator.tui.glyphs import Glyphs
from curator.tui.keymap import first_key
from curator.tui.memories import detail_queries
from curator.tui.memories.detail_queries import Details, Proposed
from curator.tui.memories.detail_render import content
from curator.tui.widgets.text_pane import TextPane


class MemoryPane(TextPane, can_focus=False):
    """Shows `Details`."""

    DEFAULT_CSS = "MemoryPane > Static { min-height: 100%; }"

    def __init__(self, glyphs: Glyphs, inbox: bool = False) -> None:
        super().__init__()
        self.details: Details | None = None
        self._glyphs, self._inbox = glyphs, inbox

    def show_details(self, details: Details | None) -> None:
        """Show details; the scroll position stays if the memory is the same."""
        self.details = details
        if details is None:
            self.show(None, lambda width: Content())
        else:
            give = first_key(self.app, "give")
            self.show(details.memory.id, lambda width: content(details, self._glyphs, width, self._inbox, give))


class DetailPane(MemoryPane, can_focus=False):
    """Shows the memory under the cursor once the cursor rests."""

    def __init__(self, context: AppContext, inbox: bool) -> None:
        super().__init__(context.glyphs, inbox)
        self._app_context = context
        self._wanted: int | None = None

    def proposed(self, memory_id: int | None) -> Proposed | None:
        """Return the proposed wording of a memory, if it is on the screen."""
        return self.details.proposed if self.details is not None and self.details.memory.id == memory_id else None

    def read(self, memory_id: int | None) -> None:
        """Show a memory once the cursor rests on it, and its related memories after a longer rest."""
        self._wanted = memory_id
        self._start(partial(self._read, memory_id), "detail")

    def look_for_related(self) -> None:
        """Search for related memories, once DuckDB is filled."""
        if self.details is not None:
            self._start(partial(self._enrich, self.details), "related detail")

    def _start(self, work: "partial[Coroutine[None, None, None]]", group: str) -> None:
        _: Worker[None] = self.app.run_worker(work, group=f"{id(self)} {group}", exclusive=True, exit_on_error=False)

    async def _read(self, memory_id: int | None) -> None:
        await asyncio.sleep(self._app_context.timings.rest)
        context, former = self._app_context, self.details
        details = None
        if memory_id is not None:
            details = await context.run("rows", detail_queries.load, context.store, memory_id)
        self.show_details(details)
        if any(shown is not None and shown.proposed is not None for shown in (former, details)):
            self.screen.refresh_bindings()
        if details is not None:
            self._start(partial(self._enrich, details), "related detail")

    async def _enrich(self, details: Details) -> None:
        await asyncio.sleep(self._app_context.timings.related)
        context = self._app_context
        if self._wanted != details.memory.id or not context.analytics.filled:
            return
        rich = await context.run("slow", lambda: detail_queries.enrich(context.store, details, context.index()))
        if self._wanted == details.memory.id:
            self.show_details(rich)
