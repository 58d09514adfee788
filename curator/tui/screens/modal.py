"""The base of dialogs: each is answered once, however fast or often keys come.

Textual takes away whatever screen is on top when one is dismissed, be it another; and it gives keys to a screen that
has no widgets yet.
"""

import asyncio
from time import monotonic

from textual.await_complete import AwaitComplete
from textual.events import InputEvent, ScreenResume
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import ModalScreen, ScreenResultType
from textual.widgets import Button, Input, OptionList

from curator.tui.error_boundary import ErrorBoundary

_ANSWERS = (InputEvent, Input.Changed, Input.Submitted, Button.Pressed, OptionList.OptionSelected)
_LONG = 1.0  # seconds a key waits at most for the screen it is for


class ModalDialog(ErrorBoundary):
    """A mixin for screens that ignore answers which were on their way when the screen was left."""

    since = 0.0  # when it came to the top, by the clock that messages have

    async def ready(self) -> None:
        """Wait until the screen is there, with the focus where it belongs."""
        ends = monotonic() + _LONG
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


class Dialog(ModalDialog, ModalScreen[ScreenResultType]):
    """A question or a page over the main screen."""

    _answer: tuple[ScreenResultType | None] | None = None  # given while another dialog was over this one

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Close, unless already closed; below another dialog, as soon as that has closed."""
        if self.is_active:
            return super().dismiss(result)
        if self in self.app.screen_stack:
            self._answer = (result,)
        return AwaitComplete()

    def on_screen_resume(self) -> None:
        """Close now if the answer came while another dialog was on top."""
        if self._answer is not None:
            self.dismiss(*self._answer)

    def action_leave(self) -> None:
        """Cancel."""
        self.dismiss(None)
