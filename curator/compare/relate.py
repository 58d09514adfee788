"""How two memories stand to each other, by rule: equal, nearly equal, alike but different, or unrelated."""

from dataclasses import dataclass

from curator.compare.guards import Guard, differences
from curator.compare.words import jaccard, plain_words, tokens
from store.model import Relation

NEAR_EQUAL = 0.8
"""Token overlap from which texts count as one if one only has a word more and nothing hard differs.

Others merge from 0.65. There the shorter text swallows details ("I like hiking" for "I like hiking alone"): of what it
merged on labelled pairs a tenth was not the same, so from 0.65 up to here two texts are alike, not one.
"""
MERGE_COSINE = 0.95
NEAR_COSINE = 0.85
"""Cosine from which texts are one if nothing hard differs, and from which they are worth a look."""
ALIKE = 0.5
UNLIKE = 0.25
UNLIKE_COSINE = 0.6
WORDS = 0.15
"""Share of the token overlap in the likeness where there is a cosine."""
HARD = 0.15
SOFT = 0.03
"""What a hard difference (number, date, unit, negation, polarity, direction) and each other one takes off it."""

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
    Guard.MODALITY: 0.4,
    Guard.PERSON: 0.2,
    Guard.ORDER: 0.2,
    Guard.QUESTION: 0.1,
}
_HARD = frozenset({Guard.NUMBER, Guard.DATE, Guard.UNIT, Guard.NEGATION, Guard.POLARITY, Guard.DIRECTION})
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
    likeness = overlap if cosine is None else WORDS * overlap + (1 - WORDS) * max(cosine, 0.0)
    near = overlap >= ALIKE or (cosine is not None and cosine >= NEAR_COSINE)
    found = differences(a, b)
    reasons = (f"{overlap:.2f} of the words shared",) + ((f"cosine {cosine:.2f}",) if cosine is not None else ())
    reasons += tuple(str(difference) for difference in found)
    guards = frozenset(difference.guard for difference in found)
    replaced = bool(left - right and right - left)
    if replaced:
        reasons += (f"words replaced: {', '.join(sorted(left - right))} / {', '.join(sorted(right - left))}",)
    duplicate = _clamp(likeness - (HARD if guards & _HARD else 0.0) - SOFT * len(guards - _HARD))
    conflict = _clamp(likeness * _severity(guards, replaced))
    if not guards and ((overlap >= NEAR_EQUAL and not replaced) or (cosine is not None and cosine >= MERGE_COSINE)):
        return Verdict(Relation.DUPLICATE, max(duplicate, NEAR_EQUAL), 0.0, (*reasons, "nothing hard differs"))
    if not near:
        far = overlap < UNLIKE and (cosine is None or cosine < UNLIKE_COSINE)
        return Verdict(Relation.UNRELATED if far else Relation.UNSURE, duplicate, conflict, reasons)
    return Verdict(_near(guards), duplicate, conflict, reasons)


def _near(guards: frozenset[Guard]) -> Relation:
    """What two texts are that are alike but not the same."""
    if Guard.PERSON in guards:
        return Relation.COEXIST
    if guards & _OPPOSED and Guard.QUESTION not in guards:
        return Relation.CONTRADICTION
    if guards & _CHANGED and not guards & _ELSEWHERE:
        return Relation.UPDATE
    return Relation.UNSURE


def _severity(guards: frozenset[Guard], replaced: bool) -> float:
    severity = max((_SEVERITY[guard] for guard in guards), default=0.0)
    if guards & _ELSEWHERE and not guards & _OPPOSED:
        severity = min(severity, 0.4)
    return max(severity, 0.3 if replaced else 0.0)


def _clamp(score: float) -> float:
    return round(min(1.0, max(0.0, score)), 4)
