"""Threads for the work that must not hold up the screen."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


class Lane:
    """One thread with a queue: what it is given runs in order, beside the event loop.

    Work that is cancelled before its turn never runs; work that has begun runs to its end, unheard.
    """

    def __init__(self, name: str) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)

    async def run(self, work: Callable[[], T]) -> T:
        """The result of the work. Raises what it raises."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)

    def close(self) -> None:
        """Take no more work and forget what has not begun."""
        self._executor.shutdown(wait=False, cancel_futures=True)

    def finish(self) -> None:
        """Wait for what has begun."""
        self._executor.shutdown(wait=True)
