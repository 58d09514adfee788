"""The sweep that imports what programs add to their logs as they write them, and distils it by rules.

A file, or a folder whose files belong together, is one command. Conversations hidden by an undo stay hidden: only what
comes later is new.
"""

import contextlib
import threading
from pathlib import Path

from curator.config import settings
from curator.distill import DISTILLER
from curator.errors import ImportFailure
from curator.importers.live_logs import LiveLog, live_logs
from curator.models import Embedder
from curator.services.distillation import distil_pending
from curator.services.import_logs import import_paths
from curator.services.import_session import Stopped, session_lease
from curator.services.import_summary import Progress, Report, Summary
from curator.sweeps.base import Attempt, BaseSweep, Item, Tools
from store.model import Actor


class Watch(BaseSweep):
    """See `BaseSweep`. Files are checked again when their size or time has changed since this process saw them."""

    name = "watch"

    def __init__(self, tools: Tools) -> None:
        super().__init__(tools)
        self._seen: dict[Path, tuple[int, int, int]] = {}
        self._found: dict[str, LiveLog] = {}  # those that have grown, by path
        self._embedder: Embedder | None = None

    def pending(self) -> int:
        """See `BaseSweep.pending`."""
        self._look()
        return len(self._found) + len(self._left())

    def items(self, limit: int, again: bool) -> list[Item]:
        """See `BaseSweep.items`. First conversations that a stopped run left undistilled, then files, latest first."""
        if again:
            return []
        self._look()
        items = [Item("watch")] if self._left() else []
        found = sorted(self._found.values(), key=lambda log: -log.state[1])
        return [*items, *(Item(session_lease(log.path), path=str(log.path)) for log in found)][:limit]

    def _left(self) -> list[int]:
        if not settings().distil.enabled:
            return []
        return self._store.distillation.undistilled(DISTILLER, Actor.SWEEP)

    def _look(self) -> None:
        """Find the logs that were written to since they were last read."""
        self._found = {}
        for log in live_logs():
            known = self._seen.get(log.path)
            mark = self._store.raw.file_mark(str(log.path)) if known is None else None
            if mark is not None and log.state[2] == 1 and log.path.is_file() and mark.size == log.state[0]:
                self._seen[log.path] = log.state
            elif known != log.state:
                self._found[str(log.path)] = log

    async def open(self) -> None:
        """See `BaseSweep.open`."""
        if settings().distil.enabled:
            self._embedder = await self._run(lambda: self._tools.models.working(self._store))

    async def do(self, item: Item, attempt: Attempt) -> None:
        """See `BaseSweep.do`. When cancelled, the import ends at the next record."""
        stop = threading.Event()

        def report(progress: Progress) -> None:
            self._tools.rest()
            if stop.is_set():
                raise Stopped

        with contextlib.suppress(Stopped):
            try:
                await self._run(lambda: self._take(item.path, report))
            finally:
                stop.set()
            attempt.step(1)

    def _take(self, path: str, report: Report) -> None:
        store, embedder = self._store, self._embedder
        if not path:
            if embedder is not None:
                with store.command("distil", Actor.SWEEP) as writer:
                    writer.pause()
                    distil_pending(store, writer, embedder, Summary(), report, Actor.SWEEP)
            return
        log = self._found.get(path)
        if log is None:  # gone since it was found
            return
        with contextlib.suppress(ImportFailure):  # still empty; checked again when it has grown
            import_paths(
                store,
                [log.path],
                embedder,
                format=log.format,
                report=report,
                actor=Actor.SWEEP,
                reveal=False,
            )
        self._seen[log.path] = log.state
