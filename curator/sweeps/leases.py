"""Holding items for as long as somebody works on them."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence

from curator.llm.client import Run
from curator.services.run_progress import LEASE
from store import Lease, Store

_GOODBYE = 0.1  # seconds that letting go may take where the work was cancelled


@contextlib.asynccontextmanager
async def leased(
    store: Store, run: Run, items: Sequence[str], holder: str, seconds: float = LEASE
) -> AsyncIterator[list[Lease | None]]:
    """The leases on items, renewed until the end of the block; None for one that somebody else is at.

    If one is lost on the way, as when the machine slept, writing with it raises LeaseLost.
    """
    found = await run(lambda: [store.sweeps.take(item, holder, seconds) for item in items])
    held = [lease for lease in found if lease is not None]
    if not held:
        yield found
        return
    renewing = asyncio.create_task(_renew(store, held, seconds))
    try:
        yield found
    finally:
        renewing.cancel()
        with contextlib.suppress(Exception):  # the app may have closed its threads: then the leases run out
            await asyncio.wait_for(asyncio.shield(asyncio.ensure_future(_release(store, run, held))), _GOODBYE)


async def _release(store: Store, run: Run, held: Sequence[Lease]) -> None:
    def release() -> None:
        for lease in held:
            store.sweeps.release(lease)

    await run(release)


async def _renew(store: Store, held: Sequence[Lease], seconds: float) -> None:
    """Beside the thread that works, which may be at one thing for longer than a lease holds."""
    while True:
        await asyncio.sleep(seconds / 3)
        await asyncio.to_thread(lambda: [store.sweeps.renew(lease, seconds) for lease in held])
