"""The sweep that syncs with the other devices of the person, once this one belongs to a space (`curator sync init`)."""

import threading
import time

from curator.errors import ModelError
from curator.sweeps.base import Attempt, BaseSweep, Item, Tools
from curator.sync.key import saved
from curator.sync.run import sync

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
        return "" if saved() is not None else "`curator sync init TARGET` begins, `curator sync join TARGET` joins"

    def pending(self) -> int:
        """See `BaseSweep.pending`."""
        rests = self._ended is not None and time.monotonic() < self._ended + _RESTS
        return int(not rests and saved() is not None)

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

        space = saved()
        if space is None:
            return []
        try:
            done = sync(self._store, space, report)
            self._tools.end_purge(self._store)
            return done.problems
        finally:
            self._ended = time.monotonic()
