"""Display of counts, dates and shortened texts."""

import pytest

from curator.display import counted, iso_date, said_date, short_date, short_time, truncate, with_every_prompt

AT = 1_772_546_520_000_000


@pytest.mark.parametrize(
    ("number", "noun", "shown"),
    [
        (1, "memory", "1 memory"),
        (0, "memory", "0 memories"),
        (1204, "memory", "1,204 memories"),
        (2, "conversation", "2 conversations"),
        (5, "day", "5 days"),
    ],
)
def test_counts_have_their_noun(number: int, noun: str, shown: str) -> None:
    assert counted(number, noun) == shown


def test_dates_are_in_utc() -> None:
    assert (iso_date(AT), iso_date(None), iso_date(None, "undated")) == ("2026-03-03", "–", "undated")
    assert (short_date(AT), short_time(AT)) == ("3 Mar 2026", "3 Mar 2026 14:02")
    assert (said_date(AT), said_date(AT, iso_date), said_date(None)) == (
        "said 3 Mar 2026",
        "said 2026-03-03",
        "no date",
    )


def test_what_is_always_given_says_where() -> None:
    scopes = ("global", "project:blog", "session:17")
    assert [*map(with_every_prompt, scopes)] == [
        "with every prompt",
        "with every prompt in blog",
        "with every prompt in session 17",
    ]


def test_a_text_is_cut_to_the_limit_at_a_word() -> None:
    assert truncate("short", 5) == "short"
    assert truncate("two words", 5) == "two…"
    assert len(truncate("x" * 100)) == 40
