"""The sweep that imports what programs add to their logs as they write them, and distils it by rules.

A file, or a folder whose files belong together, is one command. Conversations hidden by an undo stay hidden: only what
comes later is new.
"""

import contextlib

from curator.config import settings
from curator.distill import marks
from curator.models import Embedder
from curator.services.distillation import distil_pending
from curator.services.follow_logs import LogWatcher
from curator.services.import_run import begin_run
from curator.services.import_session import session_lease
from curator.services.import_summary import Report, Summary
from curator.services.run_progress import Stopped
from curator.sweeps.base import Attempt, BaseSweep, SweepItem, Tools
from store.model import Actor


class Watch(BaseSweep):
    """See `BaseSweep` and `LogWatcher`."""

    name = "watch"

    def __init__(self, tools: Tools) -> None:
        super().__init__(tools)
        self._logs = LogWatcher(tools.store)
        self._embedder: Embedder | None = None

    def pending(self) -> int:
        """See `BaseSweep.pending`."""
        self._logs.check()
        return len(self._logs.found) + len(self._left())

    def has_work(self) -> bool:
        """See `BaseSweep.has_work`. It looks for new lines all the time."""
        return True

    def problem(self) -> str:
        """See `BaseSweep.problem`: the logs that cannot be read, or not as a whole."""
        told = [problems[0] for problems in list(self._logs.problems.values()) if problems]
        return f"{len(told):,} logs cannot be read as a whole; the last: {told[-1]}" if told[1:] else "".join(told)

    def items(self, limit: int, again: bool) -> list[SweepItem]:
        """See `BaseSweep.items`. First conversations that a stopped run left undistilled, then files, latest first."""
        if again:
            return []
        self._logs.check()
        items = [SweepItem("watch")] if self._left() else []
        logs = sorted(self._logs.found.values(), key=lambda log: -log.state[1])
        return [*items, *(SweepItem(session_lease(log.path), path=str(log.path)) for log in logs)][:limit]

    def _left(self) -> list[int]:
        if not settings().distil.enabled:
            return []
        return self._store.distillation.undistilled(marks(), Actor.SWEEP)

    async def open(self) -> None:
        """See `BaseSweep.open`."""
        if settings().distil.enabled:
            self._embedder = await self._run(lambda: self._tools.models.current_embedder(self._store))

    async def do(self, item: SweepItem, attempt: Attempt) -> None:
        """See `BaseSweep.do`. When cancelled, the import ends at the next record."""
        with contextlib.suppress(Stopped):
            await self._run_stoppable(lambda rest: self._take(item.path, lambda _: rest()))
            attempt.step(1)

    def _take(self, path: str, report: Report) -> None:
        store, embedder = self._store, self._embedder
        if not path:
            if embedder is not None:
                summary = Summary()
                with begin_run(store, "distil", Actor.SWEEP) as run:
                    run.writer.pause()
                    distil_pending(run, embedder, summary, report, Actor.SWEEP)
                    run.end(summary)
            return
        self._logs.import_log(path, embedder, report)
