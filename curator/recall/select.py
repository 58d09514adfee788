"""From an order to hits: what is not near enough, has expired, or says what a better hit says already stays out, and
why is kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from curator.compare import relate
from curator.recall.features import Column, Sheet
from curator.recall.presets import Recipe
from store.index import Outline
from store.index.query_builder import STOP_WORDS, stems
from store.model import Memory, Relation

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNLIKE, MISSPELT = 0.2, 0.12
"""Cosine below which a memory that shares no word with the question, nor stands beside one that does, is no answer; the
other where cosines know letters only. Of memories that have nothing to do with a question 19 in 20 stay below that."""
SURE, FAINT, STRANGE, KNOWN = 0.4, 0.25, 0.3, 0.5
"""Where no cosine reaches the first, little here is about the question: only memories with the second answer it, or
with the fourth, a share of its words. Where none reaches the third and no memory has the fourth, nothing is about it.

Of 544 questions to the right memories this takes no answer away; put to the memories of other people, who talk of much
the same, they find a fifth less. Of 48 questions about what the demo's person never spoke of, 37 find nothing and the
others 24 memories instead of 98.
"""
NEAR = 0.8  # cosine from which two hits are compared for saying the same
ALIKE = 0.88  # duplicate score from which the second is left out, if neither replaces nor contradicts the first
_COMPARED = 120  # pairs in one search; one takes 0.1 to 0.5 ms
_TWINS = 4  # hits, the nearest first, that one is compared with
_LOOKED_AT = 20  # memories, for the share of the words they have
_NAMED = 20  # memories that are named as left out
_NEXT = 3  # of those that are too many


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A memory that is near and no hit: "floor", "floor (weak)", "limit", "expired", "flagged", "scope", "superseded by
    7", "duplicate of 12". What no search sees has no score, but a cosine.
    """

    memory: Memory
    reason: str
    score: float | None
    cosine: float | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """The places on the sheet that are hits, best first, and those that were left out, with the reason of each."""

    places: tuple[int, ...]
    left: tuple[tuple[int, str], ...]


def choose(
    sheet: Sheet,
    order: Sequence[int],
    scores: Column,
    recipe: Recipe,
    query: str,
    vectors: Mapping[int, "NDArray[np.float32]"],
    limit: int,
) -> Choice:
    """Take at most `limit` of the places in `order`."""
    kept: list[int] = []
    left: list[tuple[int, str]] = []
    over = 0
    far = _too_far(sheet, order, scores, recipe, query)
    pairs = _COMPARED
    for place in order:
        memory = sheet.memories[place]
        reason = sheet.held.get(memory.id) or far[place]
        if not reason and len(kept) == limit:
            reason, over = "limit", over + 1
        if not reason and recipe.distinct and pairs > 0:
            for twin in _twins(memory, [sheet.memories[other] for other in kept], vectors)[:pairs]:
                pairs -= 1
                if _same(twin, memory, vectors):
                    reason = f"duplicate of {twin.id}"
                    break
        if not reason:
            kept.append(place)
        elif len(left) < _NAMED:
            left.append((place, reason))
        if over == _NEXT:
            break
    return Choice(tuple(kept), tuple(left))


def _too_far(sheet: Sheet, order: Sequence[int], scores: Column, recipe: Recipe, query: str) -> Sequence[str]:
    """For each place why it is no answer: it does not bear on the question, or scores far below the best; or ""."""
    best = next((place for place in order if sheet.memories[place].id not in sheet.held), None)
    near, strong = np.ones(len(sheet.memories), bool), np.ones(len(sheet.memories), bool)
    if best is not None and recipe.gap is not None:
        strong = scores >= scores[best] - recipe.gap
    if best is not None and recipe.floor and sheet.cosine is not None:
        near = _bearing(sheet, sheet.cosine, query)
    if recipe.threshold is not None:
        near &= False if sheet.cosine is None else sheet.cosine >= recipe.threshold
    return [
        "" if close and well else "floor (weak)" if close else "floor" for close, well in zip(near, strong, strict=True)
    ]


def _bearing(sheet: Sheet, cosine: Column, query: str) -> "NDArray[np.bool_]":
    """Which of the memories bear on the question at all; what is held back says nothing of how much is known."""
    near = (cosine >= (MISSPELT if sheet.lexical else UNLIKE)) | (sheet.text > 0) | (sheet.context > 0)
    if sheet.lexical:
        return near
    free = np.array([memory.id not in sheet.held for memory in sheet.memories])
    best, known = cosine[free].max(), _coverage(sheet, free, query) >= KNOWN
    if best < SURE:
        near &= (cosine >= FAINT) | known
    if best < STRANGE and not known.any():
        near[:] = False
    return near


def _coverage(sheet: Sheet, free: "NDArray[np.bool_]", query: str) -> Column:
    """The share of the question's words that each memory has, of the free ones that have them best; of others 0."""
    words = stems(query) - frozenset(STOP_WORDS)
    shares = np.zeros(len(sheet.memories))
    if words:
        having = np.flatnonzero(free & (sheet.text_rank > 0))
        for place in having[np.argsort(sheet.text_rank[having])][:_LOOKED_AT]:
            shares[place] = len(words & stems(sheet.memories[place].text)) / len(words)
    return shares


def _cosine(vectors: Mapping[int, "NDArray[np.float32]"], one: int, other: int) -> float:
    if one not in vectors or other not in vectors:
        return 0.0
    return float(vectors[one] @ vectors[other])


def _twins(memory: Outline, kept: Sequence[Outline], vectors: Mapping[int, "NDArray[np.float32]"]) -> list[Outline]:
    """The hits that are so near to a memory that they may say the same, the nearest first."""
    near = ((_cosine(vectors, memory.id, other.id), other) for other in kept)
    twins = sorted((item for item in near if item[0] >= NEAR), key=lambda item: -item[0])
    return [other for _, other in twins[:_TWINS]]


def _same(first: Outline, second: Outline, vectors: Mapping[int, "NDArray[np.float32]"]) -> bool:
    verdict = relate(first.text, second.text, _cosine(vectors, first.id, second.id))
    if verdict.relation in (Relation.UPDATE, Relation.CONTRADICTION):
        return False
    return verdict.relation is Relation.DUPLICATE or verdict.duplicate_score >= ALIKE
