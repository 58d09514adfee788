"""Purge: no byte of the words remains in the store, and they do not come back."""

import contextlib
import shutil
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import orjson
import pytest

from curator import curation
from effort import thorough
from factories import conversation, memory, put, quote
from store import Busy, Conflict, Filter, NotFound, Store, StoreError, clock
from store.model import Life, NewEvidence, NewMemory, NewVersion, Relation
from store.record.changes import decode

SECRET = "Zaubertrank under the Kastanienbaum"
TURN = f"By the way, I keep the {SECRET}, tell nobody."


def with_words(store: Store) -> int:
    """Store a memory whose words are in a message, a quote, a version, a title and the journal."""
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", TURN, f"You said: I keep the {SECRET}!", "fine"))
        writer.connection.execute("UPDATE conversations SET title = ?", (f"I keep the {SECRET}",))
    (found,) = store.raw.get_conversations()
    first, *_ = store.raw.messages(found.id)
    text = f"Keeps the {SECRET}"
    new: NewMemory = memory(
        text,
        evidence=(quote(f"I keep the {SECRET}", TURN, message=first.id),),
        versions=(NewVersion(f"Hides the {SECRET}", 1),),
        object=SECRET,
    )
    with store.command("distil") as writer:
        number = store.admit(writer, new).added
    assert number is not None
    return number


def files_holding(folder: Path, words: str) -> list[str]:
    """Return the files below a folder that hold the words, as UTF-8 or UTF-16."""
    needles = (words.encode(), words.encode("utf-16-le"))
    return [
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and any(needle in path.read_bytes() for needle in needles)
    ]


def journal_holding(store: Store, words: str) -> list[int]:
    """Return the events that hold the words."""
    with store.sqlite() as connection:
        rows = connection.execute("SELECT seq, changes FROM events").fetchall()
    return [row[0] for row in rows if words in repr(decode(row[1]))]


@thorough
def test_no_byte_of_the_words_is_left(store: Store) -> None:
    from curator.models import load_embedder
    from store.index import Index

    number = with_words(store)
    curation.validate(store, [number])
    curation.edit(store, number, f"Keeps the {SECRET} well")
    (other,) = put(store, "I like tea")
    curation.tag(store, [number, other], add=["bulk"])
    curation.forget(store, [number])
    store.undo()
    embedder = load_embedder("hashing", Path())
    index = Index(store, embedder.fingerprint)
    index.catch_up()
    assert files_holding(store.folder, SECRET)
    purged, left = curation.purge(store, [number])
    assert purged.memories == (number,)
    assert left == ()
    assert files_holding(store.folder, SECRET) == []
    index = Index(store, embedder.fingerprint)
    index.catch_up()
    assert files_holding(store.folder, SECRET) == []
    assert index.check() == []
    assert journal_holding(store, SECRET) == []
    assert store.differences() == []
    assert store.get(number).life is Life.PURGED
    assert store.get(other).text == "I like tea"


def test_offsets_of_what_stays_are_kept(store: Store) -> None:
    number = with_words(store)
    (found,) = store.raw.get_conversations()
    first = store.raw.messages(found.id)[0]
    with store.command("distil") as writer:
        stays = store.admit(
            writer, memory("Asks for silence", evidence=(quote("tell nobody", TURN, message=first.id),))
        ).added
    assert stays is not None
    curation.purge(store, [number])
    (kept,) = store.evidence(stays)
    assert store.raw.message(first.id).text[kept.start : kept.end] == kept.quote == "tell nobody"
    assert len(store.raw.message(first.id).text) == len(TURN)


def test_a_quote_that_overlaps_is_covered_with_its_message(store: Store) -> None:
    number = with_words(store)
    (found,) = store.raw.get_conversations()
    first = store.raw.messages(found.id)[0]
    with store.command("distil") as writer:
        stays = store.admit(
            writer, memory("Told it by the way", evidence=(quote("By the way, I keep", TURN, message=first.id),))
        ).added
    assert stays is not None
    curation.purge(store, [number])
    (kept,) = store.evidence(stays)
    assert kept.quote == "By the way, ██████"
    assert store.differences() == []


def test_it_ends_undo_for_what_touched_it(store: Store) -> None:
    (tea,) = put(store, "I like tea")
    (trains,) = put(store, "I like trains")
    curation.validate(store, [tea])
    curation.purge(store, [tea])
    assert store.undo().verb == "add"
    with pytest.raises(NotFound):
        store.get(trains)
    with pytest.raises(NotFound):
        store.undo()
    with pytest.raises(Conflict, match="purged"):
        store.undo(3)
    with pytest.raises(Conflict):
        curation.restore(store, [tea])


def test_it_ends_undo_for_what_was_undone_and_done_again(store: Store) -> None:
    number, other = put(store, "I like tea", "I like trains")
    curation.validate(store, [number])
    curation.pin(store, [other])
    pinned = store.journal.log(1)[0].id
    store.undo(2)
    store.redo()
    curation.purge(store, [number])
    assert [(command.verb, command.undoable) for command in store.journal.log()] == [
        ("purge", False),
        ("redo", False),
        ("undo", False),
        ("pin", True),
        ("validate", False),
        ("add", False),
    ]
    store.undo(pinned)


def test_erased_logs_are_counted_and_end_no_undo_of_others(store: Store) -> None:
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("a", "I like tea", "Noted.", "Bye"))
    (number,) = put(store, "I like trains")
    (found,) = store.raw.get_conversations()
    erased = store.erase_logs([found.id], clock.LATEST)
    assert (erased.conversations, erased.messages) == (1, 3)
    assert store.erase_logs([found.id], clock.LATEST).messages == 0
    assert [command.verb for command in store.journal.log()].count("purge") == 1
    store.undo()
    assert number not in store.list_ids(Filter())


def test_importing_the_log_again_brings_nothing_back(store: Store) -> None:
    number = with_words(store)
    curation.purge(store, [number])
    with store.command("import") as writer:
        counts = store.raw.put_conversation(writer, conversation("a", TURN, f"You said: I keep the {SECRET}!", "fine"))
        outcome = store.admit(writer, memory(f"Keeps the {SECRET}"))
    assert counts.fresh == ()
    assert outcome.forgotten == number
    assert files_holding(store.folder, SECRET) == []


def test_a_memory_that_stays_with_the_same_words_is_named_first(store: Store) -> None:
    (short, longer) = put(store, f"Keeps the {SECRET}", f"Keeps the {SECRET} and a cat")
    with pytest.raises(Conflict, match=str(longer)):
        curation.purge(store, [short])
    assert store.get(short).text.startswith("Keeps")
    purged, _ = curation.purge(store, [short, longer])
    assert purged.memories == (short, longer)


def test_what_says_exactly_the_same_goes_too(store: Store) -> None:
    here, there = put(store, "I like tea") + put(store, "I LIKE tea!", scope="project:x")
    assert store.purge_targets([here]) == [here, there]
    purged, _ = curation.purge(store, [here])
    assert purged.memories == (here, there)


def test_purging_while_another_process_has_the_store_open(store: Store) -> None:
    number = with_words(store)
    with contextlib.closing(Store.open(store.folder)) as second:
        assert second.get(number).text.startswith("Keeps")
        curation.purge(store, [number])
        assert second.get(number).text == ""
        assert files_holding(store.folder, SECRET) == []


def test_the_words_leave_the_history_of_a_memory_that_stays(store: Store) -> None:
    stays = curation.add(store, SECRET).id
    curation.edit(store, stays, "Something else")
    curation.tag(store, [stays], add=["kept"])
    with store.command("import") as writer:
        gone = store.admit(writer, memory(SECRET, external_id="e", scope="project:x")).added
    assert gone is not None
    curation.purge(store, [gone])
    assert journal_holding(store, SECRET) == []
    assert files_holding(store.folder, SECRET) == []
    assert store.differences() == []
    assert [version.text for version in store.versions(stays)] == ["█" * len(SECRET)]
    for command in (1, 2):
        with pytest.raises(Conflict, match="purged"):
            store.undo(command)
    assert store.undo().verb == "tag"
    assert store.get(stays).text == "Something else"


def test_what_was_undone_before_does_not_bring_the_words_back(store: Store) -> None:
    curation.add(store, SECRET)
    store.undo()
    store.redo()
    store.undo()
    (again,) = put(store, SECRET)
    curation.purge(store, [again])
    assert not any(command.undoable for command in store.journal.log())
    for command in store.journal.log():
        with pytest.raises(StoreError):
            store.undo(command.id)
    with pytest.raises(NotFound):
        store.redo()
    assert store.list_ids(Filter()) == []
    assert store.differences() == []
    assert journal_holding(store, SECRET) == []


def test_nothing_takes_the_tombstone_of_a_purged_memory_away(store: Store) -> None:
    (here,) = put(store, "I like tea time")
    curation.edit(store, here, "I like coffee time")
    curation.forget(store, [here])
    curation.restore(store, [here])
    curation.purge(store, [here])
    for command in store.journal.log():
        with pytest.raises(StoreError):
            store.undo(command.id)
    for text in ("I like tea time", "I like coffee time"):
        with store.command("import") as writer:
            assert store.admit(writer, memory(text)).forgotten == here


def test_the_other_columns_of_a_purged_memory_are_emptied(store: Store) -> None:
    alone = NewEvidence("q", 0, 1, reference="chat-kumquat-7", source="kumquat", title="Kumquat talk")
    new = memory(
        "Grows small fruit",
        external_id="kumquat-1",
        project="kumquat",
        scope="project:kumquat",
        session="kumquat-session",
        subject="kumquat",
        relation="kumquat",
        object="kumquat",
        span="kumquat",
        tags=("kumquat",),
        evidence=(alone,),
    )
    with store.command("import") as writer:
        number = store.admit(writer, new).added
    assert number is not None
    curation.tag(store, [number], add=["kumquats"], remove=["kumquat"])
    (other,) = put(store, "Eats small fruit")
    with store.command("distil") as writer:
        store.alerts.put(writer, number, other, Relation.UPDATE, 0.7, ["kumquat / fruit"])
    curation.purge(store, [number])
    assert journal_holding(store, "kumquat") == []
    assert files_holding(store.folder, "kumquat") == []
    assert store.differences() == []
    with store.command("import") as writer:
        assert store.admit(writer, new).known == number
    curation.purge(store, [number])
    assert store.peek_memory(new).known == number


def test_another_owner_is_neither_read_nor_touched(store: Store) -> None:
    turn = f"I keep the {SECRET}"
    with contextlib.closing(Store.open(store.folder, owner="ana")) as ana:
        with ana.command("import") as writer:
            ana.raw.put_conversation(writer, conversation("a", turn))
            writer.connection.execute("UPDATE conversations SET title = ?", (turn,))
        (theirs,) = put(ana, f"Keeps the {SECRET}", external_id="e")
        curation.edit(ana, theirs, f"Still keeps the {SECRET}")

        def read() -> list[object]:
            said, done = [ana.raw.get_conversations(), ana.raw.messages(1)], ana.journal.log()
            return [said, done, ana.get(theirs), ana.versions(theirs)]

        before = read()
        events = journal_holding(ana, SECRET)
        (mine,) = put(store, f"Keeps the {SECRET}", external_id="e")
        curation.purge(store, [mine])
        assert read() == before
        assert journal_holding(ana, SECRET) == events
        assert store.differences() == []
        assert ana.undo().verb == "edit"


def test_every_step_after_it_is_tried_and_what_is_left_is_said(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    from filelock import FileLock

    from store.index import Index

    number = with_words(store)
    copies = store.folder / "backups"
    copies.mkdir()
    with store.sqlite() as connection, contextlib.closing(sqlite3.connect(copies / "record-v0.sqlite")) as target:
        connection.backup(target)
    (store.folder / "index").mkdir(exist_ok=True)
    drop = Index.drop

    def impatient(store: Store, wait: float) -> None:
        drop(store, wait=0.1)

    monkeypatch.setattr(Index, "drop", staticmethod(impatient))
    with FileLock(store.folder / "index" / "lock"):
        purged, left = curation.purge(store, [number])
        assert purged.memories == (number,)
        assert list(copies.iterdir()) == []
        assert store.unfinished_purge() is not None
        assert files_holding(store.folder, SECRET) == []
        (said,) = left
        assert "index" in said
        assert "curator doctor --compact" in said
        assert len(curation.finish_purge(store)) == 1
    assert curation.finish_purge(store) == ()


def test_a_record_that_cannot_be_compacted_keeps_nothing_else_from_being_done(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = with_words(store)
    home = store.folder / "index" / "me" / "g1"
    home.mkdir(parents=True)

    def busy(self: Store, wait: float) -> bool:
        raise Busy("another process has been writing")

    with monkeypatch.context() as patch:
        patch.setattr(Store, "compact", busy)
        _, left = curation.purge(store, [number])
    assert len(left) == 1
    assert "another process has been writing" in left[0]
    assert not home.exists()
    assert curation.finish_purge(store) == ()
    assert files_holding(store.folder, SECRET) == []


def test_a_copy_that_comes_just_before_is_deleted(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    number = with_words(store)
    holding = store.copies_holding

    def late(ids: Sequence[int], variants: bool = False) -> list[str]:
        found = holding(ids, variants)
        store.keep_backup(5)
        return found

    monkeypatch.setattr(store, "copies_holding", late)
    assert curation.purge(store, [number])[1] == ()
    assert store.backups() == [] and files_holding(store.folder, SECRET) == []


def test_copies_stay_where_nothing_was_purged(store: Store) -> None:
    copy = store.folder / "backups" / "record-v0.sqlite"
    copy.parent.mkdir()
    shutil.copy(store.folder / "record.sqlite", copy)
    assert curation.finish_purge(store) == ()
    assert copy.exists()


@pytest.mark.parametrize("turn", ['["a"] is the answer', '["a", 1]', '["not closed', "[]", "{}"])
def test_a_turn_that_looks_like_a_list_is_no_hindrance(store: Store, turn: str) -> None:
    number = with_words(store)
    store.recalls.put("r1", [number])
    store.recalls.put_answer("r1", turn)
    store.recalls.put("r2", [number])
    store.recalls.put_answer("r2", f'["I keep the {SECRET}')
    curation.purge(store, [number])
    assert (store.recalls.get("r1").turn, store.recalls.get("r2").turn) == (turn, None)
    assert files_holding(store.folder, SECRET) == []


def test_reasons_of_conflicts_that_are_kept_for_other_devices_are_erased(store: Store) -> None:
    mine, yours, other = put(store, f"Keeps the {SECRET}", "Keeps the keys", f'Told Ana where the "{SECRET}" is')
    for pair, reason in (((mine, yours), "words replaced: hazelnut"), ((yours, other), f'said "Keeps\nthe {SECRET}"')):
        with store.command("compare") as writer:
            store.alerts.put(writer, *pair, Relation.UPDATE, 0.5, [reason])
    store.sync.begin("laptop")
    with store.command("compare") as writer:
        assert all(store.alerts.withdraw(writer, alert.id) for alert in store.alerts.open())
    store.sync.begin("laptop")
    assert len(files_holding(store.folder, "hazelnut")) > 0
    with store.sqlite() as connection:
        store.purge([mine])
        kept = connection.execute("SELECT group_concat(value) FROM sync_values").fetchone()[0]
    assert "hazelnut" not in kept and SECRET not in kept


def test_of_rows_kept_for_other_devices_only_those_that_hold_the_words_change(store: Store) -> None:
    number = with_words(store)
    (other,) = put(store, "I like tea")

    def row(text: str) -> str:
        return orjson.dumps({"memory": other, "text": text, "merged_from": None, "content_key": ""}).decode()

    item, field = 1_000_001, "added versions 1"
    values = {
        (item, field, 1, 10): f"Keeps the {SECRET}",
        (item + 1, field, 1, 10): "another item",
        (item, "added versions 2", 1, 10): "another field",
        (item, field, 2, 10): "another device",
        (item, field, 1, 11): "another time",
    }
    with store.sqlite() as connection:
        connection.executemany(
            "INSERT INTO sync_values VALUES (0, ?, ?, ?, ?, 0, ?)", [(*key, row(text)) for key, text in values.items()]
        )
    store.purge([number])
    with store.sqlite() as connection:
        rows = connection.execute(
            "SELECT item, field, device, clock, value ->> '$.text' FROM sync_values WHERE sort = 0"
        )
        after = {tuple(key): text for *key, text in rows if key[0] in (item, item + 1)}
    (covered,) = {text for key, text in after.items() if text != values[key]}
    assert SECRET not in covered and after == {**values, (item, field, 1, 10): covered}
