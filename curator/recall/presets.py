"""The presets: how what is known of the candidates becomes one order. Each is a small function over a sheet.

`curator` adds z-scores over the candidates of the query, so that BM25, cosine and lengths can be added, times weights
that `tests/bench/fit_recall.py` finds; what does not depend on the query (validated, tier, warmth, age) moves a memory
by a place or a few. The others are what systems of that name do, with their numbers:

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
from curator.recall.features import Column, Sheet, share, standard
from curator.recall.preset_names import Preset

Parts = dict[str, Column]
Way = Literal["text", "context", "vector"]

WEIGHTS = {
    "text": 0.11,
    "context": 0.77,
    "meaning": 0.64,
    "conversation": 0.60,
    "replies": 0.21,
    "length": 0.16,
    "asks": -0.39,
    "tells": 0.56,
    "dated": 0.62,
    "person": 0.06,
}
SPELLING = 0.2
"""Weight of cosines that know letters only: they find what is misspelt, and little that words do not."""
BOOSTS = {"validated": 0.3, "tier": 0.2, "warmth": 0.4, "age": 0.2}
"""At most so much up or down, where the deviation of a weighty signal is 1; age only ever down."""
_ALWAYS = ("text", "context")  # said even where they tell nothing apart
_RECIPROCAL = 60.0
_MONTH = 30.0  # days
_LEAST_COSINE = 0.01


@dataclass(frozen=True, slots=True)
class Recipe:
    """A preset: what its score is made of, which searches feed it, and what it leaves out.

    `product` says that the parts are multiplied. `floor` leaves out what does not bear on the question, `gap` also what
    scores so far below the best; `threshold` is a cosine.
    """

    parts: Callable[[Sheet], Parts]
    ways: frozenset[Way]
    product: bool = False
    threshold: float | None = None
    floor: bool = False
    gap: float | None = None
    limit: int | None = None  # hits, where nobody says how many
    distinct: bool = False  # whether what a better hit says already is left out


def ranked(recipe: Recipe, sheet: Sheet) -> tuple[Sequence[int], Column, Parts]:
    """The places on the sheet that one of the preset's searches found, best first; all scores, and their parts."""
    parts = recipe.parts(sheet)
    joined = np.prod if recipe.product else np.sum
    scores: Column = joined(list(parts.values()), axis=0)
    ranks = {"text": sheet.text_rank, "context": sheet.context_rank, "vector": sheet.vector_rank}
    found = np.any([ranks[way] > 0 for way in recipe.ways], axis=0)
    order = [int(place) for place in np.argsort(-scores, kind="stable") if found[place]]
    return order, scores, parts


def curator(sheet: Sheet) -> Parts:
    """Our own."""
    parts = {name: WEIGHTS[name] * standard(column) for name, column in signals(sheet).items()}
    if sheet.cosine is not None and sheet.lexical:
        parts["spelling"] = SPELLING * standard(sheet.cosine)
    boosts = {
        "validated": features.validated(sheet),
        "tier": np.log2(features.gravity(sheet)),
        "warmth": sheet.warmth - 0.5,
        "age": features.left(sheet) - 1.0,
    }
    parts |= {name: BOOSTS[name] * column for name, column in boosts.items()}
    return {name: column for name, column in parts.items() if name in _ALWAYS or column.any()}


def signals(sheet: Sheet) -> Parts:
    """What `curator` weighs, as it was measured: one column for each of the weights."""
    known = {"meaning": sheet.cosine} if sheet.cosine is not None and not sheet.lexical else {}
    return {
        "text": sheet.text,
        "context": sheet.context,
        **known,
        "conversation": features.conversation(sheet),
        "replies": features.replies(sheet),
        "length": features.length(sheet),
        "asks": features.asks(sheet),
        "tells": features.tells(sheet),
        "dated": features.dated(sheet),
        "person": features.person(sheet),
    }


def yocore(sheet: Sheet) -> Parts:
    """Reciprocal rank fusion."""
    ranks = {"text": sheet.text_rank, "vector": sheet.vector_rank}
    return {name: np.where(rank > 0, 1 / (_RECIPROCAL + rank), 0.0) for name, rank in ranks.items()}


def hybrid(sheet: Sheet) -> Parts:
    """A weighted sum of cosine, words and decay."""
    return {"vector": 0.6 * _cosine(sheet), "text": 0.2 * share(sheet.text), "decay": 0.2 * features.left(sheet)}


def lynkr(sheet: Sheet) -> Parts:
    """A weighted sum of recency, importance and words."""
    recency = np.exp(-features.idle_days(sheet) / _MONTH)
    return {"recency": 0.3 * recency, "importance": 0.4 * features.importance(sheet), "text": 0.3 * share(sheet.text)}


def yak(sheet: Sheet) -> Parts:
    """A product of cosine, decay, warmth and tier."""
    decay = 0.5 ** (features.days(sheet) / _MONTH)
    return {
        "cosine": _cosine(sheet),
        "decay": decay,
        "warmth": 1.0 + sheet.warmth,
        "gravity": features.gravity(sheet),
    }


def yak_additive(sheet: Sheet) -> Parts:
    """The same as a sum."""
    factors = yak(sheet)
    return {
        "cosine": factors["cosine"] * factors["decay"],
        "warmth": 0.2 * sheet.warmth,
        "gravity": 0.1 * np.log2(factors["gravity"]),
    }


def yak_log(sheet: Sheet) -> Parts:
    """The same as a sum of logarithms; a decay that has come to nothing counts as the least number there is."""
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
