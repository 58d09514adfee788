"""Parsing and printing times."""

from datetime import date

import pytest

from store import clock


def test_every_number_has_a_date() -> None:
    assert clock.to_iso(0) == "1970-01-01T00:00:00+00:00"
    assert clock.to_iso(clock.LATEST) == "9999-12-31T23:59:59.999999+00:00"
    assert clock.to_iso(clock.EARLIEST) == "0001-01-01T00:00:00+00:00"
    for beyond in (clock.LATEST + 1, 2**63 - 1, 10**30):
        assert clock.to_iso(beyond) == clock.to_iso(clock.LATEST)
    for before in (clock.EARLIEST - 1, -(2**63), -(10**30)):
        assert clock.to_iso(before) == clock.to_iso(clock.EARLIEST)


def test_what_can_be_read_can_be_written() -> None:
    for text in ("0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59.999999+00:00", "2024-05-01T12:00:00+00:00"):
        assert clock.to_iso(clock.from_iso(text)) == text
    for text in ("9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "soon"):
        with pytest.raises(ValueError, match=r"years 1 to 9999|isoformat"):
            clock.from_iso(text)


def test_a_day_ends_where_the_next_one_begins() -> None:
    assert clock.end_of(date(1970, 1, 1)) == clock.DAY
    assert clock.end_of(date(2024, 2, 28)) == clock.from_iso("2024-02-29")
    assert clock.end_of(date.max) == clock.LATEST + 1
    assert clock.end_of(date.min) == clock.EARLIEST + clock.DAY
