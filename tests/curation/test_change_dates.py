"""Merge drafts of two memories that hold one after the other: dated as a text says, else when the newer was said."""

import pytest

from curator import curation
from curator.curation import Pair
from factories import put
from store import Store, clock
from store.model import Relation

OLD, NEW = clock.from_iso("2024-10-07"), clock.from_iso("2025-05-29")
LISBON = "I live in Lisbon"


def clash(store: Store, a: str, b: str, a_said: int | None = OLD, b_said: int | None = NEW) -> Pair:
    first, second = put(store, a, created_at=a_said) + put(store, b, created_at=b_said)
    with store.command("compare") as writer:
        store.alerts.put(writer, first, second, Relation.UPDATE, 0.9, [], judge="rules/2")
    (alert,) = store.alerts.open()
    return curation.pair(store, alert.id)


@pytest.mark.parametrize(
    ("b", "until"),
    [
        ("We moved from Lisbon to Porto two weeks ago (17 May).", "2025-05-17"),
        ("We moved to Porto two weeks ago", "about 2025-05-15"),
        ("I live in Porto since May 2025", "May 2025"),
        ("I moved to Porto in March", "March 2025"),
        ("I moved to Porto in March (2025)", "March 2025"),
        ("I'm in Porto now, since monday (2025-05-26)", "2025-05-26"),
        ("Living in Porto as of 3 May 2025.", "2025-05-03"),
        ("I start in Porto, starting 1 September 2025", "2025-09-01"),
        ("We moved to Porto on May 3rd", "2025-05-03"),
        ("We moved to Porto last week", "about 2025-05-19"),
        ("We have lived in Porto since 2025", "2025"),
        ("I live in Porto since this spring", "spring 2025"),
        ("I live in Porto since last winter", "winter 2024/25"),
        ("I live in Porto since last quarter", "Q1 2025"),
        ("I live in Porto since last month", "April 2025"),
    ],
)
def test_a_date_named_by_the_newer_is_taken_and_not_said_twice(store: Store, b: str, until: str) -> None:
    assert curation.dated(clash(store, LISBON, b)) == (f"{LISBON} (until {until})", b)


@pytest.mark.parametrize(
    "b",
    [
        "I live in Porto",
        "I live in Porto, and on 3 June 2025 I fly to Rome",
        "I live in Porto and saw my sister in March",
        "I lived in Porto from 2010 to 2012 and do so again",
    ],
)
def test_other_dates_are_not_those_of_the_change(store: Store, b: str) -> None:
    day = "2025-05-29"
    assert curation.dated(clash(store, LISBON, b)) == (f"{LISBON} (until {day})", f"{b} (since {day})")


def test_the_older_may_name_its_end(store: Store) -> None:
    a = "I live in Lisbon until May 2025"
    assert curation.dated(clash(store, a, "I live in Porto.")) == (a, "I live in Porto (since May 2025).")


@pytest.mark.parametrize(
    ("a", "until"),
    [
        ("I lived in Lisbon from 2019 to 2024", "2024"),
        ("I lived in Lisbon from May 2019 to early June 2024", "June 2024"),
        ("I lived in Lisbon from 2019-05-01 to 2024-06-30.", "2024-06-30"),
        ("Since 2019 I have worked in Lisbon, until 2024", "2024"),
    ],
)
def test_the_end_of_a_range_is_the_change_and_not_said_twice(store: Store, a: str, until: str) -> None:
    assert curation.dated(clash(store, a, "I live in Porto")) == (a, f"I live in Porto (since {until})")


def test_a_way_to_somewhere_ends_nothing(store: Store) -> None:
    a, day = "In 2019 I went to Lisbon", "2025-05-29"
    assert curation.dated(clash(store, a, "I live in Porto")) == (
        f"{a} (until {day})",
        f"I live in Porto (since {day})",
    )


def test_a_start_before_the_older_was_said_ends_nothing(store: Store) -> None:
    b = "I've been vegetarian since 2015"
    assert curation.dated(clash(store, "I eat meat", b)) == ("I eat meat (until 2025-05-29)", b)


@pytest.mark.parametrize(("a_said", "b_said"), [(None, NEW), (None, None)])
def test_undated_ones_get_no_date_but_a_named_one(store: Store, a_said: int | None, b_said: int | None) -> None:
    plain = clash(store, LISBON, "I live in Porto", a_said, b_said)
    assert curation.dated(plain) == (LISBON, "I live in Porto")
    curation.keep_both(store, plain)
    named = clash(store, "I work at Acme", "I work at Tidewell since May 2025", a_said, b_said)
    assert curation.dated(named) == ("I work at Acme (until May 2025)", "I work at Tidewell since May 2025")


PESCATARIAN = "I'm a pescatarian now rather than vegetarian."


@pytest.mark.parametrize(
    ("a", "b", "first"),
    [
        (
            "I'm vegetarian and Emil is allergic to walnuts.",
            PESCATARIAN,
            "I'm vegetarian (until 2025-05-29) and Emil is allergic to walnuts.",
        ),
        ("I'm vegetarian.", PESCATARIAN, "I'm vegetarian (until 2025-05-29)."),
    ],
)
def test_only_the_clause_that_changed_ends(store: Store, a: str, b: str, first: str) -> None:
    pair = clash(store, a, b)
    assert curation.dated(pair)[0] == first and curation.undatable(pair) == ""


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("I live in Gothenburg with my husband Emil and our daughter Tuva.", "We have lived in Malmö since June"),
        ("I live in Rome and work as a nurse.", "I live in Malmö"),
        ("I take warfarin for life because of the valve", "I gave up bouldering, a fall is not worth it"),
    ],
)
def test_what_says_more_and_what_nobody_denies_gets_no_end(store: Store, a: str, b: str) -> None:
    pair = clash(store, a, b)
    assert curation.dated(pair)[0] == a and curation.undatable(pair) == "only part of A changed"
