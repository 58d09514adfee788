"""The area Inbox: what a distiller or an import made and nobody has looked at, the weightiest first."""

from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from curator.filters.memories import parse_filter
from curator.tui import verbs
from curator.tui.actions import GROUPS, INBOX, bindings
from curator.tui.context import AppContext
from curator.tui.formatting import counted
from curator.tui.memories import queries
from curator.tui.memories.browser import Browser
from curator.tui.session_stats import ReviewSession
from curator.tui.verbs import Verb
from curator.tui.view import Target
from store import Filter, Sort
from store.model import Command


class Inbox(Browser):
    """One decision after the other; the detail leads, and a count says how far the person has come."""

    BINDINGS = bindings((*INBOX, *GROUPS))
    NAME: ClassVar[str] = "inbox"
    BASE: ClassVar[str] = "is:inbox"
    ORDER: ClassVar[Sort] = Sort.MATTERS
    HINT: ClassVar[str] = "waiting for review, most important first"
    GROUPED: ClassVar[bool] = True

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._session = ReviewSession()

    def compose(self) -> ComposeResult:
        """The panes, and what stands there when all is decided."""
        yield from super().compose()
        yield Static(id="nothing")

    def decided(self, verb: Verb, memories: list[int]) -> None:
        """Count what has left the inbox by a decision."""
        if verb.leaves(self.wanted.query.filter):
            self._session.count(memories, self.context.now())

    def open(self, target: Target | None) -> None:
        """Come to the front; decisions may have been taken back elsewhere."""
        super().open(target)
        self._recount()

    def taken_back(self, command: Command) -> None:
        """An undone decision is none, one done again is one."""
        self._recount()

    def follow(self, touched: tuple[int, ...] = ()) -> None:
        """Read again; somebody else may have taken decisions back."""
        super().follow(touched)
        self._recount()

    def _recount(self) -> None:
        if self._session.begun:
            self.begin(self._read_decided, "decided")

    async def _read_decided(self) -> None:
        """Of all that was decided in this sitting, what is open again, or there no more."""
        waiting, numbers = parse_filter(self.BASE, now=self.context.now()), self._session.numbers

        def read() -> frozenset[int]:
            there = queries.meant(self.context.store, Filter(lives=()), numbers)
            return frozenset({*numbers} - there | queries.meant(self.context.store, waiting, numbers))

        self._session.reopened = await self.context.executors["rows"].run(read)
        self.update_bars()

    def _counted(self) -> Content:
        if not self._session.begun or self.list.marks or self.line.typing:
            return super()._counted()
        return self._session.told(self._number())

    def update_bars(self) -> None:
        super().update_bars()
        if self.empty:
            number = self._session.done
            done = f"{counted(number, 'decision')} this session. " if number else ""
            words = Content.assemble(
                ("Nothing to review. ", "bold $text"),
                (done, "$good"),
                ("2 shows all memories · I imports a chat log", "$muted"),
            )
            self.query_one("#nothing", Static).update(words)

    # Several ways to say one thing

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What is folded can be unfolded, and the other way round."""
        if action != "unfold" or not self.is_mounted:
            return super().check_action(action, parameters)
        current = self.list.current
        if current is None or not self.list.group(current):
            return False
        return bool(self.list.folded(current)) == (str(*parameters) == "True")

    def action_unfold(self, unfolded: bool) -> None:
        """Give each of a group a line, or only the first."""
        current = self.list.current
        group = () if current is None else self.list.group(current)
        if unfolded:
            self.unfolded.update(group)
        else:
            self.unfolded.difference_update(group)
        self.begin(partial(self.load, () if unfolded else group[:1]), "ids")

    def action_decide(self, name: str) -> None:
        """Do a verb; of a group under the cursor one memory is drafted, of all its words."""
        group = () if self.list.marks or self.list.current is None else self.list.group(self.list.current)
        if name == "merge" and group and not self._asking_anew and not self.line.problem:
            self.verbs.decide(name, list(group))
        else:
            super().action_decide(name)

    def together(self, verb: Verb, memories: list[int]) -> tuple[Verb, list[int]]:
        """A folded group goes together. Taking one of an unfolded group puts the others behind it."""
        if not verb.advances:
            return verb, memories
        here, taking = self.list, verb.name == "validate"
        groups = {memory: here.folded(memory) for memory in memories}
        if taking and not here.marks and here.current is not None:
            groups = {here.current: here.group(here.current)}
        gone = {*self.verbs.left, *groups}
        groups = {first: tuple(other for other in group if other not in gone) for first, group in groups.items()}
        groups = {first: others for first, others in groups.items() if others}
        everyone = [*memories, *(other for others in groups.values() for other in others)]
        return verbs.gathered(groups) if taking and groups else verb, everyone

    def action_refused(self) -> None:
        """What was refused at import, and why."""
        self.go("sources", Target(terms="refused"))
