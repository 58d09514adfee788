"""Scheduler of the sweeps: runs those that are due, in order, and reports their status.

Embedding runs before the chat model, since a server with little memory loads one model at a time; one call is made at a
time. Watching files runs concurrently.
"""

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence

from curator.config import Sweep, settings
from curator.errors import ConfigError, ModelError
from curator.llm.client import Run
from curator.services.run_progress import INTERVAL, LEASE, holder
from curator.sweeps.backup import Backup
from curator.sweeps.base import RELEASE_TIMEOUT, Attempt, Failed, Models, SweepItem, Tools, finish_briefly, leased
from curator.sweeps.chat_sweep import ChatSweep
from curator.sweeps.compare import Compare
from curator.sweeps.distill import Distil
from curator.sweeps.embed import Embed
from curator.sweeps.judge import Judge
from curator.sweeps.progress import Publisher, State, SweepCounts, SweepRun, SweepStatus, is_open
from curator.sweeps.snapshot import Snapshot
from curator.sweeps.sync import Sync
from curator.sweeps.tidy import Tidy
from curator.sweeps.warmth import Warmth
from curator.sweeps.watch import Watch
from store import Conflict, Store, StoreError, clock
from store.errors import LeaseLost

SWEEPS = (Embed, Distil, Compare, Judge, Warmth, Tidy, Backup, Sync, Snapshot, Watch)
NAMES = tuple(sweep.name for sweep in SWEEPS)
_BESIDE = Watch.name
_AT_ONCE = 1_000_000  # items of a run without limit
_ELSEWHERE = "another process (the app or `curator work`) is working on {:,} of them, or was until it stopped"
_STUCK = 3  # runs that could not store an item before it is reported
_NOT_STORED = "{:,} of them could not be stored and will be retried; the last: {}"
_AFTER = "waits for distil to finish first"


class Sweeper:
    """All sweeps of one store, in one event loop, which is never blocked.

    `now` returns the time in microseconds, `run` does blocking work in a thread, `tell` is called on every change.
    `rest` is called in threads between small pieces of long work, and may wait. `tick` is the interval in seconds
    between checks for due sweeps, and `lease` the seconds until an unrenewed lease on an item expires. `watch` watches
    session files even if that is switched off. `end_purge` erases outside of the record what another device purged.
    """

    def __init__(
        self,
        store: Store,
        *,
        now: Callable[[], int] = clock.now,
        run: Run = asyncio.to_thread,
        tell: Callable[[], None] = lambda: None,
        rest: Callable[[], None] = lambda: None,
        models: Models | None = None,
        tick: float = 5.0,
        lease: float = LEASE,
        publish: float = INTERVAL,
        watch: bool = False,
        end_purge: Callable[[Store], Sequence[str]] = lambda store: (),
    ) -> None:
        self._store, self._now, self._run, self._tell = store, now, run, tell
        self._tick, self._lease, self._holder = tick, lease, holder()
        self._publisher = Publisher(store, run, self._holder, publish)
        self._models = Models() if models is None else models
        tools = Tools(store, run, self._models, rest, end_purge)
        self._sweeps = {sweep.name: SweepRun(sweep(tools)) for sweep in SWEEPS}
        self._wake = asyncio.Event()
        self._watch = watch

    async def work(self, once: bool = False) -> None:
        """Run due sweeps until cancelled; cancelling drops the request in flight at once.

        With `once`: run every enabled sweep until nothing is left, regardless of time, then return. Wait for items
        that another process is working on; skip those that need an offline server.
        """
        await self.refresh()
        beside, main = [self._sweeps[_BESIDE]], [self._sweeps[name] for name in NAMES if name != _BESIDE]
        following = asyncio.create_task(self._follow())
        publishing = asyncio.create_task(self._publisher.follow(self._sweeps.values()))
        try:
            if once:
                await self._run_all(beside)
                await self._run_all(main)
                publishing.cancel()
                await self._publisher.close()
            else:
                await _together(self._by_schedule(main), self._by_schedule(beside))
        finally:
            following.cancel()
            publishing.cancel()
            self._models.drop()
            await finish_briefly(self._publisher.close())
            await finish_briefly(self._models.close())

    # State

    def statuses(self) -> tuple[SweepStatus, ...]:
        """Return the status of each sweep in order, without reading the store."""
        return tuple(sweep.status(self._wanted(name), self._now()) for name, sweep in self._sweeps.items())

    async def refresh(self) -> None:
        """Recount pending and failed items."""
        for sweep in self._sweeps.values():
            await self._count(sweep)
        with contextlib.suppress(StoreError):
            await self._poll_store(-1)
        self._tell()

    def has_work(self) -> bool:
        """Return True if a sweep that is switched on has something to do. Blocks."""
        return any(self._wanted(name).enabled and sweep.work.has_work() for name, sweep in self._sweeps.items())

    async def failures(self, name: str, limit: int = 50) -> list[Failed]:
        """Return the failures, newest first."""
        work = self._sweeps[name].work
        return await self._run(lambda: work.failures(limit))

    # Controls

    async def pause(self, name: str) -> None:
        """Pause a sweep after its current item, until `resume`; other processes follow at their next check."""
        await asyncio.to_thread(self._store.sweeps.pause, name)  # not behind the sweeps' own work
        self._sweeps[name].paused = True
        self._tell()

    async def resume(self, name: str) -> None:
        """Resume a paused sweep at once, and in other processes."""
        await asyncio.to_thread(self._store.sweeps.resume, name)
        self._sweeps[name].paused = False
        self.begin(name)

    def cancel(self, name: str) -> None:
        """Abort the current item, including its request, and end this run; the next starts when due."""
        sweep = self._sweeps[name]
        sweep.begun = sweep.again = False
        if sweep.task is not None:
            sweep.task.cancel()
            if name != _BESIDE:
                self._models.drop()
        self._tell()

    def begin(self, name: str) -> None:
        """Run a sweep now, regardless of interval and window."""
        self._sweeps[name].begun = True
        self._sweeps[name].offline_until = 0
        self._wake.set()
        self._tell()

    async def retry(self, name: str) -> None:
        """Retry all failed items now."""
        self._sweeps[name].again = True
        self.begin(name)

    # Scheduling

    async def _by_schedule(self, sweeps: list[SweepRun]) -> None:
        while True:
            due = next((sweep for sweep in sweeps if self._is_due(sweep)), None)
            if due is None:
                self._wake.clear()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._wake.wait(), self._tick)
                continue
            try:
                await self._in_task(due)
            except StoreError as error:  # the record was locked before or after the work: the others go on
                due.mark_unavailable(str(error), self._now())
                self._tell()

    async def _follow(self) -> None:
        """Recount idle sweeps when the store has changed, and read the progress of other processes."""
        seen = -1
        while True:
            with contextlib.suppress(StoreError, ConfigError):  # the process at work reports it; checked again later
                seen = await self._poll_store(seen)
            await asyncio.sleep(self._tick)

    async def _poll_store(self, seen: int) -> int:
        """Check once for `_follow`: `seen` is the last store version, or -1. Return the present version."""
        store = self._store
        held, runs, paused, version = await self._run(
            lambda: (
                store.sweeps.held("", self._holder),
                store.sweeps.progress(),
                store.sweeps.paused(),
                store.data_version(),
            )
        )
        at = Counter(item.partition(":")[0] for item in held)
        changed = False
        for name, sweep in self._sweeps.items():
            others = tuple(run for run in runs if run.sweep == name and run.holder != self._holder)
            changed = changed or (sweep.held, sweep.others) != (at[name], others)
            sweep.held, sweep.others = at[name], others
            changed = self._follow_pause(sweep, name in paused) or changed
            if version != seen >= 0 and sweep.task is None:
                await self._count(sweep, idle=True)
                changed = True
        if changed:
            self._tell()
        return version

    def _follow_pause(self, sweep: SweepRun, paused: bool) -> bool:
        """Pause or resume a sweep if its pause in the record has changed; return True then."""
        changed, sweep.paused_in_record = paused != sweep.paused_in_record, paused
        if changed and sweep.paused and not paused:
            self.begin(sweep.work.name)
        if changed:
            sweep.paused = paused
        return changed

    async def _run_all(self, sweeps: list[SweepRun]) -> None:
        """Run sweeps one after another until none can do any more."""
        for sweep in sweeps:
            sweep.offline_until = 0
        moved, runs = True, 0
        while moved:
            moved, runs = False, runs + 1
            for sweep in sweeps:
                status = sweep.status(self._wanted(sweep.work.name), self._now())
                if status.state not in (State.OFF, State.OFFLINE, State.PAUSED) and not self._waits(sweep):
                    before = sweep.run.done if runs > 1 else 0
                    await self._in_task(sweep, once=runs)
                    moved = moved or sweep.run.done != before or sweep.elsewhere > 0
            if any(sweep.elsewhere for sweep in sweeps):
                await asyncio.sleep(min(1.0, self._tick))

    def _is_due(self, sweep: SweepRun) -> bool:
        wanted = self._wanted(sweep.work.name)
        return sweep.status(wanted, self._now()).state is State.DUE and not self._waits(sweep)

    def _waits(self, sweep: SweepRun) -> bool:
        """Return True if a sweep should wait: which pairs are compared depends on the existing memories.

        This also covers a server that goes offline during the work and returns within minutes.
        """
        waits = sweep.work.name == "compare" and self._sweeps["distil"].broken and not sweep.begun
        if waits:
            sweep.problem = _AFTER
        return waits

    def _wanted(self, name: str) -> Sweep:
        found: Sweep = getattr(settings(), f"sweep_{name}")
        return found.model_copy(update={"enabled": True}) if self._watch and name == _BESIDE else found

    async def _in_task(self, sweep: SweepRun, once: int = 0) -> None:
        """Run a sweep once in its own task, which `cancel` ends. `once` is the number of the round in `_run_all`."""
        sweep.task = asyncio.create_task(self._run_sweep(sweep, once), name=f"sweep {sweep.work.name}")
        try:
            await asyncio.wait({sweep.task})
            sweep.ended(self._now())
            if sweep.run.total and not sweep.offline_until:
                mark, ran = sweep.work.mark, sweep.ran
                await self._run(lambda: self._store.sweeps.mark(mark, 0, ran))
        except asyncio.CancelledError:
            sweep.task.cancel()
            self._models.drop()
            await asyncio.wait({sweep.task}, timeout=RELEASE_TIMEOUT)
            sweep.ended(self._now())
            raise
        finally:
            task, sweep.task = sweep.task, None
            self._tell()
        if not task.cancelled():
            task.result()
        await self._count(sweep)
        self._tell()

    async def _run_sweep(self, sweep: SweepRun, once: int) -> None:
        """Do the pending items, within the sweep's limits unless it has none."""
        again, forced = sweep.again, sweep.begun or bool(once)
        sweep.begun = False
        wanted = self._wanted(sweep.work.name)
        failed = await self._run(lambda: sweep.work.items(_AT_ONCE, True)) if again else []
        await self._count(sweep)
        sweep.begin(sweep.pending + len(failed), go_on=once > 1)
        self._tell()
        if not (sweep.pending or failed):
            sweep.mark_available()
            return
        limit = _AT_ONCE if once else wanted.batch
        ends = None if once else time.monotonic() + wanted.limit

        def go_on() -> bool:
            in_time = ends is None or time.monotonic() < ends
            return in_time and not sweep.paused and (forced or is_open(wanted.window, self._now()))

        try:
            await sweep.work.open()
            sweep.problem = ""  # it is available; the first call shows if it answers
            self._tell()
            items = await self._run(lambda: sweep.work.items(limit, False))
            sweep.again = False
            for gone in sweep.not_stored.keys() - {item.lease for item in (*failed, *items)}:
                del sweep.not_stored[gone]
            await self._process_items(sweep, [*failed, *items], go_on)
            sweep.mark_available()
            if sweep.elsewhere:
                sweep.problem = _ELSEWHERE.format(sweep.elsewhere)
            elif stuck := sum(times >= (1 if once else _STUCK) for times in sweep.not_stored.values()):
                sweep.problem = _NOT_STORED.format(stuck, sweep.not_stored_reason)
        except Exception as error:  # a boundary: one sweep's error is shown as its problem and does not end the others
            expected = isinstance(error, ModelError | StoreError | ConfigError)
            if once and not expected:
                raise
            sweep.mark_unavailable(str(error) if expected else f"{type(error).__name__}: {error}", self._now())
            await self._models.close()

    async def _process_items(self, sweep: SweepRun, items: list[SweepItem], go_on: Callable[[], bool]) -> None:
        def step(count: int) -> None:
            sweep.run.done += count
            sweep.mark_available()
            if isinstance(work, ChatSweep):
                self._ask_again()
            self._tell()

        work = sweep.work
        for start in range(0, len(items), work.together):
            if not go_on():
                return
            some = items[start : start + work.together]
            names = [item.lease for item in some]
            async with leased(self._store, self._run, names, self._holder, self._lease) as leases:
                taken = [
                    (item, Attempt(lease, go_on, step, sweep.run))
                    for item, lease in zip(some, leases, strict=True)
                    if lease
                ]
                sweep.elsewhere += len(some) - len(taken)
                if len(taken) > 1:
                    await work.ask(taken)
                for item, attempt in taken:
                    before = sweep.run.failed
                    try:
                        await work.do(item, attempt)
                        sweep.not_stored.pop(item.lease, None)
                    except LeaseLost:  # another process has taken over the item
                        sweep.elsewhere += 1
                    except Conflict as error:  # purged or undone meanwhile: redone next time
                        sweep.not_stored[item.lease] += 1
                        sweep.not_stored_reason = str(error)
                    if sweep.run.failed != before or item.failure is not None:
                        sweep.failed = await self._run(work.failed)
                        self._tell()

    def _ask_again(self) -> None:
        """Let sweeps that wait for the chat model run at once, now that it has answered."""
        for sweep in self._sweeps.values():
            if isinstance(sweep.work, ChatSweep) and sweep.offline_until:
                sweep.offline_until = min(sweep.offline_until, self._now())

    async def _count(self, sweep: SweepRun, idle: bool = False) -> None:
        """Count from the store in a thread; with `idle`, discard the counts if a run has begun meanwhile."""
        work = sweep.work
        on = self._wanted(work.name).enabled

        def count() -> SweepCounts:
            pending = work.pending() if on else 0
            ran = self._store.sweeps.upto(work.mark)
            return SweepCounts(work.off(), pending, work.failed(), ran, work.skips_interval(pending))

        counts = await self._run(count)
        if sweep.task is None or not idle:
            sweep.apply(counts)


async def _together(*works: Coroutine[None, None, None]) -> None:
    """Run coroutines until cancelled or until one fails, which cancels the others. Raises its error."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=RELEASE_TIMEOUT)
