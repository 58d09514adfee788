"""Classifier probabilities for a pair of texts, combined with the rule features by log odds."""

from collections.abc import Callable
from dataclasses import dataclass
from math import log

from curator.compare.data import weighed, weights

CLASSIFIED_FROM = 0.1
"""Minimum probability of a conflict or repetition of pairs to classify, by features and regardless of neighbours.

Classifying takes ten times as long. Of 33 test lives, this misses no conflict that classifying all pairs finds.
"""
_LEAST = 1e-4  # minimum probability, to keep the log odds finite


@dataclass(frozen=True, slots=True)
class PairPrediction:
    """Probabilities of the relations of two texts, the earlier one first; they add up to 1.

    `both` means that both may be true, about different things.
    """

    same: float
    both: float
    update: float
    contradiction: float

    @property
    def opposed(self) -> float:
        """The probability that one replaces or contradicts the other."""
        return self.update + self.contradiction

    @property
    def step(self) -> str:
        """The prediction as a step of an explanation."""
        return f"classifier: same {self.same:.2f}, update {self.update:.2f}, contradiction {self.contradiction:.2f}"

    @property
    def words(self) -> str:
        """The prediction for people."""
        parts = {"an update": self.update, "a contradiction": self.contradiction, "the same": self.same}
        parts |= {"both true": self.both}
        listed = sorted(parts.items(), key=lambda part: -part[1])
        return f"the classifier reads {', '.join(f'{name} {chance:.0%}' for name, chance in listed)}"


SURE_CONFLICT = PairPrediction(same=0.0, both=0.05, update=0.95, contradiction=0.0)
SURE_REPEAT = PairPrediction(same=0.95, both=0.05, update=0.0, contradiction=0.0)
"""About the surest predictions of the classifier. Pairs that even these would not decide are not classified."""

PairPredictor = Callable[[str, str], PairPrediction]
"""Predicts the relation of two texts, the earlier one first."""


def combined_chances(
    prediction: PairPrediction, conflict: float, repeat: float, near: float, neighbour_density: float
) -> tuple[float, float]:
    """Return the probabilities of a conflict and a repetition from a prediction and the probabilities by features.

    `near` is the similarity of the two, 0-1: near texts that are predicted as opposed are more often so.
    `neighbour_density` grows with the number of memories near the two.
    """
    features = combined_features(prediction, conflict, repeat) | {"near": near, "crowd": neighbour_density}
    return weighed(features, weights()["conflict read"]), weighed(features, weights()["repeat read"])


def combined_features(prediction: PairPrediction, conflict: float, repeat: float) -> dict[str, float]:
    """Return the log odds of the probabilities by features and of a prediction, by the names of their weights."""
    return {
        "conflict by signs": log_odds(conflict),
        "repeat by signs": log_odds(repeat),
        "opposed": log_odds(prediction.opposed),
        "contradiction": log_odds(prediction.contradiction),
        "same": log_odds(prediction.same),
    }


def log_odds(chance: float) -> float:
    """Return the natural logarithm of the odds of a probability."""
    return log((chance + _LEAST) / (1 - chance + _LEAST))
