"""The Sources view: conversations, and their passages that became memories or were refused."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual import on
from textual.content import Content

from curator import curation
from curator.display import counted
from curator.tui.actions import LISTS, SOURCES, bindings
from curator.tui.context import AppContext
from curator.tui.labels import listed_under
from curator.tui.messages import Back, StatusMessage, Target, Tone
from curator.tui.screens.dialogs import Menu, Option
from curator.tui.screens.edit_dialog import Edit
from curator.tui.sources.loaders import ALL, MORE
from curator.tui.sources.transcript_view import Transcripts
from curator.tui.text_format import excerpt, one_line
from curator.tui.verbs import ASKS_ABOVE
from curator.tui.view import Write
from curator.tui.widgets.virtual_list import VirtualList
from store import Store, StoreError
from store.model import Refusal

_ON_MARKS = frozenset("mark range extend mark_all".split())
_ON_LIST = frozenset("move page first last next_pane".split())


@dataclass(frozen=True, slots=True)
class Accepted:
    """The message for the status bar, and the store's last event before and after.

    `before` is None if some passages stay refused, or if something else was written meanwhile.
    """

    message: StatusMessage
    before: int | None
    after: int


def accept(store: Store, refusals: list[Refusal], text: str | None = None) -> Accepted:
    """Admit refusals; a single one with `text`, if given. Run in a thread. Raises StoreError, ValueError."""
    before = store.journal.seq()
    if len(refusals) == 1:
        made = curation.accept_passage(store, refusals[0], text)
        done, description = curation.Accepted((made.id,), ()), f"“{excerpt(made.text)}”"
    else:
        done = curation.accept_passages(store, refusals)
        description = counted(len(done.memories))
    left = f"; {len(done.problems):,} still refused: {done.problems[0]}" if done.problems else ""
    some = bool(done.memories)
    message = StatusMessage(f"admitted {description}{left}", Tone.GOOD if some else Tone.BAD, undo=some)
    alone = not done.problems and set(store.journal.changed_since(before)) <= set(done.memories)
    return Accepted(message, before if alone else None, store.journal.seq())


class Sources(Transcripts):
    """Conversations to read and search, and refused passages to admit."""

    NAME: ClassVar[str] = "sources"
    BINDINGS = bindings((*SOURCES, *LISTS))

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._accepted: tuple[Refusal, ...] = ()  # the last refusals admitted
        self._searched = False  # True once the index has answered
        self._returns = False  # esc in the refused passages returns to another view

    def open(self, target: Target | None) -> None:
        """Show the view, at a quote in a message, or at refused passages (`refused`, or `refused:reason`)."""
        terms = "" if target is None or target.terms is None else target.terms
        visited = target is None and self._returns
        self._returns = target is not None and target.returns
        if target is not None and target.message_id is not None:
            self.begin(partial(self.land, target.message_id, target.span), "ids")
        elif terms.startswith("refused"):
            self.remove_class("-reading")
            self.refusals.only = terms.partition(":")[2] or None
            self.turn_to(self.refusals, fresh=True)
        elif visited and self.loader is self.refusals:
            self.leave_list()
        elif self.seen < 0:
            self.turn_to(self.loader, fresh=True)
        else:
            self.take_keys()

    def follow(self, touched: tuple[int, ...] = ()) -> None:
        """Read again; after an undo, the cursor goes to the passages admitted last."""
        self._read_again(self._accepted if touched else ())

    def _read_again(self, near: Sequence[Refusal]) -> None:
        row_ids = tuple(map(self.refusals.row_id, near)) if self.loader is self.refusals else ()
        self.begin(partial(self.load, row_ids), "ids")
        self.pane.follow()

    # Enabled actions

    def enables(self, action: str, parameters: tuple[object, ...]) -> bool:
        """Enable actions only on a matching refused passage, mark or list."""
        some, lines = bool(self.list.ids), self.pane.lines
        match action:
            case "back":
                elsewhere = self.loader is not self.conversations or self.conversations.only is not None
                return self.in_pane or self.line.typing or elsewhere
            case "admit" | "reword":
                return bool(self.concerned())
            case "open" if self.in_pane:
                return lines.mark_here is not None or lines.at_heading
            case "open":
                return some and not self.line.typing
            case "step":
                return self.pane.marked is not None and bool(self.pane.marked.marks)
            case "filter":
                return self.loader is not self.hits and (some or self.loader.only is not None)
            case "copy" | "scroll_detail":
                return self.pane.marked is not None
        if action in _ON_MARKS:
            return self.loader is self.refusals and some and not self.in_pane
        return some or action not in _ON_LIST

    def widen(self) -> None:
        """Go back to the view that opened the list, else to the conversations, else to those of all sources."""
        if self._returns and self.loader is self.refusals:
            self.post_message(Back())
        elif self.loader is not self.conversations:
            self.leave_list()
        else:
            self.conversations.only = None
            self.turn_to(self.conversations)

    # Search and filter

    def on_input_changed(self) -> None:
        """Search when typing pauses."""
        self.begin(self._search, "find")

    async def _search(self) -> None:
        await asyncio.sleep(self.context.timings.typing_sources)
        query = self.line.text.strip()
        if not query:
            if self.loader is self.hits:
                self.leave_list()
            return
        self.line.count(Content.styled("searching …", "$muted"))
        if not self._searched:
            self.say("opening the search index; building it the first time may take a while …")
        try:
            await self.hits.search(query)
        except StoreError as error:
            self.line.count(Content.styled("search failed", "$bad"))
            self.say(str(error), Tone.BAD)
            return
        if not self._searched:
            self._searched = True
            self.say("")
        if self.hits.query != query and self.hits.rows.ids:
            shown = f"nothing found for “{excerpt(query)}”; showing “{excerpt(self.hits.query)}”"
            self.say(shown, while_same=lambda: self.line.text)
        if self.line.text.strip() == query:  # the query may have changed meanwhile
            self.show_list(self.hits)
            if not self.line.typing:  # the focus went to the previous list or pane
                self.remove_class("-reading")
                self.take_keys()
            self.show_place()

    def action_filter(self) -> None:
        """Ask for a source, or for a refusal reason."""
        self.begin_dialog(self._narrow)

    async def _narrow(self) -> None:
        loader = self.loader
        options = await loader.options()
        room = max(self.app.size.height * 9 // 10 - 5, 3)
        chosen: str | None = MORE
        while chosen == MORE and options:
            page, options = (options, []) if len(options) <= room else (options[: room - 1], options[room - 1 :])
            more = [Option("+", MORE, f"{len(options):,} more")] if options else []
            chosen = await self.app.push_screen_wait(Menu(loader.title, [*page, *more], loader.only or ALL))
        if chosen not in (None, MORE):
            loader.only = None if chosen == ALL else chosen
            self.remove_class("-reading")
            self.turn_to(loader, fresh=True)

    def action_refused(self) -> None:
        """Show the refused passages, or go back from them."""
        self.remove_class("-reading")
        if self.loader is self.refusals:
            self.leave_list()
        else:
            self.turn_to(self.refusals, fresh=True)

    # Admitting

    def action_admit(self) -> None:
        """Admit the marked passages, or the one under the cursor."""
        if self.working("find"):
            self.say("still searching: try again in a moment")
        elif concerned := self.concerned():
            if len(concerned) > ASKS_ABOVE:
                self.ask_first(f"Admit {counted(len(concerned), 'passage')}?", partial(self._admit, concerned))
            else:
                self._admit(concerned)

    def _admit(self, refusals: list[Refusal]) -> None:
        if self.loader is self.refusals:
            self.refusals.leave(refusals)
            self.update_bars()
        self.write(self._write(refusals))

    def _write(self, refusals: list[Refusal], text: str | None = None) -> Write[Accepted]:
        self._accepted = tuple(refusals)

        def finish(accepted: Accepted) -> StatusMessage:
            self._admitted(refusals, accepted)
            return accepted.message

        def holds() -> bool:
            return self.working("ids") or not set(refusals).isdisjoint(self.concerned())

        run, rollback = partial(accept, self.context.store, refusals, text), partial(self._admitted, refusals)
        return Write(run, finish, rollback, holds)

    def action_reword(self) -> None:
        """Reword a passage, and admit it."""
        concerned = [] if self.working("find") else self.concerned()
        if len(concerned) == 1:
            self.begin_dialog(partial(self._reword, concerned[0]))
        elif concerned:
            self.say_of_marks(f"{len(concerned):,} are marked, but this works on one memory: esc clears the marks")

    async def _reword(self, refusal: Refusal) -> None:
        async def save(text: str) -> str | None:
            return await self.perform(self._write([refusal], text))

        try:
            words = await self.context.run("rows", curation.wording, self.context.store, refusal)
        except StoreError as error:
            self.say(str(error), Tone.BAD)
            return
        if self.display:  # the person may have opened another view meanwhile
            await self.app.push_screen_wait(Edit("Reword, then admit", words, save))

    def _admitted(self, refusals: list[Refusal], accepted: Accepted | None = None) -> None:
        """Update the list, reading it again if needed; `accepted` is None if that failed."""
        alone = accepted is not None and accepted.before == self.seen and self.loader is self.refusals
        if accepted is not None and alone:
            self.refusals.leave(refusals)
            self.seen = accepted.after
        if self.writing:
            return
        self.refusals.left.clear()  # list passages that are still refused again
        if alone:
            self.pane.follow()
            self.update_bars()
        else:
            self._read_again(refusals if accepted is None else ())

    # Details

    @on(VirtualList.Chosen)
    def action_open(self) -> None:
        """Enter the transcript; there, open the memory under the cursor, explain a refusal, or unfold a message."""
        lines = self.pane.lines
        mark = lines.mark_here
        if not self.in_pane:
            self.enter_pane()
        elif lines.at_heading:
            self.pane.toggle()
        elif mark is not None and mark.memory is not None:
            self.go("memories", Target(terms=listed_under(mark.memory), memory_id=mark.memory.id))
        elif mark is not None and mark.refusal is not None:
            reason = one_line(mark.refusal.reason)
            because = mark.why if mark.why == reason.replace("_", " ") else f"{reason}: {mark.why}"
            self.say(f"refused, {because}", while_same=lambda: lines.mark_here)

    def action_copy(self) -> None:
        """Copy the passage under the cursor, else the whole message."""
        if words := self.pane.words():
            self.copy(words, f"copied {len(words):,} characters")
