"""Watch log files and import what is appended to them."""

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from curator.errors import ImportFailure
from curator.importers.live_logs import LiveLog, State, live_logs, logs_under
from curator.models import Embedder
from curator.services.import_logs import import_paths
from curator.services.import_session import hold_lease
from curator.services.import_summary import Report, Summary
from store import Store
from store.errors import LeaseLost
from store.model import Actor

PAUSE = 1.0  # minimum seconds between two checks
_SHARE = 20  # checks may take at most 1/20 of the time


@dataclass(slots=True)
class LogWatcher:
    """Finds and imports logs whose size or modification time changed since this process last read them.

    `found` are the changed logs by path.
    """

    store: Store
    logs: Callable[[], Iterable[LiveLog]] = live_logs
    me: Sequence[str] = ()
    found: dict[str, LiveLog] = field(default_factory=dict)
    _seen: dict[Path, State] = field(default_factory=dict)

    def check(self) -> None:
        """Set `found` to the logs that changed since they were last read."""
        self.found = {}
        for log in self.logs():
            known = self._seen.get(log.path)
            mark = self.store.raw.file_mark(str(log.path)) if known is None else None
            if mark is not None and log.state[2] == 1 and log.path.is_file() and mark.size == log.state[0]:
                self._seen[log.path] = log.state
            elif known != log.state:
                self.found[str(log.path)] = log

    def import_log(self, path: str, embedder: Embedder | None, report: Report) -> Summary | None:
        """Import new messages of a log in `found` as a sweep; return None if the file is gone or still empty.

        Conversations that the person removed by an undo stay hidden.
        """
        summary = None
        if (log := self.found.get(path)) is not None:
            with contextlib.suppress(ImportFailure):  # still empty; checked again when it grows
                summary = import_paths(
                    self.store,
                    [log.path],
                    embedder,
                    format=log.format,
                    report=report,
                    actor=Actor.SWEEP,
                    reveal=False,
                    me=self.me,
                )
            self._seen[log.path] = log.state
        return summary


def follow(
    store: Store, paths: Sequence[Path], embedder: Embedder | None, report: Report, me: Sequence[str] = ()
) -> Iterator[tuple[int, str, Summary | None]]:
    """Import everything appended to the logs under the paths; never returns.

    Yield (number of logs, path, summary) after each import, and (number of logs, "", None) after each check. A log
    that another process is importing is retried later.
    """
    logs: list[LiveLog] = []

    def listed() -> list[LiveLog]:
        logs[:] = [log for path in paths for log in logs_under(path)]
        return logs

    watcher = LogWatcher(store, listed, me)
    while True:
        began = time.monotonic()
        watcher.check()
        for path, log in watcher.found.items():
            with contextlib.suppress(LeaseLost), hold_lease(store, log.path, report) as renewing:
                if renewing is not None:
                    yield len(logs), path, watcher.import_log(path, embedder, renewing)
        yield len(logs), "", None
        time.sleep(max(PAUSE, (time.monotonic() - began) * _SHARE if not watcher.found else 0))
