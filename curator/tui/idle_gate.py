"""Work in the background gives way to the person.

Python runs one thread at a time: while memories are compared or a log is read, each statement of a verb and each row of
a list would wait for its turn, a verb for a twentieth of a second. So that work stops between two small pieces as long
as the person is at the keys, or waits for something that they asked for.
"""

import time
from collections.abc import Sequence

from curator.tui.executors import SerialExecutor

_AFTER = 0.1  # seconds after a key: by then what it asks for has been given to a lane
_LOOK = 0.005  # seconds between two looks


class IdleGate:
    """Who is to give way to what: `lanes` are those with the work that the person waits for."""

    def __init__(self, executors: Sequence[SerialExecutor]) -> None:
        self._executors = executors
        self.typed_at = -_AFTER  # on the clock of `time.monotonic`

    def typed(self) -> None:
        """The person is at it."""
        self.typed_at = time.monotonic()

    def rest(self) -> None:
        """Wait for as long as it takes; for a thread in the background that holds no lock, as inside of a command."""
        while time.monotonic() < self.typed_at + _AFTER or any(executor.busy for executor in self._executors):
            time.sleep(_LOOK)
