"""Lifecycle rules on single memories: the thresholds of ranking, expiry and caps."""

from typing import Any

import pytest

from curator.lifecycle import Limits, Step, capped, expiring, expiry_of, ranked, worth
from store import clock
from store.model import Aging, Kind, Rank, Review, Tier

NOW = 1_900_000_000 * clock.SECOND
DAY = clock.DAY


def aging(**fields: Any) -> Aging:
    """Return a memory that came in 40 days ago and was never recalled, unless given otherwise."""
    came = NOW - fields.pop("days", 40) * DAY
    plain: dict[str, Any] = {
        "memory": 1,
        "kind": Kind.FACT,
        "tier": Tier.MEDIUM,
        "rank": Rank.NEW,
        "review": Review.OPEN,
        "pinned": False,
        "score": 0.5,
        "importance": 5,
        "created_at": came,
        "added_at": came,
        "expires_at": None,
        "times": 0,
        "last_at": None,
    }
    return Aging(**{**plain, **fields})


def step(one: Aging) -> Step | None:
    """Return the step that the rules take for it."""
    found = ranked(one, NOW)
    return None if found is None else found[0]


def test_worth_is_the_sum_of_its_four_parts() -> None:
    assert worth(aging(times=5, last_at=NOW, score=0.8), NOW) == pytest.approx(0.35 * 0.5 + 0.25 * 0.8 + 0.25)
    full = aging(times=50, last_at=NOW, score=1.0, review=Review.VALIDATED)
    assert worth(full, NOW) == pytest.approx(1.0)
    assert worth(aging(days=90, score=0.0), NOW) == 0
    assert worth(aging(days=45, score=0.0), NOW) == pytest.approx(0.125)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"times": 10, "last_at": NOW, "score": 0.4}, Step.RAISE),  # .35 + .1 + .25
        ({"times": 2, "last_at": NOW, "score": 1.0, "review": Review.VALIDATED}, None),  # .72, but two recalls
        ({"rank": Rank.LOW, "times": 5, "last_at": NOW, "score": 0.8}, Step.RAISE),  # .625
        ({"rank": Rank.LOW, "times": 4, "last_at": NOW, "score": 1.0}, None),
        ({"days": 14, "score": 0.5}, Step.DEMOTE),  # .125 + .211
        ({"days": 13, "score": 0.5}, None),
        ({"days": 14, "score": 0.8}, None),  # .411
        ({"days": 30, "score": 0.5, "always_given": True}, None),
        ({"days": 30, "score": 0.5}, Step.REMOVE),  # .125 + .167
        ({"days": 29, "score": 0.5}, Step.DEMOTE),
        ({"days": 30, "score": 0.5, "rank": Rank.LOW}, Step.REMOVE),
        ({"days": 60, "score": 0.1, "times": 1, "last_at": NOW - 59 * DAY}, Step.DEMOTE),  # recalled once: not removed
        ({"days": 200, "rank": Rank.HIGH, "times": 3, "last_at": NOW - 90 * DAY}, Step.DEMOTE),
        ({"days": 200, "rank": Rank.HIGH, "times": 3, "last_at": NOW - 89 * DAY}, None),
        ({"days": 999, "rank": Rank.HIGH, "times": 3, "review": Review.VALIDATED}, None),
        ({"days": 999, "pinned": True, "score": 0.0}, None),
        ({"days": 999, "review": Review.VALIDATED, "score": 0.0}, None),
    ],
)
def test_rank_moves_as_the_numbers_say(fields: dict[str, Any], expected: Step | None) -> None:
    assert step(aging(**fields)) is expected


def test_a_date_of_its_own_holds_for_any_kind_and_who_somebody_is_has_no_other() -> None:
    assert expiry_of(Kind.IDENTITY, NOW, None) is None
    assert expiry_of(Kind.IDENTITY, NOW, NOW) == NOW
    assert expiring(aging(kind=Kind.IDENTITY, expires_at=NOW), NOW) is not None
    assert expiry_of(Kind.TRAIT, NOW, None) is None
    assert expiry_of(Kind.PREFERENCE, NOW, NOW + DAY) == NOW + DAY
    assert expiry_of(Kind.TASK, NOW, None) == NOW + 30 * DAY
    assert expiry_of(Kind.COMMITMENT, NOW, NOW + DAY) == NOW + DAY
    assert expiry_of(Kind.TASK, NOW, clock.LATEST) == clock.LATEST


def test_expiry_spares_what_the_person_decided_and_gives_an_old_log_time() -> None:
    old = NOW - 400 * DAY
    assert expiring(aging(kind=Kind.TASK, created_at=old, days=20), NOW) is not None
    assert expiring(aging(kind=Kind.TASK, created_at=old, days=13), NOW) is None
    assert expiring(aging(kind=Kind.TASK, created_at=old, expires_at=NOW, days=1), NOW) is not None
    assert expiring(aging(kind=Kind.TASK, created_at=old, pinned=True), NOW) is None
    assert expiring(aging(kind=Kind.TASK, created_at=old, review=Review.VALIDATED, expires_at=old), NOW) is None
    assert expiring(aging(kind=Kind.TASK, created_at=NOW - 29 * DAY, days=29), NOW) is None


def test_caps_take_the_least_valuable_and_never_what_was_decided() -> None:
    found = [
        aging(memory=1, pinned=True, score=0.0),
        aging(memory=2, review=Review.VALIDATED, score=0.0),
        aging(memory=3, score=0.1),
        aging(memory=4, score=0.9),
        aging(memory=5, score=0.1, importance=9),
    ]
    assert capped(found, Limits(), NOW) == {}
    assert set(capped(found, Limits(count=4), NOW)) == {3}
    assert set(capped(found, Limits(count=3), NOW)) == {3, 5}
    assert set(capped(found, Limits(count=1), NOW)) == {3, 4, 5}
    assert set(capped(found, Limits(age=40), NOW)) == {3, 4, 5}
    used = aging(memory=6, days=400, times=1, last_at=NOW - DAY)
    assert capped([used], Limits(age=90), NOW) == {}
