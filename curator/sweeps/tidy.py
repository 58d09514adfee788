"""The sweep that ranks memories by use and lets what has expired leave recall: no model.

The first run is the person's, who sees what it would do (`curator tidy`); after that it goes on by itself. A run is one
command, of at most so many changes as a batch has.
"""

from curator.lifecycle import allowed, plan, run
from curator.sweeps.base import Item, LocalSweep, Shift, Tools
from store import clock

ITEM = "tidy"
"""The lease of whoever tidies."""
NOT_YET = "run `curator tidy` once (in the app: tidy in the palette), then it runs by itself"
_KEPT = 3600 * clock.SECOND  # for so long what was counted is taken for true; counting reads every memory


class Tidy(LocalSweep):
    """See `Work`."""

    name = "tidy"

    def __init__(self, tools: Tools) -> None:
        super().__init__(tools)
        self._counted = (0, 0)  # when, and how many

    def off(self) -> str:
        """See `Work.off`."""
        return "" if allowed(self._tools.store) else NOT_YET

    def model(self) -> str:
        """See `Work.model`."""
        return ""

    def pending(self) -> int:
        """See `Work.pending`."""
        now = clock.now()
        if not allowed(self._tools.store):
            return 0
        if now - self._counted[0] >= _KEPT:
            self._counted = (now, len(plan(self._tools.store).changes))
        return self._counted[1]

    def items(self, limit: int, again: bool) -> list[Item]:
        """See `Work.items`."""
        return [] if again else [Item(ITEM, number=limit)]

    async def do(self, item: Item, shift: Shift) -> None:
        """See `Work.do`."""
        store = self._tools.store

        def tidy() -> int:
            planned = plan(store, most=item.number)
            _, done = run(store, planned, lambda writer: store.sweeps.confirm(writer.connection, shift.lease))
            self._counted = (0, 0)
            return len(done)

        shift.step(await self._tools.run(tidy))
        shift.tally.went_well()
