"""Databases of other programs: read as one consistent snapshot, and left unchanged."""

import contextlib
import sqlite3
from pathlib import Path

import pytest

from curator.importers import database as module
from curator.importers.database import database, state_of, table_names
from curator.importers.file_walk import walk_files
from curator.importers.inputs import LogFile, Unreadable
from importers.sample_logs import write_zip
from store import Store


def part_of(path: Path) -> LogFile:
    (part,) = walk_files(path)
    assert isinstance(part, LogFile)
    return part


def test_what_its_owner_has_not_merged_yet_is_read(tmp_path: Path) -> None:
    path = tmp_path / "chats.db"
    owner = sqlite3.connect(path)
    with contextlib.closing(owner):
        owner.execute("PRAGMA journal_mode = wal")
        owner.execute("CREATE TABLE chat (id, text)")
        owner.execute("INSERT INTO chat VALUES (1, 'hello')")
        owner.commit()
        before = sorted((one.name, one.stat().st_size) for one in tmp_path.iterdir())
        with database(part_of(path)) as copy:
            owner.execute("INSERT INTO chat VALUES (2, 'later')")
            owner.commit()  # not blocked by the reader
            assert [tuple(row) for row in copy.execute("SELECT * FROM chat")] == [(1, "hello")]
        assert [name for name, _ in before] == sorted(one.name for one in tmp_path.iterdir())
        assert table_names(part_of(path)) == {"chat"}


def test_one_in_a_zip_is_read(tmp_path: Path) -> None:
    path = tmp_path / "chats.db"
    with contextlib.closing(sqlite3.connect(path)) as owner:
        owner.execute("CREATE TABLE chat (id)")
    archive = tmp_path / "all.zip"
    write_zip(archive, {"a/chats.db": path.read_bytes()})
    assert table_names(part_of(archive)) == {"chat"}


def test_a_damaged_one_is_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "chats.db"
    path.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    with pytest.raises(Unreadable):
        table_names(part_of(path))
    with pytest.raises(Unreadable), database(part_of(path)):
        pass


def test_a_record_put_in_its_place_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "chats.db"
    sqlite3.connect(path).execute("CREATE TABLE chat (id)").connection.close()
    part = part_of(path)
    path.unlink()
    store = Store.open(tmp_path / "home")
    path.hardlink_to(tmp_path / "home" / "record.sqlite")
    with contextlib.closing(store), pytest.raises(Unreadable, match="Curator store"):
        table_names(part)


def test_nothing_is_made_beside_one_that_nobody_uses(tmp_path: Path) -> None:
    path = tmp_path / "chats.db"
    with contextlib.closing(sqlite3.connect(path)) as owner:
        owner.execute("PRAGMA journal_mode = wal")
        owner.execute("CREATE TABLE chat (id)")
    table_names(part_of(path))
    with database(part_of(path)):
        assert [one.name for one in tmp_path.iterdir()] == ["chats.db"]


def test_a_large_one_is_read_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "COPIED", 0)
    path = tmp_path / "chats.db"
    with contextlib.closing(sqlite3.connect(path)) as owner:
        owner.execute("CREATE TABLE chat (id)")
        owner.execute("INSERT INTO chat VALUES (1)")
        owner.commit()
        with database(part_of(path)) as reader:
            assert [tuple(row) for row in reader.execute("SELECT * FROM chat").fetchall()] == [(1,)]
            with pytest.raises(sqlite3.OperationalError):
                reader.execute("INSERT INTO chat VALUES (2)")
            owner.execute("INSERT INTO chat VALUES (2)")
            owner.commit()  # not blocked between two statements
            assert len(reader.execute("SELECT * FROM chat").fetchall()) == 2


def test_nothing_of_an_unfinished_transaction_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT", 0)
    path = tmp_path / "chats.db"
    with contextlib.closing(sqlite3.connect(path)) as owner:
        owner.execute("CREATE TABLE chat (id, text)")
        owner.execute("PRAGMA cache_size = 1")  # writes uncommitted pages to the file early
        owner.execute("BEGIN EXCLUSIVE")
        owner.executemany("INSERT INTO chat VALUES (?, ?)", [(number, "half" * 100) for number in range(100)])
        with pytest.raises(Unreadable, match="its program is writing to it"):
            table_names(part_of(path))
        with pytest.raises(Unreadable, match="its program is writing to it"), database(part_of(path)):
            pass
        owner.rollback()
        with database(part_of(path)) as copy:
            assert copy.execute("SELECT * FROM chat").fetchall() == []


def test_nothing_of_an_interrupted_transaction_is_read(tmp_path: Path) -> None:
    written, path = tmp_path / "written.db", tmp_path / "chats.db"
    with contextlib.closing(sqlite3.connect(written)) as owner:
        owner.execute("CREATE TABLE chat (id, text)")
        owner.execute("PRAGMA cache_size = 1")
        owner.execute("BEGIN EXCLUSIVE")
        owner.executemany("INSERT INTO chat VALUES (?, ?)", [(number, "half" * 100) for number in range(100)])
        for ending in ("", "-journal"):  # the files as a crash would leave them
            path.with_name(f"{path.name}{ending}").write_bytes(
                written.with_name(f"{written.name}{ending}").read_bytes()
            )
    with pytest.raises(Unreadable, match="was interrupted"), database(part_of(path)):
        pass


def test_one_in_a_folder_that_cannot_be_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "chats.db"
    with contextlib.closing(sqlite3.connect(path)) as owner:
        owner.execute("PRAGMA journal_mode = wal")
        owner.execute("CREATE TABLE chat (id)")
    path.with_name("chats.db-wal").touch()
    path.with_name("chats.db-shm").mkdir()  # prevents SQLite from creating its file, as in a read-only folder
    assert table_names(part_of(path)) == {"chat"}


def test_the_log_of_one_in_a_folder_that_cannot_be_written_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, path = tmp_path / "written.db", tmp_path / "chats.db"
    with contextlib.closing(sqlite3.connect(written)) as owner:
        owner.execute("PRAGMA journal_mode = wal")
        owner.execute("CREATE TABLE chat (id)")
        owner.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        owner.execute("INSERT INTO chat VALUES (1)")
        owner.commit()
        for ending in ("", "-wal"):
            path.with_name(f"{path.name}{ending}").write_bytes(
                written.with_name(f"{written.name}{ending}").read_bytes()
            )
    path.with_name("chats.db-shm").symlink_to("missing/file")  # as in a read-only folder
    with database(part_of(path)) as copy:
        assert [tuple(row) for row in copy.execute("SELECT * FROM chat")] == [(1,)]
    assert table_names(part_of(path)) == {"chat"}
    monkeypatch.setattr(module, "COPIED", 0)
    with pytest.raises(Unreadable, match="in chats"), database(part_of(path)):
        pass


def test_every_change_changes_its_state(tmp_path: Path) -> None:
    path = tmp_path / "chats.db"
    with contextlib.closing(sqlite3.connect(path)) as owner:
        owner.execute("PRAGMA journal_mode = wal")
        owner.execute("CREATE TABLE chat (id)")
        states = {state_of(part_of(path))}
        for number in range(3):
            owner.execute("INSERT INTO chat VALUES (?)", (number,))
            owner.commit()
            states.add(state_of(part_of(path)))
        assert len(states) == 4
        assert state_of(part_of(path)) in states
    assert state_of(part_of(path)) not in states  # merged when the database was closed
