"""Policy for verdicts of the rules: pairs that become alerts, and pairs that may be merged automatically.

Alerts that an import raises as it admits memories, by features alone, last only if the scan at its end confirms them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from curator import models
from curator.compare import Comparison, Guard, PairPrediction, Verdict, compare, differences, relate
from curator.config import settings
from curator.text import jaccard, plain_words, tokens
from curator.text.dates import comparable
from store import Store, Writer
from store.model import Relation

if TYPE_CHECKING:
    from curator.models.classifier import Classifier

RULES = "rules/14"
"""Version of the rules; increment it with every change of their results. A new version compares every memory again."""
_AT_ONCE = 64
"""Pairs classified between two calls of `rest`: a fifth of a second."""
SHARED = 0.65
"""Minimum share of common words for an automatic merge: one more detail is not a repetition."""
_MORE = frozenset({Guard.NUMBER, Guard.DATE, Guard.UNIT})
_ROLES = frozenset("about by for from into to with".split())  # words that assign roles: to Rome, from Rome
_SELF = {"i": "i", "we": "i", "me": "me", "us": "me", "my": "my", "our": "my", "mine": "my", "ours": "my"}
_OPPOSED = (Relation.CONTRADICTION, Relation.UPDATE)
NeighbourDensity = Callable[[int, int], float]
"""Logarithm of the number of memories near to two, given by id; see `Candidates.neighbour_density`."""


@dataclass(frozen=True, slots=True)
class MemoryText:
    """One side of a pair: the memory, its text and content key, and when it was said."""

    memory: int
    words: str
    key: str
    said_at: int | None


@dataclass(frozen=True, slots=True)
class PairFinding:
    """Two memories for a person to review. `a` was said first.

    With `same`, they may be merged automatically: the words are equal or nearly so, and nothing relevant differs.
    """

    a: MemoryText
    b: MemoryText
    relation: Relation
    score: float
    reasons: tuple[str, ...]
    cosine: float | None
    same: bool


def rules() -> str:
    """Return the label of compared memories: the version of the rules, and whether classifier and model are used."""
    return f"{judge()} before a model" if settings().ollama.model else judge()


def judge() -> str:
    """Return the judge of the alerts raised here: the version of the rules, and whether it had no classifier."""
    return RULES if models.can_classify() else f"{RULES} by signs"


class PairClassifier:
    """The classifier of pairs, as a `curator.compare.PairPredictor`; twice as fast for many pairs at once."""

    def __init__(self, model: "Classifier") -> None:
        self._model = model

    def __call__(self, first: str, second: str) -> PairPrediction:
        return self.predict_many([(first, second)])[0]

    def predict_many(self, pairs: Sequence[tuple[str, str]]) -> list[PairPrediction]:
        """Return the predictions of pairs, each with the earlier text first."""
        return [PairPrediction(*chances) for chances in self._model.chances(pairs).tolist()]


def pair_classifier() -> PairClassifier | None:
    """Return the classifier of pairs; None if pairs are compared by their features only."""
    model = models.load_classifier("pairs")
    return None if model is None else PairClassifier(model)


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
    one: MemoryText,
    other: MemoryText,
    cosine: float | None,
    neighbour_density: NeighbourDensity | None = None,
    classifier: PairClassifier | None = None,
) -> PairFinding | None:
    """Return the finding about two memories, or None."""
    return find_all([(one, other, cosine)], neighbour_density, classifier)[0]


def find_all(
    pairs: Sequence[tuple[MemoryText, MemoryText, float | None]],
    neighbour_density: NeighbourDensity | None,
    classifier: PairClassifier | None,
    rest: Callable[[], None] = lambda: None,
) -> list[PairFinding | None]:
    """Return the finding about each pair, or None; `rest` is called between small pieces of work.

    `neighbour_density` is computed for every pair that may be classified; without a classifier, only for findings.
    """
    compared: list[tuple[MemoryText, MemoryText, float | None, tuple[int, int] | None, Comparison]] = []
    for one, other, cosine in pairs:
        rest()
        a, b = sorted((one, other), key=lambda text: (text.said_at is not None, text.said_at or 0, text.memory))
        said = None if a.said_at is None or b.said_at is None else (a.said_at, b.said_at)
        near = (
            None
            if neighbour_density is None
            else neighbour_density(a.memory, b.memory)
            if classifier is not None
            else 0.0
        )
        compared.append((a, b, cosine, said, compare(a.words, b.words, cosine, said, near)))
    predictions: dict[tuple[str, str], PairPrediction] = {}
    if classifier is not None:
        asked = list(dict.fromkeys(found.undecided for *_, found in compared if found.undecided is not None))
        for at in range(0, len(asked), _AT_ONCE):
            rest()
            predictions.update(
                zip(asked[at : at + _AT_ONCE], classifier.predict_many(asked[at : at + _AT_ONCE]), strict=True)
            )
    findings: list[PairFinding | None] = []
    for a, b, cosine, said, found in compared:
        verdict = found.verdict(None if found.undecided is None else predictions.get(found.undecided))
        if classifier is None and neighbour_density is not None and worth(verdict) is not None:
            verdict = relate(a.words, b.words, cosine, said, neighbour_density(a.memory, b.memory))
        shown, left, right = worth(verdict), tokens(a.words), tokens(b.words)
        # "my sister …", "my brother …": what the rules tell apart by a word of each is no repetition
        apart = verdict.relation is Relation.COEXIST and left - right and right - left
        if shown is None or (shown[0] is Relation.DUPLICATE and apart):
            findings.append(None)
        else:
            alike = same(a.words, b.words, verdict, cosine)
            findings.append(PairFinding(a, b, *shown, verdict.reasons, cosine, alike))
    return findings


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


def raise_finding(store: Store, writer: Writer, finding: PairFinding, by: str) -> bool:
    """Store a finding of a `judge` as an alert; return whether it is newly open."""
    return store.alerts.put(
        writer,
        finding.a.memory,
        finding.b.memory,
        finding.relation,
        finding.score,
        finding.reasons,
        judge=by,
        cosine=finding.cosine,
        keys=(finding.a.key, finding.b.key),
    )
