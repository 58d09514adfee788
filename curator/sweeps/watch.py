"""The sweep that imports new lines of coding sessions as they are written, and distils them by rules.

A file is one command. Conversations hidden by an undo stay hidden: only later lines are new.
"""

import contextlib
import threading
from pathlib import Path

from curator.config import settings
from curator.distill import DISTILLER
from curator.errors import ImportFailure
from curator.importers import Format, session_folders
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
        self._seen: dict[Path, tuple[int, int]] = {}
        self._embedder: Embedder | None = None

    def pending(self) -> int:
        """See `BaseSweep.pending`."""
        return len(self._grown()) + len(self._left())

    def items(self, limit: int, again: bool) -> list[Item]:
        """See `BaseSweep.items`. First conversations that a stopped run left undistilled, then files, latest first."""
        if again:
            return []
        found = sorted(self._grown().items(), key=lambda one: -one[1][1])
        items = [Item("watch")] if self._left() else []
        return [*items, *(Item(session_lease(path), path=str(path)) for path, _ in found)][:limit]

    def _left(self) -> list[int]:
        if not settings().distil.enabled:
            return []
        return self._store.distillation.undistilled(DISTILLER, Actor.SWEEP)

    def _grown(self) -> dict[Path, tuple[int, int]]:
        """Return session files whose size has changed since they were last read."""
        found: dict[Path, tuple[int, int]] = {}
        for path in (path for folder in session_folders() for path in folder.glob("*/*.jsonl")):
            try:
                state = path.stat()
            except OSError:
                continue  # deleted meanwhile
            now = (state.st_size, state.st_mtime_ns)
            if self._seen.get(path) == now:
                continue
            mark = self._store.raw.file_mark(str(path)) if path not in self._seen else None
            if mark is not None and mark.size == state.st_size:
                self._seen[path] = now
            else:
                found[path] = now
        return found

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
        state = Path(path).stat()
        with contextlib.suppress(ImportFailure):  # still empty; checked again when it has grown
            import_paths(
                store,
                [Path(path)],
                embedder,
                format=Format.CLAUDE_CODE,
                report=report,
                actor=Actor.SWEEP,
                reveal=False,
            )
        self._seen[Path(path)] = (state.st_size, state.st_mtime_ns)
