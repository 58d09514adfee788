"""Message dispatch that reports exceptions, and holds back keys typed ahead of the dialog they are meant for.

If a handler raises, Textual ends the message loop of its widget, and with it the app. Here the exception is reported,
and the widget handles its next message. That is only possible by overriding `_dispatch_message`, so Textual's version
is pinned, and a test checks that the override works.
"""

import asyncio
import contextlib
import signal
from collections.abc import Iterator, Mapping
from time import monotonic
from typing import Any
from weakref import WeakSet

from textual.actions import ActionParseResult
from textual.app import App
from textual.dom import DOMNode
from textual.events import Compose, Event, InputEvent, Key, Mount, ScreenResume
from textual.message import Message
from textual.message_pump import MessagePump
from textual.widgets import Button, Input, OptionList, TextArea
from textual.worker import Worker

from curator.tui.context import AppContext

_ANSWERS = (InputEvent, Input.Changed, Input.Submitted, Button.Pressed, OptionList.OptionSelected)
_MAX_WAIT = 1.0  # seconds that a key waits for an open dialog to accept keys


class ErrorBoundary(MessagePump):
    """Mixin that reports the exceptions of handlers; list it before Textual's class (widget, screen or app)."""

    async def _dispatch_message(self, message: Message) -> None:
        try:
            await super()._dispatch_message(message)
        except Exception as error:
            app = self.app
            if isinstance(message, Compose | Mount) or not isinstance(app, FaultTolerantApp):
                raise  # a widget that was never mounted cannot continue
            app.report(error)


class ModalDialog(ErrorBoundary):
    """Mixin for screens; ignores answers that arrive when the screen is no longer on top."""

    since = 0.0  # time it came to the top, on the clock of messages

    async def ready(self) -> None:
        """Wait until the screen has its widgets and focus: before that, it cannot accept keys."""
        ends = monotonic() + _MAX_WAIT
        while not self.since and self._on_top() and monotonic() < ends:
            await asyncio.sleep(0.001)

    def _on_top(self) -> bool:
        top: MessagePump = self.app.screen
        return top is self

    async def _dispatch_message(self, message: Message) -> None:
        if not isinstance(message, _ANSWERS) or self._on_top():
            await super()._dispatch_message(message)
        if isinstance(message, ScreenResume):
            self.since = self.since or message.time


class KeyScreen(ErrorBoundary):
    """Mixin for screens; `focused_since` is when the focus moved last, on the clock of messages."""

    focused_since = 0.0

    def watch_focused(self) -> None:
        """Note the time."""
        self.focused_since = Message().time


class FaultTolerantApp(ErrorBoundary, App[str | None], inherit_bindings=False):
    """An app that survives exceptions, and delivers keys only once the dialog they are meant for is open."""

    context: AppContext
    _suspended = False  # True while another program uses the terminal
    _opened: frozenset[Worker[Any]] = frozenset()  # workers whose dialog is open
    _answered = True  # False from the opening of a dialog until the next key

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.uncancellable: WeakSet[Worker[Any]] = WeakSet()  # workers that write before their dialog
        self._asked: WeakSet[Worker[Any]] = WeakSet()  # workers that have opened a dialog or lent the terminal

    def report(self, error: BaseException) -> None:
        """Show an exception."""

    def cancelled(self) -> None:
        """Report that a dialog will not open, since esc was pressed before it did."""

    async def run_action(
        self,
        action: "str | ActionParseResult",
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Run an action; a failure is reported and does not end the app."""
        try:
            return await super().run_action(action, default_namespace, namespaces)
        except Exception as error:
            self.report(error)
            return True

    async def on_event(self, event: Event) -> None:
        """Hold back typed keys for the dialog that the previous key opens, so that they cannot reach the list.

        Esc cancels a dialog that takes longer to open.
        """
        if isinstance(event, InputEvent):
            self.context.idle_gate.key_pressed()
            await self._dialog_opened()
            if self._suspended:
                return  # typed for the program that uses the terminal now
            top = self.screen
            if isinstance(top, ModalDialog):
                if isinstance(event, Key) and event.is_forwarded and event.time < top.since:
                    event = Key(event.key, event.character)  # it was forwarded to the screen below, and has come back
            elif (
                isinstance(event, Key)
                and event.is_forwarded
                and isinstance(self.focused, Input | TextArea)
                and event.time < (top.focused_since if isinstance(top, KeyScreen) else 0.0)
            ):
                event = Key(event.key, event.character)  # it was forwarded to the list, and is meant for the field
            elif isinstance(event, Key) and event.key == "escape":
                preparing = self._asking().difference(self._asked, self.uncancellable)
                for worker in preparing:
                    worker.cancel()
                if preparing:
                    self.cancelled()
                    return
        await super().on_event(event)

    async def _dialog_opened(self) -> None:
        """Wait until a dialog that is being opened is ready."""
        ends = monotonic() + self.context.timings.dialog
        while True:
            top, asking = self.screen, self._asking()
            if isinstance(top, ModalDialog):
                await top.ready()
                self._opened, self._answered = asking, False
                self._asked.update(asking)
            elif not self._answered:  # its dialog is closed; wait for the worker's next dialog too
                self._opened, self._answered = frozenset(), True
            if asking <= self._opened or monotonic() > ends:
                self._opened = asking
                return
            await asyncio.sleep(0.001)

    def _asking(self) -> frozenset[Worker[Any]]:
        """Return the workers that have a dialog open or may open one."""
        return frozenset(worker for worker in self.context.dialog_workers if not worker.is_finished)

    @contextlib.contextmanager
    def suspend(self) -> Iterator[None]:
        """Lend the terminal to another program: draw nothing, and survive its ctrl+c."""
        with super().suspend(), self.batch_update():
            former = signal.signal(signal.SIGINT, lambda *_: None)  # not inherited by a started program
            self._suspended = True
            self._asked.update(self._asking())
            try:
                yield
            finally:
                self._suspended = False
                signal.signal(signal.SIGINT, former)
