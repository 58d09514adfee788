"""Continuing after an exception in a message handler.

Textual ends the message loop of a widget in which a handler raised, and with it the app. Here the exception is
reported, and the widget takes its next message. `_dispatch_message` is the one place where that can be done; the
version of Textual is pinned, and a test holds that it still works.
"""

from typing import Protocol, runtime_checkable

from textual.events import Compose, Mount
from textual.message import Message
from textual.message_pump import MessagePump


@runtime_checkable
class Reporting(Protocol):
    """An app that can show an exception."""

    def report(self, error: BaseException) -> None:
        """Show an exception."""


class ErrorBoundary(MessagePump):
    """To be mixed into a widget, a screen or the app, before Textual's class."""

    async def _dispatch_message(self, message: Message) -> None:
        try:
            await super()._dispatch_message(message)
        except Exception as error:
            app = self.app
            if isinstance(message, Compose | Mount) or not isinstance(app, Reporting):
                raise  # what was never there cannot go on
            app.report(error)
