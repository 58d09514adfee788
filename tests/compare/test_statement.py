"""Parsed statements: subject, slot and value, polarity, time, and mood."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.compare.clauses import MOST, Mode, When, clauses
from curator.compare.statement import Statement, statements

I = frozenset({"i"})  # noqa: E741


def only(text: str, slot: str) -> Statement:
    found = [one for one in statements(text) if one.slot == slot and not one.implied]
    assert len(found) == 1, statements(text)
    return found[0]


@pytest.mark.parametrize(
    ("text", "slot", "subject", "said"),
    [
        ("I live in Berlin", "home", I, "berlin"),
        ("Lives in Kraków.", "home", frozenset(), "kraków"),
        ("The user lives in Nairobi, Kenya.", "home", I, "nairobi kenya"),
        ("My wife and I live in a small flat in Porto", "home", I, "porto"),
        ("My brother Tom works at Siemens", "employer", frozenset({"brother", "tom"}), "siemens"),
        ("My sister's name is Anna", "name", frozenset({"sister"}), "anna"),
        ("i m a physics professor", "job", I, "physics professor"),
        ("I've got two cats", "count", I, "2"),
        ("Phone: Pixel 9", "attribute", frozenset(), "pixel 9"),
    ],
)
def test_who_what_and_which_value(text: str, slot: str, subject: frozenset[str], said: str) -> None:
    found = only(text, slot)
    assert (found.subject, found.said, found.positive) == (subject, said, True)


@pytest.mark.parametrize(
    ("text", "slot", "positive", "changed", "when"),
    [
        ("I don't eat meat", "eat", False, False, When.NOW),
        ("I hardly ever eat meat", "eat", False, False, When.NOW),
        ("User no longer works at Acme", "employer", False, True, When.NOW),
        ("I don't eat meat anymore", "eat", False, True, When.NOW),
        ("I quit smoking", "smoke", False, True, When.NOW),
        ("I left Acme", "employer", False, True, When.PAST),
        ("I now live in Oslo", "home", True, True, When.NOW),
        ("I just moved to Oslo", "home", True, True, When.NOW),
        ("I used to live in Rome", "home", True, False, When.PAST),
        ("I lived in Rome until 2019", "home", True, False, When.PAST),
        ("I've lived in Rome since 2019", "home", True, False, When.NOW),
        ("I prefer detailed answers", "prefer", True, False, When.NOW),
        ("I hate olives", "like", False, False, When.NOW),
        ("I don't hate olives", "like", True, False, When.NOW),
    ],
)
def test_denial_change_and_time(text: str, slot: str, positive: bool, changed: bool, when: When) -> None:
    found = only(text, slot)
    assert (found.positive, found.changed, found.clause.when) == (positive, changed, when)


@pytest.mark.parametrize(
    ("text", "mode", "reported"),
    [
        ("I live in Rome", Mode.FACT, False),
        ("I'd love to live in Rome", Mode.WISH, False),
        ("I want to live in Rome", Mode.WISH, False),
        ("I'm going to live in Rome", Mode.PLAN, False),
        ("I might live in Rome", Mode.DOUBT, False),
        ("I would live in Rome", Mode.IF, False),
        ("My friend says I live in Rome", Mode.FACT, True),
        ('In his letter: "I live in Rome"', Mode.FACT, True),
    ],
)
def test_how_it_is_meant(text: str, mode: Mode, reported: bool) -> None:
    found = only(text, "home")
    assert (found.clause.mode, found.clause.reported) == (mode, reported)


def test_a_question_states_nothing() -> None:
    assert statements("Should I live in Rome?") == ()


def test_each_clause_has_its_own_subject() -> None:
    mine, hers = [one for one in statements("I live in Berlin, but my sister lives in Rome.") if one.slot == "home"]
    assert (mine.subject, mine.said) == (I, "berlin")
    assert (hers.subject, hers.said) == (frozenset({"sister"}), "rome")


def test_what_is_left_behind_and_what_is_preferred_over() -> None:
    switched = {one.said: one.positive for one in statements("I switched from Vim to Emacs")}
    assert switched == {"vim": False, "emacs": True}
    assert {one.said: one.positive for one in statements("I prefer tea over coffee")} == {"tea": True, "coffee": False}


def test_what_follows_from_a_statement_is_marked_so() -> None:
    found = {(one.slot, one.said, one.positive) for one in statements("I'm a vegan") if one.implied}
    assert ("eat", "meat", False) in found
    assert any(one.slot == "have" and one.implied for one in statements("My daughter is five"))


def test_purpose_and_circumstances_are_kept_apart_from_the_value() -> None:
    assert only("We use Postgres for the billing project", "use").key == {"bill", "project"}
    assert "winter" in only("In winter I live in Rome", "home").scope


@given(st.text(max_size=400))
def test_any_text_has_clauses_and_statements(text: str) -> None:
    assert len(clauses(text)) <= MOST
    for one in statements(text):
        assert one.value
