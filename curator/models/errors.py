"""Errors of models. Every message names the subject, the place and the remedy.

An unreachable server is waited for (`Offline`); a failed call (`CallFailed`) may be retried and counts against its
item.
"""

from curator.errors import ModelError


class ModelMissing(ModelError):
    """The model cannot be used here: not set up, or unsupported on this machine."""


class FetchFailed(ModelError):
    """Weights could not be fetched into the cache, which is unchanged."""


class NotAllowed(ModelError):
    """Text would leave this machine, and no setting allows the host or the model."""


class Offline(ModelError):
    """The server is unreachable, or disconnected during a call."""


class Busy(Offline):
    """The server is busy."""


class CallFailed(ModelError):
    """A call that reached the server and failed. `reply` is the text received so far."""

    def __init__(self, message: str, reply: str = "") -> None:
        super().__init__(message)
        self.reply = reply


class ServerFailed(CallFailed):
    """The server reported a failure: out of memory, a crash, a schema it cannot compile."""


class TimedOut(CallFailed):
    """A timeout: no first token, a stall, or the whole call."""


class BadReply(CallFailed):
    """The reply is no answer: not JSON, truncated, against the schema, or empty."""


class CutShort(BadReply):
    """The answer exceeded its token limit."""


class TooLong(CallFailed):
    """The prompt does not fit into the model's context, or the server truncated it silently."""
