"""Three devices and purges: the result does not depend on the order of syncing."""

from collections.abc import Callable
from contextlib import suppress
from random import Random

import pytest

from curator import curation
from curator.targets import target_of
from effort import thorough
from factories import memory, quote
from store import Filter
from store.errors import Conflict, NotFound
from store.model import Actor
from store.record.changes import decode
from store.record.sync import raw
from sync.devices import Three, numbered, said, taken_back

pytestmark = thorough


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
    c.sync(0.0, Random(1))  # none of the others' new segments has arrived yet


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
    with b.here() as store, suppress(Conflict, NotFound):
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
    with b.here() as store, suppress(Conflict, NotFound):
        store.redo()
    agree()
    for device in (a, b, c):
        assert curation.finish_purge(device.store) == ()
        files = [path.read_bytes() for path in device.store.folder.rglob("*") if path.is_file()]
        assert not any(words in data for data in files for words in (b"keep bees", b"keep hens"))
        with device.here() as store, store.command("import") as writer:
            said_again = [store.admit(writer, memory(text)) for text in ("I keep bees", "I keep hens")]
        assert not any(one.added for one in said_again)


def test_a_quote_that_waits_for_its_memory_is_covered_by_a_purge(three: tuple[Three, Callable[[], None]]) -> None:
    made, agree = three
    c, b, a = sorted(made, key=lambda device: device.store.sync.begin(device.name).uid)  # the first's memory stays
    with c.here() as store:
        said(store, "x", "I like bees")
    with a.here() as store:
        said(store, "y", "I like bees")
    c.sync()
    b.sync()
    with b.here() as store:
        curation.edit(store, numbered(store, "I like bees"), "We met chess")
    taken_back(c, "import")
    a.sync()  # merges the two memories, with the quote
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


def test_a_purged_memory_that_is_written_again_keeps_its_tombstones(three: tuple[Three, Callable[[], None]]) -> None:
    (a, b, c), agree = three
    with b.here() as store:
        curation.add(store, "I like bees")
    agree()
    with b.here() as store:
        store.undo()
    with c.here() as store:
        curation.forget(store, [numbered(store, "I like bees")])
    with a.here() as store:
        curation.edit(store, numbered(store, "I like bees"), "We met chess")
    with c.here() as store:
        curation.restore(store, [numbered(store, "I like bees")])
    b.sync()
    for device, text in ((a, "We met chess"), (c, "I like bees")):
        with device.here() as store:
            store.purge([numbered(store, text)])
    a.sync()
    c.sync()
    agree()
    for device in (a, b, c):
        with device.store.sqlite() as connection:
            assert connection.execute("SELECT count(*) FROM tombstones").fetchone()[0] == 2


def test_no_device_keeps_the_words_of_a_purged_memory_that_another_one_removes_and_brings_back(
    three: tuple[Three, Callable[[], None]],
) -> None:
    made, agree = three
    a, c, b = sorted(made, key=lambda device: device.store.sync.begin(device.name).uid)
    with a.here() as store:
        curation.add(store, "I like bees")
    agree()
    with c.here() as store:
        store.purge([1])
    taken_back(b, "add")
    with a.here() as store:
        store.undo()
        store.redo()
    c.sync()
    with a.here() as store:
        store.undo()
    b.sync()
    agree()
    for device in (a, b, c):
        with device.store.sqlite() as connection:
            (said,) = connection.execute("SELECT group_concat(text) FROM memories").fetchone()
            journal = [decode(data) for (data,) in connection.execute("SELECT changes FROM events")]
        assert said.strip("█") == "" and "bees" not in str(journal)


def test_a_purge_is_not_forgotten_over_a_removal_that_is_read_with_it(
    coffee: tuple[Three, Callable[[], None]],
) -> None:
    made, agree = coffee
    b, c, a = sorted(made, key=lambda device: device.space.tag(device.store.sync.begin(device.name).uid))
    with a.here() as store:
        curation.pin(store, [1], True)
    with b.here() as store:
        curation.edit(store, numbered(store, "I like coffee"), "I like tea")
        store.purge([numbered(store, "I like tea")])
    taken_back(c, "import")
    b.sync()
    c.sync()
    a.sync()  # reads the purge first
    with a.store.sqlite() as connection:
        assert connection.execute("SELECT count(*) FROM tombstones").fetchone()[0] == 2
        assert connection.execute("SELECT life FROM memories").fetchone()[0] == "purged"
    agree()


def test_what_a_purge_keeps_out_is_not_let_in_by_who_did_not_know_of_it(
    coffee: tuple[Three, Callable[[], None]],
) -> None:
    (a, b, c), _ = coffee
    with a.here() as store:
        curation.edit(store, 1, "I like tea")
    a.sync(0.0, Random(1))  # none of the others' new segments has arrived yet
    with c.here() as store:
        curation.forget(store, [1])
    c.sync()
    b.sync()  # the memory is forgotten with both texts
    taken_back(a, "edit")
    a.sync(0.0, Random(1))
    b.sync()
    c.sync()
    with b.here() as store:
        store.purge([numbered(store, "I like coffee")])
    with c.here() as store:
        curation.restore(store, [1])
    c.sync(0.0, Random(1))
    for device in (b, a, c):
        device.sync()
        with device.store.sqlite() as connection:
            assert connection.execute("SELECT count(*) FROM tombstones").fetchone()[0] == 2


def test_a_text_that_lost_is_covered_alike_before_and_after_it_is_a_former_one(
    coffee: tuple[Three, Callable[[], None]],
) -> None:
    (a, b, c), agree = coffee
    with a.here() as store:
        curation.edit(store, 1, "I like tea")
    a.sync(0.0, Random(1))
    b.sync(1.0, Random(1))
    with c.here() as store:
        curation.edit(store, 1, "I like cocoa")
    c.sync(0.0, Random(1))
    a.sync()  # keeps its own text as a former one
    with c.here() as store:
        curation.add(store, "I like tea")
        store.purge([numbered(store, "I like tea")])
    c.sync(0.0, Random(1))
    tag = c.space.tag(c.store.sync.begin("c").uid)
    b.seen |= {name for name in target_of(b.space.target).names() if name.startswith(tag)}
    b.sync(0.0, Random(1))  # turns the text into a former one by itself
    agree()
    for device in (a, b, c):
        with device.store.sqlite() as connection:
            said = connection.execute("SELECT group_concat(text) FROM versions").fetchone()[0]
        assert "tea" not in said and "██████████" in said


def test_a_former_text_that_waits_for_its_memory_is_covered_by_a_purge(
    coffee: tuple[Three, Callable[[], None]],
) -> None:
    (a, b, c), agree = coffee
    taken_back(b, "import")
    with a.here() as store:
        curation.edit(store, 1, "I like tea")
        curation.edit(store, 1, "I like cocoa")
    a.sync(0.0, Random(1))
    b.sync()  # keeps the texts until the memory comes back
    with c.here() as store:
        curation.add(store, "I like tea")
        store.purge([numbered(store, "I like tea")])
    c.sync(0.0, Random(1))
    b.sync()
    assert curation.finish_purge(b.store) == ()
    assert not any(b"like tea" in path.read_bytes() for path in b.store.folder.rglob("*") if path.is_file())
    agree()
    for device in (a, b, c):
        with device.store.sqlite() as connection:
            assert connection.execute("SELECT group_concat(text) FROM versions").fetchone()[0].count("█") == 10


def test_a_text_that_was_purged_elsewhere_before_it_arrives_stays_nowhere(
    coffee: tuple[Three, Callable[[], None]],
) -> None:
    (a, b, c), agree = coffee
    with a.here() as store:
        curation.edit(store, 1, "I like tea")
        curation.edit(store, 1, "I like cocoa")
    with c.here() as store:
        curation.add(store, "I like tea")
        store.purge([numbered(store, "I like tea")])
    c.sync()
    b.sync()
    a.sync(0.0, Random(1))
    for device in (b, a, c):
        device.sync()
        with device.store.sqlite() as connection:
            journal = connection.execute("SELECT changes FROM events").fetchall()
            values = connection.execute("SELECT value FROM sync_values").fetchall()
        assert not any("like tea" in str(decode(data)) for (data,) in journal)
        assert "like tea" not in str([tuple(row) for row in values])
    agree()


def test_the_journal_is_rewritten_once_for_all_quotes_of_a_merge_that_a_purge_did_not_know(
    three: tuple[Three, Callable[[], None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    (a, b, c), agree = three
    with a.here() as store:
        curation.add(store, "I keep bees")
        with store.command("import", Actor.SWEEP) as writer:
            quotes = tuple(quote("tea", f"tea {n}", reference=f"notes.md:{n}") for n in range(5))
            store.admit(writer, memory("I like tea", evidence=quotes))
    agree()
    with a.here() as store:
        kept, merged = numbered(store, "I keep bees"), numbered(store, "I like tea")
        curation.merge(store, [kept, merged], "I keep bees and like tea", kept)
    with b.here() as store:
        store.purge([numbered(store, "I keep bees")])
    b.sync()
    rewritten: list[str] = []
    rewrite = raw.rewrite

    def counted(connection: object, owner: str, table: str, *given: object) -> None:
        rewritten.append(table)
        rewrite(connection, owner, table, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(raw, "rewrite", counted)
    a.sync()
    assert rewritten.count("evidence") == 1
    agree()
    for device in (a, b, c):
        said = numbered(device.store, "I like tea")
        assert device.store.get(said).life == "live"
        assert {one.reference for one in device.store.evidence(said)} == {one.reference for one in quotes}
