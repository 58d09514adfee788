"""The sweep that ranks memories by use and expires those past their end, without a model.

The first run is the person's, who previews it (`curator tidy`); later runs are automatic. A run is one command of at
most one batch of changes.
"""

from curator.lifecycle import allowed, plan, run
from curator.sweeps.base import Attempt, BaseSweep, SweepItem, Tools
from store import clock

NOT_YET = "run `curator tidy` once (in the app: tidy in the palette), then it runs automatically"
_KEPT = 3600 * clock.SECOND  # cache time of the count, which reads every memory


class Tidy(BaseSweep):
    """See `BaseSweep`."""

    name = "tidy"

    def __init__(self, tools: Tools) -> None:
        super().__init__(tools)
        self._counted = (0, 0)  # time and number

    def off(self) -> str:
        """See `BaseSweep.off`."""
        return "" if allowed(self._store) else NOT_YET

    def pending(self) -> int:
        """See `BaseSweep.pending`."""
        now = clock.now()
        if not allowed(self._store):
            return 0
        if now - self._counted[0] >= _KEPT:
            self._counted = (now, len(plan(self._store).changes))
        return self._counted[1]

    def has_work(self) -> bool:
        """See `BaseSweep.has_work`. Planning reads every memory."""
        return not self.off()

    async def do(self, item: SweepItem, attempt: Attempt) -> None:
        """See `BaseSweep.do`."""
        store = self._store

        def tidy() -> int:
            planned = plan(store, most=item.number)
            _, done = run(store, planned, lambda writer: store.sweeps.confirm(writer.connection, attempt.lease))
            self._counted = (0, 0)
            return len(done)

        attempt.step(await self._run(tidy))
