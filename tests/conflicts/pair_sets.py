"""Labelled pairs in tables: people for fitting, two held out, and the memories of whole lives.

`pairs_held.tsv` may be measured once at a time, and only as figures: who reads it can no longer be measured by it.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from store.model import Relation

FOLDER = Path(__file__).parent
FITTED = ("tune", "more", "plans", "days", "flat", "projects")
NEAR = 0.4
"""Minimum cosine for two memories of a life to be candidates for comparison."""
APART = frozenset({"carer", "esl", "goldsmith", "immigr", "mlops", "ops", "teen", "uxer"})
"""Eight of `lives_chats.tsv` that the classifier was not fitted on: they show how far to trust its predictions."""
_LETTERS = {"u": Relation.UPDATE, "c": Relation.CONTRADICTION, "d": Relation.DUPLICATE, "b": Relation.COEXIST}


@dataclass(frozen=True, slots=True)
class PersonPair:
    """Two statements of a person and their relation. Times are microseconds, or None."""

    person: str
    relation: Relation
    a: str
    b: str
    a_at: int | None
    b_at: int | None

    @property
    def opposed(self) -> bool:
        """True if one replaces or contradicts the other."""
        return self.relation in (Relation.UPDATE, Relation.CONTRADICTION)


@dataclass(frozen=True, slots=True)
class Life:
    """A person's memories in order, with times, and the relations of pairs by index; None marks a pair to ignore."""

    person: str
    texts: list[str]
    times: list[int]
    relations: dict[tuple[int, int], Relation | None]

    def pair(self, one: int, other: int, relation: Relation) -> PersonPair:
        """Return two memories, by index, as a pair."""
        return PersonPair(self.person, relation, self.texts[one], self.texts[other], self.times[one], self.times[other])


def people(name: str) -> list[PersonPair]:
    """Return the pairs of `pairs_{name}.tsv`, or the labelled pairs of lives in `{name}.tsv`.

    For pairs, `name` is one of `FITTED`, or "held".
    """
    if name.startswith("lives"):
        return [
            life.pair(one, other, relation)
            for life in lives(name)
            for (one, other), relation in life.relations.items()
            if relation is not None
        ]
    return [
        PersonPair(person, Relation(relation), a, b, instant(a_day), instant(b_day))
        for person, relation, a_day, b_day, a, b, *_ in rows(FOLDER / f"pairs_{name}.tsv")
    ]


def lives(name: str) -> list[Life]:
    """Return the lives of `{name}.tsv`: "lives" of projects, "lives_chats" of whole chats, or "lives_held".

    Those of "lives_everyday" are short, with hard pairs on purpose; those of "lives_typed" and "lives_spoken" are long
    and terse, as people type and dictate. Nothing is fitted on files whose name ends in "_held".
    """
    found: dict[str, Life] = {}
    for person, day, said, text in rows(FOLDER / f"{name}.tsv"):
        life = found.setdefault(person, Life(person, [], [], {}))
        here = len(life.texts)
        life.texts.append(text)
        life.times.append(instant(day) or 0)
        for one in said.split():
            life.relations[int(one[1:]) - 1, here] = _LETTERS.get(one[0])
    return list(found.values())


def rows(file: Path) -> list[list[str]]:
    """Return the rows of a table, without its comments."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def instant(day: str) -> int | None:
    """Return the midnight that begins a day, in microseconds, or None for an empty string."""
    return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()) * 1_000_000 if day else None
