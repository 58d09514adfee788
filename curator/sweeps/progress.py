"""State of a sweep and its run in this process, and the time of its next run."""

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from datetime import time as time_of_day
from enum import StrEnum

from curator.config import Sweep
from curator.llm.client import Run
from curator.services.run_progress import INTERVAL, is_alive, make_progress
from curator.sweeps.base import BaseSweep, Progress
from store import Store, StoreError, clock
from store.model import SweepProgress

HOUR = 3_600 * clock.SECOND
SOON = 30 / 3_600  # hours between two runs when few items are to be done at once
_SIGN_OF_LIFE = 10 * clock.SECOND  # a run without progress is written again after this long
_SOONEST, _LATEST = 30 * clock.SECOND, 600 * clock.SECOND  # until an offline server is tried again
_ENOUGH = 3.0  # seconds of work before a rate is meaningful


class State(StrEnum):
    """State of a sweep."""

    OFF = "off"  # by its switch, or for lack of a model: `problem` has the reason
    WAITING = "waiting"  # for its time: `next_at`
    DUE = "due"
    RUNNING = "running"
    PAUSED = "paused"
    OFFLINE = "offline"  # the server or the model is unavailable; tried again at `next_at`


@dataclass(frozen=True, slots=True)
class SweepStatus:
    """Status of a sweep. Items are memories (embed), conversations (distil), alerts (judge), recalls (warmth), files
    (watch).

    `done` and `total` are of the current or last run; `pending` is what remains in the store, `failed` what waits for
    the person to retry it. `rate` is items per minute, `left` seconds; both are None until there is enough data.
    `next_at` is in microseconds. `elsewhere` is the number of items another process is working on, and `others` the
    progress of other processes, including killed ones.
    """

    name: str
    state: State
    done: int
    total: int
    failed: int
    pending: int
    rate: float | None
    left: float | None
    model: str
    problem: str
    next_at: int | None
    elsewhere: int = 0
    others: tuple[SweepProgress, ...] = ()

    @property
    def other(self) -> SweepProgress | None:
        """Return the active run of another process, if there is one."""
        return next((run for run in self.others if is_alive(run)), None)


@dataclass(frozen=True, slots=True)
class SweepCounts:
    """Counts of a sweep from the store.

    `off` is the reason why it cannot run, if there is one; `ran` is the time of its last run in any process.
    """

    off: str
    pending: int
    failed: int
    ran: int
    skips_interval: bool


@dataclass(slots=True)
class SweepRun:
    """State of one sweep. Times are in microseconds, those of `run` in seconds of this process."""

    work: BaseSweep
    run: Progress = field(default_factory=Progress)
    task: asyncio.Task[None] | None = None
    paused: bool = False
    paused_in_record: bool = False  # as last read; a pause of this process may not be written yet
    begun: bool = False  # started by the person
    again: bool = False  # including failed items
    off: str = ""
    problem: str = ""
    offline_until: int = 0
    wait: int = 0
    broken: bool = False  # its server went offline during the work; may resume soon
    ran: int = 0
    pending: int = 0
    failed: int = 0
    elsewhere: int = 0  # items of this run that another process was working on
    held: int = 0  # items that another process is working on now
    others: tuple[SweepProgress, ...] = ()  # runs of other processes
    not_stored: Counter[str] = field(default_factory=Counter)  # consecutive runs that could not store an item
    not_stored_reason: str = ""  # of the last of them
    skips_interval: bool = False  # few and cheap items are pending: does not wait for the interval

    def apply(self, counts: SweepCounts) -> None:
        """Apply fresh counts from the store."""
        self.off = counts.off
        self.pending = counts.pending
        self.failed = counts.failed
        self.ran = max(self.ran, counts.ran)
        self.skips_interval = counts.skips_interval
        self.run.counted = self.run.done

    def begin(self, total: int, go_on: bool) -> None:
        """Begin a run, or continue the counts of the previous one with `go_on`."""
        before = self.run if go_on else Progress()
        self.run = Progress(before.done + total, before.done, before.done)
        self.run.began = time.monotonic() - (before.seconds or 0)
        self.elsewhere = 0

    def ended(self, now: int) -> None:
        """End the run for any reason."""
        self.run.seconds = time.monotonic() - self.run.began
        self.ran = now

    def mark_available(self) -> None:
        """Note that the server answered; what is left is a problem of items."""
        self.problem, self.wait, self.offline_until, self.broken = self.work.problem(), 0, 0, False

    def mark_unavailable(self, problem: str, now: int) -> None:
        """Note that the sweep cannot continue; the wait before the next try grows each time."""
        self.wait = min(max(2 * self.wait, _SOONEST), _LATEST)
        self.broken = (self.broken or self.run.done > 0) and self.wait < _LATEST
        self.problem, self.offline_until = problem, now + self.wait

    def status(self, wanted: Sweep, now: int) -> SweepStatus:
        """Return the status to display."""
        state, next_at = self._state(wanted, now)
        problem = self.off if state is State.OFF and wanted.enabled else self.problem
        rate, left = self._rate()
        pending = max(self.pending - (self.run.done - self.run.counted), 0)
        total = self.run.total
        if state in (State.PAUSED, State.OFFLINE):  # items done by another process are no longer pending
            total = min(total, self.run.done + pending)
        return SweepStatus(
            self.work.name,
            state,
            self.run.done,
            total,
            self.failed,
            pending,
            rate,
            left if state is State.RUNNING else None,
            self.work.model(),
            problem,
            next_at,
            self.held,
            self.others,
        )

    def _state(self, wanted: Sweep, now: int) -> tuple[State, int | None]:
        if self.paused and self.task is None:  # even if it is off: it stays paused when it is switched on
            return State.PAUSED, None
        if not wanted.enabled or self.off:
            return State.OFF, None
        if self.task is not None:
            return State.RUNNING, None
        if self.offline_until > now:
            return State.OFFLINE, self.offline_until
        if self.begun:
            return State.DUE, now
        if self.skips_interval:
            wanted = wanted.model_copy(update={"interval": min(wanted.interval, SOON)})
        due = self.offline_until if self.offline_until else due_at(wanted, self.ran, now)
        return (State.DUE, now) if due <= now else (State.WAITING, due)

    def _rate(self) -> tuple[float | None, float | None]:
        """Return items per minute, and the seconds the rest takes at that rate."""
        run = self.run
        seconds = time.monotonic() - run.began if run.seconds is None else run.seconds
        if not run.done or seconds < _ENOUGH:
            return None, None
        return run.done / seconds * 60, max(run.total - run.done, 0) * seconds / run.done


class Publisher:
    """Writes the progress of this process's runs to the record, and deletes it when they have ended."""

    def __init__(self, store: Store, run: Run, holder: str, interval: float = INTERVAL) -> None:
        self._store, self._run, self._holder, self._interval = store, run, holder, interval
        self._published: dict[str, SweepProgress] = {}
        self._writing: asyncio.Future[None] | None = None

    async def follow(self, sweeps: Collection[SweepRun]) -> None:
        """Write changed progress at every interval, until cancelled."""
        while True:
            await asyncio.sleep(self._interval)
            self._writing = asyncio.ensure_future(self._write(sweeps))
            await asyncio.shield(self._writing)  # a writing thread cannot be stopped

    async def close(self) -> None:
        """Delete all that was written, after waiting for a write in progress."""
        if self._writing is not None:
            await self._writing
        with contextlib.suppress(StoreError):
            await self._drop(list(self._published))
        self._published = {}

    async def _write(self, sweeps: Collection[SweepRun]) -> None:
        """Write runs that made progress or are due for a sign of life, and delete those that have ended."""
        now = time.monotonic()
        runs = {
            name: make_progress(name, self._holder, now - run.began, run.done, run.total, run.failed)
            for name, run in ((sweep.work.name, sweep.run) for sweep in sweeps if sweep.task)
            if run.total
        }
        moved: list[SweepProgress] = []
        for name, run in runs.items():
            reported = self._published.get(name)
            if (
                reported is None
                or run.seen - reported.seen >= _SIGN_OF_LIFE
                or (reported.done, reported.total, reported.failed) != (run.done, run.total, run.failed)
            ):
                moved.append(run)
        ended = [name for name in self._published if name not in runs]
        with contextlib.suppress(StoreError):  # a record that cannot be written stops the run itself
            if moved:
                self._published |= {run.sweep: run for run in moved}
                await self._run(lambda: self._store.sweeps.put_progress(moved))
            await self._drop(ended)
            self._published = {name: run for name, run in self._published.items() if name in runs}

    async def _drop(self, sweeps: list[str]) -> None:
        if sweeps:
            await self._run(lambda: self._store.sweeps.drop_progress(self._holder, sweeps))


def due_at(wanted: Sweep, ran: int, now: int) -> int:
    """Return when a sweep last run at `ran` (0 for never) may run again, in microseconds; never before `now`."""
    return opens(wanted.window, max(now, ran + round(wanted.interval * HOUR) if ran else now))


def opens(window: str, moment: int) -> int:
    """Return `moment` if the window is open then, else when it opens next, in local time; "" is always open."""
    if is_open(window, moment):
        return moment
    begin, _ = _borders(window)
    here = datetime.fromtimestamp(moment / clock.SECOND)
    today = datetime.combine(here.date(), begin)
    return clock.from_seconds((today if today > here else today + timedelta(days=1)).timestamp())


def is_open(window: str, moment: int) -> bool:
    """Return True if a window ("22:00-07:00"; the end is exclusive) is open; one with equal ends always is."""
    if not window:
        return True
    begin, end = _borders(window)
    here = datetime.fromtimestamp(moment / clock.SECOND).time()
    return begin <= here < end if begin < end else here >= begin or here < end


def _borders(window: str) -> tuple[time_of_day, time_of_day]:
    begin, _, end = window.partition("-")
    return time_of_day.fromisoformat(begin), time_of_day.fromisoformat(end)
