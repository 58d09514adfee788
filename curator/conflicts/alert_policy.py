"""Policy on verdicts of the rules: which become an alert, and which pairs may be merged without a person.

An import and the scan of all memories ask the same functions, so that they agree.
"""

from dataclasses import dataclass

from curator.compare import Guard, Verdict, differences, relate
from curator.config import settings
from curator.text import jaccard, plain_words, tokens
from store import Store, Writer
from store.model import Relation

RULES = "rules/4"
"""The version of the rules. With another one every memory is compared again: to be changed with what they say."""
SHARED = 0.65
"""Least share of words in common with which two texts become one by themselves: a detail more is no repetition."""
_MORE = frozenset({Guard.NUMBER, Guard.DATE, Guard.UNIT})
_ROLES = frozenset("about by for from into to with".split())  # who or what has which part in it: to Rome, from Rome
_SELF = {"i": "i", "we": "i", "me": "me", "us": "me", "my": "my", "our": "my", "mine": "my", "ours": "my"}
_OPPOSED = (Relation.CONTRADICTION, Relation.UPDATE)


@dataclass(frozen=True, slots=True)
class Text:
    """One side of a pair: its memory, the words, their content key, and when it was said."""

    memory: int
    words: str
    key: str
    said_at: int | None


@dataclass(frozen=True, slots=True)
class Finding:
    """Two memories that a person should look at. `a` was said first.

    With `same` a machine may merge them: they say so in the same words, or nearly, and nothing differs that counts.
    """

    a: Text
    b: Text
    relation: Relation
    score: float
    reasons: tuple[str, ...]
    cosine: float | None
    same: bool


def rules() -> str:
    """Return the label of compared memories: the version of the rules, and whether a model comes after."""
    return f"{RULES} before a model" if settings().ollama.model else RULES


def worth(verdict: Verdict) -> tuple[Relation, float] | None:
    """Return the relation and score with which a verdict becomes an alert, or None.

    What the rules leave open, or have mere signs of, is kept only where there is a model to ask.
    """
    limits = settings().conflicts
    opposed = verdict.relation in _OPPOSED
    if opposed and verdict.firm and verdict.conflict_score >= limits.conflict:
        return verdict.relation, verdict.conflict_score
    alike = verdict.relation in (Relation.DUPLICATE, Relation.UNSURE)
    if alike and verdict.duplicate_score >= limits.duplicate:
        return Relation.DUPLICATE, verdict.duplicate_score
    score = max(verdict.duplicate_score, verdict.conflict_score)
    if (verdict.relation is Relation.UNSURE or opposed) and settings().ollama.model and score >= limits.unsure:
        return Relation.UNSURE, score
    return None


def find(one: Text, other: Text, cosine: float | None) -> Finding | None:
    """Return the finding of the rules about two memories, or None."""
    a, b = sorted((one, other), key=lambda text: (text.said_at is not None, text.said_at or 0, text.memory))
    said = None if a.said_at is None or b.said_at is None else (a.said_at, b.said_at)
    verdict = relate(a.words, b.words, cosine, said)
    found = worth(verdict)
    if found is None:
        return None
    return Finding(a, b, *found, verdict.reasons, cosine, same(a.words, b.words, verdict, cosine))


def same(a: str, b: str, verdict: Verdict, cosine: float | None) -> bool:
    """Return whether two texts may become one without a person.

    Equal in normal form; or as near as the settings say, by rule a duplicate, without any difference that a guard
    sees, with most of the words in common, and neither with a word that counts in the place of another's.
    """
    if plain_words(a) == plain_words(b):
        return True
    near = cosine is not None and cosine >= settings().conflicts.merge_cosine
    left, right = _counted(a), _counted(b)
    replaced = bool(left - right and right - left) or jaccard(tokens(a), tokens(b)) < SHARED
    return near and verdict.relation is Relation.DUPLICATE and not replaced and not differences(a, b)


def covered(known: str, new: str, verdict: Verdict) -> bool:
    """Return whether a text adds nothing to a known one: no word that counts, and nothing that differs.

    A number, date or unit that only the known one has is no difference here.
    """
    if verdict.relation not in (Relation.DUPLICATE, Relation.UNSURE) or _counted(new) - _counted(known):
        return False
    if {_SELF.get(word) for word in plain_words(new)} - {_SELF.get(word) for word in plain_words(known)} - {None}:
        return False  # what Tom rides, and what I ride
    return all(one.guard in _MORE and not one.b for one in differences(known, new))


def _counted(text: str) -> frozenset[str]:
    return tokens(text) | _ROLES.intersection(plain_words(text))


def raise_finding(store: Store, writer: Writer, finding: Finding) -> bool:
    """Store a finding as an alert; return whether that is open now and was not before."""
    return store.alerts.put(
        writer,
        finding.a.memory,
        finding.b.memory,
        finding.relation,
        finding.score,
        finding.reasons,
        judge=RULES,
        cosine=finding.cosine,
        keys=(finding.a.key, finding.b.key),
    )
