"""Progress of an import, written to the record for other processes to see."""

import contextlib
import time
from collections.abc import Iterator

from curator.services.import_summary import Progress, Report
from store import Store, StoreError
from store.model import SweepProgress

_NAME = "import"


@contextlib.contextmanager
def published(store: Store, report: Report | None) -> Iterator[Report]:
    """Give a report that also writes down how far the import is, at most once a second; drop it at the end.

    It must be called where this process holds no write lock.
    """
    from curator.sweeps.leases import holder
    from curator.sweeps.publisher import TOLD, run_of

    own, began = holder(), time.monotonic()
    written: float | None = None

    def tell(progress: Progress) -> None:
        nonlocal written
        now = time.monotonic()
        if written is None or now - written >= TOLD:
            written = now
            with contextlib.suppress(StoreError):  # a record that cannot be written stops the import itself
                store.sweeps.put_progress([run_of(_NAME, own, now - began, progress.done, progress.total)])
        if report is not None:
            report(progress)

    try:
        yield tell
    finally:
        if written is not None:
            with contextlib.suppress(StoreError):
                store.sweeps.drop_progress(own, [_NAME])


def running(store: Store) -> list[SweepProgress]:
    """Return the imports that go on, in any process."""
    from curator.sweeps.leases import is_alive

    return [run for run in store.sweeps.progress() if run.sweep == _NAME and is_alive(run)]
