"""Messages on their way: exceptions are reported, and what was typed ahead waits for the dialog that it is meant for.

Textual ends the message loop of a widget in which a handler raised, and with it the app. Here the exception is
reported, and the widget takes its next message. `_dispatch_message` is the one place where that can be done; the
version of Textual is pinned, and a test holds that it still works.
"""

import asyncio
import contextlib
import signal
from collections.abc import Iterator, Mapping
from time import monotonic
from typing import Any

from textual.actions import ActionParseResult
from textual.app import App
from textual.dom import DOMNode
from textual.events import Compose, Event, InputEvent, Key, Mount, ScreenResume
from textual.message import Message
from textual.message_pump import MessagePump
from textual.widgets import Button, Input, OptionList
from textual.worker import Worker

from curator.tui.context import AppContext

_ANSWERS = (InputEvent, Input.Changed, Input.Submitted, Button.Pressed, OptionList.OptionSelected)
_LONGEST = 1.0  # seconds a key waits at most for the dialog it is for


class ErrorBoundary(MessagePump):
    """To be mixed into a widget, a screen or the app, before Textual's class."""

    async def _dispatch_message(self, message: Message) -> None:
        try:
            await super()._dispatch_message(message)
        except Exception as error:
            app = self.app
            if isinstance(message, Compose | Mount) or not isinstance(app, SteadyApp):
                raise  # what was never there cannot go on
            app.report(error)


class ModalDialog(ErrorBoundary):
    """A mixin for screens that ignore answers which were on their way when the screen was left."""

    since = 0.0  # when it came to the top, by the clock that messages have

    async def ready(self) -> None:
        """Wait until the screen is there, with the focus where it belongs: before, it has no widgets to take keys."""
        ends = monotonic() + _LONGEST
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


class SteadyApp(ErrorBoundary, App[str | None], inherit_bindings=False):
    """An app that goes on after an exception, and takes no key before the dialog that it is meant for is there."""

    context: AppContext
    _lent = False  # whether another program has the terminal
    _opened: frozenset[Worker[Any]] = frozenset()  # workers whose dialog has come

    def report(self, error: BaseException) -> None:
        """Show an exception."""
        raise NotImplementedError

    async def run_action(
        self,
        action: "str | ActionParseResult",
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Run an action; one that fails is reported and does not end the app."""
        try:
            return await super().run_action(action, default_namespace, namespaces)
        except Exception as error:
            self.report(error)
            return True

    async def on_event(self, event: Event) -> None:
        """Hold back typed keys for the dialog that the key before has opened, so that they cannot reach the list."""
        if isinstance(event, InputEvent):
            self.context.idle_gate.key_pressed()
            await self._dialog_opened()
            if self._lent:
                return  # it was typed for what has the terminal by now
            top = self.screen
            if (
                isinstance(event, Key)
                and event.is_forwarded
                and isinstance(top, ModalDialog)
                and event.time < top.since
            ):
                event = Key(event.key, event.character)  # it went to what is below, and has come back from there
        await super().on_event(event)

    async def _dialog_opened(self) -> None:
        """Wait until a dialog that is being opened is there."""
        ends = monotonic() + _LONGEST
        while True:
            top = self.screen
            asking = frozenset(
                worker for worker in self.workers if worker.group.endswith("asking") and not worker.is_finished
            )
            if isinstance(top, ModalDialog):
                await top.ready()
                self._opened = asking
            if asking <= self._opened or monotonic() > ends:
                self._opened = asking
                return
            await asyncio.sleep(0.001)

    @contextlib.contextmanager
    def suspend(self) -> Iterator[None]:
        """Lend the terminal: nothing is drawn on it, and a ctrl+c in the other program does not end this one."""
        with super().suspend(), self.batch_update():
            former = signal.signal(signal.SIGINT, lambda *_: None)  # which a program that is started does not inherit
            self._lent = True
            try:
                yield
            finally:
                self._lent = False
                signal.signal(signal.SIGINT, former)
