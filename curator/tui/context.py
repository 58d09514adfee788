"""Shared application context."""

import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar
from weakref import WeakSet

from curator.tui.executors import SerialExecutor
from curator.tui.glyphs import Glyphs
from curator.tui.idle import IdleGate
from curator.tui.undo_state import UndoState
from curator.tui.verbs import Verb
from store import Store
from store.analytics import Analytics

if TYPE_CHECKING:
    from textual.worker import Worker

    from curator.tui.sweep_controller import SweepController
    from store.index import Index

P = ParamSpec("P")
T = TypeVar("T")
_EXECUTORS = ("ids", "rows", "facets", "writes", "watch", "import", "fill", "slow", "sweeps", "load", "recall")
_FOREGROUND = ("ids", "rows", "facets", "writes", "recall")  # the person waits for their results


@dataclass(frozen=True, slots=True)
class Timings:
    """Delays of the app, in seconds."""

    typing: float = 0.1  # pause in typing before a search begins
    typing_sources: float = 0.15  # the same for searches of all messages
    rest: float = 0.06  # cursor at rest before details are read
    related: float = 0.6  # additional rest before related memories are searched
    facets: float = 0.1  # pause in changes before facets are counted
    omissions: float = 0.5  # after an answer before its omissions are searched
    watch: float = 0.4  # between checks for writes of other processes
    recount: float = 60.0  # between counts, since snoozed memories become due
    dialog: float = 1.0  # maximum that a key waits for the dialog it may be meant for
    sweeps: float = 5.0  # after the first paint, before vectors are computed here, which uses all cores


@dataclass(slots=True)
class AppContext:
    """The store, executors and state that all views share; tests inject `now`, `glyphs` and `timings`."""

    store: Store
    now: Callable[[], int]
    glyphs: Glyphs
    timings: Timings = Timings()
    analytics: Analytics = field(init=False)
    undo_state: UndoState = field(init=False)
    executors: dict[str, SerialExecutor] = field(init=False)
    idle_gate: IdleGate = field(init=False)
    sweeps: "SweepController" = field(init=False)  # set by the app, which runs its workers
    last_verb: Verb | None = None  # repeated by `.`
    forgotten_matches: tuple[int, ...] = ()  # memories that the last import matched
    undistilled: int = 0  # conversations that a stopped import left, when last counted
    closing: bool = False
    dialog_workers: "WeakSet[Worker[Any]]" = field(default_factory=WeakSet)  # that have a dialog open or may open one
    _index: "Index | None" = None

    def __post_init__(self) -> None:
        self.analytics = Analytics(self.store)
        self.undo_state = UndoState(self.store)
        around = {"writes": self.undo_state.watched, "import": self.undo_state.followed}
        self.executors = {
            name: SerialExecutor(name, name == "writes", around.get(name, nullcontext)) for name in _EXECUTORS
        }
        self.idle_gate = IdleGate([self.executors[name] for name in _FOREGROUND])

    async def run(self, name: str, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run work in the thread of an executor, and return its result. Raises the work's error."""
        return await self.executors[name].run(partial(work, *args, **kwargs))

    def index(self) -> "Index":
        """Open the search index over the most common kind of vector; in a thread, as LanceDB takes 2 s to load."""
        from curator.services.search_session import open_index

        fingerprint = self.store.vectors.embedded_by()
        if fingerprint is None:
            return open_index(self.store)
        if self._index is None or self._index.fingerprint != fingerprint:
            self._index = open_index(self.store, fingerprint)
        return self._index

    def close(self) -> None:
        """Stop accepting work; queued verbs still run, other work ends as soon as possible."""
        self.closing = True
        self.sweeps.close()
        self.analytics.stop()
        for executor in self.executors.values():
            executor.close()

    def finish(self, limit: float | None = None) -> bool:
        """Wait for all verbs, and up to `limit` seconds for other work; return True if all is done.

        Close the store only if it returns True. Other work can be cut off safely by ending the process.
        """
        self.executors["writes"].finish()
        deadline = None if limit is None else time.monotonic() + limit
        for executor in self.executors.values():
            if not executor.finish(None if deadline is None else max(deadline - time.monotonic(), 0)):
                return False
        if limit is None:  # otherwise the process ends soon, and freeing a million rows takes longer
            self.analytics.close()
        return True
