"""Reasons of a conflict for people: the strong ones, in plain words."""

import pytest

from curator.curation.reasons import for_people

DIET = (
    "one denies the other, the diet: vegetarian / not vegetarian",
    "a change is mentioned: anymore",
    "number: 10 / –",
    "name: – / tidewell",
    "negation: – / not",
    "12% of words shared",
    "cosine 0.67",
    "words replaced: 10, year / anymor, not",
)


@pytest.mark.parametrize(
    ("reasons", "shown"),
    [
        (DIET, ["the diet: vegetarian / not vegetarian", "“anymore” suggests a change"]),
        (
            ("otherwise word for word the same", "number: 10 / 14", "95% of words shared"),
            ["otherwise the same words", "different numbers: 10, later 14"],
        ),
        (
            ("signs of a conflict: different dates, opposite words", "date: 5-17 / month 6", "modality: may / –"),
            ["opposite words", "different dates: 17 May, later June"],
        ),
        (("similar, but no rule applies", "number: 10 / –", "10% of words shared"), ["only one says 10"]),
        (("no name, number, date or negation differs", "cosine 0.99"), ["the same names, numbers and dates"]),
        (("similar, but no rule applies",), ["similar"]),
        (("Berlin then, Porto later",), ["Berlin then, Porto later"]),
        ((), []),
    ],
)
def test_weak_reasons_are_shown_only_without_strong_ones(reasons: tuple[str, ...], shown: list[str]) -> None:
    assert for_people(reasons) == shown


def test_scores_become_words() -> None:
    weak = ("similar, but no rule applies", "60% of words shared", "cosine 0.94", "words replaced: recip / anyth")
    assert for_people(weak) == ["mostly the same words", "nearly the same meaning"]


def test_a_sign_is_not_said_twice() -> None:
    signs = ("signs of a conflict: a change is mentioned, one allows no exception", "a change is mentioned: used to")
    assert for_people(signs) == ["one says always or never", "“used to” suggests a change"]
    assert for_people(signs[:1]) == ["a change is mentioned", "one says always or never"]


def test_values_get_the_capitals_of_the_texts() -> None:
    reasons = ("only one can be true at a time, where they live: lisbon / porto",)
    assert for_people(reasons, "I live in Lisbon", "Porto is home now; we moved to Porto") == [
        "where they live: Lisbon / Porto"
    ]
    length = ("only one can be true at a time, how long answers should be: short / long",)
    assert for_people(length, "Keep answers short.", "Long answers are fine") == [
        "how long answers should be: short / long"
    ]


def test_only_dates_become_days() -> None:
    assert for_people(("number: 1-2 / 5-10",)) == ["different numbers: 1-2, later 5-10"]
    assert for_people(("number: 10-4711 / 12-4711",)) == ["different numbers: 10-4711, later 12-4711"]
    slot = ("only one can be true at a time, when it is: 2012-03-05 / 2012-04-06",)
    assert for_people(slot) == ["when it is: 2012-03-05 / 2012-04-06"]
    assert for_people(("date: 5-17 / month 6",)) == ["different dates: 17 May, later June"]


def test_values_end_before_the_rest_of_the_sentence() -> None:
    lives = ("only one can be true at a time, where they live: lisbon and do ceramics / porto 2 weeks ago",)
    assert for_people(lives, "I live in Lisbon and do ceramics") == ["where they live: Lisbon / porto"]
    eats = ("one denies the other, what they eat: fish and chips / not fish and chips",)
    assert for_people(eats) == ["what they eat: fish and chips / not fish and chips"]
    same = ("only one can be true at a time, when it is: friday 2 weeks ago / friday 3 weeks ago",)
    assert for_people(same) == ["when it is: friday 2 weeks ago / friday 3 weeks ago"]
