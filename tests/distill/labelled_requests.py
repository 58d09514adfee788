"""Messages to a coding agent with a request to remember or a standing order, and near misses."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from labelled_lines import typed

from curator.distill.scores.chats import SentenceClassifier

HALVES = ("tune", "held")
FILES = ("session_requests.txt", "session_requests_second.txt")
ASKED = 10
"""Importance of memories that the person asked to keep."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A message; characters `start` to `end` are what is to be kept of it, none of a near miss."""

    label: str  # request, order or "-"
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Kept:
    """Treatment of a message by the distiller."""

    message: Asked
    found: bool  # candidates hold most of what is to be kept
    asked: bool  # some candidate is an order or was asked for
    texts: tuple[str, ...]

    @property
    def right(self) -> bool:
        return not self.asked if self.message.label == "-" else self.found


def messages(half: str, file: str = FILES[0]) -> list[Asked]:
    """Return the messages of a half: even rows for tuning, odd ones as proof."""
    rows = Path(__file__).with_name(file).read_text("utf-8").splitlines()
    found = []
    for row in [row for row in rows if row and not row.startswith("#")][HALVES.index(half) :: 2]:
        label, text = row.replace("\\n", "\n").split("\t")
        before, _, rest = text.partition("[[")
        span, _, after = rest.partition("]]")
        found.append(Asked(label, before + span + after, len(before), len(before + span)))
    return found


def kept(half: str, classifier: SentenceClassifier | None = None, file: str = FILES[0]) -> list[Kept]:
    """Distil each message of a half as a session of its own."""
    found = []
    for message in messages(half, file):
        candidates = typed(message.text, classifier=classifier).candidates
        said = {at for one in candidates for at in range(max(one.start, message.start), min(one.end, message.end))}
        asked = any(one.standing or one.importance == ASKED for one in candidates)
        held = message.label != "-" and len(said) >= 0.8 * (message.end - message.start)
        found.append(Kept(message, held, asked, tuple(one.text for one in candidates)))
    return found


def share(kept: Sequence[Kept], label: str) -> float:
    """Return the share of messages with this label that are kept; of near misses, of those taken for one that asks."""
    of_label = [one for one in kept if one.message.label == label]
    return sum(one.asked if label == "-" else one.found for one in of_label) / len(of_label)
