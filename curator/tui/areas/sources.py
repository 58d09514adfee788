"""The area Sources: the conversations that memories come from, and what of them became one, or was refused."""

import asyncio
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.widgets import Static

from curator.tui import talks
from curator.tui.actions import LISTS, SOURCES, bindings
from curator.tui.areas.area import Area, Target, Tone
from curator.tui.areas.taking import Taking
from curator.tui.desk import Desk
from curator.tui.screens.asking import Menu
from curator.tui.shelves import ALL, Found, Refused, Shelf, Talks
from curator.tui.talks import Place
from curator.tui.widgets.filter_line import FilterLine
from curator.tui.widgets.rows import RowList
from curator.tui.widgets.talk_pane import TalkPane, why
from store import NotFound, StoreError
from store.model import Life, Refusal, Review

TYPING = 0.15  # seconds without a key before a search begins
REST = 0.06  # seconds the cursor of a list rests before a conversation is read
_HINT = "search every message ever imported"
_ON_MARKS = frozenset("mark range extend mark_all".split())
_ON_LIST = frozenset("move page first last".split())


class Sources(Area):
    """A list at the left (conversations, found messages or refused passages), a transcript at the right."""

    NAME: ClassVar[str] = "sources"
    BINDINGS = bindings((*SOURCES, *LISTS))

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._line = FilterLine(_HINT)
        self._talks, self._found, self._refused = Talks(desk), Found(desk), Refused(desk)
        self._shelf: Shelf = self._talks
        self._pane = TalkPane(desk)
        self._taking = Taking(self)
        self._landing: Place | None = None  # where in the conversation under the cursor the transcript begins

    def compose(self) -> ComposeResult:
        """The panes, and what stands there while there is nothing."""
        yield self._line
        with Container(classes="panes"):
            with Container(classes="lists"):
                for shelf in (self._talks, self._found, self._refused):
                    shelf.rows.display = shelf is self._shelf
                    yield shelf.rows
            yield self._pane
        words = ("No conversation yet. ", "bold $text"), ("I imports a chat log; what was said is read here.", "$muted")
        yield Static(Content.assemble(*words), id="nothing")

    # Coming to the front

    def open(self, target: Target | None) -> None:
        """Come to the front; at a message with a quote, or at what was refused (for `refused:reason`, for that)."""
        if target is not None and target.message is not None:
            self.begin(partial(self._land, target.message, target.span), "ids")
        elif target is not None and (target.terms or "").startswith("refused"):
            self._refused.only = (target.terms or "").partition(":")[2] or None
            self._turn_to(self._refused, fresh=True)
        elif self.seen < 0:
            self._turn_to(self._shelf, fresh=True)
        else:
            self._focus()

    async def _land(self, message: int, span: tuple[int, int] | None) -> None:
        """Select the conversation of a message and show the span in it."""
        desk = self.desk
        try:
            place = await desk.lanes["rows"].run(partial(talks.place_of, desk.store, message, span))
        except NotFound:
            self.say("where it was said is not here any more: that import was taken back", Tone.BAD)
            await self._load(fresh=self.seen < 0)
            return
        self._talks.only, self._landing = None, place
        self._show_shelf(self._talks)
        await self._load((place.conversation,))
        self._pane.show(place)
        self._read_pane()

    def _turn_to(self, shelf: Shelf, near: tuple[int, ...] = (), fresh: bool = False) -> None:
        self._show_shelf(shelf)
        self._focus()
        self.begin(partial(self._load, near, fresh), "ids")

    def _show_shelf(self, shelf: Shelf) -> None:
        self._shelf = shelf
        for other in (self._talks, self._found, self._refused):
            other.rows.display = other is shelf
        self.set_class(shelf is not self._talks, "-words")
        if shelf is not self._found:
            self._line.put("")
            self._line.show_field(False)
        self._tell()

    def _focus(self) -> None:
        (self._pane.lines if self.has_class("-reading") else self._shelf.rows).focus()

    def _read_pane(self) -> None:
        """Give the keys to the transcript."""
        self.add_class("-reading")
        self._pane.lines.focus()
        self.screen.refresh_bindings()

    def _leave_pane(self) -> None:
        self.remove_class("-reading")
        self._shelf.rows.focus()
        self._rest()

    # Reading

    @property
    def busy(self) -> bool:
        """While something is taken in, or the list is read, what is shown is about to change anyway."""
        return bool(self._taking.writing) or self.reading("ids")

    def follow(self, touched: tuple[int, ...] = ()) -> None:
        """Read again; where an undo has touched something, the cursor goes to what was taken in last."""
        last = self._taking.last if touched else ()
        near = tuple(map(self._refused.number, last)) if self._shelf is self._refused else ()
        self.begin(partial(self._load, near), "ids")
        self._pane.follow()

    async def _load(self, near: tuple[int, ...] = (), fresh: bool = False) -> None:
        shelf = self._shelf
        self.seen = await shelf.load(near, fresh)
        self._tell()
        if shelf is self._refused:
            await self._refused.count()
            self._tell()

    @on(RowList.Wanted)
    def rows_wanted(self, event: RowList.Wanted) -> None:
        """Read the rows that a list lacks."""
        if event.rows is self._shelf.rows:
            self.begin(partial(self._fetch, self._shelf, event.pages), "rows")

    async def _fetch(self, shelf: Shelf, pages: tuple[tuple[int, ...], ...]) -> None:
        await shelf.fetch(pages)
        self._rest()

    @on(RowList.Moved)
    def cursor_moved(self, event: RowList.Moved) -> None:
        """Show the conversation under the cursor once it rests there."""
        if event.rows is self._shelf.rows:
            self._rest()
            if self._shelf is self._refused and not self.reading("ids"):
                self.begin(self._go_on, "more")

    async def _go_on(self) -> None:
        if await self._refused.go_on():
            self._tell()

    def _rest(self) -> None:
        place = self._shelf.place()
        if self._landing is not None and place is not None and place.conversation == self._landing.conversation:
            place = self._landing
        else:
            self._landing = None
        if place != self._pane.place and not self._pane.lines.has_focus:
            self._pane.show(place, REST)

    @on(RowList.Marked)
    @on(TalkPane.Changed)
    def something_changed(self) -> None:
        """Say how many are marked, and which keys work."""
        self._tell()

    def _tell(self) -> None:
        """Say what is listed, how much of it there is, and which keys work."""
        shelf = self._shelf
        self.set_class(shelf is self._talks and self.seen >= 0 and not shelf.rows.ids and not shelf.ahead, "-empty")
        self._line.chips([self._found.query] if shelf is self._found else (), ahead=shelf.ahead)
        self._line.count(shelf.counted())
        self.screen.refresh_bindings()

    # What works now

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What needs a refused passage, a mark or a list works where there is one."""
        if not self.is_mounted:
            return True
        in_pane, some = self._pane.lines.has_focus, bool(self._shelf.rows.ids)
        match action:
            case "back":
                narrowed = self._shelf is not self._talks or self._talks.only is not None
                return in_pane or self._line.typing or bool(self._line.text) or narrowed
            case "take_in" | "reword":
                return bool(self._concerned())
            case "open":
                return some and not self._line.typing and (not in_pane or self._opens())
            case "step":
                return self._pane.talk is not None and bool(self._pane.talk.marks)
            case "narrow":
                return self._shelf is not self._found and (some or bool(self._shelf.ahead))
        if action in _ON_MARKS:
            return self._shelf is self._refused and some and not in_pane
        return some or action not in _ON_LIST

    def _opens(self) -> bool:
        """Whether enter does something in the transcript."""
        lines = self._pane.lines
        return lines.mark_here is not None or lines.at_heading

    def _concerned(self) -> list[Refusal]:
        """The refused passages that a key is meant for: the one under the cursor, or those marked in the list."""
        if self._pane.lines.has_focus:
            mark = self._pane.lines.mark_here
            return [] if mark is None or mark.refusal is None else [mark.refusal]
        return self._refused.concerned() if self._shelf is self._refused else []

    # Moving

    @property
    def _moving(self) -> "RowList[object]":
        return self._pane.lines if self._pane.lines.has_focus else self._shelf.rows  # type: ignore[return-value]

    def action_move(self, lines: int) -> None:
        """Move the cursor of the pane that has the keys."""
        self._moving.move(lines)

    def action_page(self, pages: float) -> None:
        """Move the cursor by screens."""
        self._moving.move(round(self._moving.page * pages))

    def action_first(self) -> None:
        """To the beginning."""
        self._moving.move_to(0)

    def action_last(self) -> None:
        """To the end."""
        self._moving.move_to(len(self._moving.ids) - 1)

    def action_scroll_detail(self, lines: int) -> None:
        """Scroll the transcript."""
        self._pane.lines.scroll_relative(y=lines, animate=False)

    def action_pane(self) -> None:
        """From the list to the transcript and back."""
        if self._pane.lines.has_focus:
            self._leave_pane()
        else:
            self._line.show_field(False)
            self._read_pane()

    def action_step(self, direction: int) -> None:
        """To the next mark of the transcript, or the one before."""
        if not self._pane.lines.step(direction):
            self.say("no mark after this one" if direction > 0 else "no mark before this one")
        self._read_pane()

    def action_back(self) -> None:
        """Close one layer."""
        if self._line.typing:
            self._leave_field()
        elif self._pane.lines.has_focus:
            self._leave_pane()
        elif self._refused.rows.marks and self._shelf is self._refused:
            self._refused.rows.mark(())
        elif self._shelf is not self._talks:
            self._landing = self._shelf.place()
            self._turn_to(self._talks, () if self._landing is None else (self._landing.conversation,))
        else:
            self._talks.only = None
            self._turn_to(self._talks)

    # Finding

    def action_search(self) -> None:
        """Type what to look for in all messages."""
        self.remove_class("-reading")
        self._line.open()

    def on_input_changed(self) -> None:
        """Search once the typing pauses."""
        self.begin(partial(self._search, TYPING), "find")

    def on_input_submitted(self) -> None:
        """Keep what was found."""
        self._leave_field()

    def _leave_field(self) -> None:
        self._line.show_field(False)
        self._shelf.rows.focus()

    async def _search(self, wait: float) -> None:
        await asyncio.sleep(wait)
        query = self._line.text.strip()
        if not query:
            if self._shelf is self._found:
                self._show_shelf(self._talks)
                await self._load()
            return
        self._line.count(Content.styled("searching …", "$muted"))
        if not self._searched:
            self.say("opening the search index; the first time it may have to be built …")
        try:
            await self._found.search(query)
        except StoreError as error:
            self._line.count(Content.styled("not searched", "$bad"))
            self.say(str(error), Tone.BAD)
            return
        if not self._searched:
            self._searched = True
            self.say("")
        self._show_shelf(self._found)
        self._rest()

    _searched = False  # whether the index has answered before

    def action_narrow(self) -> None:
        """Ask which source, or which reason."""
        self.begin(self._narrow, "asking")

    async def _narrow(self) -> None:
        shelf = self._shelf
        title, options = await shelf.options()
        if isinstance(shelf, Found) or len(options) < 2:
            return
        chosen = await self.app.push_screen_wait(Menu(title, options, shelf.only or ALL))
        if chosen is not None:
            shelf.only = None if chosen == ALL else chosen
            self._turn_to(shelf, fresh=True)

    def action_refused(self) -> None:
        """To what was refused, and back."""
        if self._shelf is self._refused:
            self.action_back()
        else:
            self.remove_class("-reading")
            self._turn_to(self._refused, fresh=True)

    # Marking and taking in

    def action_mark(self) -> None:
        """Mark and go on."""
        self._refused.rows.toggle_mark()
        self._refused.rows.move(1)

    def action_range(self) -> None:
        """Mark from here to where the cursor goes."""
        self._refused.rows.begin_range()

    def action_extend(self, lines: int) -> None:
        """Mark this one and the next."""
        if not self._refused.rows.ranging:
            self._refused.rows.begin_range()
        self._refused.rows.move(lines)

    def action_mark_all(self) -> None:
        """Mark all that is listed so far, or nothing."""
        rows = self._refused.rows
        rows.mark(rows.ids if len(rows.marks) < len(rows.ids) else ())

    def action_take_in(self) -> None:
        """Take in what is marked, or what the cursor is on."""
        self._taking.take(self._concerned())

    def action_reword(self) -> None:
        """Put one better first."""
        concerned = self._concerned()
        if len(concerned) == 1:
            self.begin(partial(self._taking.reword, concerned[0]), "asking")
        else:
            self.say(f"{len(concerned):,} are marked; this works on one: esc takes the marks off")

    def leaving(self, refusals: list[Refusal]) -> None:
        """These are being taken in: the list goes on to the next before the store has it."""
        if self._shelf is self._refused:
            self._refused.leave(refusals)
            self._tell()

    def taken_in(self, all_done: bool) -> None:
        """A step is done, or has failed: read again what stands there."""
        if all_done:
            self._refused.back()
            self.follow()

    # Looking closer

    def action_open(self) -> None:
        """The transcript; there the memory of the quote under the cursor, why it was refused, or what is folded."""
        lines = self._pane.lines
        if not lines.has_focus:
            self._read_pane()
        elif (mark := lines.mark_here) is not None and mark.memory is not None:
            memory = mark.memory
            terms = None if memory.life is Life.LIVE else f"is:{memory.life}"
            if memory.review is Review.REJECTED:
                terms = "is:rejected"
            self.go("memories", Target(terms=terms, memory=memory.id))
        elif lines.at_heading:
            self._pane.toggle()
        elif mark is not None and mark.refusal is not None:
            self.say(why(mark.refusal))

    @on(RowList.Chosen)
    def clicked_twice(self, event: RowList.Chosen) -> None:
        """The same as enter."""
        self.action_open()

    def action_copy(self) -> None:
        """The passage under the cursor, else the whole message, to the terminal's clipboard."""
        if words := self._pane.words():
            self.app.copy_to_clipboard(words)
            self.say(f"copied {len(words):,} characters; your terminal has to allow it")
