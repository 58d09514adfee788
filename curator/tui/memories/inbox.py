"""The Inbox view: memories that need review, most important first."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from curator.display import counted
from curator.filters import parse_filter
from curator.tui import verbs
from curator.tui.actions import GROUPS, INBOX, bindings
from curator.tui.context import AppContext
from curator.tui.keymap import key_tip
from curator.tui.memories import queries
from curator.tui.memories.browser import Browser
from curator.tui.messages import StatusMessage, Target
from curator.tui.session_stats import ReviewSession
from curator.tui.verbs import Done, Verb
from store import Filter, Sort
from store.model import Command


class Inbox(Browser):
    """The inbox: the detail starts with what a decision needs, and the progress of the session is counted."""

    BINDINGS = bindings((*INBOX, *GROUPS))
    NAME: ClassVar[str] = "inbox"
    BASE: ClassVar[str] = "is:inbox"
    ORDER: ClassVar[Sort] = Sort.MATTERS
    HINT: ClassVar[str] = "waiting for review, most important first"
    GROUPED: ClassVar[bool] = True
    NOTHING: ClassVar[str] = "nothing to review"

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._session = ReviewSession()
        self._snoozed = 0

    def compose(self) -> ComposeResult:
        """Lay out the panes, and the text for an empty inbox."""
        return (*super().compose(), Static(id="nothing"))

    def verb_done(self, verb: Verb, memories: list[int], done: Done, message: StatusMessage) -> None:
        """Count the memories that left the inbox by a decision."""
        if done.changed and verb.leaves(self.wanted.filter):
            self._session.count(memories, self.context.now())
        self._snoozed += done.changed if verb.snoozed else 0
        super().verb_done(verb, memories, done, message)
        if verb.name == "give":  # memories that are always given come first
            self.reload()

    def open(self, target: Target | None) -> None:
        """Show the view, and look for decisions undone elsewhere."""
        super().open(target)
        self._recount()

    def after_undo(self, command: Command) -> None:
        """Count again after an undo or redo."""
        self._recount()

    def follow(self, touched: tuple[int, ...] = ()) -> None:
        """Read the list again, and look for decisions undone by another process."""
        super().follow(touched)
        self._recount()

    def _recount(self) -> None:
        if self._session.begun:
            self.begin(self._read_reopened, "decided")

    async def _read_reopened(self) -> None:
        """Find decisions of this session that were undone, or whose memory is gone."""
        waiting, decided = parse_filter(self.BASE, now=self.context.now()), self._session.ids

        def read() -> frozenset[int]:
            stored = queries.matching_ids(self.context.store, Filter(lives=()), decided)
            return frozenset({*decided} - stored | queries.matching_ids(self.context.store, waiting, decided))

        self._session.reopened = await self.context.run("rows", read)
        self.update_bars()

    def show_listing(self, listing: queries.Listing) -> None:
        """Show a list, and count the snoozed memories, which the tab of Memories counts but the inbox does not."""
        self._snoozed = listing.snoozed
        super().show_listing(listing)

    def counts(self) -> list[str]:
        """Add the number of snoozed memories."""
        return [*super().counts(), *([f"{self._snoozed:,} snoozed"] if self._snoozed else [])]

    def _counted(self) -> Content:
        if not self._session.begun or self.list.marks or self.line.typing:
            return super()._counted()
        number, *more = self.counts()
        return self._session.progress(number, more)

    def update_bars(self) -> None:
        """Show the progress; in an empty inbox, what to do next."""
        super().update_bars()
        if self.nothing_to_search:
            done = f"{counted(self._session.done, 'decision')} this session. " if self._session.done else ""
            words = Content.assemble(
                ("Nothing to review. ", "bold $text"),
                (done, "$good"),
                (f"{counted(self._snoozed, 'memory')} snoozed. " if self._snoozed else "", "$text"),
                (f"{key_tip(self.app, 'memories', 'all memories')} · ", "$muted"),
                (key_tip(self.app, "import", "import a chat log"), "$muted"),
            )
            self.query_one("#nothing", Static).update(self.first_steps() if self.store_is_empty else words)

    # Duplicates

    def enables(self, action: str, parameters: tuple[object, ...]) -> bool:
        """Enable unfolding of folded groups, and folding of unfolded ones."""
        if action != "unfold":
            return super().enables(action, parameters)
        current = self.list.current
        if current is None or not self.list.group(current):
            return False
        return bool(self.list.folded(current)) == (str(*parameters) == "True")

    def action_unfold(self, unfolded: bool) -> None:
        """List each memory of a duplicate group, or only the first."""
        group = () if self.list.current is None else self.list.group(self.list.current)
        if unfolded:
            self.unfolded.update(group)
        else:
            self.unfolded.difference_update(group)
        self.reload(() if unfolded else group[:1])

    def concerned(self, verb: str = "") -> list[int]:
        """Return the memories a verb applies to; merging a duplicate group drafts one memory from all of it."""
        group = () if self.list.marks or self.list.current is None else self.list.group(self.list.current)
        return list(group) if verb == "merge" and group else super().concerned()

    def with_groups(self, verb: Verb, memories: list[int]) -> tuple[Verb, list[int]]:
        """Add the other members of folded groups; validating one of an unfolded group merges the others into it."""
        if not verb.advances:
            return verb, memories
        here, validates = self.list, verb.name == "validate"
        groups = {memory: here.folded(memory) for memory in memories}
        if validates and not here.marks and here.current is not None:
            groups = {here.current: here.group(here.current)}
        gone = {*self.removed, *groups}
        groups = {first: tuple(other for other in group if other not in gone) for first, group in groups.items()}
        groups = {first: others for first, others in groups.items() if others}
        everyone = [*memories, *(other for others in groups.values() for other in others)]
        return verbs.validate_groups_verb(groups) if validates and groups else verb, everyone

    def action_refused(self) -> None:
        """Show the passages refused at import, and why."""
        self.go("sources", Target(terms="refused", returns=True))
