"""Holding an item for as long as somebody works on it."""

import asyncio
import contextlib
import os
import secrets
from collections.abc import AsyncIterator

from curator.tasks.asking import Run
from store import Store
from store.sweeps import Lease

SECONDS = 120.0
"""How long a lease holds that nobody renews: what a killed process was at waits as long."""
_GOODBYE = 0.1  # seconds that letting go may take where the work was cancelled


def holder() -> str:
    """A name for one sweeper that no other has."""
    return f"{os.getpid()}-{secrets.token_hex(6)}"


@contextlib.asynccontextmanager
async def leased(
    store: Store, run: Run, item: str, holder: str, seconds: float = SECONDS
) -> AsyncIterator[Lease | None]:
    """The lease on an item, renewed until the end of the block; None if somebody else is at it.

    If it is lost on the way, as when the machine slept, writing with it raises LeaseLost.
    """
    lease = await run(lambda: store.sweeps.take(item, holder, seconds))
    if lease is None:
        yield None
        return
    renewing = asyncio.create_task(_renew(store, run, lease, seconds))
    try:
        yield lease
    finally:
        renewing.cancel()
        with contextlib.suppress(Exception):  # the app may have closed its threads: then the lease runs out
            await asyncio.wait_for(asyncio.shield(asyncio.ensure_future(_release(store, run, lease))), _GOODBYE)


async def _release(store: Store, run: Run, lease: Lease) -> None:
    await run(lambda: store.sweeps.release(lease))


async def _renew(store: Store, run: Run, lease: Lease, seconds: float) -> None:
    while True:
        await asyncio.sleep(seconds / 3)
        if not await run(lambda: store.sweeps.renew(lease, seconds)):
            return
