"""Background work that waits until the person is idle.

Python runs one thread at a time: while memories are compared or a log is read, each statement of a verb and each row of
a list would wait for its turn, a verb for a twentieth of a second.
"""

import gc
import time
from collections.abc import Sequence

from curator.tui.executors import SerialExecutor

_SETTLE = 0.1  # seconds after a key: by then the work that it starts has been submitted
_POLL = 0.005
_IDLE = 20.0  # seconds without a key
_INTERVAL = 300.0  # seconds between two full collections
_NEVER = 1_000_000_000


class IdleGate:
    """Pauses background threads while the person types or waits for one of the `executors`."""

    def __init__(self, executors: Sequence[SerialExecutor]) -> None:
        self._executors = executors
        self.last_key = -_SETTLE  # on the clock of `time.monotonic`

    def key_pressed(self) -> None:
        """Note a key."""
        self.last_key = time.monotonic()

    def wait(self) -> None:
        """Block until idle; for background threads that hold no lock, as inside of a command."""
        while time.monotonic() < self.last_key + _SETTLE or any(executor.busy for executor in self._executors):
            time.sleep(_POLL)


class IdleCollector:
    """Runs Python's full garbage collection while the person is idle; off unless `curator.main` began the process.

    A full one holds up every thread: a quarter of a second while 100,000 memories are compared in the background,
    several times a minute. Young objects are collected as usual.
    """

    def __init__(self) -> None:
        self._active = False
        self._collected = time.monotonic()

    def begin(self) -> None:
        """Start, after the first paint: what was loaded until then is never examined."""
        if gc.isenabled():
            return
        gc.freeze()
        young, middle, _ = gc.get_threshold()
        gc.set_threshold(young, middle, _NEVER)
        gc.enable()
        self._active = True

    def collect_if_idle(self, last_key: float) -> None:
        """Collect if it is due; `last_key` is when the person last pressed one."""
        now = time.monotonic()
        if self._active and now > last_key + _IDLE and now > self._collected + _INTERVAL:
            self._collected = now
            gc.collect()
