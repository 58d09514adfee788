"""Progress of the runs of this process, written to the record for other processes to see."""

import os
import socket
import time
from collections.abc import Iterable

from curator.jobs.sweeps.state import Course
from store import clock
from store.model import SweepProgress

TOLD = 1.0
"""Seconds between two writes, at least: what costs a sync of the disk shall not slow the work it tells of."""
_SIGN_OF_LIFE = 10 * clock.SECOND  # a run that does not move is written again after this long


def run_of(sweep: str, holder: str, seconds: float, done: int, total: int, failed: int = 0) -> SweepProgress:
    """Return the progress of a run of this process that began so many seconds ago."""
    now = clock.now()
    began = now - clock.from_seconds(seconds)
    return SweepProgress(sweep, holder, os.getpid(), socket.gethostname(), began, now, done, total, failed)


class Notices:
    """The progress that this process has written; `due` says what to write and what to drop now."""

    def __init__(self, holder: str) -> None:
        self._holder = holder
        self.told: dict[str, SweepProgress] = {}

    def due(self, courses: Iterable[Course]) -> tuple[list[SweepProgress], list[str]]:
        """Return the runs that have moved or were not written for long, and the sweeps whose runs have ended."""
        runs = {
            course.work.name: run_of(
                course.work.name,
                self._holder,
                time.monotonic() - course.run.began,
                course.run.done,
                course.run.total,
                course.run.failed,
            )
            for course in courses
            if course.task is not None and course.run.total
        }
        moved = [run for name, run in runs.items() if _differs(self.told.get(name), run)]
        ended = [name for name in self.told if name not in runs]
        self.told = {name: run for name, run in self.told.items() if name in runs} | {run.sweep: run for run in moved}
        return moved, ended


def _differs(told: SweepProgress | None, now: SweepProgress) -> bool:
    if told is None or now.seen - told.seen >= _SIGN_OF_LIFE:
        return True
    return (told.done, told.total, told.failed) != (now.done, now.total, now.failed)
