"""Curator: see and fix what your AI remembers about you."""

__version__ = "0.1.0"
