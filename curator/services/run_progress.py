"""Progress of this process's runs, published in the record for other processes."""

import contextlib
import os
import secrets
import socket
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from store import Store, StoreError, clock
from store.model import SweepProgress

if TYPE_CHECKING:
    from curator.services.import_summary import Progress, Report

INTERVAL = 1.0
"""Minimum seconds between two writes of progress; each write syncs the disk."""
LEASE = 40.0
"""Seconds until a lease expires if not renewed, and until a run without updates counts as dead."""
_IMPORT = "import"


class Stopped(Exception):
    """Raised by a report to stop work in a thread between two steps; finished steps are kept."""


def holder() -> str:
    """Return a unique name for a holder of leases."""
    return f"{os.getpid()}-{secrets.token_hex(6)}"


def is_alive(run: SweepProgress) -> bool:
    """Return True if a run has recent updates and its process exists; processes on other machines count as existing."""
    if clock.now() - run.seen > clock.from_seconds(LEASE):
        return False
    return run.host != socket.gethostname() or process_exists(run.process)


def process_exists(process: int) -> bool:
    """Return True if this machine has a process with this id.

    On Windows, `os.kill` would end it; see https://learn.microsoft.com/windows/win32/api/processthreadsapi/.
    """
    if sys.platform == "win32":
        import ctypes

        query, denied, still_active = 0x1000, 5, 259
        kernel, code = ctypes.WinDLL("kernel32", use_last_error=True), ctypes.c_ulong()
        handle = kernel.OpenProcess(query, False, process)
        if not handle:
            return ctypes.get_last_error() == denied
        is_known = kernel.GetExitCodeProcess(handle, ctypes.byref(code))
        kernel.CloseHandle(handle)
        return not is_known or code.value == still_active
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # the process belongs to another user
        pass
    return True


def make_progress(sweep: str, holder: str, seconds: float, done: int, total: int, failed: int = 0) -> SweepProgress:
    """Return the progress of a run of this process that started `seconds` ago."""
    now, lasted = clock.now(), clock.from_seconds(seconds)
    return SweepProgress(sweep, holder, os.getpid(), socket.gethostname(), now - lasted, now, done, total, failed)


@contextlib.contextmanager
def publish_progress(store: Store, report: "Report | None") -> "Iterator[Report]":
    """Yield a callback that calls `report` and publishes an import's progress, which is removed at the end.

    Call the callback only while this process does not hold the write lock.
    """
    own, began = holder(), time.monotonic()
    written: float | None = None

    def publish(progress: "Progress") -> None:
        nonlocal written
        now = time.monotonic()
        if written is None or now - written >= INTERVAL:
            written = now
            with contextlib.suppress(StoreError):  # a record that cannot be written stops the import itself
                store.sweeps.put_progress(
                    [make_progress(_IMPORT, own, now - began, int(progress.done), progress.total)]
                )
        if report is not None:
            report(progress)

    try:
        yield publish
    finally:
        if written is not None:
            with contextlib.suppress(StoreError):
                store.sweeps.drop_progress(own, [_IMPORT])


def running_imports(store: Store) -> list[SweepProgress]:
    """Return the imports that are running in any process."""
    return [run for run in store.sweeps.progress() if run.sweep == _IMPORT and is_alive(run)]
