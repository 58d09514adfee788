"""Three devices and conflicts of memories: the result does not depend on the order of syncing."""

from collections.abc import Callable
from contextlib import suppress

import pytest

from curator import curation
from effort import thorough
from store import clock
from store.errors import Conflict, NotFound
from store.model import Actor, Relation
from sync.devices import Device, Three, numbered, taken_back

pytestmark = thorough


def compared(device: Device, score: float) -> None:
    """Put an alert on two memories, as a sweep does."""
    with device.here() as store, store.command("compare", Actor.SWEEP) as writer:
        one, other = numbered(store, "I keep bees"), numbered(store, "I like bees")
        store.alerts.put(writer, one, other, Relation.DUPLICATE, score, ["alike"], judge="rules/1")


def withdrawn(device: Device) -> None:
    """Withdraw the open alert, as a sweep does."""
    with device.here() as store, store.command("compare", Actor.SWEEP) as writer:
        (alert,) = store.alerts.open()
        assert store.alerts.withdraw(writer, alert.id)


def resolved(device: Device) -> None:
    """Resolve the open alert: keep both memories."""
    with device.here() as store, store.command("resolve") as writer:
        (alert,) = store.alerts.open()
        store.alerts.resolve(writer, [alert.id], "both")


@pytest.fixture
def conflict(three: tuple[Three, Callable[[], None]]) -> tuple[Three, Callable[[], None]]:
    """Return devices that all know two memories with an alert."""
    (a, _, _), agree = three
    with a.here() as store:
        curation.add(store, "I keep bees")
        curation.add(store, "I like bees")
    compared(a, 0.3)
    agree()
    return three


def test_a_conflict_that_one_device_took_back_is_gone(three: tuple[Three, Callable[[], None]]) -> None:
    (a, b, _), agree = three
    b.at = 2 * clock.DAY
    with a.here() as store:
        curation.add(store, "I keep bees")
        curation.add(store, "I like bees")
    agree()
    for device, score in ((a, 0.3), (b, 0.7)):
        with device.here() as store, store.command("compare", Actor.SWEEP) as writer:
            store.alerts.put(writer, 1, 2, Relation.DUPLICATE, score, ["alike"], judge="rules/1")
    with b.here() as store:
        store.undo(max(command.id for command in store.journal.log() if command.verb == "compare"))
    agree()
    assert not any(device.store.alerts.open() for device in three[0])


def test_a_conflict_that_is_found_again_stays_resolved(conflict: tuple[Three, Callable[[], None]]) -> None:
    (a, b, c), agree = conflict
    withdrawn(a)
    compared(a, 0.7)
    resolved(b)
    agree()
    for device in (a, b, c):
        (alert,) = device.store.alerts.resolved()
        assert (alert.settled, alert.score) == ("both", 0.7)


def test_a_conflict_that_two_devices_find_again_at_once_is_one(conflict: tuple[Three, Callable[[], None]]) -> None:
    (a, b, c), agree = conflict
    withdrawn(a)
    a.sync()
    b.sync()
    compared(a, 0.5)
    b.at = 2 * clock.DAY
    compared(b, 0.7)
    agree()
    for device in (a, b, c):
        (alert,) = device.store.alerts.open()
        assert alert.score == 0.7


def test_of_decisions_on_a_conflict_that_is_found_again_twice_the_last_holds(
    conflict: tuple[Three, Callable[[], None]],
) -> None:
    (a, b, c), agree = conflict
    for device in (a, b):
        withdrawn(device)
        compared(device, 0.5)
    resolved(a)
    resolved(c)
    b.at = 2 * clock.DAY
    with b.here() as store, store.command("resolve") as writer:
        (alert,) = store.alerts.open()
        store.alerts.resolve(writer, [alert.id], "a")
    agree()
    for device in (a, b, c):
        (alert,) = device.store.alerts.resolved()
        assert alert.settled == "a"


def test_a_conflict_that_is_withdrawn_unknowing_of_a_decision_stays(
    conflict: tuple[Three, Callable[[], None]],
) -> None:
    (a, b, c), agree = conflict
    resolved(b)
    withdrawn(a)
    a.sync()
    c.sync()
    agree()
    for device in (a, b, c):
        (alert,) = device.store.alerts.resolved()
        assert alert.settled == "both"


def test_a_conflict_that_two_devices_find_and_one_withdraws_stays_postponed(
    three: tuple[Three, Callable[[], None]],
) -> None:
    (a, b, c), agree = three
    with a.here() as store:
        curation.add(store, "I keep bees")
        curation.add(store, "I like bees")
    agree()
    compared(a, 0.3)
    with a.here() as store, store.command("later") as writer:
        (alert,) = store.alerts.open()
        store.alerts.postpone(writer, [alert.id], 1 << 60)
    compared(b, 0.7)
    withdrawn(b)
    agree()
    for device in (a, b, c):
        (alert,) = device.store.alerts.open()
        assert alert.later_until == 1 << 60


def test_a_conflict_that_was_found_again_in_the_other_order_is_not_doubled_by_a_redo(
    three: tuple[Three, Callable[[], None]],
) -> None:
    made, agree = three
    c, b, a = sorted(made, key=lambda device: device.store.sync.begin(device.name).uid)
    for device in (c, b):
        with device.here() as store:
            curation.add(store, "I like tea")
    agree()
    uid = c.store.get(1).uid
    with a.here() as store:
        (added,) = (one.id for one in store.journal.log(9, store.by_uid(uid)) if one.verb == "add")
        store.undo(added)
    with b.here() as store:
        curation.tag(store, [store.by_uid(uid)], ["work"])
    a.sync()
    taken_back(b, "merge")
    b.sync()
    with b.here() as store, suppress(Conflict, NotFound):
        store.redo()
    agree()
    for device in (a, b, c):
        with device.store.sqlite() as connection:
            assert connection.execute("SELECT count(*) FROM alerts").fetchone()[0] == 1


def test_a_rejection_of_what_another_device_edited_meanwhile_is_undone(
    coffee: tuple[Three, Callable[[], None]],
) -> None:
    (a, b, c), agree = coffee
    with b.here() as store:
        memory = numbered(store, "I like coffee")
        curation.reject(store, [memory])
        rejection = next(command.id for command in store.journal.log() if command.verb == "reject")
    with a.here() as store:
        curation.edit(store, memory, "I like strong coffee")
    agree()
    with b.here() as store:
        assert store.get(memory).life == "forgotten"
        assert "edited on another" in store.journal.log(1)[0].summary
        store.undo(rejection)
        assert store.get(memory).life == "live"
        store.redo()
        assert store.get(memory).life == "forgotten"
        store.undo(rejection)
    agree()
    for device in (a, b, c):
        found = device.store.get(numbered(device.store, "I like strong coffee"))
        assert found.life == "live" and found.review == "open"
