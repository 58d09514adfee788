"""Base of the clients of model servers, for all protocols."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager
from typing import Generic, Protocol, Self, TypeVar

from curator.models.host import check_host, parse_host
from curator.models.interfaces import ChatModel, ModelMissing, Question
from curator.models.server_chat import AnswerPiece, ServerChat
from curator.models.server_types import Allowed, Installed, Timeouts
from store.gc_policy import exempt_from_gc


class Wire(Protocol):
    """The connection to a server."""

    async def close(self) -> None:
        """Close all connections."""

    def translated(self, model: str = "", so_far: Callable[[], str] = str) -> AbstractContextManager[None]:
        """Translate errors of libraries to those of `curator.models`. `so_far` returns the partial reply."""


_Wire = TypeVar("_Wire", bound=Wire)


class ModelServer(ABC, Generic[_Wire]):
    """A server, to be used in `async with` and in one event loop. Cancelling a call closes its connection.

    `context` is the largest size of a chat model's context, in tokens. The constructor raises NotAllowed if `host` is
    another machine and not the allowed one. Methods raise the errors of `curator.models` only.
    """

    name: str
    context_remedy: str

    def __init__(self, host: str, allowed: Allowed, timeouts: Timeouts, context: int) -> None:
        self.host = parse_host(host)
        check_host(self.host, allowed.host)
        self.timeouts = timeouts
        self.context = context
        self._allowed = allowed
        self._wire: _Wire | None = None

    async def __aenter__(self) -> Self:
        def load() -> _Wire:
            with exempt_from_gc():
                import anyio

                wire = self.connected()
                anyio.run(anyio.sleep, 0)  # otherwise its lazy imports would block the event loop in the first call
                return wire

        self._wire = await asyncio.to_thread(load)  # the first loads the libraries, which takes up to half a second
        return self

    async def __aexit__(self, *_: object) -> None:
        wire, self._wire = self.wire, None
        await wire.close()

    @property
    def wire(self) -> _Wire:
        """The open connection."""
        if self._wire is None:
            raise RuntimeError("the server is used outside of its `async with`")
        return self._wire

    @abstractmethod
    def connected(self) -> _Wire:
        """Return a new connection; imports the client library."""

    @abstractmethod
    async def version(self) -> str:
        """Return the server's version, empty if it reports none. Raises Offline if it does not answer."""

    @abstractmethod
    async def installed(self) -> list[Installed]:
        """Return the server's models, in its order."""

    @abstractmethod
    async def usable(self, name: str) -> Installed:
        """Return the model of a name. Raises ModelMissing, or NotAllowed if it runs elsewhere and is not allowed."""

    async def chat(self, name: str) -> ServerChat:
        """Return a chat model. Raises ModelMissing if it is not there or cannot chat, and NotAllowed."""
        found = await self.usable(name)
        if not found.chats:
            raise ModelMissing(f"{found.name} cannot be asked, it makes vectors only; choose another: curator models")
        return ServerChat(self, ChatModel(found.name, found.digest, min(self.context, found.context or self.context)))

    @abstractmethod
    def answer(self, model: ChatModel, question: Question) -> AsyncGenerator[AnswerPiece, None]:
        """See `Answering.answer`."""

    def translated(self, model: str, so_far: Callable[[], str]) -> AbstractContextManager[None]:
        """See `Answering.translated`."""
        return self.wire.translated(model, so_far)

    @abstractmethod
    async def allocated(self, name: str) -> int | None:
        """See `Answering.allocated`."""
