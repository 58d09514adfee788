"""Undo of a command that another device's decision was made without knowing of: that decision stands."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from curator import curation
from effort import thorough
from factories import put
from store import Store, clock
from store.model import Given, Life, Review, Tier
from sync.devices import Device, devices, settle, states

pytestmark = thorough

TEXT = "I have a peanut allergy"


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Device, Device]]:
    """Return a laptop and a desktop with one open memory in common, with id 1 on both."""
    one, other = devices(tmp_path, "laptop", "desktop")
    with one.here() as store:
        put(store, TEXT)
    settle([one, other])
    yield one, other
    settle([one, other])
    assert len(set(states([one, other]))) == 1
    for device in (one, other):
        device.store.close()


def both(pair: tuple[Device, Device]) -> tuple[Store, Store]:
    settle([*pair])
    return pair[0].store, pair[1].store


def undo_own(device: Device, verb: str, of: str = "") -> None:
    """Undo the last command with this name that ran on the device, or on the one named `of`."""
    with device.here() as store:
        store.undo(next(one.id for one in store.journal.log() if (one.verb, one.elsewhere) == (verb, of)))


def test_a_validation_stands_when_the_rejection_of_another_device_is_undone(pair: tuple[Device, Device]) -> None:
    laptop, desktop = pair
    with laptop.here() as store:
        curation.reject(store, [1])
    desktop.at = 30 * clock.SECOND
    with desktop.here() as store:
        curation.validate(store, [1])
    for store in both(pair):
        assert store.get(1).review is Review.REJECTED
    undo_own(laptop, "reject")
    (rejected,) = [one for one in laptop.store.journal.log() if one.verb == "reject"]
    assert laptop.store.journal.undo_summary(rejected) == "1 memory stays as decided on desktop"
    for store in both(pair):
        found = store.get(1)
        assert (found.life, found.review, found.given) == (Life.LIVE, Review.VALIDATED, Given.ALWAYS)
        assert not store.tombstones.among([1])
    with laptop.here() as store:
        store.redo()
    for store in both(pair):
        assert store.get(1).review is Review.REJECTED


@pytest.mark.parametrize("after", [-10, 10])
def test_a_validation_stands_when_the_rejection_was_undone_before_the_devices_met(
    pair: tuple[Device, Device], after: int
) -> None:
    laptop, desktop = pair
    with laptop.here() as store:
        curation.reject(store, [1])
        store.undo()
    desktop.at = after * clock.SECOND
    with desktop.here() as store:
        curation.validate(store, [1])
    for store in both(pair):
        assert (store.get(1).review, store.get(1).given) == (Review.VALIDATED, Given.ALWAYS)


def test_what_both_forgot_stays_forgotten_until_both_undo_it(pair: tuple[Device, Device]) -> None:
    for device in pair:
        with device.here() as store:
            curation.forget(store, [1])
    settle([*pair])
    undo_own(pair[0], "forget")
    for store in both(pair):
        assert store.get(1).life is Life.FORGOTTEN
        assert store.tombstones.among([1])
    undo_own(pair[1], "forget")
    for store in both(pair):
        assert store.get(1).life is Life.LIVE


def test_a_decision_that_its_device_undid_does_not_stand(pair: tuple[Device, Device]) -> None:
    laptop, desktop = pair
    with laptop.here() as store:
        curation.reject(store, [1])
    with desktop.here() as store:
        curation.validate(store, [1])
    settle([*pair])
    undo_own(laptop, "validate", of="desktop")
    undo_own(laptop, "reject")
    for store in both(pair):
        assert (store.get(1).review, store.get(1).given) == (Review.OPEN, Given.RELEVANT)


def test_tiers_and_tags_of_another_device_stand(pair: tuple[Device, Device]) -> None:
    laptop, desktop = pair
    with desktop.here() as store:
        curation.set_tier(store, [1], Tier.CORE)
        curation.tag(store, [1], ["health"])
    laptop.at = 30 * clock.SECOND
    with laptop.here() as store:
        curation.set_tier(store, [1], Tier.LOW)
        curation.tag(store, [1], ["health", "food"])
    settle([*pair])
    undo_own(laptop, "tag")
    undo_own(laptop, "tier")
    for store in both(pair):
        assert (store.get(1).tier, store.get(1).tags) == (Tier.CORE, ("health",))
