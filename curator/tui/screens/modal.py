"""What every screen has that is laid over another: it is answered once, however fast or often that is asked.

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
    """To be mixed into a screen: an answer that was on its way when the screen was left is none."""

    since = 0.0  # when it was laid over the others, by the clock that messages have

    async def ready(self) -> None:
        """Wait until it is there, with the focus where it belongs."""
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


class Layer(ModalDialog, ModalScreen[ScreenResultType]):
    """A question or a page over the screen."""

    _answer: tuple[ScreenResultType | None] | None = None  # what came while another layer was over this one

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Leave, unless that was done; below another layer, as soon as that is gone."""
        if self.is_active:
            return super().dismiss(result)
        if self in self.app.screen_stack:
            self._answer = (result,)
        return AwaitComplete()

    def on_screen_resume(self) -> None:
        """Leave now what was answered below."""
        if self._answer is not None:
            self.dismiss(*self._answer)
