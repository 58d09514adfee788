"""Shared application context."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from curator.tui.executors import SerialExecutor
from curator.tui.glyphs import Glyphs
from curator.tui.idle_gate import IdleGate
from curator.tui.memories.verbs import Verb
from curator.tui.undo_state import UndoState
from store import Store
from store.analytics import Analytics

if TYPE_CHECKING:
    from curator.tui.sweeps.controller import SweepController
    from store.index import Index

_LANES = ("ids", "rows", "facets", "writes", "watch", "import", "fill", "slow", "sweeps", "load", "recall")
_ASKED = ("ids", "rows", "facets", "writes", "recall")  # for which the person waits


@dataclass(slots=True)
class AppContext:
    """`now` and `signs` are given by tests and pictures, which must come out the same every time."""

    store: Store
    now: Callable[[], int]
    glyphs: Glyphs
    analytics: Analytics = field(init=False)
    steps: UndoState = field(init=False)
    executors: dict[str, SerialExecutor] = field(init=False)
    courtesy: IdleGate = field(init=False)
    sweeps: "SweepController" = field(init=False)  # given by the app, whose workers they are
    last_verb: Verb | None = None  # what `.` repeats
    returned: tuple[int, ...] = ()  # memories let go that came again with the last import
    leaving: bool = False
    _index: "Index | None" = None

    def __post_init__(self) -> None:
        self.analytics = Analytics(self.store)
        self.steps = UndoState(self.store)
        around = {"writes": self.steps.watched, "import": self.steps.followed}
        self.executors = {name: SerialExecutor(name, name == "writes", around.get(name)) for name in _LANES}
        self.courtesy = IdleGate([self.executors[name] for name in _ASKED])

    def index(self) -> "Index":
        """The search index over the vectors there are most of; for a slow lane, since LanceDB takes 2 s to load."""
        fingerprint = self.store.vectors.embedded_by()
        if fingerprint is None:
            from curator.services.search_session import open_index

            return open_index(self.store)
        if self._index is None or self._index.fingerprint != fingerprint:
            from store.index import Index

            self._index = Index.open(self.store, fingerprint)
        return self._index

    def close(self) -> None:
        """Take no more work; what runs ends as soon as it can, but verbs that were given are done."""
        self.leaving = True
        self.sweeps.close()
        self.analytics.stop()
        for executor in self.executors.values():
            executor.close()

    def finish(self, limit: float | None = None) -> bool:
        """Wait for work that has begun: verbs to their end, all else `limit` seconds at most.

        Whether all is done: the store may be closed then. What is not is safe to cut off by ending the process.
        """
        self.executors["writes"].finish()
        ends = None if limit is None else time.monotonic() + limit
        for executor in self.executors.values():
            if not executor.finish(None if ends is None else max(ends - time.monotonic(), 0)):
                return False
        if limit is None:  # else the process is about to end, and freeing a million rows takes longer
            self.analytics.close()
        return True
