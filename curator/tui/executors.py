"""Threads for the work that must not hold up the screen."""

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")


class SerialExecutor:
    """One thread with a queue: what it is given runs in order, beside the event loop.

    Work that is cancelled before its turn never runs, and work that has begun runs to its end, unheard; but in a
    lane that is `sure` all that was given runs, whoever listens, and what failed unheard stands in `unheard`.
    `around` is given the work, to run it.
    """

    def __init__(self, name: str, sure: bool = False, around: Callable[[Callable[[], Any]], Any] | None = None) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._sure, self._around = sure, around
        self._given: set[Future[Any]] = set()  # what is not done yet
        self._untold: set[Future[Any]] = set()  # what failed and nobody was told

    @property
    def unheard(self) -> list[BaseException]:
        """What went wrong and nobody was told."""
        return [error for given in self._untold if (error := given.exception()) is not None]

    @property
    def busy(self) -> bool:
        """Whether anything is to be done."""
        return bool(self._given)

    async def run(self, work: Callable[[], T]) -> T:
        """The result of the work. Raises what it raises."""
        loop = asyncio.get_running_loop()
        heard: asyncio.Future[T] = loop.create_future()
        given = self._executor.submit(work if self._around is None else partial(self._around, work))
        self._given.add(given)

        def tell() -> None:
            if heard.cancelled():
                return
            if given.cancelled():
                heard.cancel()
            elif (error := given.exception()) is not None:
                self._untold.discard(given)
                heard.set_exception(error)
            else:
                heard.set_result(given.result())

        def done(_: Future[T]) -> None:
            if not given.cancelled() and given.exception() is not None:
                self._untold.add(given)
            self._given.discard(given)
            with contextlib.suppress(RuntimeError):  # the app has closed
                loop.call_soon_threadsafe(tell)

        given.add_done_callback(done)
        try:
            return await heard
        except asyncio.CancelledError:
            if not self._sure:
                given.cancel()
            raise

    def close(self) -> None:
        """Take no more work and, unless this lane is sure, forget what has not begun."""
        self._executor.shutdown(wait=False, cancel_futures=not self._sure)

    def finish(self, limit: float | None = None) -> bool:
        """Wait for what is to be done, `limit` seconds at most; whether it is done."""
        return not wait(set(self._given), limit).not_done
