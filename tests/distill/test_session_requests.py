"""Requests to remember and standing orders in coding sessions, on the rows that the rules were not tuned on.

`tests/bench/session_requests.py` prints all figures.
"""

from functools import cache

import pytest
from labelled_requests import Kept, kept, messages, share


@cache
def held() -> list[Kept]:
    """Return what is kept of the held-out messages; too slow for collection, which each process does."""
    return kept("held")


def test_both_halves_have_all_kinds() -> None:
    for half in ("tune", "held"):
        labels = [message.label for message in messages(half)]
        assert [labels.count(label) for label in ("request", "order", "-")] == [30, 20, 30]


@pytest.mark.parametrize(("label", "least"), [("request", 0.9), ("order", 0.95)])
def test_what_is_asked_for_is_kept(label: str, least: float) -> None:
    assert share(held(), label) >= least


def test_few_near_misses_are_taken_for_requests() -> None:
    assert share(held(), "-") <= 5 / 30
