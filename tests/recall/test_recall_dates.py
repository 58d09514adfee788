"""Days in a question, and whether it asks for a time."""

import pytest

from curator.recall.dates import asks_when, spans, tells_when
from store.clock import DAY, EARLIEST, LATEST, from_iso

NOW = from_iso("2026-11-20T12:00:00")


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
