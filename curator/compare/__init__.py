"""Rule-based comparison of two texts: differences, features of a conflict, and the resulting relation."""

from curator.compare.differences import Difference, Guard, differences
from curator.compare.pair import HARD_GUARDS, clamp
from curator.compare.prediction import PairPrediction, PairPredictor, log_odds
from curator.compare.relation import Comparison, Verdict, compare, relate

__all__ = [
    "HARD_GUARDS",
    "Comparison",
    "Difference",
    "Guard",
    "PairPrediction",
    "PairPredictor",
    "Verdict",
    "clamp",
    "compare",
    "differences",
    "log_odds",
    "relate",
]
