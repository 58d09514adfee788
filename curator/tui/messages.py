"""Messages of a view to the main screen, and targets that views are opened at."""

from collections.abc import Callable
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
    """Text for the status bar; `hint` is a key and its label. With `undo`, the undo key is shown too.

    In another view, the status is dropped. Once `holds` is False too, but one with `undo` loses only its hint then.
    With `hint_first`, the undo key is shown only then.
    """

    text: str
    tone: Tone = Tone.PLAIN
    hint: str = ""
    undo: bool = False
    hint_first: bool = False
    holds: Callable[[], bool] = lambda: True


def unchanged(state: Callable[[], object]) -> Callable[[], bool]:
    """Return a function that is True while `state` returns what it does now."""
    former = state()
    return lambda: state() == former


@dataclass(frozen=True, slots=True)
class Target:
    """The place that a view is opened at: a filter, a memory, a message with a span of it, or memories by ID.

    `title` describes those memories, and those in `marked` are marked. `status` is shown, with a `hint`, until
    others are listed, or marked if some are. With `returns`, esc leads back to the previous view.
    """

    terms: str | None = None
    memory: int | None = None
    message: int | None = None
    span: tuple[int, int] | None = None
    memories: tuple[int, ...] = ()
    title: str = ""
    marked: tuple[int, ...] = ()
    status: str = ""
    hint: str = ""
    returns: bool = False


@dataclass
class OpenView(Message):
    """A request to open another view."""

    view: str
    target: Target


class Back(Message):
    """A request to return to the previous view."""
