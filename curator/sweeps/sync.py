"""The sweep that syncs with the other devices of the person, once this one belongs to a space (`curator sync init`)."""

import os
import threading
import time

from curator.errors import ModelError
from curator.paths import store_folder
from curator.sweeps.base import Attempt, BaseSweep, Item, Tools
from curator.sync.key import Space, saved
from curator.sync.run import sync

_NO_SPACE = "`curator sync init TARGET` starts a sync space, `curator sync join TARGET` joins one"
_REMOVED = "another device has removed this one; `curator sync join TARGET` joins it again"
_RESTS = 60.0  # seconds after a pass in which nothing is taken for new


class Stopped(Exception):
    """The pass was cancelled between two segments; the next one takes it up."""


class Broken(ModelError):
    """Segments that cannot be read; the text names them and the remedy."""


class Sync(BaseSweep):
    """See `BaseSweep`. What the others wrote is known only after a look, so that a pass is pending once an interval."""

    name = "sync"

    def __init__(self, tools: Tools) -> None:
        super().__init__(tools)
        self._ended: float | None = None

    def off(self) -> str:
        """See `BaseSweep.off`."""
        if self._space() is None:
            return _NO_SPACE
        return _REMOVED if self._store.sync.is_removed() else ""

    def pending(self) -> int:
        """See `BaseSweep.pending`."""
        rests = self._ended is not None and time.monotonic() < self._ended + _RESTS
        return int(not rests and self._space() is not None)

    def _space(self) -> Space | None:
        """Return the space of this store; None for another store than that of the home, such as the demo's."""
        own = os.path.realpath(self._store.folder) == os.path.realpath(store_folder())
        return saved() if own else None

    async def do(self, item: Item, attempt: Attempt) -> None:
        """See `BaseSweep.do`. When cancelled, the pass ends after the segment at hand."""
        stop = threading.Event()
        try:
            problems = await self._run(lambda: self._pass(stop))
        finally:
            stop.set()
        attempt.step(1)
        if problems:
            raise Broken("; ".join(problems))

    def _pass(self, stop: threading.Event) -> list[str]:
        """Sync once, and erase what was purged elsewhere outside of the record, too.

        What another program still holds is tried again after the next pass, and by the next command or start.
        """

        def report(stage: str, done: int, total: int) -> None:
            self._tools.rest()
            if stop.is_set():
                raise Stopped

        space = self._space()
        if space is None:
            return []
        try:
            done = sync(self._store, space, report)
            self._tools.end_purge(self._store)
            return done.problems
        finally:
            self._ended = time.monotonic()
