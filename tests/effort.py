"""Sizes of the random tests: an eighth in an ordinary run, a sixth with CURATOR_TESTS=thorough, all with =all.

An ordinary run skips the tests marked `thorough`, which take seconds or open the app many times. Only with =all does
each store run its own migration and each process import every client; other runs copy or share them.
"""

import os
from collections.abc import Sequence
from typing import TypeVar

import pytest

ALL = os.environ.get("CURATOR_TESTS") == "all"
THOROUGH = ALL or os.environ.get("CURATOR_TESTS") == "thorough"
EXAMPLES = 100
thorough = pytest.mark.skipif(not THOROUGH, reason="takes seconds; runs with CURATOR_TESTS=thorough")
_Case = TypeVar("_Case")


def share(thorough: int, ordinary: int | None = None) -> int:
    """Return the number of examples, steps or processes for this run; `ordinary` is an eighth by default."""
    usual = ordinary or max(thorough // 8, 4)
    return thorough if ALL else max(thorough // 6, usual) if THOROUGH else usual


def some(cases: Sequence[_Case], ordinary: int) -> list[_Case]:
    """Return the cases for this run: all, or `ordinary` of them, evenly spread, where many take the same path."""
    if THOROUGH or ordinary >= len(cases):
        return list(cases)
    return [cases[place * len(cases) // ordinary] for place in range(ordinary)]
