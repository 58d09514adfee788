"""The Conflicts view: two memories side by side that duplicate or contradict each other; one key resolves them."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.widgets import Static

from curator.curation import Choice, ConflictFilter, Pair
from curator.curation.safety_loss import suggested_side
from curator.filters import BadFilter, parse_conflicts
from curator.tui.actions import CONFLICTS, bindings
from curator.tui.conflicts import dialogs, queries, render
from curator.tui.conflicts.bulk import NO_GROUP, BulkView
from curator.tui.conflicts.list import LINES, LISTED_FROM, ConflictList
from curator.tui.conflicts.merge_draft import DraftView
from curator.tui.conflicts.panes import PairPane, Pane
from curator.tui.conflicts.queries import ConflictDetail, Resolution
from curator.tui.conflicts.queue import ConflictQueue
from curator.tui.context import AppContext
from curator.tui.keymap import key_hint
from curator.tui.messages import Back, StatusMessage, Target, Tone
from curator.tui.session_stats import ReviewSession
from curator.tui.view import Write
from store.filter import split_terms
from store.model import Command, Memory

T = TypeVar("T")
_MOVES = frozenset("back move page first last side scroll_detail fold accept_wording".split())
_HINT = "filter: class:update score:>=80% source:claude is:snoozed, or words"


class Conflicts(BulkView, DraftView):
    """The queue of conflicts, and one of them in full."""

    BINDINGS = bindings(CONFLICTS)
    NAME: ClassVar[str] = "conflicts"

    def __init__(self, context: AppContext) -> None:
        super().__init__(context, _HINT)
        self._head, self._outcome = Static(id="head", markup=False), Static(id="outcome", markup=False)
        self.list, self.panes = ConflictList(context), PairPane(context.glyphs)
        self.queue = ConflictQueue()
        self.shown: ConflictDetail | None = None  # on the screen
        self._chosen_for: int | None = None  # the conflict whose highlight is kept; others start at `suggested_side`
        self._pointed_in: int | None = None  # the conflict in which the person moved the highlight
        self._session = ReviewSession()
        self._after_undo = False
        self._from_elsewhere = False  # esc returns to another view

    def compose(self) -> ComposeResult:
        """Lay out the filter bar, the head, the list beside both sides and the draft, and the outcome of the choice."""
        sides = Container(self.list, self.panes, classes="panes")
        return (self.line, self._head, sides, self._outcome, Static(id="nothing"))

    def on_mount(self) -> None:
        """Read the queue."""
        self._chips()
        self.begin(self._load, "ids")

    def open(self, target: Target | None) -> None:
        """Show the view; a target restricts it to the conflicts of a memory or of a filter."""
        former, terms = self._from_elsewhere, None if target is None else target.terms
        self._from_elsewhere = target is not None
        if target is not None and target.memory_id is not None:
            terms = f"memory:{target.memory_id}"
        if terms is not None or former:
            self.search_for(terms or "")
        self.focus()

    # Reading

    @property
    def filter(self) -> str:
        """The typed filter."""
        return self.line.text.strip()

    def follow(self, touched: tuple[int, ...] = ()) -> None:
        """Read the queue again, and report if the conflict on the screen has changed."""
        self.begin(partial(self._load, watchful=not self._after_undo), "ids")

    def after_undo(self, command: Command) -> None:
        """Go to a conflict that an undo has reopened."""
        self._after_undo = True

    def search_for(self, text: str) -> None:
        """Show the conflicts of another filter."""
        super().search_for(text)
        self._anew()

    def _anew(self, wait: float = 0.0) -> None:
        """Read the queue of a new filter."""
        self.shown, self.queue.limit = None, queries.WINDOW
        self.begin(partial(self._load, wait=wait, fresh=True), "ids")

    def _chips(self, problem: str = "") -> None:
        self.line.chips(split_terms(self.filter), problem=problem)

    async def _load(
        self,
        near: Sequence[int] = (),
        *,
        watchful: bool = False,
        fresh: bool = False,
        end: bool = False,
        wait: float = 0.0,
    ) -> None:
        """Read the queue; the cursor goes to the first of `near`, else stays on its conflict or index."""
        await asyncio.sleep(wait)
        try:
            conflict_filter = self.parse(self.filter)
        except BadFilter as error:
            self._chips(problem=str(error))
            self._show()
            return
        self._chips()
        if not self.writing:
            self.queue.left.clear()
        context, queue, current = self.context, self.queue, self.queue.current
        seen = self.shown.pair if watchful and self.shown is not None else None
        read_queue = await context.run(
            "ids",
            queries.queue,
            context.store,
            conflict_filter,
            context.now(),
            queue.limit,
            self._session.ids,
            seen,
        )
        if self._after_undo:
            again = read_queue.reopened - self._session.reopened
            near = [alert for alert in reversed(self._session.ids) if alert in again][:1]
            self._after_undo = False
        self._session.reopened = read_queue.reopened
        anchors = () if fresh else (*near, *(() if current is None else (current,)))
        queue.take(read_queue, anchors, len(read_queue.ids) if end else 0 if fresh else queue.cursor)
        self.seen = read_queue.seq
        if read_queue.away:
            on = "; showing the next one" if queue.ids and seen is not None and queue.current != seen.alert.id else ""
            self.say(read_queue.away + on)
        await self._read()

    async def _read(self) -> None:
        """Read the conflict at the cursor, then its neighbours in advance."""
        queue = self.queue
        for index in (queue.cursor, queue.cursor + 1, queue.cursor - 1):
            if 0 <= index < len(queue.ids) and queue.ids[index] not in queue.known:
                alert = queue.ids[index]
                detail = await self.context.run("rows", queries.load, self.context.store, alert)
                if detail is not None:
                    queue.known[alert] = detail
            if index == queue.cursor:
                self._show()

    def _show(self) -> None:
        """Show the conflict at the cursor, if it is read."""
        former, current = self.shown, self.queue.current
        self.shown = None if current is None else self.queue.known.get(current)
        if self.panes.draft is not None and (former is None or self.shown is None or former.pair != self.shown.pair):
            self.panes.drop_draft()
        if self.shown is not None and current != self._chosen_for:
            self._chosen_for, self.panes.choice = current, suggested_side(self.shown.pair)
        if self.shown is not None or current is None:
            self.panes.show(self.shown)
        self.list.follow(self.queue)
        self.draw_bars()
        self.screen.refresh_bindings()

    def draw_bars(self) -> None:
        """Draw the head, the outcome and the filter bar."""
        queue, empty = self.queue, self.seen >= 0 and not self.queue.ids
        self.set_class(empty, "-empty")
        self.set_class(self.panes.draft is not None, "-draft")
        self.set_class(self.size.width >= LISTED_FROM and len(queue.ids) > 1, "-listed")
        self.line.count(self._counted())
        if empty:
            self.query_one("#nothing", Static).update(render.nothing(self.filter, self._session.done))
        nth = queue.grouped.index(queue.current) + 1 if queue.current in queue.grouped else 0
        where = render.position(queue.cursor, len(queue.ids), queue.total, nth, len(queue.grouped))
        if self.shown is None:
            self._head.update(Content.styled(f"{where}   reading …" if queue.ids else "", "$muted"))
            self._outcome.update("")
        else:
            width = (self.content_size.width or self.app.size.width) - 2  # not laid out yet
            self._head.update(render.head(where, self.shown, self.context.now(), width))
            choice = Choice.MERGE if self.panes.choice == "draft" else Choice(self.panes.choice)
            self._outcome.update(render.outcome(self.shown.pair, choice, self.panes.draft, self.context.glyphs))

    def on_resize(self) -> None:
        """Fit the head to the new width, and show the list if there is room for it."""
        self.draw_bars()

    def _counted(self) -> Content:
        if self.line.problem:
            return Content.styled("invalid filter", "$muted")
        if self.line.typing or not self._session.begun:
            return Content.styled("enter goes to the conflicts" if self.line.typing else "", "$muted")
        left = self.queue.total
        return self._session.progress("more" if left is None else f"{left:,}")

    # Enabled actions

    def enables(self, action: str, parameters: tuple[object, ...]) -> bool:
        """Enable actions on a conflict only if there is one, and esc only if there is something to close or leave."""
        if action in ("search", "filter"):
            return True
        if action == "back":
            return any((self.line.typing, self.panes.draft is not None, self.filter, self._from_elsewhere))
        if action == "accept_wording":
            return self.panes.other is not None
        if action in ("move", "page", "first", "last"):
            return len(self.queue.ids) > 1
        return self.shown is not None

    def refuses(self, action: str) -> str:
        """Say that nothing is listed if an action needs a conflict."""
        empty = self.seen >= 0 and not self.queue.ids
        return "no open conflict" if empty and action not in _MOVES else ""

    # Moving

    def action_move(self, by: int) -> None:
        """Go to another conflict, down or up the list; a folded group counts as one."""
        self._go_to(self.queue.next_index(by))

    def action_page(self, pages: float) -> None:
        """Go up or down by screens of the list."""
        self.action_move(round(max(self.content_size.height // LINES, 2) * pages))

    def action_first(self) -> None:
        """Go to the strongest conflict."""
        self._go_to(0)

    def action_last(self) -> None:
        """Go to the weakest conflict."""
        if self.queue.whole:
            self._go_to(len(self.queue.ids) - 1)
        else:
            self.queue.limit = None
            self.begin(partial(self._load, fresh=True, end=True), "ids")

    def _go_to(self, index: int) -> None:
        self.queue.go_to(index)
        self._show()
        if self.queue.extend():
            self.begin(self._load, "ids")
        else:
            self.begin(self._read, "detail")

    def action_fold(self) -> None:
        """Fold the group at the cursor into one line, or unfold it."""
        if self.queue.grouped:
            self.queue.fold()
            self._go_to(self.queue.cursor)
        else:
            self.say(NO_GROUP)

    def on_conflict_list_pointed(self, event: ConflictList.Pointed) -> None:
        """Go to the conflict under the mouse."""
        self._go_to(event.index)

    def action_side(self, by: int) -> None:
        """Highlight another side, or the draft."""
        self._pointed_in = self.queue.current
        self.panes.step(by)
        self.draw_bars()

    @on(Pane.Pointed)
    def pane_chosen(self, event: Pane.Pointed) -> None:
        """Highlight the side under the mouse."""
        self._pointed_in = self.queue.current
        self.panes.choose(event.choice)
        self.draw_bars()

    def action_scroll_detail(self, lines: int) -> None:
        """Scroll the highlighted side or draft."""
        self.panes.highlighted.scroll_relative(y=lines, animate=False)

    def action_back(self) -> None:
        """Close the filter bar or the draft, else go back to the previous view or clear the filter."""
        if self.line.typing:
            if self.line.problem:  # drop an invalid filter with the field
                self.search_for("")
            self.leave_field()
        elif self.panes.draft is not None:
            self.panes.drop_draft()
            self.draw_bars()
        elif self._from_elsewhere:
            self.post_message(Back())
        elif self.filter:
            self.search_for("")
        self.screen.refresh_bindings()

    # Filter

    def action_search(self) -> None:
        """Focus the filter bar."""
        super().action_search()
        self.draw_bars()

    def on_input_changed(self) -> None:
        """Read the queue when typing pauses."""
        self._anew(self.context.timings.typing)

    def parse(self, text: str) -> ConflictFilter:
        """Parse a filter. Raises BadFilter."""
        return parse_conflicts(text)

    def leave_field(self) -> None:
        """Keep the typed text, and leave the filter bar."""
        super().leave_field()
        self.draw_bars()

    def action_filter(self) -> None:
        """Choose a filter: a class, a score or a source."""
        self.begin_dialog(self._only)

    async def _only(self) -> None:
        chosen = await dialogs.only(self.app, self.context, self.filter)
        if chosen is not None:
            self.search_for(chosen)

    # Resolving

    def action_keep_side(self) -> None:
        """Keep the highlighted side, or accept the highlighted draft."""
        draft = self.panes.draft if self.panes.choice == "draft" else None
        if self.shown is not None and draft is not None:
            self._resolve(queries.merge_resolution(draft, draft.text, draft.by))
        elif self.shown is not None:
            pair, side = self.shown.pair, self.panes.side
            if self._reports_loss():
                return
            group = self.queue.grouped if side == "b" else ()  # the next conflict starts at the same side
            self._resolve(queries.keep_resolution(pair, side), group)

    def action_keep_in_group(self) -> None:
        """Keep the highlighted side in the whole group, unless nobody has chosen it and it loses facts."""
        if not self.queue.grouped or not self._reports_loss():
            super().action_keep_in_group()

    def _reports_loss(self) -> bool:
        """Report a suggested side that loses facts of the other: the person has to choose it first."""
        if self.shown is None or self._pointed_in == self.shown.pair.alert.id:
            return False
        problem = render.loss(self.shown.pair, self.panes.side)
        if problem:
            self.say(problem, Tone.BAD)
        return bool(problem)

    def action_keep_both(self) -> None:
        """Keep both."""
        self._resolve(queries.KEEP_BOTH)

    def action_reject_both(self) -> None:
        """Reject both."""
        self._resolve(queries.REJECT_BOTH)

    def action_decide(self, name: str) -> None:
        """Snooze the conflict; the other verbs have their own keys here."""
        if name == "snooze":
            self._resolve(queries.SNOOZE)

    def _resolve(self, resolution: Resolution, group: Sequence[int] = ()) -> None:
        """Show the next conflict, and resolve this one in the background; offer the rest of a group if given."""
        if self.shown is not None and not self.reports_problem():
            pair, write = self.shown.pair, self._write(self.shown.pair, resolution, group)
            self.queue.leave(pair.alert.id)
            self._session.count([pair.alert.id], self.context.now())
            self._show()
            self.begin(self._read, "detail")
            self.write(write)

    async def perform_on(self, pair: Pair, resolution: Resolution) -> str | None:
        """Resolve a conflict for a dialog; return the problem that prevented it, or None."""
        return await self.perform(self._write(pair, resolution))

    def _write(self, pair: Pair, resolution: Resolution, group: Sequence[int] = ()) -> Write[tuple[str, int]]:
        store, undo_state = self.context.store, self.context.undo_state

        def work() -> tuple[str, int]:
            text = resolution.run_on(store, pair)
            undo_state.describe_last(text)
            return text, queries.left_open(store, group)

        def message(done: tuple[str, int]) -> StatusMessage:
            text, left = done
            if not left:
                return StatusMessage(text, Tone.GOOD, undo=True)
            hint = key_hint(self.app, "keep-in-group")
            with_rest = f"{text} · {left} more in this group"
            return StatusMessage(with_rest, Tone.GOOD, hint, undo=True, holds=lambda: self.queue.current in group)

        return self.undoable([pair.alert.id], work, message)

    def undoable(self, alerts: list[int], work: Callable[[], T], message: Callable[[T], StatusMessage]) -> Write[T]:
        """Prepare a write; conflicts that it does not resolve return to the queue."""

        def finish(result: T) -> StatusMessage:
            self._session.count(alerts, self.context.now())
            self.begin(self._load, "ids")
            return message(result)

        def rollback() -> None:
            self._session.drop(alerts)
            self.queue.left.difference_update(alerts)
            self.begin(partial(self._load, alerts[:1]), "ids")

        return Write(work, finish, rollback)

    def action_clarify(self) -> None:
        """Keep both, clarified by dates or a scope."""
        if self.shown is not None and not self.reports_problem():
            pair = self.shown.pair
            self.begin_dialog(partial(dialogs.distinguish, self.app, pair, partial(self.perform_on, pair)))

    # Details

    @property
    def memory(self) -> Memory | None:
        """The memory of the highlighted side."""
        return None if self.shown is None else self.shown.pair.on(self.panes.side)

    def action_copy(self) -> None:
        """Copy the highlighted text."""
        if (memory := self.memory) is not None:
            draft = self.panes.draft if self.panes.choice == "draft" else None
            self.copy(memory.text if draft is None else draft.text)

    def no_source(self, memory_id: int, quoted: bool) -> str:
        """Return the message for a highlighted side without a source in this store."""
        return f"{self.panes.side.upper()} has no conversation in this store"
