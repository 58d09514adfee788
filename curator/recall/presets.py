"""Ranking presets: functions from the features of candidates to the parts of their scores.

`curator` is a weighted sum of z-scores over the candidates of a query, which makes BM25, cosines and lengths
comparable; the weights are fitted by `tests/bench/fit_recall.py`. Features that do not depend on the query (validated,
tier, warmth, age) change a rank by a few places only. The other presets rank like the systems they are named after:

- yocore: reciprocal ranks of words and vectors, 1 / (60 + rank), added
- hybrid: 0.6 cosine + 0.2 BM25 as a share of the best + 0.2 decay by the kind's half-life
- lynkr: 0.3 exp(-days since the last use / 30) + 0.4 importance + 0.3 BM25 as a share of the best
- yak: cosine x decay (30 days) x (1 + warmth) x gravity of the tier; nothing below a cosine of 0.7
- yak-additive: cosine x decay + 0.2 warmth + 0.1 log2 of the gravity
- yak-log: the logarithms of yak's factors added, the cosine no less than 0.01
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from curator.recall import features
from curator.recall.features import Column, Sheet, share_of_max, z_scores
from curator.recall.types import Preset

Parts = dict[str, Column]
Way = Literal["text", "context", "vector"]

WEIGHTS = {
    "context": 0.7,
    "meaning": 0.95,
    "conversation": 0.35,
    "replies": 0.2,
    "length": 0.3,
    "tells": 0.6,
    "dated": 0.75,
    "person": 0.15,
}
SPELLING = 0.2
"""Weight of cosines that compare letters only, which add little to word search except for misspellings."""
BOOSTS = {"validated": 0.3, "tier": 0.2, "warmth": 0.4, "age": 0.2}
"""Maximum change of a score by each feature, in units of z-scores; age only lowers the score."""
_ALWAYS = ("context",)  # parts shown even if they are equal for all candidates
_RECIPROCAL = 60.0
_MONTH = 30.0  # days
_LEAST_COSINE = 0.01


@dataclass(frozen=True, slots=True)
class Recipe:
    """A preset: the parts of its score, the searches it uses, and its cut-offs.

    The score is the sum of the parts, or their product if `product` is True. If `floor` is True, memories unrelated to
    the question are omitted. `gap` is the maximum distance from the best score, `threshold` the minimum cosine.
    """

    parts: Callable[[Sheet], Parts]
    ways: frozenset[Way]
    product: bool = False
    threshold: float | None = None
    floor: bool = False
    gap: float | None = None
    limit: int | None = None  # hits by default
    distinct: bool = False  # omit duplicates of better hits
    block: bool = False  # keep what an answer needs instead of what is near


def rank_candidates(recipe: Recipe, sheet: Sheet) -> tuple[Sequence[int], Column, Parts]:
    """Return the positions found by the preset's searches, best first, with the scores and parts of all candidates."""
    parts = recipe.parts(sheet)
    if sheet.lexical:  # these cosines do not measure meaning
        parts = {"spelling" if name in ("vector", "cosine") else name: column for name, column in parts.items()}
    joined = np.prod if recipe.product else np.sum
    scores: Column = joined(list(parts.values()), axis=0)
    ranks = {"text": sheet.text_rank, "context": sheet.context_rank, "vector": sheet.vector_rank}
    found = np.any([ranks[way] > 0 for way in recipe.ways], axis=0)
    order = [int(row) for row in np.argsort(-scores, kind="stable") if found[row]]
    return order, scores, parts


def curator(sheet: Sheet) -> Parts:
    """Return the parts of the preset `curator`."""
    parts = {name: WEIGHTS[name] * column for name, column in signals(sheet).items()}
    if sheet.cosine is not None and sheet.lexical:
        parts["spelling"] = SPELLING * z_scores(sheet.cosine)
    boosts = {
        "validated": features.validated(sheet),
        "tier": np.log2(features.gravity(sheet)),
        "warmth": sheet.warmth - 0.5,
        "age": features.decay(sheet) - 1.0,
    }
    parts |= {name: BOOSTS[name] * column for name, column in boosts.items()}
    return {name: column for name, column in parts.items() if name in _ALWAYS or column.any()}


def signals(sheet: Sheet) -> Parts:
    """Return the columns that `curator` weighs by `WEIGHTS`, as z-scores.

    Conversation and replies are scaled by the deviation of the context scores, not by their own: with a few long chats
    their own deviation is tiny, and scaling by it would exaggerate irrelevant differences.
    """
    known = {"meaning": z_scores(sheet.cosine)} if sheet.cosine is not None and not sheet.lexical else {}
    return {
        "context": z_scores(sheet.context),
        **known,
        "conversation": z_scores(features.conversation(sheet), sheet.context),
        "replies": z_scores(features.replies(sheet), sheet.text),
        "length": z_scores(features.length(sheet)),
        "tells": z_scores(features.tells(sheet)),
        "dated": z_scores(features.dated(sheet)),
        "person": z_scores(features.person(sheet)),
    }


def yocore(sheet: Sheet) -> Parts:
    """Return the parts of reciprocal rank fusion."""
    ranks = {"text": sheet.text_rank, "vector": sheet.vector_rank}
    return {name: np.where(rank > 0, 1 / (_RECIPROCAL + rank), 0.0) for name, rank in ranks.items()}


def hybrid(sheet: Sheet) -> Parts:
    """Return the parts of a weighted sum of cosine, words and decay."""
    return {
        "vector": 0.6 * _cosine(sheet),
        "text": 0.2 * share_of_max(sheet.text),
        "decay": 0.2 * features.decay(sheet),
    }


def lynkr(sheet: Sheet) -> Parts:
    """Return the parts of a weighted sum of recency, importance and words."""
    recency = np.exp(-features.idle_days(sheet) / _MONTH)
    return {
        "recency": 0.3 * recency,
        "importance": 0.4 * features.importance(sheet),
        "text": 0.3 * share_of_max(sheet.text),
    }


def yak(sheet: Sheet) -> Parts:
    """Return the factors of a product of cosine, decay, warmth and tier."""
    decay = 0.5 ** (features.days(sheet) / _MONTH)
    return {
        "cosine": _cosine(sheet),
        "decay": decay,
        "warmth": 1.0 + sheet.warmth,
        "gravity": features.gravity(sheet),
    }


def yak_additive(sheet: Sheet) -> Parts:
    """Return the parts of yak as a sum."""
    factors = yak(sheet)
    return {
        "cosine": factors["cosine"] * factors["decay"],
        "warmth": 0.2 * sheet.warmth,
        "gravity": 0.1 * np.log2(factors["gravity"]),
    }


def yak_log(sheet: Sheet) -> Parts:
    """Return the parts of yak as logarithms to be added; a decay of 0 counts as the smallest positive float."""
    factors = yak(sheet)
    factors["cosine"] = np.maximum(factors["cosine"], _LEAST_COSINE)
    return {name: np.log(np.maximum(column, np.finfo(np.float64).tiny)) for name, column in factors.items()}


def _cosine(sheet: Sheet) -> Column:
    return sheet.text * 0.0 if sheet.cosine is None else sheet.cosine


_BOTH: frozenset[Way] = frozenset({"text", "vector"})
_NEAR: frozenset[Way] = frozenset({"vector"})

RECIPES = {
    Preset.CURATOR: Recipe(curator, frozenset({"text", "context", "vector"}), floor=True, distinct=True),
    Preset.YOCORE: Recipe(yocore, _BOTH),
    Preset.HYBRID: Recipe(hybrid, _BOTH),
    Preset.LYNKR: Recipe(lynkr, frozenset({"text"}), limit=5),
    Preset.YAK: Recipe(yak, _NEAR, product=True, threshold=0.7, limit=5),
    Preset.YAK_ADDITIVE: Recipe(yak_additive, _NEAR, threshold=0.7, limit=5),
    Preset.YAK_LOG: Recipe(yak_log, _NEAR, threshold=0.7, limit=5),
}
