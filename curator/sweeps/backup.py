"""The sweep that backs the store up into its own folder, when something has changed since the last backup."""

from curator.config import settings
from curator.sweeps.base import Attempt, BaseSweep, SweepItem


class Backup(BaseSweep):
    """See `BaseSweep`."""

    name = "backup"

    def pending(self) -> int:
        """See `BaseSweep.pending`."""
        return int(self._store.backup_due(settings().sweep_backup.interval))

    def skips_interval(self, pending: int) -> bool:
        """See `BaseSweep.skips_interval`. A purge may have deleted the only backup."""
        return pending > 0 and not self._store.backups()

    async def do(self, item: SweepItem, attempt: Attempt) -> None:
        """See `BaseSweep.do`."""
        most = settings().backups.keep
        await self._run(lambda: self._store.keep_backup(most))
        attempt.step(1)
