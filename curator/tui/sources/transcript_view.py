"""A list at the left, the transcript of what its cursor is on at the right: how Sources reads and moves."""

from functools import partial
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.events import DescendantFocus
from textual.widget import Widget
from textual.widgets import Static

from curator.tui.context import AppContext
from curator.tui.list_view import MarkableListView
from curator.tui.sources import queries
from curator.tui.sources.conversation_pane import ConversationPane
from curator.tui.sources.lists import Found, Refused, Shelf, Talks
from curator.tui.sources.queries import Place
from curator.tui.view import Tone
from curator.tui.widgets.virtual_list import VirtualList
from store import NotFound
from store.model import Refusal

_EMPTY: dict[type[Shelf], tuple[str, str]] = {
    Talks: ("No conversation yet. ", "Import a chat log: what was said is read here, beside what became of it."),
    Refused: ("Nothing is refused. ", "What an import leaves out is listed here, each with the reason."),
}


class Transcripts(MarkableListView):
    """Three lists of which one is shown, and the transcript, which has the keys while the area is `-reading`."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context, "search every message ever imported")
        self.talks, self.found, self.refused = Talks(context), Found(context), Refused(context)
        self.shelf: Shelf = self.talks
        self.pane = ConversationPane(context)
        self._landing: Place | None = None  # where in the conversation under the cursor the transcript begins

    def compose(self) -> ComposeResult:
        """The panes, and what stands there while there is nothing."""
        yield self.line
        with Container(classes="panes"):
            with Container(classes="lists"):
                for shelf in (self.talks, self.found, self.refused):
                    shelf.rows.display = shelf is self.shelf
                    yield shelf.rows
            yield self.pane
        yield Static(id="nothing")

    @property
    def empty(self) -> bool:
        """Whether there is nothing to list though nothing narrows the list down."""
        shelf = self.shelf
        return self.seen >= 0 and not shelf.rows.ids and not isinstance(shelf, Found) and shelf.only is None

    # The lists

    def turn_to(self, shelf: Shelf, near: tuple[int, ...] = (), fresh: bool = False) -> None:
        """Show a list and read it; the cursor goes to the first of `near`, else it stays, or begins anew."""
        self.put_out(shelf)
        if not self.line.typing:
            self.take_keys()
        self.begin(partial(self.load, near, fresh), "ids")

    def take_keys(self) -> None:
        """Give the keys to the pane that has them by what is shown."""
        (self.pane.lines if self.in_pane else self.shelf.rows).focus()

    def put_out(self, shelf: Shelf) -> None:
        """Show a list as it is."""
        self.shelf = shelf
        for other in (self.talks, self.found, self.refused):
            other.rows.display = other is shelf
        self.set_class(shelf is not self.talks, "-words")
        if shelf is not self.found and not self.line.typing:
            self.search_for("")
        self.update_bars()

    async def load(self, near: tuple[int, ...] = (), fresh: bool = False) -> None:
        """Read the list again."""
        shelf = self.shelf
        self.seen = await shelf.load(near, fresh)
        self.update_bars()
        if isinstance(shelf, Refused):
            await shelf.count()
            self.update_bars()

    async def land(self, message: int, span: tuple[int, int] | None) -> None:
        """Select the conversation of a message and go to the span in it."""
        context = self.context
        try:
            place = await context.executors["rows"].run(partial(queries.place_of, context.store, message, span))
        except NotFound:
            self.say("where it was said is not here any more: that import was taken back", Tone.BAD)
            await self.load(fresh=self.seen < 0)
            return
        self.talks.only, self._landing = None, place
        self.put_out(self.talks)
        await self.load((place.conversation,))
        self.pane.show(place)
        self.enter_pane()

    @on(VirtualList.Wanted)
    def rows_wanted(self, event: VirtualList.Wanted) -> None:
        """Read the rows that a list lacks."""
        if event.rows is self.shelf.rows:
            self.begin(partial(self._fetch, self.shelf, event.pages), "rows")
            self._want_more()

    async def _fetch(self, shelf: Shelf, pages: tuple[tuple[int, ...], ...]) -> None:
        await shelf.fetch(pages)
        self.show_place()

    @on(VirtualList.Moved)
    def cursor_moved(self, event: VirtualList.Moved) -> None:
        """Show the conversation under the cursor once it rests there."""
        if event.rows is self.shelf.rows:
            self.show_place()
            self._want_more()

    def _want_more(self) -> None:
        reading = self.reading("ids") or self.reading("more")
        if self.shelf is self.refused and self.refused.ends_soon and not reading:
            self.begin(self._go_on, "more")

    async def _go_on(self) -> None:
        await self.refused.go_on()
        self.update_bars()

    def show_place(self) -> None:
        """Have the transcript show what the cursor of the list is on, unless the person is in it."""
        place = self.shelf.place()
        if self._landing is not None and place is not None and place.conversation == self._landing.conversation:
            place = self._landing
        else:
            self._landing = None
        if place != self.pane.place and not self.in_pane:
            self.pane.show(place, self.context.timings.rest)

    @on(VirtualList.Marked)
    @on(ConversationPane.Changed)
    def something_changed(self) -> None:
        """Say how many are marked, and which keys work."""
        self.update_bars()

    def update_bars(self) -> None:
        """Say what is listed, how much of it there is, and which keys work."""
        shelf = self.shelf
        self.set_class(self.empty, "-empty")
        if self.empty:
            first, rest = _EMPTY[type(shelf)]
            self.query_one("#nothing", Static).update(Content.assemble((first, "bold $text"), (rest, "$muted")))
        self.line.chips([shelf.query] if isinstance(shelf, Found) else (), ahead=shelf.ahead)
        self.line.count(shelf.counted())
        self.screen.refresh_bindings()

    # The transcript

    @property
    def in_pane(self) -> bool:
        """Whether the transcript has the keys, or is about to."""
        return self.has_class("-reading")

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """A click gives the keys to another pane too."""
        if self.in_pane != (event.widget is self.pane.lines):
            self.set_class(event.widget is self.pane.lines, "-reading")
            self.screen.refresh_bindings()

    def enter_pane(self) -> None:
        """Give the keys to the transcript."""
        self.add_class("-reading")
        self.pane.lines.focus()
        self.screen.refresh_bindings()

    def leave_detail(self) -> None:
        """Give the keys to the list."""
        self.remove_class("-reading")
        self.shelf.rows.focus()
        self.show_place()

    def leave_list(self) -> None:
        """From what was found or refused back to the conversations, to the one that was looked at."""
        self._landing = self.shelf.place()
        self.turn_to(self.talks, () if self._landing is None else (self._landing.conversation,))

    def concerned(self) -> list[Refusal]:
        """The refused passages that a key is meant for: the one under the cursor, or those marked in the list."""
        if self.in_pane:
            mark = self.pane.lines.mark_here
            return [] if mark is None or mark.refusal is None else [mark.refusal]
        return self.refused.concerned() if self.shelf is self.refused else []

    # Moving

    @property
    def rows(self) -> VirtualList[Any]:
        """The list that is shown."""
        return self.shelf.rows

    @property
    def moving(self) -> VirtualList[Any]:
        """The transcript while it has the keys, else the list."""
        return self.pane.lines if self.in_pane else self.shelf.rows

    @property
    def scrolled(self) -> Widget:
        """The transcript."""
        return self.pane.lines

    def action_pane(self) -> None:
        """From the list to the transcript and back."""
        if self.in_pane:
            self.leave_detail()
        else:
            self.line.show_field(False)
            self.enter_pane()

    def action_step(self, direction: int) -> None:
        """To the next mark of the transcript, or the one before."""
        if not self.pane.lines.step(direction):
            self.say("no mark after this one" if direction > 0 else "no mark before this one")
        self.enter_pane()
