"""Base of sweeps, their models and items, and the leases on items."""

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar, TypeVar

from curator.config import settings
from curator.errors import ModelError
from curator.llm.client import Run
from curator.models import CallFailed, Chat, Embedder, ServerFailed, TimedOut, load_embedder
from curator.paths import cache_folder
from curator.services.run_progress import LEASE, Stopped
from store import Lease, NotFound, Store, StoreError
from store.model import Failure

if TYPE_CHECKING:
    from curator.services.model_servers import ChatServer

T = TypeVar("T")

RELEASE_TIMEOUT = 0.15
"""Seconds that cancelled work may take to release its items."""
_IN_A_ROW = 3  # consecutive server failures after which the server is blamed instead of the items


class ServerFailing(ModelError):
    """The server fails repeatedly and is left alone for a while."""


class Models:
    """The models of the settings. Raises the errors of `curator.models`."""

    def __init__(self) -> None:
        self._server: ChatServer | None = None
        self._embedder: Embedder | None = None

    async def chat(self) -> Chat:
        """Return the chat model, looked up before each run: it may have changed on the server."""
        if self._server is None:
            from curator.services.model_servers import chat_server

            server = chat_server()
            await server.__aenter__()
            self._server = server
        return await self._server.chat(settings().ollama.model)

    def target_embedder(self) -> Embedder:
        """Return the embedder of the settings, whose vectors every memory should have. Blocks."""
        self._embedder = load_embedder(settings().embed.provider, cache_folder())
        return self._embedder

    def current_embedder(self, store: Store) -> Embedder:
        """Return the embedder whose vectors the memories have now. Blocks.

        Raises the errors of the server's embedder: the lexical one cannot replace its vectors.
        """
        from curator.services.search_session import embedder_for_search

        self._embedder, _ = embedder_for_search(store)
        return self._embedder

    def drop(self) -> None:
        """Abort all embedder calls."""
        drop = getattr(self._embedder, "drop", None)
        if drop is not None:
            drop()

    async def close(self) -> None:
        """Close whatever is open; it is reopened when needed."""
        server, self._server = self._server, None
        if server is not None:
            await server.__aexit__(None, None, None)


@dataclass(frozen=True, slots=True)
class Tools:
    """Resources of sweeps; `run` does blocking work in a thread, which calls `rest` between small pieces of it.

    `end_purge` erases what was purged outside of the record, too; it returns in words what is left.
    """

    store: Store
    run: Run
    models: Models
    rest: Callable[[], None]
    end_purge: Callable[[Store], Sequence[str]] = lambda store: ()


@dataclass(frozen=True, slots=True)
class SweepItem:
    """A unit of work: `lease` names it among all sweeps. With `failure` it is a retry."""

    lease: str
    number: int = 0
    failure: Failure | None = None
    path: str = ""


@dataclass(frozen=True, slots=True)
class Failed(Failure):
    """A failure, with a title that names the item, such as the conversation's."""

    title: str


@dataclass(slots=True)
class Progress:
    """One run: `seconds` is its duration, None while it lasts."""

    total: int = 0
    done: int = 0
    counted: int = 0  # items done when `pending` was last counted
    failed: int = 0
    in_a_row: int = 0  # server failures since the last success
    began: float = 0.0
    seconds: float | None = None

    def record_success(self) -> None:
        """Record a successful call."""
        self.in_a_row = 0

    def record_failure(self, error: CallFailed) -> None:
        """Record a failed item. Raises ServerFailing if the server seems to be at fault."""
        self.failed += 1
        self.in_a_row = self.in_a_row + 1 if isinstance(error, ServerFailed | TimedOut) else 0
        if self.in_a_row >= _IN_A_ROW:
            raise ServerFailing(f"{self.in_a_row} calls failed one after the other, the last with: {error}")


@dataclass(frozen=True, slots=True)
class Attempt:
    """One item being worked on. `step` counts progress; `go_on` returns True to continue with more of the item."""

    lease: Lease
    go_on: Callable[[], bool]
    step: Callable[[int], None]
    run: Progress


class BaseSweep:
    """A sweep. This base uses no model, never fails, and has one lease for all items of a batch.

    Methods that are not async block, and are called in a thread.
    """

    name: ClassVar[str]
    version: ClassVar[str] = ""
    """Key of its stored failures."""
    together: int = 1
    """Number of items taken at once, to `ask` about all of them before the first is done.

    A server with little memory, which loads two models in turn, then swaps them once for all instead of for each item.
    """

    def __init__(self, tools: Tools) -> None:
        self._tools, self._store, self._run = tools, tools.store, tools.run

    async def _run_stoppable(self, work: Callable[[Callable[[], None]], T]) -> T:
        """Do blocking work in a thread, which calls the function that it is given between small pieces of it.

        That function raises Stopped once the sweep is cancelled.
        """
        stop = threading.Event()

        def rest() -> None:
            self._tools.rest()
            if stop.is_set():
                raise Stopped

        try:
            return await self._run(lambda: work(rest))
        finally:
            stop.set()

    def off(self) -> str:
        """Return why an enabled sweep does nothing; empty if it works."""
        return ""

    def problem(self) -> str:
        """Describe the items that failed and are tried again later; empty if there are none."""
        return ""

    def model(self) -> str:
        """Return the display name of its model; empty without one."""
        return ""

    @property
    def mark(self) -> str:
        """The key under which the store keeps the time of its last run."""
        return f"{self.name} ran"

    def pending(self) -> int:
        """Return the number of pending items."""
        raise NotImplementedError

    def has_work(self) -> bool:
        """Return True if there is something to do. Cheap: without a chat model the app asks before it starts sweeps."""
        return not self.off() and self.pending() > 0

    def skips_interval(self, pending: int) -> bool:
        """Return True if so little is pending that it does not wait for the interval."""
        return False

    def failed(self) -> int:
        """Return the number of failures that wait for the person."""
        return self._store.sweeps.count_failures(self.version)

    def failures(self, limit: int) -> list[Failed]:
        """Return the failures, newest first."""
        failures = self._store.sweeps.failures(self.version, limit)
        return [Failed(**asdict(failure), title=self._title(failure)) for failure in failures]

    def _title(self, failure: Failure) -> str:
        try:
            return self.title(failure.item)
        except NotFound:
            return f"{self.name} {failure.item}, which is gone"

    def title(self, item_id: int) -> str:
        """Return a title for an item. Raises NotFound."""
        return f"{self.name} {item_id}"

    def lease(self, item_id: int) -> str:
        """Return the lease of an item."""
        return self.name

    def items(self, limit: int, again: bool) -> list[SweepItem]:
        """Return the next items, in order; with `again`, the failed ones. Another process may be working on some."""
        if again:
            failures = self._store.sweeps.failures(self.version, limit)
            return [SweepItem(self.lease(failure.item), failure.item, failure) for failure in reversed(failures)]
        return [SweepItem(self.name, limit)]

    async def open(self) -> None:
        """Load the model, once before each run that has items. Raises ModelError."""

    async def ask(self, taken: Sequence[tuple[SweepItem, Attempt]]) -> None:
        """Ask the model about items. Errors of an item are raised when it is done. Raises as `do` does."""

    async def do(self, item: SweepItem, attempt: Attempt) -> None:
        """Do the remaining work of an item. Raises ModelError if the model is unavailable, LeaseLost."""
        raise NotImplementedError

    def put_failure(self, item: int, error: CallFailed, model: str, first: int = 0, last: int = 0) -> None:
        """Store why an item could not be done; `first` and `last` are the ids of its messages."""
        self._store.sweeps.put_failure(
            Failure(0, self.version, item, first, last, str(error), error.reply, model, 1, 0)
        )

    def drop_failure(self, item: SweepItem) -> None:
        """Delete the failure of an item, if any: it was done, or there is nothing left to do."""
        if item.failure is not None:
            self._store.sweeps.drop_failures([item.failure.id])


@contextlib.asynccontextmanager
async def leased(
    store: Store, run: Run, items: Sequence[str], holder: str, seconds: float = LEASE
) -> AsyncIterator[list[Lease | None]]:
    """Yield the leases on items, renewed until the end of the block; None for one that another holder has.

    If a lease is lost meanwhile, for example when the machine slept, writing with it raises LeaseLost.
    """
    leases = await run(lambda: [store.sweeps.take(item, holder, seconds) for item in items])
    held = [lease for lease in leases if lease is not None]

    async def renew() -> None:
        """Renew the leases while a thread works, which may take longer than a lease lasts."""
        pause = seconds / 3
        while held:
            await asyncio.sleep(pause)
            try:
                await asyncio.to_thread(lambda: [store.sweeps.renew(lease, seconds) for lease in held])
                pause = seconds / 3
            except StoreError:  # locked for long: nobody else could write either, and take them, so far
                pause = seconds / 30

    def release() -> None:
        for lease in held:
            store.sweeps.release(lease)

    renewing = asyncio.create_task(renew())
    try:
        yield leases
    finally:
        renewing.cancel()
        if held:
            await finish_briefly(run(release))  # one job, which ends without the loop; else the leases expire


async def finish_briefly(work: Awaitable[None]) -> None:
    """Await cleanup for `RELEASE_TIMEOUT` seconds at most, ignoring its errors."""
    with contextlib.suppress(Exception):
        await asyncio.wait_for(asyncio.shield(asyncio.ensure_future(work)), RELEASE_TIMEOUT)
