"""Comparing two texts: one normal form, content keys, token overlap, guards, and the relation they add up to."""

from curator.compare.differences import Difference, Guard, differences
from curator.compare.first_person import first_person
from curator.compare.normalize import content_key
from curator.compare.relation import Verdict, relate
from curator.compare.reword import worded
from curator.compare.words import TOKENS, jaccard, tokens

__all__ = [
    "TOKENS",
    "Difference",
    "Guard",
    "Verdict",
    "content_key",
    "differences",
    "first_person",
    "jaccard",
    "relate",
    "tokens",
    "worded",
]
