"""Garbage collection policy while large libraries are loaded beside an event loop, and during imports."""

import atexit
import contextlib
import gc
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def exempt_from_gc() -> Iterator[None]:
    """Exclude objects created within, such as imported modules, from garbage collection, now and later.

    Collecting them would block every thread, including an event loop's, for 0.1 s and more. With several threads at
    once, a collection may start before the last is done, at no other harm.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
        gc.freeze()


@contextlib.contextmanager
def collected_seldom() -> Iterator[None]:
    """Collect garbage for every 20,000 new objects instead of 700: an import of short messages takes 6 % less.

    They are alive until they are stored, so that nearly all collections find nothing. Imports that overlap may leave
    it so, at no other harm.
    """
    young, *older = gc.get_threshold()
    gc.set_threshold(max(young, 20_000), *older)
    try:
        yield
    finally:
        gc.set_threshold(young, *older)


# DuckDB warns at exit about uncollected objects; without it the collection would only take time.
atexit.register(lambda: gc.unfreeze() if "duckdb" in sys.modules else None)
