"""Base of a sweep, its models and items, and the lease under which one is worked on."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from curator.config import settings
from curator.errors import ModelError
from curator.llm.client import Run
from curator.models import Embedder, load_embedder
from curator.models.chat import Chat
from curator.models.errors import CallFailed, ServerFailed, TimedOut
from curator.paths import cache_folder
from curator.services.run_progress import LEASE
from store import Lease, NotFound, Store
from store.model import Failure

if TYPE_CHECKING:
    from curator.models.ollama import Server

GOODBYE = 0.15
"""Seconds that what was cancelled may take to let go of its item."""
_IN_A_ROW = 3  # failures of the server one after the other, from which on it is the server and not the item


class ServerFailing(ModelError):
    """The server fails at one thing after another: it is left alone for a while."""


class Models:
    """The models that the settings name. Raises the errors of `curator.models.errors`."""

    def __init__(self) -> None:
        self._server: Server | None = None
        self._embedder: Embedder | None = None

    async def chat(self) -> Chat:
        """Return the chat model, asked for anew before each run: it may have been changed on the server."""
        if self._server is None:
            from curator.models.ollama import configured

            server = configured()
            await server.__aenter__()
            self._server = server
        return await self._server.chat(settings().ollama.model)

    def wanted(self) -> Embedder:
        """Return the embedder whose vectors every memory is to have. Blocks."""
        self._embedder = load_embedder(settings().embed.provider, cache_folder())
        return self._embedder

    def working(self, store: Store) -> Embedder:
        """Return the embedder whose vectors the memories have now. Blocks.

        Raises what the server's embedder does: letters are no stand-in for what it made.
        """
        from curator.services.search_session import searched_embedder

        self._embedder, _ = searched_embedder(store)
        return self._embedder

    def drop(self) -> None:
        """Let no call of an embedder go on."""
        drop = getattr(self._embedder, "drop", None)
        if drop is not None:
            drop()

    async def close(self) -> None:
        """Close what is open; it is opened again when it is needed."""
        server, self._server = self._server, None
        if server is not None:
            await server.__aexit__(None, None, None)


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


@dataclass(frozen=True, slots=True)
class Failed(Failure):
    """A failure, with the title of the conversation or what else names the item."""

    title: str


@dataclass(slots=True)
class Progress:
    """One run: `seconds` is how long it took, None while it lasts."""

    total: int = 0
    done: int = 0
    counted: int = 0  # what was done when it was counted how much is pending
    failed: int = 0
    in_a_row: int = 0  # failures of the server, since something went well
    began: float = 0.0
    seconds: float | None = None

    def went_well(self) -> None:
        """Note that something came of a call."""
        self.in_a_row = 0

    def went_wrong(self, error: CallFailed) -> None:
        """Count an item that failed. Raises ServerFailing if it seems to be the server's fault."""
        self.failed += 1
        self.in_a_row = self.in_a_row + 1 if isinstance(error, ServerFailed | TimedOut) else 0
        if self.in_a_row >= _IN_A_ROW:
            raise ServerFailing(f"{self.in_a_row} calls failed one after the other, the last with: {error}")


@dataclass(frozen=True, slots=True)
class Attempt:
    """One item being worked on. `step` counts what is done, `go_on` says whether to go on with more of the item."""

    lease: Lease
    go_on: Callable[[], bool]
    step: Callable[[int], None]
    run: Progress


class BaseSweep:
    """A sweep. As it stands here it uses no model, fails at nothing, and one lease is for all items of a batch.

    What is not async blocks, and is called in a thread.
    """

    name: ClassVar[str]
    version: ClassVar[str] = ""
    """What its failures are kept under."""
    together: int = 1
    """Number of items taken at once, to `ask` about all of them before the first is done.

    Two models that a server with little memory loads in turn then change places once for all, not for each.
    """

    def __init__(self, tools: Tools) -> None:
        self._tools, self._store, self._run = tools, tools.store, tools.run

    def off(self) -> str:
        """Return why it does nothing though it is enabled; empty if it works."""
        return ""

    def model(self) -> str:
        """Return the model it works with, as people know it; empty if with none."""
        return ""

    @property
    def mark(self) -> str:
        """The key under which the store keeps when it ran."""
        return f"{self.name} ran"

    def pending(self) -> int:
        """Return the number of pending items."""
        raise NotImplementedError

    def soon(self, pending: int) -> bool:
        """Return whether so little is pending that it does not wait for the interval."""
        return False

    def failed(self) -> int:
        """Return the number of failures that wait for the person."""
        return self._store.sweeps.count_failures(self.version)

    def failures(self, limit: int) -> list[Failed]:
        """Return the failures, newest first."""
        found = self._store.sweeps.failures(self.version, limit)
        return [Failed(**asdict(failure), title=self._title(failure)) for failure in found]

    def _title(self, failure: Failure) -> str:
        try:
            return self.title(failure.item)
        except NotFound:
            return f"{self.name} {failure.item}, which is gone"

    def title(self, number: int) -> str:
        """Return a title for an item. Raises NotFound."""
        return f"{self.name} {number}"

    def lease(self, number: int) -> str:
        """Return the lease of an item."""
        return self.name

    def items(self, limit: int, again: bool) -> list[Item]:
        """Return the next items, in order; with `again`, the failed ones. Another process may be working on some."""
        if again:
            failures = self._store.sweeps.failures(self.version, limit)
            return [Item(self.lease(failure.item), failure.item, failure) for failure in reversed(failures)]
        return [Item(self.name, limit)]

    async def open(self) -> None:
        """Get the model ready, once before each run that has something to do. Raises ModelError."""

    async def ask(self, taken: Sequence[tuple[Item, Attempt]]) -> None:
        """Ask about items. What goes wrong with one of them comes up when it is done. Raises as `do` does."""

    async def do(self, item: Item, attempt: Attempt) -> None:
        """Do one item, as far as it is still to be done. Raises ModelError where no model is there, LeaseLost."""
        raise NotImplementedError

    def put_failure(self, item: int, error: CallFailed, model: str, first: int = 0, last: int = 0) -> None:
        """Keep why an item could not be done; `first` and `last` are the messages it is about."""
        self._store.sweeps.put_failure(
            Failure(0, self.version, item, first, last, str(error), error.reply, model, 1, 0)
        )

    def drop_failure(self, item: Item) -> None:
        """Forget that an item failed, if it did: it was done, or there is nothing left to do."""
        if item.failure is not None:
            self._store.sweeps.drop_failures([item.failure.id])


@contextlib.asynccontextmanager
async def leased(
    store: Store, run: Run, items: Sequence[str], holder: str, seconds: float = LEASE
) -> AsyncIterator[list[Lease | None]]:
    """Yield the leases on items, renewed until the end of the block; None for one that somebody else is at.

    If one is lost on the way, as when the machine slept, writing with it raises LeaseLost.
    """
    found = await run(lambda: [store.sweeps.take(item, holder, seconds) for item in items])
    held = [lease for lease in found if lease is not None]

    async def renew() -> None:
        """Renew beside the thread that works, which may be at one thing for longer than a lease holds."""
        while held:
            await asyncio.sleep(seconds / 3)
            await asyncio.to_thread(lambda: [store.sweeps.renew(lease, seconds) for lease in held])

    async def release() -> None:
        for lease in held:
            await run(partial(store.sweeps.release, lease))

    renewing = asyncio.create_task(renew())
    try:
        yield found
    finally:
        renewing.cancel()
        if held:
            await briefly(release())  # the app may have closed its threads: then the leases run out


async def briefly(work: Awaitable[None]) -> None:
    """Do what must not take long where everything ends; what goes wrong with it does not matter any more."""
    with contextlib.suppress(Exception):
        await asyncio.wait_for(asyncio.shield(asyncio.ensure_future(work)), GOODBYE)
