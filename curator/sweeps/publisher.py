"""Progress of the runs of this process, written to the record for other processes to see."""

import asyncio
import contextlib
import time
from collections.abc import Collection

from curator.llm.client import Run
from curator.services.run_progress import INTERVAL, run_of
from curator.sweeps.progress import SweepRun
from store import Store, StoreError, clock
from store.model import SweepProgress

_SIGN_OF_LIFE = 10 * clock.SECOND  # a run that does not move is written again after this long


class Publisher:
    """Writes the progress of this process's runs to the record, and drops it when they have ended."""

    def __init__(self, store: Store, run: Run, holder: str, interval: float = INTERVAL) -> None:
        self._store, self._run, self._holder, self._interval = store, run, holder, interval
        self._told: dict[str, SweepProgress] = {}
        self._writing: asyncio.Future[None] | None = None

    async def follow(self, sweeps: Collection[SweepRun]) -> None:
        """Write what has moved at every interval, until cancelled."""
        while True:
            await asyncio.sleep(self._interval)
            self._writing = asyncio.ensure_future(self._write(sweeps))
            await asyncio.shield(self._writing)  # a thread that writes cannot be stopped

    async def close(self) -> None:
        """Drop all that was written, once a write that is under way has ended."""
        if self._writing is not None:
            await self._writing
        with contextlib.suppress(StoreError):
            await self._drop(list(self._told))
        self._told = {}

    async def _write(self, sweeps: Collection[SweepRun]) -> None:
        """Write runs that have moved or were not written for long, and drop those that have ended."""
        now = time.monotonic()
        runs = {
            name: run_of(name, self._holder, now - run.began, run.done, run.total, run.failed)
            for name, run in ((sweep.work.name, sweep.run) for sweep in sweeps if sweep.task)
            if run.total
        }
        moved = [run for name, run in runs.items() if _differs(self._told.get(name), run)]
        ended = [name for name in self._told if name not in runs]
        with contextlib.suppress(StoreError):  # a record that cannot be written stops the run itself
            if moved:
                self._told |= {run.sweep: run for run in moved}
                await self._run(lambda: self._store.sweeps.put_progress(moved))
            await self._drop(ended)
            self._told = {name: run for name, run in self._told.items() if name in runs}

    async def _drop(self, sweeps: list[str]) -> None:
        if sweeps:
            await self._run(lambda: self._store.sweeps.drop_progress(self._holder, sweeps))


def _differs(told: SweepProgress | None, now: SweepProgress) -> bool:
    if told is None or now.seen - told.seen >= _SIGN_OF_LIFE:
        return True
    return (told.done, told.total, told.failed) != (now.done, now.total, now.failed)
