"""Dates in a question, and whether it asks for a time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.recall.dates import asks_when, spans, tells_when
from store.clock import DAY, EARLIEST, LATEST, from_iso

NOW = from_iso("2026-11-20T12:00:00")
WORDS = (
    "since before after between and in of the May March Mar 3 5th 2024 1999 9999 last this on Friday weekend ago weeks"
    " two years past summer winter w\u0131nter fr\u0131day n\u0131ne days \uff12\uff10\uff12\uff14"
    " 2024-02-30 9999-12-31 2023-12 0001-01-01 29 February 0 Jan. , may yesterday"
).split()


@pytest.mark.parametrize(
    ("question", "inside", "outside"),
    [
        ("What did I say on 2024-05-18?", "2024-05-18T23:00", "2024-05-19T01:00"),
        ("Where was I on 18 May 2024?", "2024-05-18T08:00", "2024-05-17T23:00"),
        ("Where was I on May 18th, 2024?", "2024-05-18T08:00", "2024-05-19T01:00"),
        ("What happened in May 2024?", "2024-05-31T23:00", "2024-06-01T01:00"),
        ("What happened in February?", "2021-02-28T23:00", "2021-03-02T01:00"),
        ("the party on 3rd of June", "2019-06-03T23:00", "2019-06-04T01:00"),
        ("What did I plan in 2023?", "2023-12-31T23:00", "2024-01-01T01:00"),
        ("What did I do yesterday?", "2026-11-19T01:00", "2026-11-18T23:00"),
        ("Who called two weeks ago?", "2026-11-05T01:00", "2026-11-16T01:00"),
        ("the trip last month", "2026-10-20T01:00", "2026-08-20T01:00"),
        ("the run on December 31", "2025-12-31T05:00", "2025-12-30T05:00"),
        ("the talk in Mar 2024", "2024-03-31T05:00", "2024-04-02T05:00"),
        ("the talk on 3 Sept.", "2023-09-03T05:00", "2023-09-05T05:00"),
        ("what was planned for 2024-05", "2024-05-31T05:00", "2024-06-02T05:00"),
        ("since March 2024", "2026-11-20T05:00", "2024-02-28T05:00"),
        ("after 2023", "2024-01-02T05:00", "2023-12-30T05:00"),
        ("until the summer of 2023", "2020-01-01T05:00", "2023-06-02T05:00"),
        ("between March and May 2024", "2024-04-10T05:00", "2024-06-02T05:00"),
        ("from 2019 to 2021", "2020-06-10T05:00", "2022-01-02T05:00"),
        ("what did I cook last winter", "2026-01-10T05:00", "2026-03-02T05:00"),
        ("what do I wear in winter", "2021-01-10T05:00", "2021-03-03T05:00"),
        ("the call on Monday", "2026-11-16T05:00", "2026-11-17T05:00"),
        ("the hike last weekend", "2026-11-15T05:00", "2026-11-17T05:00"),
        ("the week before August 3, 2023", "2023-07-30T05:00", "2023-08-03T05:00"),
        ("two weeks before August 11, 2023", "2023-07-29T05:00", "2023-08-09T05:00"),
        ("the Sunday before 25 October 2022", "2022-10-23T05:00", "2022-10-22T05:00"),
        ("the weekend after 25 October 2022", "2022-10-30T05:00", "2022-10-31T05:00"),
        ("the month after May 2024", "2024-06-15T05:00", "2024-05-15T05:00"),
        ("last Friday, 23 January 2026", "2026-01-23T05:00", "2026-11-13T05:00"),
        ("in the past three months", "2026-09-10T05:00", "2026-08-20T05:00"),
    ],
)
def test_days_that_a_question_names(question: str, inside: str, outside: str) -> None:
    (span,) = spans(question, NOW)
    assert span.gap(from_iso(inside)) == 0.0
    assert span.gap(from_iso(outside)) > 0.0


_NONE = (
    "",
    "May I have tea?",
    "What did he march for?",
    "He may come",
    "0000-99-99",
    "on 2024-13-45",
    "9999 years ago",
    "did I fall, and who is Jan",
)


@pytest.mark.parametrize("question", [*_NONE, "99 May 2024x", "999 years ago", "a version of 2023"])
def test_what_is_no_date_counts_for_nothing(question: str) -> None:
    assert all(span.first < span.end for span in spans(question, NOW))
    if question in _NONE:
        assert spans(question, NOW) == ()


@pytest.mark.parametrize("moment", [NOW, 0, EARLIEST, LATEST])
def test_a_month_without_a_year_is_the_nearest_one(moment: int) -> None:
    (span,) = spans("in March", NOW)
    assert 0.0 <= span.gap(moment) <= 366
    assert span.gap(from_iso("2024-04-01") + DAY) == 1.0


@pytest.mark.parametrize("question", ["When did she leave?", "What year was it?", "how long did it take"])
def test_questions_for_a_time(question: str) -> None:
    assert asks_when(question)
    assert not asks_when("Whenever, where is the key?")


@pytest.mark.parametrize("text", ["last week", "in June", "at 5 pm", "in 2024", "two days later", "on May 3"])
def test_texts_that_tell_a_time(text: str) -> None:
    assert tells_when(f"We met {text}")
    assert not tells_when("We met, and may meet")


@given(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join), st.sampled_from([NOW, EARLIEST, LATEST]))
def test_no_question_is_too_odd(question: str, now: int) -> None:
    for span in spans(question, now):
        assert span.gap(now) >= 0.0
