"""Comparing two texts: one normal form, content keys, token overlap, guards, and the relation they add up to."""

from curator.compare.normal import content_key

__all__ = ["content_key"]
