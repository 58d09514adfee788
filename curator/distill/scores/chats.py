"""Scores of sentences: how likely each is a lasting statement (weeks or longer), an order, a request to remember.

Scores are log odds. In chats, a classifier computes them if its model is installed (`tests/bench/fit_classifiers.py`);
otherwise a logistic regression on `features`, with weights fitted by `tests/bench/fit_chats.py`. In coding sessions,
the classifier only adds sentences it is sure of. On held-out conversations, the average precision for lasting sentences
is .91 with the classifier and .54 with the regression; combining both is no better.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import cache, lru_cache
from importlib.resources import files
from math import exp, fsum, log

from curator.distill.scores.features import IN_SESSION, context, features
from curator.models import load_classifier

LEAST = 1.0
"""Minimum lasting score of a sentence in which no pattern found a statement.

If there is a classifier, the scores by words are ignored here: two of three sentences that they exclude are lasting.
"""
DOUBTFUL = 0.0
"""A statement found by a pattern is transient below this lasting score."""
DOUBTFUL_CLASSIFIED = 2.0
"""The same for scores of the classifier (`worth_keeping`).

Chosen on `tests/distill/threshold_*.txt` and the held-out messages of `message_lines.py`: of what is kept there, .77 is
worth keeping with -1 and .83 with 2, of 1,445 statements .80 and .79 are found. Higher thresholds lose as many right
memories as wrong ones. The price: R@10 of the questions about long chats is .60 with -1 and .58 with 2.
"""
DOUBTFUL_SAFETY = -1.0
"""The same for statements about safety."""
ASIDE = 0.0
"""A statement within a question or task is transient below this classifier score, even if a pattern found it."""
SAFETY = 0.0
"""Minimum lasting score of a sentence about safety, instead of `LEAST`."""
DATED = 1.0
"""Deducted from the minimum for statements with a date, or about the person's identity."""
SAYING = -2.0
"""A request to remember something not about the person is a mere saying if both its scores are below this."""
STATED = 2.0
"""Added to `ORDER` for a sentence in which a pattern found something else."""
ORDER, NO_ORDER = -0.7, -2.0
"""Minimum score of an order; and the score below which a sentence is never one, even if a pattern matches."""
NO_ORDER_IN_SESSION = -1.0
ORDER_IN_SESSION, LASTING_IN_SESSION = 2.0, 3.0
"""Classifier scores from which a line of a session outlasts it, whatever its score by words. On held-out sessions, the
recall of orders is .96 with it and .88 without, at the same precision.
"""
SURE = 1.5
"""An order in a session with this score needs no other sign that it outlasts the session."""
REQUEST, NO_REQUEST = -0.5, -1.0
"""The same as `ORDER, NO_ORDER`, for requests to remember."""
REQUEST_IN_SESSION = 0.0
"""Minimum classifier score of a request to remember in a coding session that no word such as "remember" tells. Of 300
messages written for it, 74 of 90 requests have it and 4 of 120 near misses.
"""
NO_REQUEST_IN_SESSION = -4.0
"""`NO_REQUEST` in coding sessions, whose terse statements score low: what is about the work at hand is told by form."""


UNLIKELY_ORDER = -2.0
"""A sentence that the classifier calls an order is not one if both its scores by words are below this. Of the sentences
called orders in the tuning conversations, 8 of 16 were wrong without this bound and 3 of 8 with it; no order is lost.
"""
UNREAD = -4.0
"""A sentence whose scores by words are all below this is not classified: that takes 3 ms."""
LIKELY_ORDER = 0.8
"""Added to the log odds of an order: nine in ten of the sentences it is unsure about are orders."""
FORGET = -0.5
"""Minimum classifier score of a request to forget.

Of 1,059 sentences of two invented people with six requests, it takes these only; -3 takes ten more.
"""
CLASSES = tuple("nothing passing order request forget identity preference fact decision change plan event".split())
"""Classes of the classifier, in its order; those from the sixth on are lasting."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Log odds that a sentence is a lasting statement, an order, or a request to remember or to forget.

    Only the classifier knows requests to forget.
    """

    lasting: float
    order: float
    request: float
    forget: float = -9.0

    @property
    def worth_keeping(self) -> float:
        """Log odds that the classifier's sentence is any of the three."""
        return _odds(
            min(1.0, sum(1 / (1 + exp(-odds)) for odds in (self.lasting, self.order - LIKELY_ORDER, self.request)))
        )


SentenceClassifier = Callable[[Sequence[str]], Sequence[Scores]]
"""Computes the scores of each sentence."""


@dataclass(frozen=True, slots=True)
class FeatureWeights:
    """Weights of features for each score; unlisted features have none."""

    bias: Scores
    by_feature: Mapping[str, tuple[float, float, float]]

    def scores(self, found: Collection[str], before: Scores) -> Scores:
        """Return `before` plus the weights of the features `found`."""
        rows = [weights for feature in found if (weights := self.by_feature.get(feature))]
        # `fsum` rounds once: the order of a set, which differs from process to process, must not move a score
        lasting, order, request = map(fsum, zip((before.lasting, before.order, before.request), *rows, strict=True))
        return Scores(lasting, order, request)


@cache
def weights() -> FeatureWeights:
    """Return the weights of `languages/chats.tsv`, read once."""
    text = files("curator.distill").joinpath("languages/chats.tsv").read_text("utf-8")
    rows = (line.rsplit("\t", 3) for line in text.splitlines() if not line.startswith("# "))
    by_feature = {row[0]: (float(row[1]), float(row[2]), float(row[3])) for row in rows}
    return FeatureWeights(Scores(*by_feature.pop("BIAS")), by_feature)


def scores(text: str, family: str = "", sorts: Collection[str] = (), session: bool = False) -> Scores:
    """Return the scores of a sentence or statement by its words; `session` for one of a coding session.

    `family` is the name of the family that matched it; `sorts` are the sorts of the other clauses of its sentence.
    """
    found = context(family, sorts)
    return weights().scores(found | {IN_SESSION} if session else found, scores_of_words(text))


def classify_sentences(
    text: str, spans: Sequence[tuple[int, int]], classifier: SentenceClassifier
) -> dict[tuple[int, int], Scores]:
    """Return the classifier's scores of a text's sentences, except those with very low scores by words (`UNREAD`)."""
    unsure = [(start, end) for start, end in spans if max(astuple(scores(text[start:end]))) >= UNREAD]
    return dict(zip(unsure, classifier([text[start:end] for start, end in unsure]), strict=True)) if unsure else {}


def outlasts_session(by_classifier: Scores) -> bool:
    """Return True if the classifier is sure that a line of a coding session outlasts the session."""
    return by_classifier.order >= ORDER_IN_SESSION or by_classifier.lasting >= LASTING_IN_SESSION


def sentence_classifier() -> SentenceClassifier | None:
    """Return the sentence classifier, with probabilities as log odds; None if it is not installed."""
    model = load_classifier("sentences")
    if model is None:
        return None

    def classify(texts: Sequence[str]) -> list[Scores]:
        return [
            Scores(_odds(sum(lasting)), _odds(order) + LIKELY_ORDER, _odds(request), _odds(forget))
            for _, _, order, request, forget, *lasting in model.chances(texts).tolist()
        ]

    return classify


def remembering(classifier: SentenceClassifier) -> SentenceClassifier:
    """Return a classifier that reads each text once: requests to forget are looked for before the rest is read."""
    known: dict[str, Scores] = {}

    def classify(texts: Sequence[str]) -> list[Scores]:
        if new := [text for text in dict.fromkeys(texts) if text not in known]:
            known.update(zip(new, classifier(new), strict=True))
        return [known[text] for text in texts]

    return classify


def chance(odds: float) -> float:
    """Return the chance that a kept statement lasts, by the log odds of the classifier, which is too sure.

    Fitted on 551 statements kept from the held-out messages of `message_lines.py`.
    """
    return 1 / (1 + exp(1.1 - 0.9 * odds))


def _odds(chance: float) -> float:
    return log((chance + 1e-4) / (1 - chance + 1e-4))


@lru_cache(maxsize=512)  # each sentence is scored up to three times: before reading, as a whole, as a statement
def scores_of_words(text: str) -> Scores:
    """Return the scores of a sentence by its words alone."""
    return weights().scores(features(text), weights().bias)
