"""Scores of a sentence: that it says something that lasts for weeks, that it is an order, that it asks to remember.

Each score is the log odds of a logistic regression on `features`. `tests/bench/fit_chats.py` fits the weights on
sentences written for it, and says what did worse.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from curator.distill.features import IN_SESSION, context, features

LEAST = 1.0
"""A sentence in which no pattern found a statement is kept from this lasting score on."""
DOUBTFUL = 0.0
"""A statement that a pattern found is passing below this score."""
DATED = 1.0
"""Points that a statement with a date, or of who the person is, may lack."""
SAYING = -2.0
"""A request to remember something that is not about the person is a saying if both its scores are below."""
STATED = 2.0
"""Points more than `ORDER` that a sentence needs in which a pattern found something else."""
ORDER, NO_ORDER = -0.7, -2.0
"""A sentence is an order from the first score on, and none below the second even if a pattern says so."""
NO_ORDER_IN_SESSION = -1.0
SURE = 1.5
"""An order of a session with this score needs no other sign that it outlasts the session."""
REQUEST, NO_REQUEST = -0.5, -1.0
"""The same of requests to remember."""


@dataclass(frozen=True, slots=True)
class Scores:
    """The log odds of a sentence: it lasts, it is an order, it asks to remember something."""

    lasting: float
    order: float
    request: float


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights by feature, one for each score; others weigh nothing."""

    bias: Scores
    by_feature: Mapping[str, tuple[float, float, float]]

    def scores(self, found: Collection[str], before: Scores) -> Scores:
        """Return scores and what these features add to them."""
        lasting, order, request = before.lasting, before.order, before.request
        for feature in found:
            if weights := self.by_feature.get(feature):
                lasting += weights[0]
                order += weights[1]
                request += weights[2]
        return Scores(lasting, order, request)


@cache
def weights() -> Weights:
    """Return the weights of `languages/chats.tsv`, read once."""
    text = files("curator.distill").joinpath("languages/chats.tsv").read_text("utf-8")
    rows = (line.rsplit("\t", 3) for line in text.splitlines() if not line.startswith("# "))
    by_feature = {row[0]: (float(row[1]), float(row[2]), float(row[3])) for row in rows}
    return Weights(Scores(*by_feature.pop("BIAS")), by_feature)


def scores(text: str, family: str = "", sorts: Collection[str] = (), session: bool = False) -> Scores:
    """Return the scores of a sentence or statement of a chat, or of a coding session.

    `family` is the name of the family that found it, `sorts` are those of the other clauses of its sentence.
    """
    found = context(family, sorts)
    return weights().scores(found | {IN_SESSION} if session else found, scores_of_words(text))


@lru_cache(maxsize=64)  # a sentence is asked for as a whole, and as the statement that it is
def scores_of_words(text: str) -> Scores:
    """Return the scores of a sentence by its words alone."""
    return weights().scores(features(text), weights().bias)
