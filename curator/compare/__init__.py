"""Rules that compare two texts: guards against false equality, and the resulting relation."""

from curator.compare.chances import Reader, Reading
from curator.compare.differences import Difference, Guard, differences
from curator.compare.relation import Verdict, clamp, relate

__all__ = ["Difference", "Guard", "Reader", "Reading", "Verdict", "clamp", "differences", "relate"]
