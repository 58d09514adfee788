from collections import Counter

import pytest
from phrasings import phrasings


@pytest.mark.parametrize(("name", "least"), [("steering", 120), ("ordinary", 400)])
def test_the_texts_are_many_different_and_half_of_them_held_out(name: str, least: int) -> None:
    rows = phrasings(name)
    halves = Counter(row.split for row in rows)
    assert len({row.text for row in rows}) == len(rows) >= least
    assert set(halves) == {"tune", "held"} and abs(halves["tune"] - halves["held"]) <= len(rows) // 20
