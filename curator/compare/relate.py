"""How two memories stand to each other, by rule: equal, nearly equal, alike but different, or unrelated."""

from dataclasses import dataclass

from curator.compare.guards import Difference, Guard, differences
from curator.compare.words import jaccard, plain_words, tokens
from store.model import Relation

NEAR_EQUAL = 0.8
"""Token overlap from which texts count as one if one only has a word more and nothing hard differs.

FEATURES C2 prints 0.65. There the shorter text swallows details ("I like hiking" for "I like hiking alone"): of what it
merged on labelled pairs a tenth was not the same, so from 0.65 up to here two texts are alike, not one.
"""
MERGE_COSINE = 0.95
NEAR_COSINE = 0.85
"""Cosine from which texts are one if nothing hard differs, and from which they are worth a look (FEATURES C1)."""
ALIKE = 0.5
UNLIKE = 0.25
UNLIKE_COSINE = 0.6

_SEVERITY = {
    Guard.NEGATION: 0.9,
    Guard.POLARITY: 0.9,
    Guard.DIRECTION: 0.8,
    Guard.NUMBER: 0.7,
    Guard.DATE: 0.7,
    Guard.UNIT: 0.7,
    Guard.QUANTITY: 0.5,
    Guard.NAME: 0.4,
    Guard.TENSE: 0.5,
    Guard.MODALITY: 0.3,
    Guard.PERSON: 0.2,
    Guard.ORDER: 0.2,
    Guard.QUESTION: 0.1,
}
_OPPOSED = frozenset({Guard.NEGATION, Guard.POLARITY, Guard.DIRECTION})
_CHANGED = frozenset({Guard.NUMBER, Guard.DATE, Guard.UNIT, Guard.TENSE})
_ELSEWHERE = frozenset({Guard.PERSON, Guard.NAME, Guard.QUESTION, Guard.MODALITY})


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rules say of two texts. Scores are 0-1; `reasons` are for people to read."""

    relation: Relation
    duplicate_score: float
    conflict_score: float
    reasons: tuple[str, ...]


def relate(a: str, b: str, cosine: float | None = None) -> Verdict:
    """The relation of two texts; `cosine` is the similarity of their embeddings, -1 to 1, where there are any.

    Never `duplicate` when a number, date, unit, name, negation, polarity, person, tense, quantity or modality differs.
    `contradiction` and `update` are candidates for a look, not judgments: the conflict engine decides on more.
    """
    if plain_words(a) == plain_words(b):
        return Verdict(Relation.DUPLICATE, 1.0, 0.0, ("the same words",))
    left, right = tokens(a), tokens(b)
    overlap = jaccard(left, right)
    likeness = overlap if cosine is None else max(cosine, 0.0)
    found = differences(a, b)
    near = overlap >= ALIKE or (cosine is not None and cosine >= NEAR_COSINE)
    measured: tuple[str, ...] = (f"{overlap:.2f} of the words shared",)
    if cosine is not None:
        measured += (f"cosine {cosine:.2f}",)
    if found:
        return _different(found, likeness, overlap, near, cosine, measured)
    replaced = bool(left - right and right - left)
    duplicate = _clamp(max(likeness, overlap))
    if (overlap >= NEAR_EQUAL and not replaced) or (cosine is not None and cosine >= MERGE_COSINE):
        return Verdict(Relation.DUPLICATE, duplicate, 0.0, (*measured, "nothing hard differs"))
    if replaced:
        swap = f"{', '.join(sorted(left - right))} / {', '.join(sorted(right - left))}"
        measured += (f"words replaced: {swap}",)
    if near:
        return Verdict(Relation.UNSURE, duplicate, _clamp(0.3 * likeness if replaced else 0.0), measured)
    return Verdict(_far(overlap, cosine), duplicate, 0.0, measured)


def _different(
    found: tuple[Difference, ...],
    likeness: float,
    overlap: float,
    near: bool,
    cosine: float | None,
    measured: tuple[str, ...],
) -> Verdict:
    guards = {difference.guard for difference in found}
    severity = max(_SEVERITY[guard] for guard in guards)
    if guards & _ELSEWHERE and not guards & _OPPOSED:
        severity = min(severity, 0.4)
    duplicate = _clamp(max(likeness, overlap) - 0.3)
    conflict = _clamp(severity * max(likeness, overlap))
    reasons = (*measured, *(str(difference) for difference in found))
    if not near:
        return Verdict(_far(overlap, cosine), duplicate, conflict if overlap >= UNLIKE else conflict / 2, reasons)
    if Guard.PERSON in guards or Guard.QUESTION in guards:
        return Verdict(Relation.COEXIST if Guard.PERSON in guards else Relation.UNSURE, duplicate, conflict, reasons)
    if guards & _OPPOSED:
        return Verdict(Relation.CONTRADICTION, duplicate, conflict, reasons)
    if guards & _CHANGED and not guards & _ELSEWHERE:
        return Verdict(Relation.UPDATE, duplicate, conflict, reasons)
    return Verdict(Relation.UNSURE, duplicate, conflict, reasons)


def _far(overlap: float, cosine: float | None) -> Relation:
    if overlap < UNLIKE and (cosine is None or cosine < UNLIKE_COSINE):
        return Relation.UNRELATED
    return Relation.UNSURE


def _clamp(score: float) -> float:
    return round(min(1.0, max(0.0, score)), 4)
