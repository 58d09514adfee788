"""Garbage collection while large libraries are loaded beside an event loop."""

import atexit
import contextlib
import gc
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def exempt_from_gc() -> Iterator[None]:
    """Exclude objects that are made within, such as imported modules, from garbage collection, now and later.

    Collecting them would block every thread, an event loop's too, for 0.1 s and more. In several threads at once a
    collection may begin before the last of them is done; nothing worse.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
        gc.freeze()


# DuckDB complains at exit of objects that were never collected; for others the search would take long.
atexit.register(lambda: gc.unfreeze() if "duckdb" in sys.modules else None)
