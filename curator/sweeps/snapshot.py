"""The sweep that keeps the snapshot for `curator sql --from` up to date, where `snapshot.target` names a place."""

from curator.config import settings
from curator.errors import Unusable
from curator.paths import is_own_store
from curator.snapshot import writer
from curator.sweeps.base import Attempt, BaseSweep, SweepItem

_NONE = "`curator config snapshot.target TARGET` turns it on"


class Snapshot(BaseSweep):
    """See `BaseSweep`."""

    name = "snapshot"

    def off(self) -> str:
        """See `BaseSweep.off`."""
        try:
            noted = writer.noted_targets(self._store)
        except Unusable as error:  # a damaged file, which must not end the other sweeps
            return str(error)
        return "" if is_own_store(self._store.folder) and (settings().snapshot.target or noted) else _NONE

    def pending(self) -> int:
        """See `BaseSweep.pending`. Nothing is written while words of a purge may still be somewhere."""
        if self.off() or self._store.unfinished_purge() is not None:
            return 0
        return int(not writer.is_up_to_date(self._store, settings().snapshot.target))

    def skips_interval(self, pending: int) -> bool:
        """See `BaseSweep.skips_interval`. Neither the first one waits, nor the one after a purge, nor its end."""
        return pending > 0 and not writer.has_snapshot(self._store, settings().snapshot.target)

    async def do(self, item: SweepItem, attempt: Attempt) -> None:
        """See `BaseSweep.do`. When cancelled, writing ends after the part at hand, and the next run goes on."""
        target = settings().snapshot.target
        attempt.step(int(await self._run_stoppable(lambda rest: writer.write(self._store, target, rest))))
