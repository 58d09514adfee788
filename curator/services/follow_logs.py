"""Watch log files and import what is appended to them."""

import contextlib
import logging
import math
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from curator.errors import ImportFailure
from curator.importers import NothingReadable, Unrecognised
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
_RETRY = 300.0  # seconds until a log that could not be read is tried again, if it has not changed
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class LogWatcher:
    """Finds and imports logs whose size or modification time changed since this process last read them.

    `found` are the changed logs by path. `problems` are the first few records, by path of a log, that could not be read
    when it was last read; a log of which nothing could be read is one, and is tried again later.
    """

    store: Store
    logs: Callable[[], Iterable[LiveLog]] = live_logs
    me: Sequence[str] = ()
    found: dict[str, LiveLog] = field(default_factory=dict)
    problems: dict[str, list[str]] = field(default_factory=dict)
    _seen: dict[Path, State] = field(default_factory=dict)
    _retry: dict[Path, float] = field(default_factory=dict)

    def check(self) -> None:
        """Set `found` to the logs that changed since they were last read, or are to be tried again."""
        self.found = {}
        listed = list(self.logs())
        self.problems = {str(log.path): told for log in listed if (told := self.problems.get(str(log.path)))}
        for log in listed:
            seen = self._seen.get(log.path)
            mark = self.store.raw.file_mark(str(log.path)) if seen is None else None
            if mark is not None and log.state[2] == 1 and log.path.is_file() and mark.size == log.state[0]:
                self._seen[log.path] = log.state
            elif seen != log.state or self._retry.get(log.path, math.inf) <= time.monotonic():
                self.found[str(log.path)] = log

    def import_log(self, path: str, embedder: Embedder | None, report: Report) -> Summary | None:
        """Import new messages of a log in `found` as a sweep.

        Return None if the file is gone, or nothing of it was imported: it is still empty, or `problems` says why not.
        Conversations that the person removed by an undo stay hidden.
        """
        log = self.found.get(path)
        if log is None:
            return None
        summary: Summary | None = None
        problems: list[str] = []
        self._retry[log.path] = math.inf
        try:
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
            problems = summary.unreadable
        except ImportFailure as error:
            if log.path.exists() and (isinstance(error, NothingReadable) or not isinstance(error, Unrecognised)):
                problems = [str(error)]
                self._retry[log.path] = time.monotonic() + _RETRY
        names = re.compile(f"^(?:{re.escape(path)}: |{re.escape(log.path.name)}: )*")
        self.problems[path] = [f"{path}: {names.sub('', problem)}" for problem in problems]
        self._seen[log.path] = log.state
        return summary


def follow(
    store: Store, paths: Sequence[Path], embedder: Embedder | None, report: Report, me: Sequence[str] = ()
) -> Iterator[tuple[int, str, Summary | None]]:
    """Import everything appended to the logs under the paths; never returns.

    Yield (number of logs, path, summary) after each import, and (number of logs, "", None) after each check. A log
    that another process is importing is retried later. Each record that cannot be read is logged as a warning once;
    those of the first check are what the import before has told.
    """
    logs: list[LiveLog] = []
    told: set[str] | None = None

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
        problems = [problem for some in watcher.problems.values() for problem in some]
        told = set(problems) if told is None else told
        for problem in problems:
            if problem not in told:
                _log.warning("curator: %s", problem)
                told.add(problem)
        yield len(logs), "", None
        time.sleep(max(PAUSE, (time.monotonic() - began) * _SHARE if not watcher.found else 0))
