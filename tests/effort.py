"""Size of a test run: an ordinary one, CURATOR_TESTS=thorough, or CURATOR_TESTS=all.

An ordinary run tries an eighth of the random cases and skips the tests marked `thorough`, which take seconds or open
the app many times. A thorough run has these, and more of the cases that take the same path. Only =all runs each case
and those marked `exhaustive`; there each store runs its own migration and each process imports every client, which
other runs copy or share.
"""

import os
from collections.abc import Sequence
from typing import TypeVar

import pytest

ALL = os.environ.get("CURATOR_TESTS") == "all"
THOROUGH = ALL or os.environ.get("CURATOR_TESTS") == "thorough"
EXAMPLES = 100
thorough = pytest.mark.skipif(not THOROUGH, reason="takes seconds; runs with CURATOR_TESTS=thorough")
exhaustive = pytest.mark.skipif(not ALL, reason="takes many seconds; runs with CURATOR_TESTS=all")
_Case = TypeVar("_Case")


def share(most: int, ordinary: int | None = None) -> int:
    """Return the number of examples, steps or processes for this run; `ordinary` is an eighth of `most` by default."""
    usual = ordinary or max(most // 8, 4)
    return most if ALL else max(most // 30, usual) if THOROUGH else usual


def some(cases: Sequence[_Case], ordinary: int) -> list[_Case]:
    """Return the cases for this run, evenly spread, where many take the same path: `ordinary`, a quarter, or all."""
    count = len(cases) if ALL else max(len(cases) // 4, ordinary) if THOROUGH else ordinary
    return [cases[place * len(cases) // count] for place in range(count)] if count < len(cases) else list(cases)
