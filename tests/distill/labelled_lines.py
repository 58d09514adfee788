"""Labelled lines of coding sessions, and how well the rules do on them."""

from dataclasses import dataclass, replace
from pathlib import Path

from curator.distill.candidate import Distilled
from curator.distill.rules import distil
from curator.distill.scores.chats import SentenceClassifier
from factories import TURN
from store.model import Conversation

AGENT = Conversation(
    id=1, source="claude_code", external_id=None, title=None, created_at=None, project="shop", agent=True
)
LASTING = ("order", "fact")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a session; `label` is one of `LASTING`, or "-" for a passing one."""

    session: str
    half: str  # tune or held
    label: str
    text: str

    @property
    def lasts(self) -> bool:
        return self.label in LASTING


def lines() -> list[Line]:
    """Return all lines, in order."""
    found: list[Line] = []
    half = session = ""
    for row in Path(__file__).with_name("session_lines.tsv").read_text("utf-8").splitlines():
        if row.startswith("## "):
            _, half, session = row.split(" ", 2)
        elif row and not row.startswith("#"):
            found.append(Line(session, half, *row.split("\t")))
    return found


def typed(*texts: str, classifier: SentenceClassifier | None = None) -> Distilled:
    """Distil a session in which the person types these messages."""
    said = [
        replace(TURN, id=number, ordinal=number, text=text, created_at=None) for number, text in enumerate(texts, 1)
    ]
    return distil(AGENT, said, classifier=classifier)


def figures(judged: list[tuple[Line, bool]]) -> tuple[float, float, float]:
    """Return precision, recall, and the recall of orders, given for each line whether the rules keep it."""
    kept = [line.lasts for line, keeps in judged if keeps]
    lasting = [keeps for line, keeps in judged if line.lasts]
    orders = [keeps for line, keeps in judged if line.label == "order"]
    return sum(kept) / max(1, len(kept)), sum(lasting) / max(1, len(lasting)), sum(orders) / max(1, len(orders))
