"""Stories of three devices, each of which ends the same in whatever order they sync."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import permutations, product
from pathlib import Path
from random import Random

import pytest

from curator import curation
from effort import some
from factories import conversation, memory, quote
from store import Filter, Store, clock
from store.errors import StoreError
from store.model import Actor, Relation, Tier
from sync.devices import Device, devices, settle, states

Three = tuple[Device, Device, Device]


@pytest.fixture(
    params=some(list(permutations(range(3))), 2), ids=lambda order: "".join("abc"[place] for place in order)
)
def three(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Three, Callable[[], None]]]:
    """Three devices, and a function that syncs them in the order of this run until they agree."""
    made = devices(tmp_path, "a", "b", "c")

    def agree() -> None:
        settle([made[place] for place in request.param])
        assert len(set(states(made))) == 1

    yield (made[0], made[1], made[2]), agree
    agree()
    for device in made:
        device.store.close()


def said(store: Store, name: str, *turns: str) -> None:
    """Import a log, and distil a memory from its first message."""
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation(name, *turns))
        number = store.raw.find_identity(writer, f"chatgpt:{name}:0")
    with store.command("distil", Actor.SWEEP) as writer:
        store.admit(writer, memory(turns[0], evidence=(quote(turns[0], turns[0], number),)))


def numbered(store: Store, text: str) -> int:
    """Return the memory that says this."""
    with store.sqlite() as connection:
        (number,) = connection.execute("SELECT id FROM memories WHERE text = ?", (text,)).fetchone()
    return int(number)


def test_a_shown_import_is_read_after_the_import(three: tuple[Three, Callable[[], None]], tmp_path: Path) -> None:
    (a, b, c), _ = three
    for device in (b, c):
        with device.here() as store, store.command("import") as writer:
            store.raw.put_conversation(writer, conversation("x", "I keep bees"))
    b.sync()
    tag = b.space.tag(b.store.sync.begin(b.name).uid)
    *_, last = sorted(file for file in (tmp_path / "target" / tag).rglob("*") if file.is_file())
    last.rename(tmp_path / "late")
    c.sync()  # has the messages of b's import, but not yet that they are shown
    a.sync()
    (tmp_path / "late").rename(last)
    with b.here() as store:
        store.undo()


def test_former_texts_of_a_purged_memory_go_everywhere(three: tuple[Three, Callable[[], None]]) -> None:
    (a, b, c), _ = three
    with a.here() as store:
        curation.add(store, "I keep bees")
    with b.here() as store:
        curation.add(store, "I like tea")
    b.sync()
    a.sync()
    c.sync()
    with b.here() as store:
        store.undo()
    with a.here() as store:
        store.purge([numbered(store, "I like tea")])
    with c.here() as store:
        kept, merged = numbered(store, "I keep bees"), numbered(store, "I like tea")
        curation.merge(store, [kept, merged], "I keep bees and like it", kept)
    b.sync()
    c.sync(0.0, Random(1))  # what the others wrote has not arrived yet


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


def test_a_tag_that_was_taken_away_does_not_come_back_with_its_memory(
    three: tuple[Three, Callable[[], None]],
) -> None:
    (a, b, c), _ = three
    with c.here() as store:
        curation.add(store, "I play chess")
    c.sync()
    a.sync()
    with c.here() as store:
        store.undo()
    with a.here() as store:
        curation.tag(store, [1], ["work"])
    a.sync()
    b.sync()
    c.sync(0.0, Random(1))  # what the others wrote has not arrived yet
    with b.here() as store:
        curation.tag(store, [1], [], ["work"])
        curation.pin(store, [1])


def test_what_a_machine_did_to_a_memory_is_no_part_of_it(three: tuple[Three, Callable[[], None]]) -> None:
    (a, b, c), agree = three
    with a.here() as store:
        said(store, "x", "I like coffee")
    agree()
    with a.here() as store:
        store.undo()
    with c.here() as store:
        curation.set_tier(store, [1], Tier.LOW)
        with store.command("expire", Actor.SWEEP) as writer:
            writer.update("memories", [1], {"life": "expired"})
    with b.here() as store:
        curation.tag(store, [1], ["drinks"])
    agree()
    for device in three[0]:
        (found,) = device.store.get_many(device.store.list_ids(Filter()))
        assert (found.tier, found.tags) == (Tier.LOW, ("drinks",))


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


def compared(device: Device, score: float) -> None:
    """Let a machine find a conflict of two memories."""
    with device.here() as store, store.command("compare", Actor.SWEEP) as writer:
        one, other = numbered(store, "I keep bees"), numbered(store, "I like bees")
        store.alerts.put(writer, one, other, Relation.DUPLICATE, score, ["alike"], judge="rules/1")


def withdrawn(device: Device) -> None:
    """Let a machine take back the open conflict."""
    with device.here() as store, store.command("compare", Actor.SWEEP) as writer:
        (alert,) = store.alerts.open()
        assert store.alerts.withdraw(writer, alert.id)


def resolved(device: Device) -> None:
    """Keep both memories of the open conflict."""
    with device.here() as store, store.command("resolve") as writer:
        (alert,) = store.alerts.open()
        store.alerts.resolve(writer, [alert.id], "both")


@pytest.fixture
def conflict(three: tuple[Three, Callable[[], None]]) -> tuple[Three, Callable[[], None]]:
    """Devices with two memories, and a conflict of them that all know."""
    (a, _, _), agree = three
    with a.here() as store:
        curation.add(store, "I keep bees")
        curation.add(store, "I like bees")
    compared(a, 0.3)
    agree()
    return three


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
    with b.here() as store, suppress(StoreError):
        store.redo()
    agree()
    for device in (a, b, c):
        (found,) = device.store.get_many(device.store.list_ids(Filter()))
        assert found.text == "I keep ten bees"


def test_a_memory_that_was_purged_while_it_was_removed_does_not_come_back(
    three: tuple[Three, Callable[[], None]],
) -> None:
    (a, b, c), agree = three
    with a.here() as store:
        curation.add(store, "I keep bees")
    agree()
    with b.here() as store:
        store.undo(store.journal.log()[0].id)
    with c.here() as store:
        store.purge([1])
    c.sync()
    b.sync()
    with b.here() as store, suppress(StoreError):
        store.redo()
    agree()
    assert not any(device.store.list_ids(Filter()) for device in (a, b, c))


def test_all_words_of_a_memory_that_was_purged_while_it_was_removed_are_gone_and_stay_out(
    three: tuple[Three, Callable[[], None]],
) -> None:
    (a, b, c), agree = three
    with a.here() as store:
        curation.add(store, "I keep bees")
        curation.edit(store, 1, "I keep hens")
    agree()
    with b.here() as store:
        for command in store.journal.log():
            store.undo(command.id)
    with c.here() as store:
        store.purge([1])
    c.sync()
    b.sync()
    with b.here() as store, suppress(StoreError):
        store.redo()
    agree()
    for device in (a, b, c):
        assert curation.finish_purge(device.store) == ()
        files = [path.read_bytes() for path in device.store.folder.rglob("*") if path.is_file()]
        assert not any(words in data for data in files for words in (b"keep bees", b"keep hens"))
        with device.here() as store, store.command("import") as writer:
            said_again = [store.admit(writer, memory(text)) for text in ("I keep bees", "I keep hens")]
        assert not any(one.added for one in said_again)


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
    with a.here() as store, suppress(StoreError):
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


def test_what_comes_back_from_a_merge_has_its_quotes_from_files(three: tuple[Three, Callable[[], None]]) -> None:
    (a, b, _), agree = three
    with a.here() as store:
        curation.add(store, "I keep bees")
        with store.command("import") as writer:
            store.admit(writer, memory("I like tea", evidence=(quote("I like tea", "I like tea", reference="a.md:3"),)))
    agree()
    with a.here() as store:
        curation.merge(store, [1, 2], "I keep bees and like tea", 1)
    with b.here() as store:
        store.purge([numbered(store, "I keep bees")])
    agree()
    for device in three[0]:
        assert [quoted.quote for quoted in device.store.evidence(numbered(device.store, "I like tea"))] == [
            "I like tea"
        ]


@pytest.mark.parametrize(
    ("how", "words"),
    some([*product(["purge", "forget"], ["I keep bees and like tea", "I like tea", "I keep bees"])], 3),
)
def test_what_was_merged_into_a_memory_that_goes_elsewhere_stays(
    three: tuple[Three, Callable[[], None]], how: str, words: str
) -> None:
    (a, b, _), agree = three
    with a.here() as store:
        curation.add(store, "I keep bees")
        said(store, "x", "I like tea")
    agree()
    with a.here() as store:
        kept, merged = numbered(store, "I keep bees"), numbered(store, "I like tea")
        curation.merge(store, [kept, merged], words, kept)
    with b.here() as store:
        number = numbered(store, "I keep bees")
        curation.forget(store, [number]) if how == "forget" else store.purge([number])
    agree()
    for device in three[0]:
        (found,) = device.store.get_many(device.store.list_ids(Filter()))
        assert found.text == "I like tea"
        assert [quoted.quote for quoted in device.store.evidence(found.id)] == ["I like tea"]


def taken_back(device: Device, verb: str) -> None:
    """Undo the last command of a verb that is not undone."""
    with device.here() as store:
        store.undo(next(one.id for one in store.journal.log() if one.verb == verb and one.undone is None))


@pytest.fixture
def coffee(three: tuple[Three, Callable[[], None]]) -> tuple[Three, Callable[[], None]]:
    """Devices with an imported memory that all know."""
    (a, _, _), agree = three
    with a.here() as store:
        said(store, "x", "I like coffee")
    agree()
    return three


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
    with suppress(StoreError):
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


def test_a_quote_that_waits_for_its_memory_is_covered_by_a_purge(three: tuple[Three, Callable[[], None]]) -> None:
    made, agree = three
    c, b, a = sorted(made, key=lambda device: device.store.sync.begin(device.name).uid)  # the first one's memory stays
    with c.here() as store:
        said(store, "x", "I like bees")
    with a.here() as store:
        said(store, "y", "I like bees")
    c.sync()
    b.sync()
    with b.here() as store:
        curation.edit(store, numbered(store, "I like bees"), "We met chess")
    taken_back(c, "import")
    a.sync()  # one is merged into the other, with its quote
    c.sync()
    with c.here() as store:
        store.purge([numbered(store, "I like bees")])
    agree()
    for device in (a, b, c):
        (found,) = device.store.list_ids(Filter())
        assert {quoted.quote.strip("█") for quoted in device.store.evidence(found)} == {""}
        assert len(device.store.evidence(found)) == 2


def test_a_text_that_was_undone_unknowing_of_a_purge_bars_nothing(coffee: tuple[Three, Callable[[], None]]) -> None:
    (a, b, c), agree = coffee
    with c.here() as store:
        store.purge([1])
    with a.here() as store:
        curation.edit(store, 1, "We met chess")
        curation.forget(store, [1])
        store.undo()
        store.undo()
    agree()
    for device in (a, b, c):
        with device.store.sqlite() as connection:
            assert connection.execute("SELECT count(*) FROM tombstones").fetchone()[0] == 1
