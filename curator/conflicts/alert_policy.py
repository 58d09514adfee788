"""Policy for verdicts of the rules: which become alerts, and which pairs may be merged automatically.

An import and a scan of all memories use the same functions, so that they agree.
"""

from collections.abc import Callable
from dataclasses import dataclass

from curator import models
from curator.compare import Guard, Reader, Reading, Verdict, differences, relate
from curator.config import settings
from curator.text import jaccard, plain_words, tokens
from curator.text.dates import comparable
from store import Store, Writer
from store.model import Relation

RULES = "rules/7"
"""Version of the rules; increment it with every change of their results. A new version compares every memory again."""
SHARED = 0.65
"""Minimum share of common words for an automatic merge: one more detail is not a repetition."""
_MORE = frozenset({Guard.NUMBER, Guard.DATE, Guard.UNIT})
_ROLES = frozenset("about by for from into to with".split())  # words that assign roles: to Rome, from Rome
_SELF = {"i": "i", "we": "i", "me": "me", "us": "me", "my": "my", "our": "my", "mine": "my", "ours": "my"}
_OPPOSED = (Relation.CONTRADICTION, Relation.UPDATE)
Crowd = Callable[[int, int], float]
"""Number of memories near to two of them, by their numbers; see `Candidates.crowd`."""


@dataclass(frozen=True, slots=True)
class Text:
    """One side of a pair: the memory, its text and content key, and when it was said."""

    memory: int
    words: str
    key: str
    said_at: int | None


@dataclass(frozen=True, slots=True)
class Finding:
    """Two memories for a person to review. `a` was said first.

    With `same`, they may be merged automatically: the words are equal or nearly so, and nothing relevant differs.
    """

    a: Text
    b: Text
    relation: Relation
    score: float
    reasons: tuple[str, ...]
    cosine: float | None
    same: bool


def rules() -> str:
    """Return the label of compared memories: the version of the rules, if pairs are read, and if a model follows."""
    return f"{judge()} before a model" if settings().ollama.model else judge()


def judge() -> str:
    """Return the judge of the alerts raised here: the version of the rules, and if pairs are not read."""
    return RULES if models.can_classify() else f"{RULES} by signs"


def pair_reader() -> Reader | None:
    """Return the classifier of pairs; None if pairs are compared by their signs only."""
    model = models.load_classifier("pairs")
    if model is None:
        return None
    return lambda first, second: Reading(*model.chances([(first, second)])[0].tolist())


def worth(verdict: Verdict) -> tuple[Relation, float] | None:
    """Return the relation and score with which a verdict becomes an alert, or None.

    Undecided pairs, and pairs with only weak signs, become alerts only if there is a model to judge them.
    """
    limits = settings().conflicts
    opposed = verdict.relation in _OPPOSED
    if opposed and verdict.conflict_score >= limits.conflict:
        return verdict.relation, verdict.conflict_score
    if not opposed and verdict.repeat_score >= limits.duplicate:
        return Relation.DUPLICATE, verdict.repeat_score
    score = max(verdict.duplicate_score, verdict.conflict_score)
    if (verdict.relation is Relation.UNSURE or opposed) and settings().ollama.model and score >= limits.unsure:
        return Relation.UNSURE, score
    return None


def find(
    one: Text, other: Text, cosine: float | None, crowd: Crowd | None = None, reader: Reader | None = None
) -> Finding | None:
    """Return the finding about two memories, or None. Without a reader, `crowd` is asked only if there would be one."""
    a, b = sorted((one, other), key=lambda text: (text.said_at is not None, text.said_at or 0, text.memory))
    said = None if a.said_at is None or b.said_at is None else (a.said_at, b.said_at)
    near = crowd(a.memory, b.memory) if crowd is not None and reader is not None else 0.0  # or most would be read
    verdict = relate(a.words, b.words, cosine, said, near, reader)
    found = worth(verdict)
    if found is not None and crowd is not None and reader is None:
        verdict = relate(a.words, b.words, cosine, said, crowd(a.memory, b.memory))
        found = worth(verdict)
    left, right = tokens(a.words), tokens(b.words)
    if found is None or (
        # "my sister …", "my brother …": what the rules tell apart by a word of each is no repetition
        found[0] is Relation.DUPLICATE and verdict.relation is Relation.COEXIST and left - right and right - left
    ):
        return None
    return Finding(a, b, *found, verdict.reasons, cosine, same(a.words, b.words, verdict, cosine))


def same(a: str, b: str, verdict: Verdict, cosine: float | None) -> bool:
    """Return whether two texts may be merged automatically.

    They must be equal in normal form; or similar enough by the settings, duplicates by rule, without any guard's
    difference, with most words in common, and without content words that replace each other.
    """
    a, b = comparable(a, b)
    if plain_words(a) == plain_words(b):
        return True
    near = cosine is not None and cosine >= settings().conflicts.merge_cosine
    left, right = _counted(a), _counted(b)
    replaced = bool(left - right and right - left) or jaccard(tokens(a), tokens(b)) < SHARED
    return near and verdict.relation is Relation.DUPLICATE and not replaced and not differences(a, b)


def covered(known: str, new: str, verdict: Verdict) -> bool:
    """Return whether a text adds nothing to a known one: no new content word, and no difference.

    A number, date or unit that only the known text has is not a difference.
    """
    if verdict.relation not in (Relation.DUPLICATE, Relation.UNSURE) or _counted(new) - _counted(known):
        return False
    if {_SELF.get(word) for word in plain_words(new)} - {_SELF.get(word) for word in plain_words(known)} - {None}:
        return False  # Tom's bike, and mine
    return all(one.guard in _MORE and not one.b for one in differences(known, new))


def _counted(text: str) -> frozenset[str]:
    return tokens(text) | _ROLES.intersection(plain_words(text))


def raise_finding(store: Store, writer: Writer, finding: Finding) -> bool:
    """Store a finding as an alert; return whether it is newly open."""
    return store.alerts.put(
        writer,
        finding.a.memory,
        finding.b.memory,
        finding.relation,
        finding.score,
        finding.reasons,
        judge=judge(),
        cosine=finding.cosine,
        keys=(finding.a.key, finding.b.key),
    )
