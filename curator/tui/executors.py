"""Serial executors for blocking work."""

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from typing import Any, TypeVar

T = TypeVar("T")


class SerialExecutor:
    """One thread with a queue that runs submitted work in order, outside the event loop.

    Cancelling the caller also cancels work that has not started; work that has started runs to its end. With
    `durable=True`, submitted work runs even if the caller is cancelled; uncollected errors are kept in
    `orphaned_errors`. Each piece of work runs inside the context manager returned by `around`.
    """

    def __init__(
        self,
        name: str,
        durable: bool = False,
        around: Callable[[], AbstractContextManager[object]] = contextlib.nullcontext,
    ) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._durable, self._around = durable, around
        self._pending: set[Future[Any]] = set()
        self._orphaned: set[Future[Any]] = set()  # failed, with uncollected errors

    @property
    def orphaned_errors(self) -> list[BaseException]:
        """Errors of work whose caller was cancelled."""
        return [error for future in self._orphaned if (error := future.exception()) is not None]

    @property
    def busy(self) -> bool:
        """True while work is queued or running."""
        return bool(self._pending)

    async def run(self, work: Callable[[], T]) -> T:
        """Run work in the thread and return its result. Raises the work's error."""
        loop = asyncio.get_running_loop()
        result: asyncio.Future[T] = loop.create_future()

        def in_thread() -> T:
            with self._around():
                return work()

        future = self._executor.submit(in_thread)
        self._pending.add(future)

        def deliver() -> None:
            if result.cancelled():
                return
            if future.cancelled():
                result.cancel()
            elif (error := future.exception()) is not None:
                self._orphaned.discard(future)
                result.set_exception(error)
            else:
                result.set_result(future.result())

        def finished(_: Future[T]) -> None:
            if not future.cancelled() and future.exception() is not None:
                self._orphaned.add(future)
            self._pending.discard(future)
            with contextlib.suppress(RuntimeError):  # the app has closed
                loop.call_soon_threadsafe(deliver)

        future.add_done_callback(finished)
        try:
            return await result
        except asyncio.CancelledError:
            if not self._durable:
                future.cancel()
            raise

    def close(self) -> None:
        """Stop accepting work and, unless durable, drop work that has not started."""
        self._executor.shutdown(wait=False, cancel_futures=not self._durable)

    def finish(self, limit: float | None = None) -> bool:
        """Wait up to `limit` seconds for pending work; return True if all of it is done."""
        return not wait(set(self._pending), limit).not_done
