"""Loading large libraries beside an event loop."""

import atexit
import contextlib
import gc
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def exempt_from_gc() -> Iterator[None]:
    """For what is loaded within and stays: no collection looks through it, now or later.

    One that did would hold up every thread, an event loop's too, for 0.1 s and more. In several threads at once it may
    be that a collection begins before the last of them is done; nothing worse.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
        gc.freeze()


@atexit.register
def _let_go() -> None:
    """DuckDB complains at the end of a process of what was never let go of; for others the search would take long."""
    if "duckdb" in sys.modules:
        gc.unfreeze()
