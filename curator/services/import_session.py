"""Import the log of a running agent session, for a sweep or a hook."""

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
"""Formats of agent session logs."""


def session_lease(path: Path) -> str:
    """Return the name of the lease for a session's log; the path is hashed."""
    return f"watch:{blake2b(bytes(path), digest_size=12).hexdigest()}"


def is_session(path: Path) -> bool:
    """Return True for the log of an agent session; empty or unreadable files are not."""
    try:
        return path.is_file() and not is_record(path) and detect(path) in SESSIONS
    except ImportFailure:
        return False


@contextmanager
def hold_lease(store: Store, path: Path, report: Report) -> Iterator[Report | None]:
    """Hold the lease of a log; yield a callback that renews it and calls `report`, or None if another process has it.

    The callback raises LeaseLost if another process took the lease, for example while the machine slept.
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
            with suppress(Busy):  # while the store is locked, no other process can take the lease either
                if not store.sweeps.renew(lease, LEASE):
                    raise LeaseLost(f"another process has taken over {path}")
        report(progress)

    try:
        yield renewing
    finally:
        with suppress(StoreError):  # it expires
            store.sweeps.release(lease)


def import_session(store: Store, path: Path, embedder: Embedder | None, report: Report) -> bool:
    """Import new messages of an agent session's log; return False if it is another log or another process imports it.

    Conversations that the person removed by an undo stay hidden. Without an embedder nothing is distilled. `report`
    may raise `run_progress.Stopped`. Raises StoreError.
    """
    if not is_session(path):
        return False
    with hold_lease(store, path, report) as renewing:
        if renewing is None:
            return False
        try:
            import_paths(store, [path], embedder, format=detect(path), report=renewing, actor=Actor.SWEEP, reveal=False)
        except (ImportFailure, LeaseLost):  # empty, unreadable, or taken over by another process: nothing is lost
            return False
    return True
