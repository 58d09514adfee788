"""Three devices that remove and restore memories: the result does not depend on the order of syncing."""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing, suppress

import pytest

from curator import curation
from curator.filters import parse_filter
from effort import thorough
from store import Filter, Store, clock
from store.errors import Conflict, NotFound
from store.model import Actor, Tier
from store.record.sync import consequences
from sync.devices import Three, numbered, said, taken_back

pytestmark = thorough


def test_what_is_redone_has_its_quotes(three: tuple[Three, Callable[[], None]]) -> None:
    (a, _, c), agree = three
    with c.here() as store:
        said(store, "x", "I like coffee")
    agree()
    with a.here() as store:
        said(store, "y", "I keep bees")
        both = [numbered(store, "I like coffee"), numbered(store, "I keep bees")]
        with store.command("rank", Actor.SWEEP) as writer:
            writer.update("memories", both, {"rank": "high"})
        (imported, *_) = (
            command.id for command in store.journal.log() if command.elsewhere and command.verb == "import"
        )
        store.undo(imported)
        store.redo()
    agree()
    for device in (a, c):
        assert len(device.store.evidence(numbered(device.store, "I keep bees"))) == 1


def test_a_memory_that_stays_has_not_what_its_remover_did(three: tuple[Three, Callable[[], None]]) -> None:
    (_, b, c), agree = three
    with c.here() as store:
        said(store, "x", "I like coffee")
    agree()
    with c.here() as store:
        curation.validate(store, [1])
    with b.here() as store:
        validated = curation.validate(store, [1])
        assert validated
        store.undo()
        (imported,) = (command.id for command in store.journal.log() if command.verb == "import")
        store.undo(imported)
    agree()
    assert all(device.store.get(1).review == "validated" for device in (b, c))


def test_a_memory_that_two_devices_write_again_at_once_is_one(three: tuple[Three, Callable[[], None]]) -> None:
    (a, b, c), agree = three
    with c.here() as store:
        said(store, "x", "I like coffee")
    agree()
    for device, tag in ((a, "drinks"), (b, "home")):
        with device.here() as store:
            (imported,) = (command.id for command in store.journal.log() if command.verb == "import")
            store.undo(imported)
            store.redo()
            curation.tag(store, [numbered(store, "I like coffee")], [tag])
    with c.here() as store:
        curation.edit(store, numbered(store, "I like coffee"), "I like strong coffee")
    agree()
    for device in (a, b, c):
        (found,) = device.store.get_many(device.store.list_ids(Filter()))
        assert (found.text, found.tags) == ("I like strong coffee", ("drinks", "home"))
        assert len(device.store.evidence(found.id)) == 1


def test_what_was_written_while_a_memory_was_removed_comes_back_with_it(
    three: tuple[Three, Callable[[], None]],
) -> None:
    (a, b, c), agree = three
    with a.here() as store:
        curation.add(store, "I keep bees")
    agree()
    with b.here() as store:
        store.undo(store.journal.log()[0].id)
    with c.here() as store:
        curation.edit(store, 1, "I keep ten bees")
    c.sync()
    b.sync()
    with b.here() as store, suppress(Conflict, NotFound):
        store.redo()
    agree()
    for device in (a, b, c):
        (found,) = device.store.get_many(device.store.list_ids(Filter()))
        assert found.text == "I keep ten bees"


def test_a_memory_that_one_device_writes_again_while_another_removes_it_is_the_same_on_all(
    three: tuple[Three, Callable[[], None]],
) -> None:
    (a, b, c), agree = three
    with a.here() as store:
        curation.add(store, "I keep bees")
    agree()
    with c.here() as store:
        store.undo(store.journal.log()[0].id)
        store.redo()
    with b.here() as store:
        curation.edit(store, 1, "I keep ten bees")
    b.sync()
    a.sync()
    with a.here() as store, suppress(Conflict, NotFound):
        store.undo(next(command.id for command in store.journal.log() if command.verb == "edit"))
        store.undo(next(command.id for command in store.journal.log() if command.verb == "add"))
    agree()
    for device in (a, b, c):
        assert len(device.store.list_ids(Filter())) == 1


def test_what_was_superseded_by_a_memory_that_was_undone_is_live(three: tuple[Three, Callable[[], None]]) -> None:
    (a, b, _), agree = three
    with a.here() as store:
        curation.add(store, "I like tea")
    agree()
    with b.here() as store:
        curation.add(store, "I like coffee")
    b.sync()
    a.sync()
    with a.here() as store:
        curation.supersede(store, [numbered(store, "I like tea")], numbered(store, "I like coffee"))
    with b.here() as store:
        store.undo()
    agree()
    for device in three[0]:
        (found,) = device.store.get_many(device.store.list_ids(Filter()))
        assert found.text == "I like tea"


def test_a_removal_that_does_not_hold_takes_away_no_decision(coffee: tuple[Three, Callable[[], None]]) -> None:
    (a, b, c), agree = coffee
    taken_back(b, "import")
    with c.here() as store:
        curation.validate(store, [1])
    with a.here() as store:
        curation.validate(store, [1])
        store.undo()
    taken_back(a, "import")
    agree()
    for device in (a, b, c):
        (found,) = device.store.get_many(device.store.list_ids(Filter()))
        assert found.review == "validated"


def test_what_a_sweep_did_before_a_removal_that_does_not_hold_is_the_same(
    coffee: tuple[Three, Callable[[], None]],
) -> None:
    (a, b, c), _ = coffee
    with b.here() as store:
        curation.validate(store, [1])
    taken_back(c, "import")
    with c.here() as store:
        store.redo()
    with a.here() as store, store.command("rank", Actor.SWEEP) as writer:
        writer.update("memories", [1], {"rank": "low"})
    taken_back(a, "import")


def test_who_kept_a_memory_takes_back_a_decision_and_removes_it_too(
    coffee: tuple[Three, Callable[[], None]],
) -> None:
    (a, b, c), _ = coffee
    with b.here() as store:
        curation.validate(store, [1])
    taken_back(c, "import")
    b.sync()
    a.sync()
    c.sync()
    with b.here() as store:
        store.undo()
    taken_back(b, "import")


def test_two_devices_bring_back_a_memory_that_a_third_pinned(coffee: tuple[Three, Callable[[], None]]) -> None:
    (a, b, c), agree = coffee
    with a.here() as store:
        curation.pin(store, [1], True)
    taken_back(c, "import")
    a.sync()
    taken_back(b, "import")
    c.sync()
    with c.here() as store:
        store.redo()
    c.sync()
    with b.here() as store:
        store.redo()
    agree()
    for device in (a, b, c):
        assert len(device.store.list_ids(Filter())) == 1


def test_a_memory_that_is_brought_back_and_removed_again_comes_back_elsewhere_with_its_texts(
    three: tuple[Three, Callable[[], None]],
) -> None:
    (a, b, c), agree = three
    with a.here() as store:
        curation.add(store, "I keep bees")
    agree()
    with a.here() as store:
        store.undo()
        store.redo()
    taken_back(b, "add")
    with c.here() as store:
        curation.edit(store, 1, "I keep ten bees")
    c.sync()
    b.sync()
    with b.here() as store:
        store.redo()
    taken_back(b, "add")
    agree()
    for device in (a, b, c):
        (found,) = device.store.get_many(device.store.list_ids(Filter()))
        assert found.text == "I keep ten bees"


def test_a_memory_that_a_slow_clock_brings_back_stays(three: tuple[Three, Callable[[], None]]) -> None:
    (a, b, c), agree = three
    c.at = 2 * clock.DAY
    with c.here() as store:
        curation.add(store, "I keep bees")
    agree()
    with c.here() as store:
        store.undo()
        store.redo()
        store.undo()
    taken_back(b, "add")
    with b.here() as store:
        store.redo()
    taken_back(a, "add")
    agree()
    for device in (a, b, c):
        assert len(device.store.list_ids(Filter())) == 1


def test_undoing_a_memory_that_another_device_brought_back_takes_all_of_it(
    three: tuple[Three, Callable[[], None]],
) -> None:
    (a, b, c), agree = three
    with c.here() as store:
        curation.add(store, "I keep bees")
    agree()
    taken_back(a, "add")
    with c.here() as store:
        curation.tag(store, [1], ["home"])
    a.sync()
    with a.here() as store:
        store.redo()
    c.sync()
    b.sync()
    taken_back(b, "restore")
    a.sync()
    b.sync()
    with suppress(Conflict, NotFound):
        taken_back(b, "add")


def test_quotes_of_a_merge_that_two_devices_take_back_and_do_again_are_the_same(
    three: tuple[Three, Callable[[], None]],
) -> None:
    (a, b, c), agree = three
    with b.here() as store:
        said(store, "x", "I like tea")
    with c.here() as store:
        curation.add(store, "I like tea")
    agree()
    taken_back(c, "add")
    taken_back(a, "import")
    for device in (c, a):
        with device.here() as store:
            store.redo()
    taken_back(a, "distil")
    taken_back(c, "add")


def test_a_column_that_was_set_back_is_the_same_after_all_removed_the_memory_and_brought_it_back(
    three: tuple[Three, Callable[[], None]],
) -> None:
    made, agree = three
    b, c, a = sorted(made, key=lambda device: device.store.sync.begin(device.name).uid)
    b.at = clock.DAY // 24
    with b.here() as store:
        curation.add(store, "I like chess")  # all clocks now follow b's
    with a.here() as store:
        said(store, "x", "I like bees")
    agree()
    with c.here() as store:
        curation.pin(store, [numbered(store, "I like bees")], True)
    c.sync()
    taken_back(b, "distil")
    taken_back(a, "import")
    b.sync()
    with c.here() as store:
        store.undo()
    taken_back(c, "distil")
    a.sync()
    c.sync()
    for device in (a, c):
        with device.here() as store:
            store.redo()
    agree()
    for device in (a, b, c):
        assert len(device.store.list_ids(parse_filter("bees"))) == 1


def test_a_redo_that_removes_and_adds_a_memory_keeps_what_was_written_to_it_elsewhere(
    three: tuple[Three, Callable[[], None]],
) -> None:
    made, agree = three
    c, b, a = sorted(made, key=lambda device: device.store.sync.begin(device.name).uid)
    with b.here() as store:
        said(store, "x", "I like bees")
    agree()
    taken_back(c, "distil")
    with a.here() as store:
        curation.validate(store, [numbered(store, "I like bees")])
    c.sync()
    with a.here() as store:
        store.undo()
    a.sync()
    b.sync()
    with a.here() as store:
        curation.edit(store, numbered(store, "I like bees"), "We met bees")
    a.sync()
    taken_back(b, "import")  # also undoes the sweeps that restored the memory
    b.sync()
    with b.here() as store:
        store.redo()
    agree()
    for device in (a, b, c):
        (memory,) = device.store.list_ids(Filter())
        assert device.store.get(memory).text == "We met bees"


def test_what_is_brought_back_while_a_pass_runs_gets_what_was_written_elsewhere_meanwhile(
    coffee: tuple[Three, Callable[[], None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    (a, b, c), agree = coffee
    memory = numbered(a.store, "I like coffee")
    taken_back(a, "import")
    with b.here() as store:
        curation.tag(store, [1], ["drinks"])
        curation.set_tier(store, [1], Tier.CORE)
    b.sync()
    redone = consequences.show_again

    def redo_meanwhile(connection: sqlite3.Connection, conversations: Sequence[int]) -> None:
        with closing(Store.open(a.home / "store")) as app:
            app.redo()
        monkeypatch.setattr(consequences, "show_again", redone)
        redone(connection, conversations)

    monkeypatch.setattr(consequences, "show_again", redo_meanwhile)
    a.sync()
    assert a.store.get(memory).text == "I like coffee"
    agree()
    for device in (a, b, c):
        (found,) = device.store.get_many(device.store.list_ids(Filter()))
        assert (found.tags, found.tier) == (("drinks",), Tier.CORE)
