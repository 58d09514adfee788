"""List the source files that a press of `a` in the Inbox passes, down to the write and back to the status line.

A file is counted if it is on the Python stack at that moment, or was when the task, thread work or message that led
there was created. Functions that are only called on the way and return are not counted.
"""

import asyncio
import functools
import os
import sys
import tempfile
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from textual.message import Message
from textual.message_pump import MessagePump
from textual.widget import Widget

REPORT = "validated"
"""Word in the status line that reports what `a` did."""


@dataclass
class Tracer:
    """Source files passed, by direction. `folder` is the checkout whose source is traced."""

    folder: Path
    down: set[str] = field(default_factory=set)
    back: set[str] = field(default_factory=set)
    written: bool = False
    _trail: ContextVar[frozenset[str]] = field(default_factory=lambda: ContextVar("trail", default=frozenset()))

    def passed(self) -> frozenset[str]:
        """Return the files on the caller's stack and on the stacks that led to it."""
        roots = tuple(f"{self.folder / root}{os.sep}" for root in ("curator", "store"))
        found: set[str] = set()
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename.startswith(roots):
                found.add(frame.f_code.co_filename.removeprefix(f"{self.folder}{os.sep}"))
            frame = frame.f_back
        return self._trail.get() | found

    def task(self, loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any], **more: Any) -> asyncio.Task[Any]:
        """Create a task that carries the trail of its creator (a task factory)."""
        context = more.pop("context", None) or copy_context()
        context.run(self._trail.set, self.passed())
        return asyncio.Task(work, loop=loop, context=context, **more)

    def install(self) -> None:
        """Start tracing tasks, thread work, messages, writes and repaints in this process."""
        from store.record.journal import Writer

        trail, passed = self._trail, self.passed

        def submit(pool: ThreadPoolExecutor, work: Callable[..., Any], *given: Any, **more: Any) -> Any:
            led = passed()

            def traced() -> Any:
                trail.set(led)
                return work(*given, **more)

            return former_submit(pool, traced)

        def post(pump: MessagePump, message: Message) -> bool:
            message.trail = passed()  # type: ignore[attr-defined]
            return former_post(pump, message)

        async def dispatch(pump: MessagePump, message: Message) -> None:
            trail.set(getattr(message, "trail", frozenset()))
            await former_dispatch(pump, message)

        def write(former: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(former)
            def traced(*given: Any, **more: Any) -> Any:
                self.down |= passed()
                done = former(*given, **more)
                self.written = True
                return done

            return traced

        def refresh(widget: Widget, *given: Any, **more: Any) -> Any:
            if self.written and REPORT in str(getattr(widget, "content", "")):
                self.back |= passed()
            return former_refresh(widget, *given, **more)

        former_submit, former_post = ThreadPoolExecutor.submit, MessagePump.post_message
        former_dispatch, former_refresh = MessagePump._dispatch_message, Widget.refresh
        ThreadPoolExecutor.submit = submit  # type: ignore[method-assign,assignment]
        MessagePump.post_message = post  # type: ignore[method-assign,assignment]
        MessagePump._dispatch_message = dispatch  # type: ignore[method-assign,assignment]
        Widget.refresh = refresh  # type: ignore[method-assign,assignment]
        for name in ("update", "commit"):
            setattr(Writer, name, write(getattr(Writer, name)))


async def press_a(folder: Path) -> Tracer:
    """Validate the first memory of a small store in the app while tracing."""
    from store import Store
    from tui import sample_store
    from tui.driver import opened

    tracer = Tracer(folder)
    with tempfile.TemporaryDirectory() as place:
        os.environ.update(CURATOR_HOME=place, HOME=place, CURATOR_EMBED__PROVIDER="hashing")
        store = Store.open(Path(place) / "store")
        sample_store.fill(store)
        async with opened(store, first="inbox") as app:
            asyncio.get_running_loop().set_task_factory(tracer.task)  # type: ignore[arg-type]
            tracer.install()
            await app.press("a")
            assert REPORT in app.status, app.status
        store.close()
    return tracer


def main(folder: Path) -> tuple[set[str], set[str]]:
    """Return the files passed on the way down, and those passed on the way back."""
    tracer = asyncio.run(press_a(folder))
    return tracer.down, tracer.back


if __name__ == "__main__":
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    sys.path[:0] = [str(root), str(root / "tests")]
    for direction, files in zip(("down", "back"), main(root), strict=True):
        print(direction, len(files), *sorted(files))
