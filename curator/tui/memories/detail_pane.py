"""Detail pane of the memory under the cursor."""

import asyncio
from collections.abc import Coroutine
from functools import partial

<<<<<<< HEAD
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.widgets import Static
=======
from textual.content import Content
>>>>>>> main
from textual.worker import Worker

from curator.tui.context import AppContext
from curator.tui.glyphs import Glyphs
from curator.tui.memories import detail_queries
from curator.tui.memories.detail_queries import Details, Proposed
from curator.tui.memories.detail_render import content
from curator.tui.widgets.text_pane import TextPane


<<<<<<< HEAD
class MemoryPane(VerticalScroll, can_focus=False):
    """Shows `Details`; scrolls without focus."""

    DEFAULT_CSS = """
    MemoryPane { background: $background; padding: 0 1 0 2; scrollbar-size-vertical: 1; scrollbar-gutter: stable; }
    MemoryPane > Static { height: auto; min-height: 100%; width: 1fr; color: $text; }
    """
=======
class MemoryPane(TextPane, can_focus=False):
    """Shows `Details`."""
>>>>>>> main

    def __init__(self, glyphs: Glyphs, inbox: bool = False) -> None:
        super().__init__()
        self.details: Details | None = None
        self._glyphs, self._inbox = glyphs, inbox
<<<<<<< HEAD
        self._drawn: tuple[Details | None, Size] | None = None
=======
>>>>>>> main

    def show_details(self, details: Details | None) -> None:
        """Show other details; the same memory keeps its scroll position."""
<<<<<<< HEAD
        former, self.details = self.details, details
        self._draw()
        if former is None or details is None or former.memory.id != details.memory.id:
            self.scroll_home(animate=False)

    def on_resize(self) -> None:
        """Wrap for the new width."""
        self._draw()

    def _draw(self) -> None:
        size = self.scrollable_content_region.size
        if (self.details, size) != self._drawn:
            self._drawn = self.details, size
            text = Content()
            if self.details is not None:
                text = content(self.details, self._glyphs, size.width, self._inbox)
            static = self.query_one(Static)
            stays = bool(size) and static.size.height == size.height >= text.get_height({}, size.width)
            static.update(text, layout=not stays)  # a layout takes as long as a key
=======
        self.details = details
        if details is None:
            self.show(None, lambda width: Content())
        else:
            self.show(details.memory.id, lambda width: content(details, self._glyphs, width, self._inbox))
>>>>>>> main


class DetailPane(MemoryPane, can_focus=False):
    """Shows the memory under the cursor once the cursor rests."""

    def __init__(self, context: AppContext, inbox: bool) -> None:
        super().__init__(context.glyphs, inbox)
        self._app_context = context
        self._wanted: int | None = None

    def proposed(self, memory: int | None) -> Proposed | None:
        """Return the wording proposed for a memory, if it is on the screen."""
        return self.details.proposed if self.details is not None and self.details.memory.id == memory else None

    def read(self, memory: int | None) -> None:
        """Show a memory once the cursor rests on it, and its related memories once the cursor has settled."""
        self._wanted = memory
        self._start(partial(self._read, memory), "detail")

    def look_for_related(self) -> None:
        """Search for related memories, now that DuckDB has its copy."""
        if self.details is not None:
            self._start(partial(self._enrich, self.details), "related detail")

    def _start(self, work: "partial[Coroutine[None, None, None]]", group: str) -> None:
        _: Worker[None] = self.app.run_worker(work, group=f"{id(self)} {group}", exclusive=True, exit_on_error=False)

    async def _read(self, memory: int | None) -> None:
        await asyncio.sleep(self._app_context.timings.rest)
        context, former = self._app_context, self.details
        found = None if memory is None else await context.run("rows", detail_queries.load, context.store, memory)
        self.show_details(found)
        if any(shown is not None and shown.proposed is not None for shown in (former, found)):
            self.screen.refresh_bindings()
        if found is not None:
            self._start(partial(self._enrich, found), "related detail")

    async def _enrich(self, found: Details) -> None:
        await asyncio.sleep(self._app_context.timings.related)
        context = self._app_context
        if self._wanted != found.memory.id or not context.analytics.filled:
            return
        rich = await context.run("slow", lambda: detail_queries.enrich(context.store, found, context.index()))
        if self._wanted == found.memory.id:
            self.show_details(rich)
