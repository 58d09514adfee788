"""The preset `curator`: how several signals become one order.

Each signal is brought to mean 0 and deviation 1 over the candidates of the query (z-scores), so that BM25, cosine and
lengths can be added; the weights are round numbers near a flat optimum, not fitted.

- text: BM25 of the memory's own words
- context: BM25 of the memory amid what was said around it
- meaning: cosine with the query, and a share of that of its neighbours in the conversation
- spelling: the same, where vectors know letters only: it finds what is misspelt, and little that words do not
- conversation: BM25 of the two best candidates of the same conversation
- substance: a statement that says more, and is not a question
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from store.index import Outline

WEIGHTS = {"text": 1.0, "context": 1.0, "meaning": 1.0, "spelling": 0.2, "conversation": 1.0, "substance": 0.5}
_NEIGHBOUR = 0.25  # of a neighbour's cosine
_NEAR = 2  # turns; a person's own turns alternate with the assistant's
_WITNESSES = 2
_QUESTION = 1.0  # in natural logarithms of length


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the searches found for one query: BM25 and cosine by memory, missing where a search did not find it.

    `lexical` says that the vectors know nothing of meaning.
    """

    ids: Sequence[int]
    text: Mapping[int, float]
    context: Mapping[int, float]
    cosine: Mapping[int, float]
    outlines: Mapping[int, Outline]
    lexical: bool = False


def weigh(candidates: Candidates) -> list[tuple[int, dict[str, float]]]:
    """The candidates, best first, each with the weighted parts that its score is the sum of."""
    import numpy as np

    signals = {
        "text": _column(candidates.ids, candidates.text, 0.0),
        "context": _column(candidates.ids, candidates.context, 0.0),
        "conversation": _conversation(candidates),
        "substance": _substance(candidates),
    }
    if candidates.cosine:
        signals["spelling" if candidates.lexical else "meaning"] = _nearness(candidates)
    parts = {name: WEIGHTS[name] * _standard(values) for name, values in signals.items()}
    total = np.sum(list(parts.values()), axis=0)
    order = np.argsort(-total, kind="stable")
    return [(candidates.ids[place], {name: float(values[place]) for name, values in parts.items()}) for place in order]


def _column(ids: Sequence[int], scores: Mapping[int, float], missing: float) -> NDArray[np.float64]:
    import numpy as np

    return np.array([scores.get(number, missing) for number in ids], np.float64)


def _standard(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Z-scores; all 0 where the values are equal."""
    deviation = float(values.std()) if values.size else 0.0
    return (values - values.mean()) / deviation if deviation > 1e-9 else values * 0.0


def _nearness(candidates: Candidates) -> NDArray[np.float64]:
    """Cosine, plus a quarter of those of the turns before and after; the lowest found stands for a missing one."""
    lowest = min(candidates.cosine.values())
    own = _column(candidates.ids, candidates.cosine, lowest)
    around = own * 0.0 + 2 * lowest
    for group in _groups(candidates).values():
        ordered = sorted(group)
        for (left, a), (right, b) in pairwise(ordered):
            if right - left <= _NEAR:
                around[a] += own[b] - lowest
                around[b] += own[a] - lowest
    return own + _NEIGHBOUR * around


def _conversation(candidates: Candidates) -> NDArray[np.float64]:
    """How well the conversation as a whole answers: the mean of its best two by context; the same for all in it."""
    scores = _column(candidates.ids, candidates.context, 0.0)
    out = scores / _WITNESSES  # said nowhere: alone in its conversation
    for group in _groups(candidates).values():
        places = [place for _, place in group]
        out[places] = sum(sorted((float(scores[place]) for place in places), reverse=True)[:_WITNESSES]) / _WITNESSES
    return out


def _groups(candidates: Candidates) -> dict[str, list[tuple[int, int]]]:
    """The candidates of each conversation as (ordinal, place among the candidates)."""
    groups: dict[str, list[tuple[int, int]]] = {}
    for place, number in enumerate(candidates.ids):
        outline = candidates.outlines.get(number)
        if outline is not None and outline.group is not None:
            groups.setdefault(outline.group, []).append((outline.ordinal, place))
    return groups


def _substance(candidates: Candidates) -> NDArray[np.float64]:
    """Logarithm of the length, less for a question: short exclamations share words with a query and say nothing."""
    import numpy as np

    texts = [candidates.outlines[number].text if number in candidates.outlines else "" for number in candidates.ids]
    return np.array(
        [np.log1p(len(text)) - _QUESTION * text.rstrip().endswith(("?", "？", "؟")) for text in texts], np.float64
    )
