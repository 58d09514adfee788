"""The sweep that compares what is new or was put differently with the other memories, by the rules: no model."""

from curator import conflicts
from curator.conflicts import RULES, Scanned
from curator.sweeps.base import Item, LocalSweep, Shift

ITEM = "compare"
"""The lease of whoever compares."""


class Compare(LocalSweep):
    """One lease for all, since each memory is compared with all. A batch takes seconds and is kept whole, or not."""

    name = "compare"

    def off(self) -> str:
        """See `Work.off`."""
        return ""

    def model(self) -> str:
        """See `Work.model`."""
        return RULES

    def pending(self) -> int:
        """See `Work.pending`."""
        return conflicts.count_pending(self._tools.store)

    def items(self, limit: int, again: bool) -> list[Item]:
        """See `Work.items`."""
        return [] if again else [Item(ITEM, number=limit)]

    async def do(self, item: Item, shift: Shift) -> None:
        """See `Work.do`."""
        store, run = self._tools.store, self._tools.run
        memories = await run(lambda: conflicts.pending(store, item.number))
        if not memories:
            return
        fingerprint = await run(store.vectors.embedded_by)
        steps = conflicts.scan(
            store,
            memories,
            fingerprint,
            lambda writer: store.sweeps.confirm(writer.connection, shift.lease),
            self._tools.rest,
        )

        def step() -> Scanned | None:
            return next(steps, None)

        while shift.go_on():
            done = await run(step)
            if done is None:
                return
            shift.step(done.memories)
            shift.tally.went_well()
