"""Several processes that migrate an older record, or create a new one, at the same moment."""

import contextlib
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from effort import share, thorough
from store import Busy, Store, Unwritable
from store.record import migrations, schema
from store.record.database import check_identity, connect

OPENER = """
import sys, time
from pathlib import Path
from store import Filter, Store

print("ready", flush=True)
sys.stdin.readline()
store = Store.open(Path(sys.argv[1]))
print(store.count(Filter()), flush=True)
store.close()
"""
FEW = 20_000  # memories, enough that a copy takes a while


def old(folder: Path, memories: int = FEW) -> Path:
    """Write a record of schema 1."""
    folder.mkdir()
    path = folder / "record.sqlite"
    with contextlib.closing(connect(path)) as connection:
        migrations.migrate(connection, path, 0, schema.MIGRATIONS[:1])
        connection.execute("BEGIN")
        connection.executemany(
            "INSERT INTO memories (owner, text, content_key, kind, tier, origin, review, rank, life, pinned,"
            " confidence, importance, scope, created_at, added_at) VALUES"
            " ('me', ?1, ?1, 'fact', 'medium', 'rules', 'open', 'new', 'live', 0, 0.5, 5, 'global', 1, 1)",
            ((f"fact {number} " * 20,) for number in range(memories)),
        )
        connection.execute("COMMIT")
    return path


def opened_at_once(folder: Path, processes: int = 4) -> list[tuple[str, str]]:
    """Open the same store in several processes; return the count and the errors that each prints."""
    pipe = subprocess.PIPE
    others = [
        subprocess.Popen([sys.executable, "-c", OPENER, str(folder)], stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        for _ in range(processes)
    ]
    for other in others:
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
    for other in others:
        assert other.stdin is not None
        other.stdin.write("go\n")
        other.stdin.flush()
    return [other.communicate(timeout=120) for other in others]


def version(file: Path) -> int:
    with contextlib.closing(sqlite3.connect(file)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


@thorough
@pytest.mark.parametrize("attempt", range(share(3, 1)))
def test_all_find_the_record_led_on_and_the_copy_is_of_before(tmp_path: Path, attempt: int) -> None:
    path = old(tmp_path / "store")
    assert opened_at_once(path.parent) == [(f"{FEW}\n", "")] * 4
    assert version(path) == schema.NEWEST
    copies = path.parent / "backups"
    assert [file.name for file in copies.iterdir()] == ["record-v1.sqlite"]
    assert version(copies / "record-v1.sqlite") == 1
    with contextlib.closing(sqlite3.connect(copies / "record-v1.sqlite")) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert copy.execute("SELECT count(*) FROM memories").fetchone() == (FEW,)


@thorough
def test_a_new_record_is_made_once_with_nothing_to_copy(tmp_path: Path) -> None:
    assert opened_at_once(tmp_path / "store") == [("0\n", "")] * 4
    assert not (tmp_path / "store" / "backups").exists()
    with contextlib.closing(Store.open(tmp_path / "store")) as store:
        assert store.differences() == []


def test_who_comes_second_does_nothing(tmp_path: Path) -> None:
    path = old(tmp_path / "store", 3)
    with contextlib.closing(connect(path)) as first, contextlib.closing(connect(path)) as second:
        read = [check_identity(connection, path) for connection in (first, second)]
        assert read == [1, 1]
        copy = migrations.migrate(first, path, 1)
        assert copy is not None
        before = copy.read_bytes()
        assert migrations.migrate(second, path, 1) is None
    assert copy.read_bytes() == before
    assert version(copy) == 1


def test_a_record_that_another_made_meanwhile_is_led_on(tmp_path: Path) -> None:
    path = old(tmp_path / "store", 3)
    with contextlib.closing(connect(path)) as connection:
        copy = migrations.migrate(connection, path, 0)  # it was still empty when its version was read
    assert copy is not None
    assert (version(copy), version(path)) == (1, schema.NEWEST)


def test_what_a_killed_process_left_is_swept(tmp_path: Path) -> None:
    path = old(tmp_path / "store", 3)
    left = path.parent / "backups" / "record-v1.123-abc.partial"
    left.parent.mkdir()
    left.write_bytes(b"half")
    Store.open(path.parent).close()
    assert [file.name for file in left.parent.iterdir()] == ["record-v1.sqlite"]


def test_one_that_takes_too_long_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = old(tmp_path / "store", 3)
    monkeypatch.setattr(migrations, "_WAIT", 0.05)
    with (
        FileLock(path.with_suffix(".lock")),
        pytest.raises(Busy, match=r"has been migrating .*record\.sqlite for over"),
    ):
        Store.open(path.parent)
    assert version(path) == 1
    assert not (path.parent / "backups").exists()


def test_a_lock_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    path = old(tmp_path / "store", 3)
    path.with_suffix(".lock").mkdir()
    with pytest.raises(Unwritable, match=r"cannot write .*record\.lock"):
        Store.open(path.parent)
    assert version(path) == 1
