"""Files that are no store, or an unusable one: a clear message, and the files unchanged."""

import contextlib
import os
import sqlite3
import stat
from pathlib import Path

import pytest

from effort import thorough
from factories import put
from store import Damaged, Foreign, Store, TooNew, Unwritable, restore
from store.record import migrations, schema
from store.record.database import connect, is_remote


def test_the_folder_is_closed_to_others(store: Store) -> None:
    if os.name == "posix":
        assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("content", [b"hello, I am a text file\n" * 50, b"SQLite format 2\0" + bytes(4096)])
def test_a_file_that_is_no_database_is_refused_and_kept(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "record.sqlite"
    file.write_bytes(content)
    with pytest.raises(Damaged, match="restore"):
        Store.open(tmp_path)
    assert file.read_bytes() == content


def test_a_damaged_database_is_refused_and_kept(tmp_path: Path) -> None:
    first = Store.open(tmp_path)
    put(first, "I like tea")
    first.compact()
    first.close()
    file = tmp_path / "record.sqlite"
    whole = file.read_bytes()
    broken = whole[:100] + os.urandom(4000) + whole[4100:]
    file.write_bytes(broken)
    with pytest.raises(Damaged):
        Store.open(tmp_path)
    assert file.read_bytes() == broken


def test_another_programs_database_is_refused_and_kept(tmp_path: Path) -> None:
    file = tmp_path / "record.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE theirs (a)")
    connection.close()
    with pytest.raises(Foreign):
        Store.open(tmp_path)
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]
    connection.close()


def test_a_newer_record_is_refused(tmp_path: Path) -> None:
    Store.open(tmp_path).close()
    with sqlite3.connect(tmp_path / "record.sqlite") as connection:
        connection.execute(f"PRAGMA user_version={schema.NEWEST + 1}")
    connection.close()
    with pytest.raises(TooNew, match="Update"):
        Store.open(tmp_path)


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    (tmp_path / "record.sqlite").touch()
    assert put(Store.open(tmp_path), "I like tea") == [1]


@pytest.mark.parametrize("lost", ["missing", "empty"])
@pytest.mark.parametrize("left", ["index/text", "backups/record-v5.sqlite", "analytics/1", "record.sqlite-wal"])
def test_a_record_that_was_lost_is_no_new_store(tmp_path: Path, lost: str, left: str) -> None:
    Store.open(tmp_path).close()
    beside, record = tmp_path / left, tmp_path / "record.sqlite"
    beside.parent.mkdir(exist_ok=True)
    beside.write_bytes(b"something")
    record.unlink()
    if lost == "empty":
        record.touch()
    with pytest.raises(Damaged, match=f"record.sqlite is {lost}, .*curator restore FILE"):
        Store.open(tmp_path)
    assert record.exists() == (lost == "empty") and beside.read_bytes() == b"something"


def test_empty_folders_beside_no_record_are_a_new_store(tmp_path: Path) -> None:
    (tmp_path / "index").mkdir()
    assert put(Store.open(tmp_path), "I like tea") == [1]


@thorough
def test_a_lost_record_is_brought_back_from_a_copy(tmp_path: Path) -> None:
    with contextlib.closing(Store.open(tmp_path / "store")) as store:
        put(store, "I like tea")
        store.backup(tmp_path / "copy")
        (store.folder / "index").mkdir()
        (store.folder / "index" / "lock").touch()
    (tmp_path / "store" / "record.sqlite").unlink()
    restore(tmp_path / "store", tmp_path / "copy", str.casefold)
    with contextlib.closing(Store.open(tmp_path / "store")) as store:
        assert [memory.text for memory in store.get_many([1])] == ["I like tea"]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Unwritable, match="CURATOR_HOME"):
        Store.open(tmp_path / "file" / "store")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    Store.open(folder).close()
    (folder / "record.sqlite").chmod(0o400)
    folder.chmod(0o500)
    with pytest.raises(Unwritable):
        put(Store.open(folder), "I like tea")


def test_a_full_disk_keeps_what_was_acknowledged_and_loses_only_the_last_step(store: Store) -> None:
    put(store, "I like tea")
    before = store.state_hash()
    with store.sqlite() as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count={pages + 2}")
    with pytest.raises(Unwritable, match="full"):
        put(store, *(f"a long fact {'x' * 400} {n}" for n in range(200)))
    assert store.state_hash() == before
    assert store.differences() == []


def test_network_drives_are_told_from_local_ones(tmp_path: Path) -> None:
    assert not is_remote(tmp_path)


def test_every_migration_leads_from_version_one_on_and_keeps_a_copy(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    put(store, "I like tea")
    store.close()
    path = tmp_path / "record.sqlite"
    steps = (*schema.MIGRATIONS, (schema.NEWEST + 1, "CREATE TABLE later (a);\nALTER TABLE memories ADD COLUMN b;"))
    connection = connect(path)
    copy = migrations.migrate(connection, path, schema.NEWEST, steps)
    assert connection.execute("PRAGMA user_version").fetchone()[0] == schema.NEWEST + 1
    assert connection.execute("SELECT text, b FROM memories").fetchall()[0][0] == "I like tea"
    connection.close()
    assert copy is not None
    with sqlite3.connect(copy) as old:
        assert old.execute("PRAGMA user_version").fetchone()[0] == schema.NEWEST
    old.close()


def test_a_migration_that_fails_leaves_the_record_as_it_was(tmp_path: Path) -> None:
    Store.open(tmp_path).close()
    path = tmp_path / "record.sqlite"
    connection = connect(path)
    steps = (*schema.MIGRATIONS, (schema.NEWEST + 1, "CREATE TABLE later (a);\nnonsense;"))
    with pytest.raises(sqlite3.OperationalError):
        migrations.migrate(connection, path, schema.NEWEST, steps)
    assert connection.execute("PRAGMA user_version").fetchone()[0] == schema.NEWEST
    assert connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'later'").fetchone() is None
    connection.close()
