"""Bulk resolution in the Conflicts view: by a rule, or with the same side for a group."""

from collections.abc import Callable
from typing import TypeVar

from curator import curation
from curator.curation import Plan
from curator.curation.resolve import BulkResult
from curator.tui.conflicts import dialogs, queries, render
from curator.tui.conflicts.panes import PairPane
from curator.tui.conflicts.queries import ConflictDetail
from curator.tui.conflicts.queue import ConflictQueue
from curator.tui.list_view import FilteredView
from curator.tui.messages import StatusMessage, Tone
from curator.tui.view import Write

T = TypeVar("T")
NO_GROUP = "not in a group"
"""Message of group actions on a conflict without a group."""


class BulkView(FilteredView):
    """A queue of conflicts that can be resolved in bulk."""

    queue: ConflictQueue
    panes: PairPane
    shown: ConflictDetail | None

    def action_resolve_many(self) -> None:
        """Resolve the listed conflicts by a rule."""
        if not self.reports_problem():
            self.begin_dialog(self._resolve_many)

    async def _resolve_many(self) -> None:
        plan = await dialogs.many(self.app, self.context, self.line.text.strip(), self.queue.total)
        if plan is not None:
            self._resolve_plan(plan)

    def action_keep_in_group(self) -> None:
        """Keep the highlighted side in the whole group, after a preview."""
        if not self.queue.grouped:
            self.say(NO_GROUP)
        elif self.shown is not None and not self.reports_problem():
            self.begin_dialog(self._resolve_group)

    async def _resolve_group(self) -> None:
        if self.shown is None:
            return
        pair, side = self.shown.pair, self.panes.side
        group = self.queue.group(pair.alert.id)
        plan = await self.context.run("slow", queries.group_plan, self.context.store, group, pair, side)
        if await dialogs.same_side(self.app, plan):
            self._resolve_plan(plan)

    def _resolve_plan(self, plan: Plan) -> None:
        if not plan.decided:
            self.say(curation.bulk_outcome(plan))
            return
        alerts = [pair.alert.id for pair, _ in plan.decided]

        store, undo_state = self.context.store, self.context.undo_state

        def work() -> BulkResult:
            done = curation.bulk(store, plan)
            undo_state.describe_last(render.bulk_message(done))
            return done

        def message(done: BulkResult) -> StatusMessage:
            return StatusMessage(render.bulk_message(done), Tone.GOOD, undo=done.conflicts > 0)

        self.write(self.undoable(alerts, work, message))

    def undoable(self, alerts: list[int], work: Callable[[], T], message: Callable[[T], StatusMessage]) -> Write[T]:
        """Prepare a write; conflicts that it does not resolve return to the queue."""
        raise NotImplementedError
