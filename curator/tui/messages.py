"""Messages from views to the main screen, and the targets at which views open."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from textual.message import Message


class Tone(StrEnum):
    """Colour of a status message; its words have the same meaning."""

    PLAIN = "$text"
    GOOD = "$good"
    BAD = "$bad"


@dataclass
class StatusMessage(Message):
    """Text for the status bar; `hint` is a key and its label. With `undo`, the undo key is shown too.

    The status is dropped when another view is opened, or once `holds` is False; with `undo`, it then loses only its
    hint. With `hint_first`, the undo key is shown only after that.
    """

    text: str
    tone: Tone = Tone.PLAIN
    hint: str = ""
    undo: bool = False
    hint_first: bool = False
    holds: Callable[[], bool] = lambda: True


def unchanged(state: Callable[[], object]) -> Callable[[], bool]:
    """Return a function that is True as long as `state` returns its current value."""
    former = state()
    return lambda: state() == former


@dataclass(frozen=True, slots=True)
class Target:
    """Place at which a view opens: a filter, a memory, a span of a message, or memories by ID.

    `title` describes these memories; those in `marked` are marked. `status` is shown, with a `hint`, until other
    memories are listed or (with `marked`) marked. With `returns`, esc returns to the previous view.
    """

    terms: str | None = None
    memory_id: int | None = None
    message_id: int | None = None
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
