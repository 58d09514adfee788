"""Messages of a view to the main screen, and targets that views are opened at."""

from dataclasses import dataclass
from enum import StrEnum

from textual.message import Message


class Tone(StrEnum):
    """The colour of a status message; its words carry the meaning too."""

    PLAIN = "$text"
    GOOD = "$good"
    BAD = "$bad"


@dataclass
class StatusMessage(Message):
    """Text for the status bar; `hint` is a key and its label. With `undo`, the undo key is shown too."""

    text: str
    tone: Tone = Tone.PLAIN
    hint: str = ""
    undo: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """The place that a view is opened at: a filter, a memory, a message with a span of it, or memories by ID.

    `title` describes those memories, and those in `marked` are marked. With `returns`, esc leads back to the previous
    view.
    """

    terms: str | None = None
    memory: int | None = None
    message: int | None = None
    span: tuple[int, int] | None = None
    memories: tuple[int, ...] = ()
    title: str = ""
    marked: tuple[int, ...] = ()
    returns: bool = False


@dataclass
class OpenView(Message):
    """A request to open another view."""

    view: str
    target: Target


class Back(Message):
    """A request to return to the previous view."""
