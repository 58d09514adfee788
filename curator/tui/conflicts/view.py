"""The area Conflicts: two memories side by side that say the same, or that cannot both be true; one key decides."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from curator import curation
from curator.curation import Choice, Draft, Pair
from curator.filters.conflicts import parse_conflicts
from curator.filters.memories import BadFilter
from curator.tui.actions import CONFLICTS, bindings
from curator.tui.conflicts import dialogs, queries, render, resolver
from curator.tui.conflicts.pair_pane import PairPane
from curator.tui.conflicts.queries import ConflictDetail
from curator.tui.conflicts.queue import ConflictQueue
from curator.tui.conflicts.resolver import ConflictResolver, Resolution
from curator.tui.conflicts.side_pane import Pane
from curator.tui.context import AppContext
from curator.tui.session_stats import ReviewSession
from curator.tui.view import Back, Target, Tone, View
from curator.tui.widgets.filter_bar import FilterBar
from store.filter import split_terms
from store.model import Command, Memory

_ANYWAY = frozenset({"search", "only"})


class Conflicts(View):
    """The queue, strongest first, and the one that is looked at."""

    BINDINGS = bindings(CONFLICTS)
    NAME: ClassVar[str] = "conflicts"

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._line = FilterBar("filter: class:update score:>=0.8 source:claude is:later, or words")
        self._head, self._outcome = Static(id="head", markup=False), Static(id="outcome", markup=False)
        self.panes = PairPane(context.glyphs)
        self.resolving = ConflictResolver(self)
        self.queue = ConflictQueue()
        self.shown: ConflictDetail | None = None  # what is on the screen and can be decided on
        self._faced: int | None = None  # the conflict it is about: of another one the newer is highlighted again
        self._session = ReviewSession()
        self._whole = False  # whether it is known what waits
        self._taken_back = False
        self._from_elsewhere = False  # whether esc leads back to another area

    def compose(self) -> ComposeResult:
        """The filter, the queue line, both sides, the draft where there is one, and what would come of it."""
        yield self._line
        yield self._head
        yield self.panes
        yield self._outcome
        yield Static(id="nothing")

    def on_mount(self) -> None:
        """Read what waits."""
        self._chips()
        self.begin(self._load, "ids")

    def open(self, target: Target | None) -> None:
        """Come to the front; at the conflicts of a memory, or of a filter, if a target names one."""
        former, terms = self._from_elsewhere, None if target is None else target.terms
        self._from_elsewhere = target is not None
        if target is not None and target.memory is not None:
            terms = f"memory:{target.memory}"
        if terms is not None or former:
            self._search_for(terms or "")
        self.focus()

    # Reading

    @property
    def filter(self) -> str:
        """Which are shown, as it is typed."""
        return self._line.text.strip()

    @property
    def busy(self) -> bool:
        """While something is being written or read, what is shown is about to change anyway."""
        return bool(self.resolving.writing) or self.reading("ids")

    def follow(self, touched: tuple[int, ...] = ()) -> None:
        """The store has changed: read again, and say so if what is looked at is not what it was."""
        self.begin(partial(self._load, watchful=not self._taken_back), "ids")

    def taken_back(self, command: Command) -> None:
        """What was decided may be open again: the cursor goes there."""
        self._taken_back = True

    def _search_for(self, text: str) -> None:
        self._line.put(text)
        self._line.show_field(False)
        self._anew()

    def _anew(self, wait: float = 0.0) -> None:
        """Read another list, from its beginning."""
        self.shown, self.queue.limit = None, queries.WINDOW
        self.begin(partial(self._load, wait=wait, fresh=True), "ids")

    def _chips(self, problem: str = "") -> None:
        self._line.chips(split_terms(self.filter), problem=problem)

    async def _load(
        self,
        near: Sequence[int] = (),
        *,
        watchful: bool = False,
        fresh: bool = False,
        end: bool = False,
        wait: float = 0.0,
    ) -> None:
        """Read the queue, then the conflict at the cursor: the first of `near`, else the same, else the same place."""
        await asyncio.sleep(wait)
        try:
            which = parse_conflicts(self.filter)
        except BadFilter as error:
            self._chips(problem=str(error))
            self._show()
            return
        self._chips()
        if not self.resolving.writing:
            self.queue.left.clear()
        context, queue, current = self.context, self.queue, self.queue.current
        seen = self.shown.pair if watchful and self.shown is not None else None
        work = partial(queries.queue, context.store, which, context.now(), queue.limit, self._session.numbers, seen)
        found = await context.executors["ids"].run(work)
        if self._taken_back:
            again = found.reopened - self._session.reopened
            near = [alert for alert in reversed(self._session.numbers) if alert in again][:1]
            self._taken_back = False
        self._session.reopened = found.reopened
        anchors = () if fresh else (*near, *(() if current is None else (current,)))
        queue.take(found, anchors, len(found.ids) if end else 0 if fresh else queue.place)
        self._whole = True
        self.seen = found.seq
        if found.away:
            on = "; this is the next" if queue.ids and seen is not None and queue.current != seen.alert.id else ""
            self.say(found.away + on)
        await self._read()

    async def _read(self) -> None:
        """The conflict at the cursor, then those beside it, which are looked at next."""
        queue = self.queue
        for place in (queue.place, queue.place + 1, queue.place - 1):
            if 0 <= place < len(queue.ids) and queue.ids[place] not in queue.known:
                alert = queue.ids[place]
                found = await self.context.executors["rows"].run(partial(queries.closely, self.context.store, alert))
                if found is not None:
                    queue.known[alert] = found
            if place == queue.place:
                self._show()

    def _show(self) -> None:
        """Show what is known of the conflict at the cursor."""
        former, current = self.shown, self.queue.current
        self.shown = None if current is None else self.queue.known.get(current)
        if self.shown is None or former is None or former.pair != self.shown.pair:
            self.panes.drop_draft()
        if self.shown is not None and current != self._faced:
            self._faced = current
            self.panes.choose("b")
        if self.shown is not None or current is None:
            self.panes.show(self.shown)
        self.tell()
        self.screen.refresh_bindings()

    def tell(self) -> None:
        """Draw the lines around the panes."""
        queue, empty = self.queue, self._whole and not self.queue.ids
        self.set_class(empty, "-empty")
        self.set_class(self.panes.draft is not None, "-draft")
        self._line.count(self._counted())
        if empty:
            words = render.nothing(self.filter, self._session.done)
            self.query_one("#nothing", Static).update(words)
        where = render.position(queue.place, len(queue.ids), queue.total)
        if self.shown is None:
            self._head.update(Content.styled(f"{where}   reading …" if queue.ids else "", "$muted"))
            self._outcome.update("")
        else:
            self._head.update(render.head(where, self.shown, self.context.now(), self._head.content_size.width))
            choice = Choice.MERGE if self.panes.choice == "draft" else Choice(self.panes.choice)
            self._outcome.update(render.outcome(self.shown.pair, choice, self.panes.draft, self.context.glyphs))

    def on_resize(self) -> None:
        """What is above the panes is cut to the width."""
        self.tell()

    def _counted(self) -> Content:
        if self._line.problem:
            return Content.styled("invalid filter", "$muted")
        if self._line.typing or not self._session.begun:
            return Content.styled("enter goes to the conflicts" if self._line.typing else "", "$muted")
        left = self.queue.total
        return self._session.told("more" if left is None else f"{left:,}")

    # What works now

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Most need a conflict, esc something to go back from."""
        if not self.is_mounted or action in _ANYWAY:
            return True
        if action == "back":
            return any((self._line.typing, self.panes.draft is not None, self.filter, self._from_elsewhere))
        if action in ("step", "first", "last"):
            return len(self.queue.ids) > 1
        return self.shown is not None

    # Moving

    def action_step(self, by: int) -> None:
        """To another conflict."""
        self._go_to(self.queue.place + by)

    def action_first(self) -> None:
        """To the strongest."""
        self._go_to(0)

    def action_last(self) -> None:
        """To the weakest."""
        if self.queue.whole:
            self._go_to(len(self.queue.ids) - 1)
        else:
            self.queue.limit = None
            self.begin(partial(self._load, fresh=True, end=True), "ids")

    def _go_to(self, place: int) -> None:
        queue = self.queue
        queue.go_to(place)
        self._show()
        if queue.limit is not None and queue.ends_soon:
            queue.limit *= 2
            self.begin(self._load, "ids")
        else:
            self.begin(self._read, "detail")

    def action_move(self, by: int) -> None:
        """Highlight another side, or the draft."""
        self.panes.step(by)
        self.tell()

    @on(Pane.Pointed)
    def pane_chosen(self, event: Pane.Pointed) -> None:
        """The mouse has highlighted one."""
        self.panes.choose(event.choice)
        self.tell()

    @property
    def scrolled(self) -> Widget:
        """The side, or the draft, that is highlighted."""
        return self.panes.highlighted

    def action_back(self) -> None:
        """Close one layer."""
        if self._line.typing:
            if self._line.problem:  # it goes with the field
                self._search_for("")
            self._leave_field()
        elif self.panes.draft is not None:
            self.panes.drop_draft()
            self.tell()
        elif self._from_elsewhere:
            self.post_message(Back())
        elif self.filter:
            self._search_for("")
        self.screen.refresh_bindings()

    # Which of them

    def action_search(self) -> None:
        """Type which ones."""
        self._line.open()
        self.tell()

    def on_input_changed(self) -> None:
        """Read them once the typing pauses."""
        self._anew(self.context.timings.typing)

    def on_input_submitted(self) -> None:
        """Keep what was found; what is no filter keeps the field."""
        try:
            parse_conflicts(self.filter)
        except BadFilter as error:
            self._line.refuse(str(error))
        else:
            self._leave_field()

    def _leave_field(self) -> None:
        self._line.show_field(False)
        self.focus()
        self.tell()

    def action_only(self) -> None:
        """Ask for a class, a score or a source."""
        self.begin(self._only, "asking")

    async def _only(self) -> None:
        chosen = await dialogs.only(self)
        if chosen is not None:
            self._search_for(chosen)

    # Deciding

    def action_keep_side(self) -> None:
        """Keep what is highlighted."""
        if self.shown is None:
            return
        draft = self.panes.draft
        if self.panes.choice == "draft" and draft is not None:
            self._resolve(resolver.merged(draft, draft.text))
        else:
            self._resolve(resolver.kept(self.shown.pair, self.panes.side))

    def action_both(self) -> None:
        """Keep both."""
        self._resolve(resolver.BOTH)

    def action_reject_both(self) -> None:
        """Keep none."""
        self._resolve(resolver.NONE)

    def action_decide(self, name: str) -> None:
        """Put it off; the other verbs have keys of their own here."""
        if name == "later":
            self._resolve(resolver.LATER)

    def _refused(self) -> bool:
        """Whether what is typed is no filter, so that what is shown was not asked for: that is said."""
        if self._line.problem:
            self.say(f"invalid filter: {self._line.problem}", Tone.BAD)
        return bool(self._line.problem)

    def _resolve(self, resolution: Resolution) -> None:
        if self.shown is not None and not self._refused():
            self.resolving.start(self.shown.pair, resolution)

    def leave(self, pair: Pair) -> None:
        """A decision on this one is on its way: go on to the next."""
        self.queue.leave(pair.alert.id)
        self._session.count([pair.alert.id], self.context.now())
        self._show()
        self.begin(self._read, "detail")

    def decided(self, alerts: Sequence[int], done: bool) -> None:
        """It is written, or was refused: then it stands in the queue again, if it is still open, and is shown."""
        if done:
            self._session.count(alerts, self.context.now())
        else:
            self._session.drop(alerts)
            self.queue.left.difference_update(alerts)
        self.begin(partial(self._load, () if done else alerts[:1]), "ids")

    def action_apart(self) -> None:
        """Ask what makes both true."""
        if self.shown is not None and not self._refused():
            self.begin(partial(dialogs.apart, self, self.shown.pair), "asking")

    def action_bulk(self) -> None:
        """Ask by which rule to settle all."""
        if not self._refused():
            self.begin(self._settle_many, "asking")

    async def _settle_many(self) -> None:
        plan = await dialogs.many(self)
        if plan is not None and plan.decided:
            self.begin(partial(self.resolving.settle_many, plan), "writes", exclusive=False)
        elif plan is not None:
            self.say(curation.bulk_outcome(plan))

    # The draft

    def action_draft(self) -> None:
        """Show what merging would make."""
        if self.panes.draft is not None:
            self.panes.choose("draft")
            self.tell()
        elif self.shown is not None:
            self.begin(partial(dialogs.draft, self, self.shown.pair), "draft")

    def show_draft(self, pair: Pair, draft: Draft) -> None:
        """Show a draft, if its conflict is still looked at."""
        if self.shown is not None and self.shown.pair == pair:
            self.panes.show_draft(draft, "a" if draft.survivor == pair.a.id else "b")
            self.tell()
            self.screen.refresh_bindings()

    def action_edit_draft(self) -> None:
        """Put the draft better."""
        if self.shown is not None and not self._refused():
            self.begin(partial(dialogs.edit, self, self.shown.pair), "asking")

    # Looking closer

    @property
    def memory(self) -> Memory | None:
        """The memory of the highlighted side."""
        return None if self.shown is None else self.shown.pair.on(self.panes.side)

    def action_copy(self) -> None:
        """Copy the text that is highlighted."""
        if (memory := self.memory) is not None:
            draft = self.panes.draft if self.panes.choice == "draft" else None
            self.copy(memory.text if draft is None else draft.text)

    def action_source(self) -> None:
        """Where the highlighted side was said."""
        if self.shown is not None:
            quotes = self.shown.on(self.panes.side).quotes
            known = [quoted.evidence for quoted in quotes if quoted.evidence.message is not None]
            if known:
                said = known[0]
                self.go("sources", Target(memory=said.memory, message=said.message, span=(said.start, said.end)))
            else:
                self.say(f"{self.panes.side.upper()} has no conversation in this store")
