"""Rules that compare two texts: guards against false equality, and the resulting relation."""

from curator.compare.chances import Reader, Reading, log_odds
from curator.compare.differences import Difference, Guard, differences
from curator.compare.pair import clamp
from curator.compare.relation import Comparison, Verdict, compare, relate

__all__ = [
    "Comparison",
    "Difference",
    "Guard",
    "Reader",
    "Reading",
    "Verdict",
    "clamp",
    "compare",
    "differences",
    "log_odds",
    "relate",
]
