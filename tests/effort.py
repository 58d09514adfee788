"""Sizes of the random tests: a quarter in an ordinary run, all of it with CURATOR_TESTS=thorough."""

import os

THOROUGH = os.environ.get("CURATOR_TESTS") == "thorough"
EXAMPLES = 100


def share(thorough: int, ordinary: int | None = None) -> int:
    """Return the number of examples, steps or processes of this run: `ordinary` is a quarter if it is not given."""
    return thorough if THOROUGH else ordinary or max(thorough // 4, 4)
