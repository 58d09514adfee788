"""Labelled messages with pasted text, and long messages entirely in the person's words; half of them held out."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

from curator.distill.rules import distil
from factories import CHAT, TURN


@dataclass(frozen=True)
class Turn:
    split: str  # tune: for making rules; held: for measuring only
    kind: str  # kind of pasted text, or "own"
    parts: tuple[tuple[str, str], ...]  # "own" or "paste", with the text
    said: tuple[str, ...]  # statements of the person that are worth a memory

    @property
    def text(self) -> str:
        return "\n\n".join(part for _, part in self.parts)


def turns() -> list[Turn]:
    rows = map(json.loads, (Path(__file__).parent / "pasted_messages.jsonl").read_text("utf-8").splitlines())
    return [Turn(row["split"], row["kind"], tuple(map(tuple, row["parts"])), tuple(row["said"])) for row in rows]


@dataclass(frozen=True)
class Outcome:
    """Result for a message: pasted statements that were admitted, own ones that were lost, and the number of each."""

    admitted: list[str]
    pasted: int
    lost: list[str]
    own: int


def outcome(turn: Turn) -> Outcome:
    message = replace(TURN, text=turn.text, created_at=None)
    found = [one.quote for one in distil(CHAT, [message], limit=30).candidates]
    paste = "\n".join(part for whose, part in turn.parts if whose == "paste")
    sentences = [one for line in paste.splitlines() for one in line.split(". ") if len(one.split()) > 3]
    return Outcome(
        [one for one in found if one in paste],
        len(sentences),
        [one for one in turn.said if not any(one in quote or quote in one for quote in found)],
        len(turn.said),
    )
