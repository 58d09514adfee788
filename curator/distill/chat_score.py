"""Scores of a sentence as a lasting statement (weeks or longer), an order, or a request to remember.

Each score is a log odds. Where its model is installed, a classifier gives them for the sentences of chats
(`tests/bench/fit_classifiers.py`); elsewhere a logistic regression on `features` does, with weights fitted by
`tests/bench/fit_chats.py`. In coding sessions, the classifier only adds what it is sure of. On sentences of
conversations that neither was fitted on, the average precision of what lasts is .86 for the classifier and .54 for the
regression; both together are no better.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import cache, lru_cache
from importlib.resources import files
from math import log

from curator.distill.features import IN_SESSION, context, features
from curator.models import load_classifier

LEAST = 1.0
"""A sentence in which no pattern found a statement is kept from this lasting score on.

The scores by words are no second opinion beside a classifier: two of three sentences that they exclude last.
"""
DOUBTFUL = 0.0
"""A statement that a pattern found is passing below this score."""
DOUBTFUL_READ, IMPROBABLE = -2.0, -3.0
"""The same where a classifier gave the score, and a score below which the words of a statement count for nothing.

In long conversations that the classifier was not fitted on, .75 of what is kept lasts with -3 for the second, .72 with
-4, and .76 with -2; of the questions about long chats, R@10 is .64, .64 and .62 (`recall_quality.py`).
"""
ASIDE = 0.0
"""A statement within a question or task is passing below this score by a classifier, also if a pattern found it."""
SAFETY = 0.0
"""A sentence on a matter of safety is kept from this lasting score on instead of `LEAST`."""
DATED = 1.0
"""Points that a statement with a date, or of who the person is, may lack."""
SAYING = -2.0
"""A request to remember something that is not about the person is a saying if both its scores are below."""
STATED = 2.0
"""Points more than `ORDER` that a sentence needs in which a pattern found something else."""
ORDER, NO_ORDER = -0.7, -2.0
"""A sentence is an order from the first score on, and none below the second even if a pattern says so."""
NO_ORDER_IN_SESSION = -1.0
ORDER_IN_SESSION, LASTING_IN_SESSION = 2.0, 3.0
"""Scores by the classifier from which a line of a session outlasts it, whatever its words say: orders found of sessions
that nothing was fitted on are .96 with it and .88 without, at the same precision.
"""
SURE = 1.5
"""An order of a session with this score needs no other sign that it outlasts the session."""
REQUEST, NO_REQUEST = -0.5, -1.0
"""The same of requests to remember."""


UNLIKELY_ORDER = -2.0
"""A sentence that the classifier takes for an order is none if both its scores by words are below: of those in the
conversations for tuning, 8 of 16 were none and 3 of 8 with it, and no order is lost.
"""
UNREAD = -4.0
"""A sentence whose scores by words are all below this is not classified, which takes 3 ms."""
LIKELY_ORDER = 0.8
"""Added to the log odds of an order: of those that it is less sure of, nine in ten are orders all the same."""
CLASSES = tuple("nothing passing order request identity preference fact decision change plan event".split())
"""Classes of the classifier, in its order; from the fifth on, what lasts."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Log odds that a sentence states something lasting, is an order, or asks to remember something."""

    lasting: float
    order: float
    request: float


SentenceClassifier = Callable[[Sequence[str]], Sequence[Scores]]
"""Returns the scores of each sentence."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of features, one for each score; other features have none."""

    bias: Scores
    by_feature: Mapping[str, tuple[float, float, float]]

    def scores(self, found: Collection[str], before: Scores) -> Scores:
        """Return the scores `before` plus the weights of these features."""
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


def classify_sentences(
    text: str, spans: Sequence[tuple[int, int]], classifier: SentenceClassifier
) -> dict[tuple[int, int], Scores]:
    """Return the scores of a text's sentences by a classifier, except those that are certain from their words."""
    unsure = [(start, end) for start, end in spans if max(astuple(scores(text[start:end]))) >= UNREAD]
    return dict(zip(unsure, classifier([text[start:end] for start, end in unsure]), strict=True)) if unsure else {}


def outlasts_session(by_classifier: Scores) -> bool:
    """Return whether the classifier is sure that a line of a coding session outlasts it."""
    return by_classifier.order >= ORDER_IN_SESSION or by_classifier.lasting >= LASTING_IN_SESSION


def sentence_classifier() -> SentenceClassifier | None:
    """Return the classifier of sentences, with its probabilities as log odds; None if it is not installed."""
    model = load_classifier("sentences")
    if model is None:
        return None

    def classify(texts: Sequence[str]) -> list[Scores]:
        return [
            Scores(_odds(sum(lasting)), _odds(order) + LIKELY_ORDER, _odds(request))
            for _, _, order, request, *lasting in model.chances(texts).tolist()
        ]

    return classify


def _odds(chance: float) -> float:
    return log((chance + 1e-4) / (1 - chance + 1e-4))


@lru_cache(maxsize=512)  # a sentence is asked for before it is read, as a whole, and as the statement that it is
def scores_of_words(text: str) -> Scores:
    """Return the scores of a sentence by its words alone."""
    return weights().scores(features(text), weights().bias)
