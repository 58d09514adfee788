"""Protocol of a sweep, its items, and the state of a run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from curator.errors import ModelError
from curator.llm.client import Run
from curator.models.errors import CallFailed, ServerFailed, TimedOut
from curator.sweeps.models import Models
from store import Lease, Store
from store.model import Failure

_IN_A_ROW = 3  # failures of the server one after the other, from which on it is the server and not the item


class ServerFailing(ModelError):
    """The server fails at one thing after another: it is left alone for a while."""


@dataclass(frozen=True, slots=True)
class Tools:
    """Resources of sweeps; `run` does blocking work in a thread, which calls `rest` between small pieces of it."""

    store: Store
    run: Run
    models: Models
    rest: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Item:
    """Something to do: `lease` names it among all sweeps. With `failure` it is tried again."""

    lease: str
    number: int = 0
    failure: Failure | None = None
    path: str = ""


@dataclass(slots=True)
class Shift:
    """One item being worked on. `step` counts what is done, `go_on` says whether to go on with more of the item."""

    lease: Lease
    go_on: Callable[[], bool]
    step: Callable[[int], None]
    tally: "Tally"


@dataclass(slots=True)
class Tally:
    """Failures of one run."""

    failed: int = 0
    in_a_row: int = field(default=0)

    def went_well(self) -> None:
        """Something came of a call."""
        self.in_a_row = 0

    def went_wrong(self, error: CallFailed) -> None:
        """An item failed, and that is written down. Raises Troubled if it seems to be the server's fault."""
        self.failed += 1
        self.in_a_row = self.in_a_row + 1 if isinstance(error, ServerFailed | TimedOut) else 0
        if self.in_a_row >= _IN_A_ROW:
            raise ServerFailing(f"{self.in_a_row} calls failed one after the other, the last with: {error}")


class Work(Protocol):
    """A sweep. What is not async blocks, and is called in a thread."""

    name: str

    def off(self) -> str:
        """Return why it does nothing though it is enabled; empty if it works. Blocks."""
        ...

    def model(self) -> str:
        """The model it works with, as people know it; empty if with none."""
        ...

    def pending(self) -> int:
        """Return the number of pending items."""
        ...

    def failed(self) -> int:
        """Return the number of failures that wait for the person."""
        ...

    def failures(self, limit: int) -> list[Failure]:
        """Return the failures, newest first."""
        ...

    def items(self, limit: int, again: bool) -> list[Item]:
        """Return the next items, in order; with `again`, the failed ones. Another process may be working on some."""
        ...

    async def open(self) -> None:
        """Get the model ready, once before each run that has something to do. Raises ModelError."""
        ...

    async def do(self, item: Item, shift: Shift) -> None:
        """Do one item, as far as it is still to be done. Raises ModelError where no model is there, LeaseLost."""
        ...


class LocalSweep:
    """Base of sweeps that use no chat model: unfinished items stay pending, and nothing fails."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    def failed(self) -> int:
        """See `Work.failed`."""
        return 0

    def failures(self, limit: int) -> list[Failure]:
        """See `Work.failures`."""
        return []

    async def open(self) -> None:
        """See `Work.open`."""


@runtime_checkable
class AsksAhead(Protocol):
    """A sweep that may take several items at once, to ask about all of them before it does the first.

    Two models that a server with little memory loads in turn then change places once for all, not for each.
    """

    @property
    def together(self) -> int:
        """Number of items it takes at once; 1 if it does not ask ahead."""
        ...

    async def ask(self, taken: Sequence[tuple[Item, Shift]]) -> None:
        """Ask about items. What goes wrong with one of them comes up when it is done. Raises as `Work.do` does."""
        ...
