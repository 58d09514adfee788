"""The sweep that compares new and reworded memories with all others by rules, without a model."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from curator import conflicts
from curator.conflicts import RULES
from curator.errors import ModelError
from curator.services.import_summary import Progress, Report, Summary
from curator.services.run_progress import LEASE, holder, make_progress
from curator.services.search_session import embed_missing, working_embedder
from curator.sweeps.base import Attempt, BaseSweep, SweepItem
from store import Busy, Store
from store.model import Alert, Life


class Compare(BaseSweep):
    """One lease for all, since each memory is compared with all. A batch takes seconds and is stored whole or not at
    all.
    """

    name = "compare"

    def model(self) -> str:
        """See `BaseSweep.model`."""
        return RULES

    def pending(self) -> int:
        """See `BaseSweep.pending`."""
        return conflicts.count_pending(self._store)

    def has_work(self) -> bool:
        """See `BaseSweep.has_work`."""
        return bool(conflicts.pending(self._store, 1))

    async def do(self, item: SweepItem, attempt: Attempt) -> None:
        """See `BaseSweep.do`."""
        store, run = self._store, self._run
        memories = await run(lambda: conflicts.pending(store, item.number))
        if not memories:
            return
        steps = conflicts.scan(
            store,
            memories,
            await run(store.vectors.embedded_by),
            lambda writer: store.sweeps.confirm(writer.connection, attempt.lease),
            self._tools.rest,
        )
        while attempt.go_on():
            done = await run(lambda: next(steps, None))
            if done is None:
                return
            attempt.step(done.memories)


@dataclass(frozen=True, slots=True)
class CompareProgress:
    """Progress of a scan: memories compared of `total`, pairs judged, alerts raised, pairs merged."""

    done: int
    total: int
    pairs: int = 0
    found: int = 0
    merged: int = 0


def scan_imported(store: Store, summary: Summary, report: Report | None = None) -> None:
    """Compare what an import has brought, so that its conflicts are those of a scan; an app that is open does it."""

    def tell(now: CompareProgress) -> None:
        if report is not None:
            report(Progress("comparing", now.done, now.total, summary))

    with suppress(Busy):
        scan_all(store, report=tell, manual=False)


def compare_now(store: Store, memory_id: int) -> list[Alert]:
    """Compare a memory that was just added with all others; return its open conflicts, strongest first.

    Vectors are computed first if few memories lack one. While another process compares or writes, a later scan stores
    the conflicts, and those known so far are returned.
    """
    with suppress(Busy):
        with suppress(ModelError):  # then by words, and again once it has a vector
            embedder, notes = working_embedder(store)
            if not notes:
                embed_missing(store, embedder, lives=(Life.LIVE,))
        if conflicts.has_findings(store, memory_id, store.vectors.embedded_by()):
            scan_all(store, manual=False, only=[memory_id])
    return store.alerts.open(memory_id)


def scan_all(
    store: Store,
    again: bool = False,
    report: Callable[[CompareProgress], None] | None = None,
    *,
    manual: bool = True,
    only: Sequence[int] | None = None,
) -> CompareProgress:
    """Compare every pending memory, every memory with `again`, or `only` some. A stopped scan resumes where it stopped.

    `report` is called after each batch, which takes seconds. With `manual`, plain undo reverts it. Raises Busy if
    another process is comparing.
    """
    name, began = holder(), time.monotonic()
    lease = store.sweeps.take(Compare.name, name, LEASE)
    if lease is None:
        raise Busy("memories are being compared by the app or another process; wait for it, or stop it there")
    try:
        if again:
            store.compare_queue.unmark_all()
        total = conflicts.count_pending(store) if only is None else len(only)
        now = CompareProgress(0, total)
        for step in conflicts.scan(
            store,
            conflicts.pending(store, total) if only is None else only,
            store.vectors.embedded_by(),
            lambda writer: store.sweeps.confirm(writer.connection, lease),
            manual=manual,
        ):
            now = CompareProgress(
                now.done + step.memories,
                total,
                now.pairs + step.pairs,
                now.found + step.found,
                now.merged + step.merged,
            )
            store.sweeps.renew(lease, LEASE)
            store.sweeps.put_progress([make_progress(Compare.name, name, time.monotonic() - began, now.done, total)])
            if report is not None:
                report(now)
        return now
    finally:
        store.sweeps.drop_progress(name, [Compare.name])
        store.sweeps.release(lease)
