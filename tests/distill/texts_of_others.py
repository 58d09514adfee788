"""Labelled conversations about other people's texts, and how much of them becomes memories; half of them held out."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from curator.distill.candidate import Candidate
from curator.distill.rules import distil
from curator.distill.scores.chats import SentenceClassifier
from factories import CHAT, TURN
from store.model import Role, Tier

HALVES = ("tune", "held")
"""The first half is for making rules, the second for measuring only."""


@dataclass(frozen=True)
class Talk:
    shape: str  # profile, letter, rules, torn, role, joke; or near: all is the person's own
    messages: tuple[tuple[str, str], ...]  # role and text
    never: tuple[str, ...]  # others' words, fragments, jokes: must not become memories
    once: tuple[str, ...]  # orders for one occasion: must be neither core nor always given
    stay: tuple[str, ...]  # the person's statements: must be kept


@dataclass(frozen=True)
class Figures:
    """Sentences that were wrongly kept or lost, with the total of each kind."""

    taken: tuple[str, ...] = ()  # others' words that were kept
    taken_always: tuple[str, ...] = ()  # those of them that are always given
    lasting: tuple[str, ...] = ()  # orders for one occasion that were kept
    lasting_core: tuple[str, ...] = ()  # those of them that are core or always given
    lost: tuple[str, ...] = ()  # statements of the person that were not kept
    near_lost: tuple[str, ...] = ()  # the same in near misses
    foreign: int = 0
    once: int = 0
    own: int = 0
    near: int = 0

    def __add__(self, other: "Figures") -> "Figures":
        return Figures(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))


def conversations(half: str) -> list[Talk]:
    """Return the conversations of a half."""
    rows = map(json.loads, (Path(__file__).parent / "texts_of_others.jsonl").read_text("utf-8").splitlines())
    return [
        Talk(
            row["shape"], tuple(map(tuple, row["messages"])), *(tuple(row[name]) for name in ("never", "once", "stay"))
        )
        for row in rows
        if row["half"] == half
    ]


def figures(talk: Talk, classifier: SentenceClassifier | None) -> Figures:
    """Compare what the distiller keeps of a conversation with its labels."""
    turns = [
        replace(TURN, id=at, ordinal=at, role=Role(role), text=text, created_at=None)
        for at, (role, text) in enumerate(talk.messages, 1)
    ]
    found = distil(CHAT, turns, classifier=classifier, limit=30).candidates
    core = [one for one in found if one.always or one.tier is Tier.CORE]
    near = talk.shape == "near"
    lost = tuple(said for said in talk.stay if not _kept(talk, said, found))
    return Figures(
        taken=tuple(said for said in talk.never if _kept(talk, said, found)),
        taken_always=tuple(said for said in talk.never if _kept(talk, said, [one for one in found if one.always])),
        lasting=tuple(said for said in talk.once if _kept(talk, said, found)),
        lasting_core=tuple(said for said in talk.once if _kept(talk, said, core)),
        lost=() if near else lost,
        near_lost=lost if near else (),
        foreign=len(talk.never),
        once=len(talk.once),
        own=0 if near else len(talk.stay),
        near=len(talk.stay) if near else 0,
    )


def _kept(talk: Talk, said: str, found: Sequence[Candidate]) -> bool:
    """Return True if a candidate covers half of the sentence `said`, or half of a candidate lies in it."""
    for at, (role, text) in enumerate(talk.messages, 1):
        start = text.find(said) if role == "user" else -1
        for one in found if start >= 0 else ():
            shared = min(one.end, start + len(said)) - max(one.start, start)
            if one.message == at and 2 * shared >= min(one.end - one.start, len(said)):
                return True
    return False
