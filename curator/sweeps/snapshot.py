"""The sweep that keeps the snapshot for `curator sql --from` up to date, where `snapshot.target` names a place."""

import os
import threading

from curator.config import settings
from curator.paths import store_folder
from curator.snapshot import writer
from curator.sweeps.base import Attempt, BaseSweep, Item

_NONE = "set snapshot.target to a place for it"


class Stopped(Exception):
    """The writing was cancelled between two parts; the next run writes those that are not there yet."""


class Snapshot(BaseSweep):
    """See `BaseSweep`."""

    name = "snapshot"

    def off(self) -> str:
        """See `BaseSweep.off`."""
        return "" if self._own() and (settings().snapshot.target or writer.places(self._store)) else _NONE

    def pending(self) -> int:
        """See `BaseSweep.pending`. Nothing is written while words of a purge may still be somewhere."""
        if self.off() or self._store.unfinished_purge() is not None:
            return 0
        return int(not writer.is_current(self._store, settings().snapshot.target))

    def soon(self, pending: int) -> bool:
        """See `BaseSweep.soon`. The first one does not wait, nor the one after a purge, nor the end of one."""
        return pending > 0 and not writer.is_shown(self._store, settings().snapshot.target)

    def _own(self) -> bool:
        """Return False for another store than that of the home, such as the demo's."""
        return os.path.realpath(self._store.folder) == os.path.realpath(store_folder())

    async def do(self, item: Item, attempt: Attempt) -> None:
        """See `BaseSweep.do`. When cancelled, writing ends after the part at hand."""
        stop = threading.Event()

        def report() -> None:
            self._tools.rest()
            if stop.is_set():
                raise Stopped

        try:
            done = await self._run(lambda: writer.write(self._store, settings().snapshot.target, report))
        finally:
            stop.set()
        attempt.step(int(done))
