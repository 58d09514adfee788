"""Comparing all memories that wait for it, at once and to the end, for whoever asks for it."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from curator import conflicts
from curator.services.run_progress import LEASE, holder, run_of
from curator.sweeps.compare import ITEM
from store import Busy, Store


@dataclass(frozen=True, slots=True)
class Scan:
    """Progress of a scan: memories compared of `total`, pairs judged, alerts raised, pairs merged."""

    done: int
    total: int
    pairs: int
    found: int
    merged: int


def scan_all(store: Store, again: bool = False, report: Callable[[Scan], None] | None = None) -> Scan:
    """Compare every memory that waits for it; with `again`, every memory. Stopped at any moment, it goes on from there.

    `report` is told after each batch, which takes seconds. Raises Busy if another process is at it.
    """
    name, began = holder(), time.monotonic()
    lease = store.sweeps.take(ITEM, name, LEASE)
    if lease is None:
        raise Busy("memories are being compared by the app or another process; wait for it, or stop it there")
    try:
        if again:
            store.compare_queue.unmark_all()
        total = conflicts.count_pending(store)
        now = Scan(0, total, 0, 0, 0)
        memories = conflicts.pending(store, total)
        for step in conflicts.scan(
            store,
            memories,
            store.vectors.embedded_by(),
            lambda writer: store.sweeps.confirm(writer.connection, lease),
            manual=True,
        ):
            now = Scan(
                now.done + step.memories,
                total,
                now.pairs + step.pairs,
                now.found + step.found,
                now.merged + step.merged,
            )
            store.sweeps.renew(lease, LEASE)
            store.sweeps.put_progress([run_of("compare", name, time.monotonic() - began, now.done, total)])
            if report is not None:
                report(now)
        return now
    finally:
        store.sweeps.drop_progress(name, ["compare"])
        store.sweeps.release(lease)
