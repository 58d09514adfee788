"""Optimistic writes: the screen shows the effect first, then the store is written, and a failure is rolled back."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from textual.message import Message

from curator.tui.context import AppContext
from curator.tui.view import StatusMessage, Tone
from store import StoreError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Write(Generic[T]):
    """A change to the store, the effect of which a view may show already.

    `run` writes, in a thread; `finish` brings the view up to date and says what was done; `rollback` shows again what
    was there before.
    """

    run: Callable[[], T]
    finish: Callable[[T], StatusMessage]
    rollback: Callable[[], None] = lambda: None


class WritingView(Protocol):
    """The parts of a view that a writer needs."""

    context: AppContext

    def begin(self, work: Callable[[], Coroutine[Any, Any, object]], group: str, exclusive: bool = True) -> None:
        """Start a worker."""

    def post_message(self, message: Message) -> bool:
        """Send a message to the screen."""


class OptimisticWriter:
    """The writes of one view; `pending` is the number that are under way."""

    def __init__(self, view: WritingView) -> None:
        self._view = view
        self.pending = 0

    def start(self, write: Write[Any]) -> None:
        """Write in the background."""
        self.pending += 1
        self._view.begin(partial(self._carry_out, write), "writes", exclusive=False)

    async def perform(self, write: Write[Any]) -> str | None:
        """Write for a dialog, to the end even if the dialog is closed; return what prevented it, None when done."""
        answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()

        async def work() -> None:
            problem: str | None = "interrupted"
            try:
                problem = await self._carry_out(write)
            finally:
                if not answer.done():
                    answer.set_result(problem)

        self.pending += 1
        self._view.begin(work, "writes", exclusive=False)
        return await answer

    async def _carry_out(self, write: Write[T]) -> str | None:
        try:
            result = await self._in_thread(write.run)
        except Exception as error:
            write.rollback()
            if not isinstance(error, StoreError | ValueError):
                raise
            self._view.post_message(StatusMessage(str(error), Tone.BAD))
            return str(error)
        self._view.post_message(write.finish(result))
        return None

    async def _in_thread(self, work: Callable[[], T]) -> T:
        try:
            return await self._view.context.executors["writes"].run(work)
        finally:
            self.pending -= 1
