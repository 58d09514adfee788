"""Copies of the record, and doctoring it."""

import contextlib
from pathlib import Path

import pytest

from curator import curation
from making import put
from store import Damaged, Filter, Foreign, NotFound, Store, Unwritable, restore
from store.record.changes import decode, encode


def test_a_backup_brings_everything_back(store: Store, tmp_path: Path) -> None:
    put(store, "I like tea", "I like trains")
    before = store.state_hash()
    store.backup(tmp_path / "copy.sqlite")
    curation.forget(store, [1])
    put(store, "I like boats")
    kept = restore(store.folder, tmp_path / "copy.sqlite")
    assert store.state_hash() == before
    assert store.differences() == []
    assert kept is not None
    restore(store.folder, kept)
    assert store.count(Filter()) == 2
    assert [memory.text for memory in store.get_many(store.list_ids(Filter()))] == ["I like boats", "I like trains"]


def test_a_damaged_store_is_put_aside_by_restore(store: Store, tmp_path: Path) -> None:
    put(store, "I like tea")
    store.backup(tmp_path / "copy.sqlite")
    store.close()
    (store.folder / "record.sqlite").write_bytes(b"rubbish" * 1000)
    kept = restore(store.folder, tmp_path / "copy.sqlite")
    assert kept is not None
    assert kept.read_bytes().startswith(b"rubbish")
    with contextlib.closing(Store.open(store.folder)) as again:
        assert again.get(1).text == "I like tea"


def hurt(store: Store, how: str) -> None:
    """Damage a record as a disk, a program or an attacker might."""
    with store.sqlite() as connection:
        if how == "row":
            connection.execute("UPDATE memories SET text = 'I like coffee' WHERE id = 1")
        elif how == "event":
            connection.execute("UPDATE events SET changes = x'00' WHERE seq = 1")
        elif how == "injected":
            changes = b'[{"t":"sqlite_master; --","c":["a"],"i":[[1]]}]'
            connection.execute("UPDATE events SET changes = ? WHERE seq = 1", (changes,))
        elif how == "trigger":
            connection.execute("CREATE TRIGGER theirs AFTER INSERT ON memories BEGIN DELETE FROM memories; END")
        elif how == "index":
            connection.execute("PRAGMA writable_schema=ON")
            connection.execute("DELETE FROM sqlite_master WHERE name = 'memories_by_age'")
        else:
            connection.execute(f"PRAGMA {how}")


@pytest.mark.parametrize("how", ["row", "event", "injected", "trigger", "index", "application_id=7"])
def test_a_damaged_record_never_takes_the_place_of_a_good_backup(store: Store, tmp_path: Path, how: str) -> None:
    put(store, "I like tea", "I like trains")
    file = tmp_path / "copy"
    size = store.backup(file)
    good = file.read_bytes()
    assert len(good) == size
    hurt(store, how)
    with pytest.raises(Damaged, match=r"left alone.*curator restore") as raised:
        store.backup(file)
    assert file.read_bytes() == good
    (beside,) = tmp_path.glob("copy.damaged-*")
    assert str(beside) in str(raised.value)
    assert beside.read_bytes().startswith(b"SQLite format 3")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", beside.name, "store"]


def test_damaged_pages_never_take_the_place_of_a_good_backup(store: Store, tmp_path: Path) -> None:
    put(store, *(f"I like tea number {n}" for n in range(200)))
    store.backup(tmp_path / "copy")
    good = (tmp_path / "copy").read_bytes()
    store.compact()
    store.close()
    path = store.folder / "record.sqlite"
    whole = path.read_bytes()
    for page in range(8, len(whole) // 4096, 5):
        path.write_bytes(whole[: page * 4096] + b"\xa5" * 4096 + whole[(page + 1) * 4096 :])
        with (
            pytest.raises(Damaged, match="curator restore"),
            contextlib.closing(Store.open(store.folder)) as damaged,
        ):
            damaged.backup(tmp_path / "copy")
        assert (tmp_path / "copy").read_bytes() == good


def test_what_is_no_copy_is_refused_before_anything_is_touched(store: Store, tmp_path: Path) -> None:
    put(store, "I like tea")
    before = store.state_hash()
    (tmp_path / "text").write_bytes(b"hello" * 100)
    with pytest.raises(Damaged):
        restore(store.folder, tmp_path / "text")
    with pytest.raises(NotFound):
        restore(store.folder, tmp_path / "nothing")
    import sqlite3

    with contextlib.closing(sqlite3.connect(tmp_path / "theirs")) as theirs:
        theirs.execute("CREATE TABLE a (b)")
    with pytest.raises(Foreign):
        restore(store.folder, tmp_path / "theirs")
    with pytest.raises(Unwritable):
        store.backup(tmp_path / "no such folder" / "copy")
    assert store.state_hash() == before


def test_a_row_changed_behind_the_journals_back_is_found(store: Store) -> None:
    put(store, "I like tea", "I like trains")
    assert store.differences() == []
    with store.sqlite() as connection:
        connection.execute("UPDATE memories SET tier = 'core' WHERE id = 2")
    assert any("memories" in difference for difference in store.differences())


def test_an_event_that_was_tampered_with_is_found(store: Store) -> None:
    put(store, "I like tea")
    curation.validate(store, [1])
    with store.sqlite() as connection:
        connection.execute("DELETE FROM events WHERE seq = 1")
    (difference,) = store.differences()
    assert "event 2" in difference


def test_changes_survive_their_encoding(store: Store) -> None:
    put(store, "I like tea", "I like “trains”", tags=("a", "b"))
    curation.validate(store, [1, 2])
    curation.tag(store, [1], remove=["a"])
    with store.sqlite() as connection:
        for row in connection.execute("SELECT changes FROM events"):
            assert encode(decode(row[0])) == row[0]
