"""The area Sources: the conversations that memories come from, and what of them became one, or was refused."""

import asyncio
from functools import partial
from typing import ClassVar

from textual import on
from textual.content import Content

from curator.tui.actions import LISTS, SOURCES, bindings
from curator.tui.context import AppContext
from curator.tui.formatting import one_line
from curator.tui.labels import listed_under
from curator.tui.screens.dialogs import Menu, Option
from curator.tui.sources.accept_refused import Step, Taking
from curator.tui.sources.lists import ALL, MORE, Found
from curator.tui.sources.transcript_view import Transcripts
from curator.tui.view import Target, Tone
from curator.tui.widgets.virtual_list import VirtualList
from store import StoreError
from store.model import Refusal

_ON_MARKS = frozenset("mark range extend mark_all".split())
_ON_LIST = frozenset("move page first last pane".split())


class Sources(Transcripts):
    """What can be done with conversations: search them all, see what was refused, take in what is right."""

    NAME: ClassVar[str] = "sources"
    BINDINGS = bindings((*SOURCES, *LISTS))

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._taking = Taking(self)
        self._searched = False  # whether the index has answered before

    def open(self, target: Target | None) -> None:
        """Come to the front; at a message with a quote, or at what was refused (for `refused:reason`, for that)."""
        terms = "" if target is None or target.terms is None else target.terms
        if target is not None and target.message is not None:
            self.begin(partial(self.land, target.message, target.span), "ids")
        elif terms.startswith("refused"):
            self.remove_class("-reading")
            self.refused.only = terms.partition(":")[2] or None
            self.turn_to(self.refused, fresh=True)
        elif self.seen < 0:
            self.turn_to(self.shelf, fresh=True)
        else:
            self.take_keys()

    @property
    def busy(self) -> bool:
        """While something is taken in, or the list is read, what is shown is about to change anyway."""
        return bool(self._taking.writing) or self.reading("ids")

    def follow(self, touched: tuple[int, ...] = ()) -> None:
        """Read again; where an undo has touched something, the cursor goes to what was taken in last."""
        last = self._taking.last if touched and self.shelf is self.refused else ()
        self.begin(partial(self.load, tuple(map(self.refused.number, last))), "ids")
        self.pane.follow()

    # What works now

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What needs a refused passage, a mark or a list works where there is one."""
        if not self.is_mounted:
            return True
        some, lines = bool(self.shelf.rows.ids), self.pane.lines
        match action:
            case "back":
                elsewhere = self.shelf is not self.talks or self.talks.only is not None
                return self.in_pane or self.line.typing or elsewhere
            case "take_in" | "reword":
                return bool(self.concerned())
            case "open" if self.in_pane:
                return lines.mark_here is not None or lines.at_heading
            case "open":
                return some and not self.line.typing
            case "step":
                return self.pane.talk is not None and bool(self.pane.talk.marks)
            case "narrow":
                return not isinstance(self.shelf, Found) and (some or self.shelf.only is not None)
            case "copy" | "scroll_detail":
                return self.pane.talk is not None
        if action in _ON_MARKS:
            return self.shelf is self.refused and some and not self.in_pane
        return some or action not in _ON_LIST

    def widen(self) -> None:
        """List the conversations, then all of them."""
        if self.shelf is not self.talks:
            self.leave_list()
        else:
            self.talks.only = None
            self.turn_to(self.talks)

    # Finding

    def on_input_changed(self) -> None:
        """Search once the typing pauses."""
        self.begin(partial(self._search, self.context.timings.typing_sources), "find")

    async def _search(self, wait: float) -> None:
        await asyncio.sleep(wait)
        query = self.line.text.strip()
        if not query:
            if self.shelf is self.found:
                self.leave_list()
            return
        self.line.count(Content.styled("searching …", "$muted"))
        if not self._searched:
            self.say("opening the search index; the first time it may have to be built …")
        try:
            await self.found.search(query)
        except StoreError as error:
            self.line.count(Content.styled("not searched", "$bad"))
            self.say(str(error), Tone.BAD)
            return
        if not self._searched:
            self._searched = True
            self.say("")
        if self.line.text.strip() == query:  # the person may have left meanwhile
            self.put_out(self.found)
            if not self.line.typing:  # the keys went on to what stood there before
                self.remove_class("-reading")
                self.take_keys()
            self.show_place()

    def action_narrow(self) -> None:
        """Ask which source, or which reason."""
        self.begin(self._narrow, "asking")

    async def _narrow(self) -> None:
        shelf = self.shelf
        if isinstance(shelf, Found):
            return
        title, options = await shelf.options()
        room = max(self.app.size.height * 9 // 10 - 5, 3)
        chosen: str | None = MORE
        while chosen == MORE:
            page, options = (options, []) if len(options) <= room else (options[: room - 1], options[room - 1 :])
            more = [Option("+", MORE, f"{len(options):,} rarer ones")] if options else []
            chosen = await self.app.push_screen_wait(Menu(title, [*page, *more], shelf.only or ALL))
        if chosen is not None:
            shelf.only = None if chosen == ALL else chosen
            self.remove_class("-reading")
            self.turn_to(shelf, fresh=True)

    def action_refused(self) -> None:
        """To what was refused, and back."""
        self.remove_class("-reading")
        if self.shelf is self.refused:
            self.leave_list()
        else:
            self.turn_to(self.refused, fresh=True)

    # Taking in

    def action_take_in(self) -> None:
        """Take in what is marked, or what the cursor is on."""
        if self.reading("find"):
            self.say("still searching: what is listed is not what was asked for yet")
        elif concerned := self.concerned():
            self._taking.take(concerned)

    def action_reword(self) -> None:
        """Put one better first."""
        concerned = [] if self.reading("find") else self.concerned()
        if len(concerned) == 1:
            self.begin(partial(self._taking.reword, concerned[0]), "asking")
        elif concerned:
            self.say(f"{len(concerned):,} are marked; this works on one: esc takes the marks off")

    def leaving(self, refusals: list[Refusal]) -> None:
        """These are being taken in: the list goes on to the next before the store has it."""
        if self.shelf is self.refused:
            self.refused.leave(refusals)
            self.update_bars()

    def taken_in(self, refusals: list[Refusal], step: Step | None) -> None:
        """A step is done, or has failed (None): bring up to date what is shown, by reading again where it must be."""
        alone = step is not None and step.alone and step.before == self.seen and self.shelf is self.refused
        if step is not None and alone:
            self.refused.leave(refusals)
            self.seen = step.after
        if self._taking.writing:
            return
        self.refused.back()
        if alone:
            self.pane.follow()
            self.update_bars()
        else:
            self.follow()

    # Looking closer

    def action_open(self) -> None:
        """The transcript; there the memory of the quote under the cursor, why it was refused, or what is folded."""
        lines = self.pane.lines
        mark = lines.mark_here
        if not self.in_pane:
            self.enter_pane()
        elif lines.at_heading:
            self.pane.toggle()
        elif mark is not None and mark.memory is not None:
            self.go("memories", Target(terms=listed_under(mark.memory), memory=mark.memory.id))
        elif mark is not None and mark.refusal is not None:
            self.say(f"refused, {one_line(mark.refusal.reason)}: {mark.why}")

    @on(VirtualList.Chosen)
    def clicked_twice(self) -> None:
        """The same as enter."""
        self.action_open()

    def action_copy(self) -> None:
        """The passage under the cursor, else the whole message, to the terminal's clipboard."""
        if words := self.pane.words():
            self.copy(words, f"copied {len(words):,} characters")
