"""Policy for verdicts of the rules: which pairs become alerts, and which may be merged automatically.

During an import, alerts are raised by features alone; the scan after the import confirms or withdraws them.
"""

import re
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

RULES = "rules/25"
"""Version of the rules, to be incremented when their results change: all memories are then compared again."""
_HE_OR_SHE = re.compile(r"(?:he|she)\b", re.IGNORECASE)
_AT_ONCE = 64
"""Pairs classified between two calls of `rest`; this many take a fifth of a second."""
MIN_SHARED_WORDS = 0.65
"""Minimum share of common words for an automatic merge, so that memories with additional details are kept."""
_MORE = frozenset({Guard.NUMBER, Guard.DATE, Guard.UNIT})
_ROLES = frozenset("about by for from into to with".split())  # words that assign roles: to Rome, from Rome
_SELF = {"i": "i", "we": "i", "me": "me", "us": "me", "my": "my", "our": "my", "mine": "my", "ours": "my"}
NeighbourDensity = Callable[[int, int], float]
"""Function of two memory ids; see `Candidates.neighbour_density`."""


@dataclass(frozen=True, slots=True)
class MemoryText:
    """One side of a pair: the memory, its text and content key, and when it was said."""

    memory: int
    words: str
    key: str
    said_at: int | None


@dataclass(frozen=True, slots=True)
class PairFinding:
    """A related pair of memories, of which `a` was said first.

    If `may_merge_texts` is True, they may be merged automatically; otherwise the person has to review them.
    """

    a: MemoryText
    b: MemoryText
    relation: Relation
    score: float
    reasons: tuple[str, ...]
    cosine: float | None
    same: bool


def rules_label() -> str:
    """Return the label stored with compared memories: the rules' version, and the use of classifier and model."""
    return f"{judge_name()} before a model" if settings().ollama.model else judge_name()


def judge_name() -> str:
    """Return the judge's name stored with alerts: the rules' version, and a mark if no classifier was used."""
    return RULES if models.can_classify() else f"{RULES} by signs"


class PairClassifier:
    """The pair classifier as a `curator.compare.PairPredictor`; batches of pairs are twice as fast."""

    def __init__(self, model: "Classifier") -> None:
        self._model = model

    def __call__(self, first: str, second: str) -> PairPrediction:
        return self.predict_many([(first, second)])[0]

    def predict_many(self, pairs: Sequence[tuple[str, str]]) -> list[PairPrediction]:
        """Return the predictions of pairs, each with the earlier text first."""
        return [PairPrediction(*chances) for chances in self._model.chances(pairs).tolist()]


def pair_classifier() -> PairClassifier | None:
    """Return the pair classifier, or None if it is not installed and pairs are compared by features only."""
    model = models.load_classifier("pairs")
    return None if model is None else PairClassifier(model)


def alert_for(verdict: Verdict) -> tuple[Relation, float] | None:
    """Return the relation and score of the alert that a verdict deserves, or None.

    Undecided pairs and pairs with weak signs only become alerts if a chat model is configured to judge them.
    """
    limits = settings().conflicts
    opposed = verdict.relation.is_opposed
    if opposed and verdict.conflict_score >= limits.conflict:
        return verdict.relation, verdict.conflict_score
    if not opposed and verdict.repeat_score >= limits.duplicate:
        return Relation.DUPLICATE, verdict.repeat_score
    score = max(verdict.duplicate_score, verdict.conflict_score)
    if (verdict.relation is Relation.UNSURE or opposed) and settings().ollama.model and score >= limits.unsure:
        return Relation.UNSURE, score
    return None


def find_relation(
    one: MemoryText,
    other: MemoryText,
    cosine: float | None,
    neighbour_density: NeighbourDensity | None = None,
    classifier: PairClassifier | None = None,
) -> PairFinding | None:
    """Return the finding about two memories, or None."""
    return find_relations([(one, other, cosine)], neighbour_density, classifier)[0]


def find_relations(
    pairs: Sequence[tuple[MemoryText, MemoryText, float | None]],
    neighbour_density: NeighbourDensity | None,
    classifier: PairClassifier | None,
    rest: Callable[[], None] = lambda: None,
) -> list[PairFinding | None]:
    """Return the finding about each pair, or None; `rest` is called between short pieces of work.

    With a classifier, `neighbour_density` is called for every pair that may be classified, else only for findings.
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
        if classifier is None and neighbour_density is not None and alert_for(verdict) is not None:
            verdict = relate(a.words, b.words, cosine, said, neighbour_density(a.memory, b.memory))
        shown, left, right = alert_for(verdict), tokens(a.words), tokens(b.words)
        # "my sister …", "my brother …": each has a word that the other lacks, so this is no repetition
        apart = verdict.relation is Relation.COEXIST and left - right and right - left
        people = {begins[0].lower() for text in (a, b) if (begins := _HE_OR_SHE.match(text.words))}
        if shown is None or len(people) == 2 or (shown[0] is Relation.DUPLICATE and apart):
            findings.append(None)
        else:
            alike = may_merge_texts(a.words, b.words, verdict, cosine)
            findings.append(PairFinding(a, b, *shown, verdict.reasons, cosine, alike))
    return findings


def may_merge_texts(a: str, b: str, verdict: Verdict, cosine: float | None) -> bool:
    """Return True if two texts may be merged automatically.

    They must be equal after normalisation; or the rules call them duplicates, their cosine reaches the configured
    minimum, no guard finds a difference, they share most words, and no content word replaces another.
    """
    a, b = comparable(a, b)
    if plain_words(a) == plain_words(b):
        return True
    near = cosine is not None and cosine >= settings().conflicts.merge_cosine
    left, right = _counted(a), _counted(b)
    replaced = bool(left - right and right - left) or jaccard(tokens(a), tokens(b)) < MIN_SHARED_WORDS
    return near and verdict.relation is Relation.DUPLICATE and not replaced and not differences(a, b)


def adds_nothing(known: str, new: str, verdict: Verdict) -> bool:
    """Return True if a text adds nothing to a known text: it has no new content word and no guard finds a difference.

    A number, date or unit that only the known text contains is not a difference.
    """
    if verdict.relation not in (Relation.DUPLICATE, Relation.UNSURE) or _counted(new) - _counted(known):
        return False
    if {_SELF.get(word) for word in plain_words(new)} - {_SELF.get(word) for word in plain_words(known)} - {None}:
        return False  # "Tom's bike", "my bike"
    return all(one.guard in _MORE and not one.b for one in differences(known, new))


def _counted(text: str) -> frozenset[str]:
    return tokens(text) | _ROLES.intersection(plain_words(text))


def raise_finding(store: Store, writer: Writer, finding: PairFinding, by: str) -> bool:
    """Store a finding as an alert of the judge `by`; return True if this opened an alert."""
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
