"""Pausing of background work while the person is active.

Python runs one thread at a time: while memories are compared or a log is read, verbs and lists would be slowed down, a
verb by 50 ms.
"""

import gc
import time
from collections.abc import Sequence

from curator.tui.executors import SerialExecutor

_SETTLE = 0.1  # seconds after a key within which its work is submitted
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
        """Record a key press."""
        self.last_key = time.monotonic()

    def wait(self) -> None:
        """Block until idle; only for threads that hold no lock, so never inside a command."""
        while time.monotonic() < self.last_key + _SETTLE or any(executor.busy for executor in self._executors):
            time.sleep(_POLL)


class IdleCollector:
    """Runs Python's full garbage collection while the person is idle; off unless `curator.main` started the process.

    A full collection stops all threads: 0.25 s, several times a minute, while 100,000 memories are compared in the
    background. Young objects are collected as usual.
    """

    def __init__(self) -> None:
        self._active = False
        self._collected = time.monotonic()

    def begin(self) -> None:
        """Start, after the first paint; objects loaded before that are never collected."""
        if gc.isenabled():
            return
        gc.freeze()
        young, middle, _ = gc.get_threshold()
        gc.set_threshold(young, middle, _NEVER)
        gc.enable()
        self._active = True

    def collect_if_idle(self, last_key: float) -> None:
        """Collect if it is due; `last_key` is the time of the last key press."""
        now = time.monotonic()
        if self._active and now > last_key + _IDLE and now > self._collected + _INTERVAL:
            self._collected = now
            gc.collect()
