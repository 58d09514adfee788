"""Errors of models. Every message names the thing, the place and the remedy.

A server that is not there is nobody's fault and is waited for (`Offline`); what a call came to may be tried again, and
counts against the item it was made for (`CallFailed`).
"""

from curator.errors import ModelError


class ModelMissing(ModelError):
    """The model cannot be used here as things are: not set up, or nothing on this machine can run it."""


class FetchFailed(ModelError):
    """Weights could not be brought into the cache; what was there before is untouched."""


class NotAllowed(ModelError):
    """Text would leave this machine, and no setting that names the host or the model says it may."""


class Offline(ModelError):
    """The server cannot be reached, or has gone away in the middle of a call."""


class Busy(Offline):
    """The server takes no more calls at the moment."""


class CallFailed(ModelError):
    """A call reached the server and came to nothing. `reply` is what came, as far as it came."""

    def __init__(self, message: str, reply: str = "") -> None:
        super().__init__(message)
        self.reply = reply


class ServerFailed(CallFailed):
    """The server said that it failed: out of memory, a crash, a schema it cannot compile."""


class TimedOut(CallFailed):
    """Nothing came for too long: no first word, a stall in the middle, or the whole call."""


class BadReply(CallFailed):
    """What came is no answer: no JSON, no end, not what the schema says, or nothing."""


class CutShort(BadReply):
    """The answer was longer than it may be, and ends in the middle."""


class TooLong(CallFailed):
    """The prompt does not fit into the model's context, or was cut by the server without a word."""
