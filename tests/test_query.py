"""Bounds of the filter language; what its words mean is tested with the verbs."""

import pytest

from curator.query import BadFilter, parse_filter
from store import clock


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("age:<99999999y", "year 1"),
        ("age:>999999999w", "year 1"),
        ("age:<9999999999d", "age is written"),
        (f"age:<{'9' * 5000}y", "age is written"),
        ("score:>1.5", "from 0 to 1"),
        (f"score:<{'9' * 400}", "from 0 to 1"),
        ("x" * 1001, "at most 1,000"),
        (f"kind:{'x' * 5000}", "kind is one of"),
        (f"{'x' * 5000}:y", "no filter is called"),
    ],
)
def test_numbers_and_words_have_bounds(words: str, said: str) -> None:
    with pytest.raises(BadFilter, match=said) as raised:
        parse_filter(words)
    assert len(str(raised.value)) < 300, "the message does not repeat it all"


def test_what_is_just_within_them() -> None:
    now = clock.from_iso("2024-05-01")
    assert (parse_filter("age:<2000y", now=now).created_after or 0) > clock.EARLIEST
    assert parse_filter("score:<1").score_below == 1.0
    assert len(parse_filter("x" * 1000).text) == 1000
