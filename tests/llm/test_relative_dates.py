from datetime import UTC, datetime

import pytest

from curator.llm.relative_dates import checked, meant
from store.clock import day_of

TUESDAY = int(datetime(2023, 11, 14, 22, 30, tzinfo=UTC).timestamp()) * 1_000_000


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("I moved yesterday", "2023-11-13"),
        ("Tomorrow I fly", "2023-11-15"),
        ("two weeks ago", "2023-10-31"),
        ("in 3 days", "2023-11-17"),
        ("on Friday", "2023-11-17"),
        ("last Friday", "2023-11-10"),
        ("last month", "2023-10"),
        ("in a year", "2024-11"),
        ("a month ago", "2023-10"),
    ],
)
def test_relative_dates_count_from_the_day_they_were_said(text: str, day: str) -> None:
    assert day in meant(text, TUESDAY)


def test_dates_that_follow_are_taken_out_of_a_text() -> None:
    assert checked("I moved on 2023-11-13", "I moved yesterday", TUESDAY) == ("I moved on ", True)
    assert checked("I moved on 2023-11-12", "I moved yesterday", TUESDAY) == ("I moved on 2023-11-12", False)
    assert checked("I moved on 2023-11-13", "I moved yesterday", None) == ("I moved on 2023-11-13", False)


def test_no_date_is_beyond_the_calendar() -> None:
    assert meant("999 years ago and in 999 years, in 999 days", -62_000_000_000_000_000)
    assert day_of(-1).isoformat() == "1969-12-31"


def test_a_time_out_of_the_calendar_has_a_day() -> None:
    assert [day_of(at).year for at in (-(10**18), 0, 10**18)] == [1, 1970, 9999]
