"""Python's search for cycles of garbage, kept out of the way of the person's keys.

A full one holds up every thread: a quarter of a second while 100,000 memories are compared in the background, several
times a minute. Here it comes when nobody has typed for a while; the young objects are looked through as ever.
"""

import gc
import time

_QUIET = 20.0  # seconds without a key
_APART = 300.0  # seconds between two full searches
_NEVER = 1_000_000_000


class Collecting:
    """When to look through all objects; nothing unless `curator.main` began the process."""

    def __init__(self) -> None:
        self._ours = False
        self._looked = time.monotonic()

    def begin(self) -> None:
        """After the first paint: what was loaded so far stays, and is not looked through."""
        if gc.isenabled():
            return
        gc.freeze()
        young, middle, _ = gc.get_threshold()
        gc.set_threshold(young, middle, _NEVER)
        gc.enable()
        self._ours = True

    def look(self, typed_at: float) -> None:
        """Look through everything if it is time to; `typed_at` is when the person last was at the keys."""
        now = time.monotonic()
        if self._ours and now > typed_at + _QUIET and now > self._looked + _APART:
            self._looked = now
            gc.collect()
