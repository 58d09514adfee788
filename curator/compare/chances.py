"""A classifier's reading of two texts, and the chances that it gives together with the signs of the rules."""

from collections.abc import Callable
from dataclasses import dataclass
from math import log

from curator.compare.data import weighed, weights

FROM = 0.1
"""Chance by the signs, of a conflict or a repetition, from which a pair is read: a reading takes ten times as long.

On labelled pairs that leaves out one in a hundred of the conflicts that readings of all find; of the candidates in long
chats and dialogues it leaves out two thirds.
"""
_LEAST = 1e-4  # chance that counts as none


@dataclass(frozen=True, slots=True)
class Reading:
    """The chances that a classifier gives to two texts, the earlier one first; with `both`, they add up to 1."""

    same: float
    both: float
    update: float
    contradiction: float

    @property
    def opposed(self) -> float:
        """The chance that one replaces or contradicts the other."""
        return self.update + self.contradiction

    @property
    def words(self) -> str:
        """The reading as a step that led to a verdict."""
        return f"read: same {self.same:.2f}, update {self.update:.2f}, contradiction {self.contradiction:.2f}"


Reader = Callable[[str, str], Reading]
"""Reads two texts, the earlier one first."""


def with_reading(reading: Reading, conflict: float, repeat: float, crowd: float) -> tuple[float, float]:
    """Return the chances of a conflict and of a repetition, of those by the signs and a reading.

    `crowd` grows with the number of memories near to the two.
    """
    signs = joined_signs(reading, conflict, repeat) | {"crowd": crowd}
    return weighed(signs, weights()["conflict read"]), weighed(signs, weights()["repeat read"])


def joined_signs(reading: Reading, conflict: float, repeat: float) -> dict[str, float]:
    """Return the log odds of the chances by the signs and of a reading, by the names of their weights."""
    return {
        "conflict by signs": log_odds(conflict),
        "repeat by signs": log_odds(repeat),
        "opposed": log_odds(reading.opposed),
        "contradiction": log_odds(reading.contradiction),
        "same": log_odds(reading.same),
    }


def log_odds(chance: float) -> float:
    """Return the logarithm of the odds."""
    return log((chance + _LEAST) / (1 - chance + _LEAST))
