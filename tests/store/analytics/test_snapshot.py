"""The snapshot file of DuckDB's copy: reused by the next process where it fits, rebuilt where not, and purged."""

import os
import random
import shutil
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path

import pyarrow
import pytest
from filelock import FileLock

from curator import curation
from curator.text import content_key
from effort import some, thorough
from factories import put
from store import Busy, Filter, Redactors, Sort, Store, restore
from store.analytics import Analytics, Stopped, memory_view, reader, snapshot
from store.analytics.reader import CopyPosition
from store.model import Relation

SECRET = "Zaubertrank under the Kastanienbaum"


@pytest.fixture(autouse=True)
def _always_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write a new snapshot after every change."""
    monkeypatch.setattr(memory_view, "_LAG", 0)


def content(store: Store) -> tuple[str, list[dict[str, object]]]:
    """Return how a new copy was filled and its rows, with tags in order."""
    how = []
    everything = reader.everything

    def watched(*arguments: object) -> Iterable[pyarrow.Table]:
        how.append("record")
        return everything(*arguments)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "everything", watched)
        analytics = Analytics(store)
        analytics.follow()
    rows = analytics.ask("SELECT * REPLACE (list_sort(tags) AS tags) FROM memories ORDER BY id").to_pylist()
    assert list(analytics.list_ids(Filter(lives=()))) == store.list_ids(Filter(lives=()))
    analytics.close()
    return (how or ["snapshot"])[0], rows


def fresh(store: Store) -> list[dict[str, object]]:
    """Return the rows of a copy that is filled without a snapshot."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(snapshot, "load", lambda *_: None)
        patch.setattr(snapshot, "save", lambda *_: False)
        return content(store)[1]


def snapshot_files(store: Store) -> list[str]:
    """Return the names of the snapshot files, without the lock."""
    folder = snapshot.root(store.folder)
    return sorted(file.name for file in folder.glob("*") if file.name != "lock")


def filled(store: Store) -> list[int]:
    """Store memories of every sort, and a snapshot of them."""
    ids = put(
        store, "I like tea", "I like trains", f"Keeps the {SECRET}", "It rains", tags=("food", "hot"), project="x"
    )
    curation.forget(store, ids[1:2])
    store.recalls.record_use(ids[:3])
    assert content(store)[0] == "record"
    assert len(snapshot_files(store)) == 1
    return ids


@thorough
def test_the_next_copy_is_filled_from_it(store: Store) -> None:
    filled(store)
    how, rows = content(store)
    assert how == "snapshot"
    assert rows == fresh(store)
    assert len(rows) == 4
    if os.name == "posix":
        assert stat.S_IMODE(snapshot.snapshot_path(store.folder, store.owner).stat().st_mode) == 0o600


@thorough
def test_what_changed_since_is_taken_in(store: Store) -> None:
    tea, trains, _, rain = filled(store)
    content(store)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory_view, "_LAG", 1000)
        put(store, "I like boats", tags=("sea",))
        curation.add(store, "I like planes")
        store.undo()
        curation.edit(store, tea, "I like green tea")
        curation.tag(store, [tea], add=["green"], remove=["hot"])
        curation.restore(store, [trains])
        with store.command("compare") as writer:
            store.alerts.put(writer, tea, rain, Relation.UPDATE, 0.7, [])
        store.recalls.record_use([rain])
        how, rows = content(store)
        assert how == "snapshot"
        assert rows == fresh(store)
        assert [row["conflict"] for row in rows] == [True, False, False, True, False]
        assert [row["used"] for row in rows] == [1, 1, 1, 1, 0]
        with store.command("undo it all") as writer:
            writer.update("alerts", [1], {"settled": "coexist"})
        assert content(store)[1] == fresh(store)


@thorough
def test_it_is_written_when_much_has_changed_and_not_before(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_view, "_LAG", 5)
    file = snapshot.snapshot_path(store.folder, store.owner)
    put(store, *(f"fact {number}" for number in range(5)))
    content(store)
    assert not file.exists(), "so little is read from the record as quickly"
    (sixth,) = put(store, "one more")
    assert content(store)[0] == "record"
    written = file.stat().st_ino, file.stat().st_mtime_ns
    curation.pin(store, [sixth])
    assert content(store)[0] == "snapshot"
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == written
    analytics = Analytics(store)
    for _ in range(6):
        curation.pin(store, [sixth], pinned=not store.get(sixth).pinned)
        analytics.follow()
    assert (file.stat().st_ino, file.stat().st_mtime_ns) != written, "the changes of a long session gather"
    analytics.close()


@thorough
def test_each_owner_has_one(store: Store) -> None:
    filled(store)
    other = Store.open(store.folder, owner="ana")
    put(other, "Ana likes coffee")
    assert content(other)[0] == "record"
    assert len(snapshot_files(store)) == 2
    assert [row["text"] for row in content(other)[1]] == ["Ana likes coffee"]
    assert content(store) == ("snapshot", fresh(store))
    shutil.copy(snapshot.snapshot_path(store.folder, "me"), snapshot.snapshot_path(store.folder, "ana"))
    assert [row["text"] for row in content(other)[1]] == ["Ana likes coffee"]
    other.close()


@thorough
def test_another_stores_is_not_used(store: Store, tmp_path: Path) -> None:
    filled(store)
    other = Store.open(tmp_path / "other")
    put(other, "Other words", "in as many", "events as", "there were")
    curation.forget(other, [1])
    snapshot.root(other.folder).mkdir()
    shutil.copy(snapshot.snapshot_path(store.folder, "me"), snapshot.snapshot_path(other.folder, "me"))
    assert content(other) == ("record", fresh(other))
    assert content(other)[0] == "snapshot", "it was replaced"
    other.close()


@thorough
@pytest.mark.parametrize("after", some([0, 1, 3], 2))
def test_one_from_before_a_backup_came_back_is_not_used(store: Store, tmp_path: Path, after: int) -> None:
    put(store, "I like tea")
    store.backup(tmp_path / "copy")
    put(store, "I like trains")
    store.recalls.record_use([1, 2])
    content(store)
    restore(store.folder, tmp_path / "copy", content_key)
    for number in range(after):  # fewer events than the snapshot knows, as many, and more
        put(store, f"I like boat {number}")
    how, rows = content(store)
    assert how == "record"
    assert rows == fresh(store)
    assert len(rows) == 1 + after


@thorough
def test_uses_that_a_backup_took_back_are_not_kept(store: Store, tmp_path: Path) -> None:
    (tea,) = put(store, "I like tea")
    store.backup(tmp_path / "copy")
    store.recalls.record_use([tea])
    content(store)
    restore(store.folder, tmp_path / "copy", content_key)
    how, rows = content(store)
    assert (how, rows[0]["used"], rows[0]["last_used"]) == ("snapshot", 0, None)


@thorough
def test_one_of_other_columns_is_not_used(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(store)
    with monkeypatch.context() as patch:
        patch.setattr(snapshot, "ROWS", "what an older version read")
        assert content(store)[0] == "record"
    assert content(store)[0] == "record"
    assert content(store)[0] == "snapshot"


@thorough
@pytest.mark.parametrize("damage", some(["half", "rubbish", "folder", "empty", "longer"], 2))
def test_a_damaged_one_is_made_anew(store: Store, damage: str) -> None:
    filled(store)
    file = snapshot.snapshot_path(store.folder, store.owner)
    whole = file.read_bytes()
    made: dict[str, Callable[[], object]] = {
        "empty": lambda: file.write_bytes(b""),
        "half": lambda: file.write_bytes(whole[: len(whole) // 2]),
        "rubbish": lambda: file.write_bytes(b"rubbish" * 500),
        "longer": lambda: file.write_bytes(whole + b"more"),
        "folder": lambda: file.unlink() or file.mkdir(),  # type: ignore[func-returns-value]
    }
    made[damage]()
    assert content(store) == ("record", fresh(store))
    if damage != "folder":
        assert content(store)[0] == "snapshot"


@thorough
def test_a_byte_that_changed_anywhere_is_never_shown(store: Store) -> None:
    filled(store)
    file = snapshot.snapshot_path(store.folder, store.owner)
    whole, right = file.read_bytes(), fresh(store)
    chance = random.Random(7)
    for _ in range(40):
        at = chance.randrange(len(whole))
        file.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << chance.randrange(8))]) + whole[at + 1 :])
        assert content(store)[1] == right, at


@thorough
def test_purging_leaves_no_snapshot_and_no_word_for_the_next(store: Store) -> None:
    _, _, secret, _ = filled(store)
    held: list[str] = []
    snapshot.load(store.folder, store.owner, lambda _: True, lambda table: held.extend(table["text"].to_pylist()))
    assert any(SECRET in text for text in held)
    (snapshot.root(store.folder) / "a file that a process left which was killed.partial").write_text(SECRET)
    analytics = Analytics(store)
    analytics.follow()
    _, said = curation.purge(store, [secret])
    assert said == ()
    assert snapshot_files(store) == []
    analytics.follow()
    assert snapshot_files(store) == [snapshot.snapshot_path(store.folder, store.owner).name], "what is gone is missed"
    assert analytics.ask(f"SELECT id FROM memories WHERE text LIKE '%{SECRET}%'").num_rows == 0
    analytics.close()
    how, rows = content(store)
    assert how == "snapshot"
    assert rows == fresh(store)
    assert SECRET not in repr(rows)


@pytest.mark.parametrize("purges", [True, False])
def test_a_purge_or_redaction_between_reading_and_writing_keeps_the_snapshot_from_being_written(
    store: Store, monkeypatch: pytest.MonkeyPatch, purges: bool
) -> None:
    (secret,) = put(store, f"Keeps the {SECRET}")
    save = snapshot.save

    def without(text: str) -> str:
        return text.replace(SECRET, "[REDACTED]")

    def late(
        folder: Path, mark: CopyPosition, tables: Iterable[pyarrow.Table], fits: Callable[[CopyPosition], bool]
    ) -> bool:
        with closing(Store.open(store.folder)) as other:
            if purges:
                other.purge([secret])
            else:
                other.redact(Redactors(without, without, content_key))
            assert curation.finish_purge(other) == ()
        return save(folder, mark, tables, fits)

    with monkeypatch.context() as patch:
        patch.setattr(snapshot, "save", late)
        analytics = Analytics(store)
        analytics.follow()
    assert analytics.count(Filter(words=(SECRET,))) == 1, "it was filled before the purge"
    assert snapshot_files(store) == []
    analytics.close()


def test_a_purge_while_the_snapshot_is_written_takes_it_away(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    (secret,) = put(store, f"Keeps the {SECRET}")
    save = snapshot.save
    left_over: list[str] = []
    committed = threading.Event()

    def purging() -> None:
        other = Store.open(store.folder)
        other.purge([secret])
        committed.set()
        left_over.extend(curation.finish_purge(other))
        other.close()

    thread = threading.Thread(target=purging)

    def amid(
        folder: Path, mark: CopyPosition, tables: Iterable[pyarrow.Table], fits: Callable[[CopyPosition], bool]
    ) -> bool:
        def slowly() -> Iterator[pyarrow.Table]:
            for table in tables:
                thread.start()
                assert committed.wait(10)
                yield table

        return save(folder, mark, slowly(), fits)

    with monkeypatch.context() as patch:
        patch.setattr(snapshot, "save", amid)
        analytics = Analytics(store)
        analytics.follow()
    thread.join()
    assert left_over == []
    assert snapshot_files(store) == []
    analytics.close()


@thorough
def test_one_that_a_purge_could_not_delete_is_said_and_never_used(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, secret, _ = filled(store)
    file = snapshot.snapshot_path(store.folder, store.owner)
    drop = snapshot.drop
    monkeypatch.setattr(snapshot, "drop", lambda folder, wait: drop(folder, 0.1))
    with FileLock(snapshot.root(store.folder) / "lock"):
        _, said = curation.purge(store, [secret])
    assert len(said) == 1
    assert "analytics" in said[0]
    assert "curator doctor --compact" in said[0]
    assert file.exists()
    monkeypatch.setattr(memory_view, "_LAG", 1000)
    assert content(store) == ("record", fresh(store))
    assert not file.exists()
    assert curation.finish_purge(store) == ()


@thorough
def test_while_another_process_holds_it_the_record_is_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(store)
    monkeypatch.setattr(snapshot, "_WAIT", 0.1)
    with FileLock(snapshot.root(store.folder) / "lock"):
        assert content(store) == ("record", fresh(store))
        with pytest.raises(Busy, match="analytics"):
            Analytics.drop(store, wait=0.1)
    assert content(store)[0] == "snapshot"


def test_browsing_goes_on_where_none_can_be_written(store: Store) -> None:
    put(store, "I like tea")
    snapshot.root(store.folder).write_text("a file where the folder should be")
    assert [row["text"] for row in content(store)[1]] == ["I like tea"]


def test_a_stop_ends_the_writing_and_leaves_nothing_half_written(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, "I like tea")
    analytics = Analytics(store)
    save = snapshot.save

    def stopped(
        folder: Path, mark: CopyPosition, tables: Iterable[pyarrow.Table], fits: Callable[[CopyPosition], bool]
    ) -> bool:
        analytics.stop()
        return save(folder, mark, tables, fits)

    monkeypatch.setattr(snapshot, "save", stopped)
    with pytest.raises(Stopped):
        analytics.follow()
    assert snapshot_files(store) == []
    analytics.close()


BROWSER = """
import sys
from contextlib import closing
from pathlib import Path
from store import Store
from store.analytics import Analytics, memory_view

memory_view._LAG = 0
store = Store.open(Path(sys.argv[1]))
analytics = Analytics(store)
for number in range(10**9):
    with store.command("change") as writer:
        writer.update("memories", [1], {"importance": number % 10})
    analytics.follow()
    if number == 0:
        print("ready", flush=True)
"""


@thorough
def test_a_process_that_is_killed_leaves_none_that_is_wrong(store: Store) -> None:
    put(store, *(f"fact {number}" for number in range(200)))
    chance = random.Random(5)
    for _ in range(4):
        process = subprocess.Popen([sys.executable, "-c", BROWSER, str(store.folder)], stdout=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stdout.readline()
        time.sleep(chance.random() / 5)
        process.kill()
        process.communicate()
        assert snapshot_files(store)
        assert content(store)[1] == fresh(store)


@thorough
def test_copies_that_open_at_once_neither_fail_nor_differ(store: Store) -> None:
    filled(store)
    wanted, failed = store.list_ids(Filter(), Sort.MATTERS), []

    def browsing(number: int) -> None:
        try:
            with_own = Store.open(store.folder)
            for _ in range(4):
                analytics = Analytics(with_own)
                with_own.recalls.record_use([1])
                analytics.follow()
                assert list(analytics.list_ids(Filter(), Sort.MATTERS)) == wanted
                analytics.close()
            with_own.close()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=browsing, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert content(store)[1] == fresh(store)
