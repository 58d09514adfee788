"""Import an agent's growing session, for a sweep or a hook of its host."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path

from curator.errors import ImportFailure
from curator.importers import Format, detect
from curator.models import Embedder
from curator.services.import_logs import import_paths
from curator.services.import_summary import Progress, Report
from curator.services.run_progress import LEASE, holder
from store import Busy, Store, StoreError, is_record
from store.errors import LeaseLost
from store.model import Actor

SESSIONS = (Format.CLAUDE_CODE, Format.CODEX, Format.GEMINI_CLI)
"""Formats of agents' sessions."""


def session_lease(path: Path) -> str:
    """Return the lease of a session's log, which does not reveal its path."""
    return f"watch:{blake2b(bytes(path), digest_size=12).hexdigest()}"


def is_session(path: Path) -> bool:
    """Return True for a log of a session; what is still empty, or of a kind that cannot be read, is none."""
    try:
        return path.is_file() and not is_record(path) and detect(path) in SESSIONS
    except ImportFailure:
        return False


@contextmanager
def leased(store: Store, path: Path, report: Report) -> Iterator[Report | None]:
    """Hold the lease of a log, and yield a report that renews it and calls `report`; None if another process has it.

    The report raises LeaseLost if another process has taken the lease, for example while the machine slept.
    """
    lease = store.sweeps.take(session_lease(path), holder(), LEASE)
    if lease is None:
        yield None
        return
    renewed = time.monotonic()

    def renewing(progress: Progress) -> None:
        nonlocal renewed
        if time.monotonic() - renewed > LEASE / 3:
            renewed = time.monotonic()
            with suppress(Busy):  # nobody else could write either, and take it; the import itself may wait longer
                if not store.sweeps.renew(lease, LEASE):
                    raise LeaseLost(f"another process has taken over {path}")
        report(progress)

    try:
        yield renewing
    finally:
        with suppress(StoreError):  # it expires
            store.sweeps.release(lease)


def import_session(store: Store, path: Path, embedder: Embedder | None, report: Report) -> bool:
    """Import what is new in the log of a session; return False if another process does, or if it is none.

    What the person removed by an undo stays hidden. Without an embedder nothing is distilled. `report` may raise
    `run_progress.Stopped`. Raises StoreError.
    """
    if not is_session(path):
        return False
    with leased(store, path, report) as renewing:
        if renewing is None:
            return False
        try:
            import_paths(store, [path], embedder, format=detect(path), report=renewing, actor=Actor.SWEEP, reveal=False)
        except (ImportFailure, LeaseLost):  # still empty, or of a kind that cannot be read, or taken over: none is lost
            return False
    return True
