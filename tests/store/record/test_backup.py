"""Backups of the record, and its checks by `doctor`."""

import contextlib
import re
import time
from pathlib import Path

import pytest

from curator import curation
from effort import thorough
from factories import put
from store import Damaged, Store
from store.record.changes import decode, encode


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


def test_names_have_the_time_in_utc(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")  # 14 hours ahead
    time.tzset()
    before = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    put(store, "I like tea")
    names = [store.keep_backup(7).name]
    hurt(store, "row")
    with pytest.raises(Damaged):
        store.backup(tmp_path / "copy")
    names += [file.name for file in tmp_path.glob("copy.*")]
    after = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    stamps = [stamp for name in names for stamp in re.findall(r"\d{8}-\d{6}", name)]
    assert len(stamps) == 2 and all(before <= stamp <= after for stamp in stamps)
    monkeypatch.undo()
    time.tzset()


@thorough
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
