"""Base of the Sources view: a list on the left, and the transcript of the current row on the right."""

from functools import partial
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.events import DescendantFocus
from textual.widgets import Static

from curator.tui.context import AppContext
from curator.tui.list_view import MarkableListView
from curator.tui.messages import Tone
from curator.tui.sources import queries
from curator.tui.sources.conversation_pane import ConversationPane
from curator.tui.sources.loaders import ConversationLoader, HitLoader, Loader, RefusalLoader
from curator.tui.sources.queries import TranscriptLocation
from curator.tui.widgets.virtual_list import VirtualList
from store import NotFound
from store.model import Refusal


class Transcripts(MarkableListView):
    """Three lists, one of them visible, and the transcript, which has the focus if the view's class is `-reading`."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context, "search all messages")
        self.conversations = ConversationLoader(context)
        self.hits, self.refusals = HitLoader(context), RefusalLoader(context)
        self.loader: Loader[Any] = self.conversations
        self.list = self.loader.rows
        self.pane = ConversationPane(context)
        self.scrolled = self.pane.lines
        self._landing: TranscriptLocation | None = None  # shown once its conversation is under the cursor

    def compose(self) -> ComposeResult:
        """Lay out the panes, and the text of an empty list."""
        loaders: tuple[Loader[Any], ...] = (self.conversations, self.hits, self.refusals)
        for loader in loaders:
            loader.rows.display = loader is self.loader
        lists = Container(*(loader.rows for loader in loaders), classes="lists")
        return (self.line, Container(lists, self.pane, classes="panes"), Static(id="nothing"))

    @property
    def empty(self) -> bool:
        """True if there is nothing to list without a filter."""
        loader = self.loader
        return self.seen >= 0 and not loader.rows.ids and loader is not self.hits and loader.only is None

    # Lists

    def turn_to(self, loader: Loader[Any], near: tuple[int, ...] = (), fresh: bool = False) -> None:
        """Show a list and read it; the cursor goes to the first of `near`, or to the top if `fresh`, else stays."""
        self.show_list(loader)
        if not self.line.typing:
            self.take_keys()
        self.begin(partial(self.load, near, fresh), "ids")

    def take_keys(self) -> None:
        """Focus the transcript or the list, whichever is active."""
        (self.pane.lines if self.in_pane else self.list).focus()

    def show_list(self, loader: Loader[Any]) -> None:
        """Show a list without reading it again."""
        self.loader, self.list = loader, loader.rows
        for other in (self.conversations, self.hits, self.refusals):
            other.rows.display = other is loader
        self.set_class(loader is not self.conversations, "-words")
        if loader is not self.hits and not self.line.typing:
            self.search_for("")
        self.update_bars()

    async def load(self, near: tuple[int, ...] = (), fresh: bool = False) -> None:
        """Read the list again."""
        loader = self.loader
        self.seen = await loader.load(near, fresh)
        self.update_bars()
        if loader is self.refusals:
            await self.refusals.count()
            self.update_bars()

    async def land(self, message: int, span: tuple[int, int] | None) -> None:
        """Select the conversation of a message and go to the span in it."""
        context = self.context
        try:
            location = await context.run("rows", queries.locate_message, context.store, message, span)
        except NotFound:
            self.say("this conversation is gone: its import was undone", Tone.BAD)
            await self.load(fresh=self.seen < 0)
            return
        self.conversations.only, self._landing = None, location
        self.show_list(self.conversations)
        await self.load((location.conversation,))
        self.pane.show(location)
        self.enter_pane()

    @on(VirtualList.RowsNeeded)
    def rows_wanted(self, event: VirtualList.RowsNeeded) -> None:
        """Read the missing rows of a list."""
        if event.rows is self.list:
            self.begin(partial(self._fetch, self.loader, event.pages), "rows")
            self._want_more()

    async def _fetch(self, loader: Loader[Any], pages: tuple[tuple[int, ...], ...]) -> None:
        await self.fill_rows(loader.rows, pages, loader.read_rows)
        self.show_place()

    @on(VirtualList.Moved)
    def cursor_moved(self, event: VirtualList.Moved) -> None:
        """Show the conversation under the cursor once it rests there."""
        if event.rows is self.list:
            self.show_place()
            self._want_more()

    def _want_more(self) -> None:
        reading = self.working("ids") or self.working("more")
        if self.loader is self.refusals and self.refusals.ends_soon and not reading:
            self.begin(self._go_on, "more")

    async def _go_on(self) -> None:
        await self.refusals.go_on()
        self.update_bars()

    def show_place(self) -> None:
        """Show the current row in the transcript, unless the transcript has the focus."""
        location = self.loader.location
        landing = self._landing if self.loader is self.conversations else None  # a hit has a place of its own
        if landing is not None and location is not None and location.conversation == landing.conversation:
            location = landing
        else:
            self._landing = None
        if location != self.pane.location and not self.in_pane:
            self.pane.show(location, self.context.timings.rest)

    @on(VirtualList.Marked)
    @on(ConversationPane.Changed)
    def something_changed(self) -> None:
        """Update the counts and the keys."""
        self.update_bars()

    def update_bars(self) -> None:
        """Update the filter bar, the counts and the enabled keys."""
        loader = self.loader
        self.set_class(self.empty, "-empty")
        if self.empty:
            first, rest = loader.empty
            self.query_one("#nothing", Static).update(Content.assemble((first, "bold $text"), (rest, "$muted")))
        self.line.chips([self.hits.query] if loader is self.hits else (), ahead=loader.ahead)
        self.line.count(loader.counted())
        self.screen.refresh_bindings()

    # Transcript

    @property
    def in_pane(self) -> bool:
        """True if the transcript has or is getting the focus."""
        return self.has_class("-reading")

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Update the state after a click into another pane."""
        if self.in_pane != (event.widget is self.pane.lines):
            self.set_class(event.widget is self.pane.lines, "-reading")
            self.screen.refresh_bindings()

    def enter_pane(self) -> None:
        """Focus the transcript."""
        self.add_class("-reading")
        self.pane.lines.focus()
        self.screen.refresh_bindings()

    def leave_detail(self) -> None:
        """Focus the list."""
        self.remove_class("-reading")
        self.list.focus()
        self.show_place()

    def leave_list(self) -> None:
        """Go back to the list of conversations, with the cursor on the shown one."""
        self._landing = self.loader.location
        self.turn_to(self.conversations, () if self._landing is None else (self._landing.conversation,))

    def concerned(self) -> list[Refusal]:
        """Return the refused passages that an action applies to: the marked ones, else the one under the cursor.

        For a message found by a search, this is the cursor of the transcript, which is on what was found.
        """
        if self.in_pane or self.loader is self.hits:
            mark = self.pane.lines.mark_here
            return [] if mark is None or mark.refusal is None else [mark.refusal]
        return self.refusals.concerned() if self.loader is self.refusals else []

    # Moving

    @property
    def moving(self) -> VirtualList[Any]:
        """The transcript while it has the focus, else the list."""
        return self.pane.lines if self.in_pane else self.list

    def action_next_pane(self) -> None:
        """Switch between the list and the transcript."""
        if self.in_pane:
            self.leave_detail()
        else:
            self.line.show_field(False)
            self.enter_pane()

    def action_step(self, direction: int) -> None:
        """Go to the next or the previous mark of the transcript."""
        if not self.pane.lines.step(direction):
            self.say("no more passages below" if direction > 0 else "no more passages above")
        self.enter_pane()
