"""Damaged, lost, repeated or truncated segments, and what the target tells without the key."""

import shutil
import sqlite3
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from curator import curation
from curator.errors import TargetUnreachable
from curator.paths import sync_file
from curator.sync.key import key_of, words_of
from curator.sync.reader import SegmentReader
from curator.sync.run import create, inspect_space, join, sync
from curator.sync.segments import SegmentPath, first_missing, parse_path
from curator.targets import target_of
from curator.text import content_key
from effort import thorough
from factories import conversation, put
from store import Conflict, Filter, Store, TooNew, restore
from store.record import archive_reader
from store.record.sync.outbox import Batch, Cursor
from store.record.sync.repository import Chain, Sync
from sync.devices import KEY, Device, devices, settle, states
from sync.devices import device as new_device

Change = Callable[[Path, Path, Path], object]


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Device, Device]]:
    """Return a laptop that wrote three segments and a desktop that has read the first."""
    one, other = devices(tmp_path, "laptop", "desktop")
    for place, text in enumerate(("I like tea", "I keep bees", "I play chess")):
        with one.here() as store:
            curation.add(store, text)
        one.sync()
        if not place:
            other.sync()
    yield one, other
    for device in (one, other):
        device.store.close()


def segments(device: Device, folder: Path) -> list[Path]:
    tag = device.space.tag(device.store.sync.begin(device.name).uid)
    return sorted(file for file in (folder / "target" / tag).rglob("*") if file.is_file())


def texts(store: Store) -> list[str]:
    return sorted(memory.text for memory in store.get_many(store.list_ids(Filter())))


def flip(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def taken(*files: Path) -> None:
    for file in files:
        file.unlink()


DAMAGES: dict[str, tuple[Change, str]] = {
    "changed": (lambda first, second, third: flip(second), "segment 2 of laptop"),
    "cut": (lambda first, second, third: second.write_bytes(second.read_bytes()[:-20]), "segment 2 of laptop"),
    "cut to nothing": (lambda first, second, third: second.write_bytes(b""), "segment 2 of laptop"),
    "lost": (lambda first, second, third: taken(second), "segment 2 of laptop"),
    "doubled": (lambda first, second, third: shutil.copy(first, second), "is a copy of segment 1"),
    "swapped": (lambda first, second, third: shutil.copy(third, second), "is a copy of segment 3"),
    "taken back": (
        lambda first, second, third: taken(first, second, third),
        "segment 1 of laptop",
    ),
}


@thorough
@pytest.mark.parametrize("what", DAMAGES)
def test_what_is_wrong_is_named_with_the_remedy_which_helps(
    pair: tuple[Device, Device], tmp_path: Path, what: str
) -> None:
    one, other = pair
    damage, named = DAMAGES[what]
    first, second, third = segments(one, tmp_path)
    damage(first, second, third)
    before = other.store.sync.digest()
    done = other.sync()
    assert len(done.problems) == 1 and named in done.problems[0] and "curator sync --rewrite" in done.problems[0]
    assert other.store.sync.digest() == before
    with one.here() as store:
        store.sync.rewrite()
    settle([one, other])
    assert texts(other.store) == ["I keep bees", "I like tea", "I play chess"]
    assert len(set(states([one, other]))) == 1


@thorough
def test_a_segment_of_another_device_is_refused_under_a_foreign_name(
    pair: tuple[Device, Device], tmp_path: Path
) -> None:
    one, other = pair
    with other.here() as store:
        curation.add(store, "I live in Porto")
    other.sync()
    shutil.copy(segments(other, tmp_path)[0], segments(one, tmp_path)[1])
    (third,) = _joined(tmp_path, "phone")
    assert "is of another device" in third.sync().problems[0]
    third.store.close()


@thorough
def test_a_damaged_device_does_not_keep_the_others_from_being_read(pair: tuple[Device, Device], tmp_path: Path) -> None:
    one, other = pair
    with other.here() as store:
        curation.add(store, "I live in Porto")
    other.sync()
    flip(segments(one, tmp_path)[2])
    (third,) = _joined(tmp_path, "phone")
    done = third.sync()
    assert len(done.problems) == 1
    assert {"I like tea", "I keep bees", "I live in Porto"} == set(texts(third.store))
    third.store.close()


def _joined(folder: Path, name: str) -> Iterator[Device]:
    from curator.sync.run import inspect_space, join
    from sync.devices import device

    made = device(folder, name)
    with made.here() as store:
        join(store, inspect_space(store, f"folder:{folder / 'target'}", name, words_of(KEY)))
    yield made


@thorough
def test_own_segments_that_are_gone_are_noticed(pair: tuple[Device, Device], tmp_path: Path) -> None:
    one, other = pair
    segments(one, tmp_path)[1].unlink()
    with one.here() as store:
        curation.add(store, "I live in Porto")
    assert "segment 2 of this device is gone" in one.sync().problems[0]
    with one.here() as store:
        store.sync.rewrite()
    settle([one, other])
    assert "I live in Porto" in texts(other.store)


def test_segments_that_come_in_any_order_are_read_when_they_are_complete(
    pair: tuple[Device, Device], tmp_path: Path
) -> None:
    one, other = pair
    _, second, _ = segments(one, tmp_path)
    data = second.read_bytes()
    second.unlink()
    assert other.sync().problems
    second.write_bytes(data)
    done = other.sync()
    assert (done.folded, done.problems) == (2, [])


@thorough
def test_nothing_in_the_target_can_be_read_without_the_key(pair: tuple[Device, Device], tmp_path: Path) -> None:
    one, other = pair
    with one.here() as store:
        curation.add(store, "A secret place is Xanadu")
        curation.tag(store, [1], ["zzyzx"])
        curation.set_scope(store, [1], "project:moonshine")
        with store.command("import") as writer:
            store.raw.put_conversation(
                writer, conversation("holiday", "We go to Timbuktu", "Nice", project="moonshine")
            )
    settle([one, other])
    uid = one.store.sync.begin(one.name).uid.encode()
    words = [b"Xanadu", b"zzyzx", b"moonshine", b"Timbuktu", b"holiday", b"laptop", b"desktop", b"memories", uid]
    for file in (tmp_path / "target").rglob("*"):
        name = str(file.relative_to(tmp_path)).encode()
        data = file.read_bytes() if file.is_file() else b""
        for word in words:
            assert word.lower() not in name.lower() and word.lower() not in data.lower()


@thorough
def test_a_purge_leaves_the_words_in_no_segment_and_on_no_device(pair: tuple[Device, Device], tmp_path: Path) -> None:
    one, other = pair
    with one.here() as store, store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("x", "A secret place is Xanadu", "Nice"))
    settle([one, other])
    with other.here() as store:
        curation.tag(store, [curation.add(store, "A secret place is Xanadu").id], ["xanadu"])
    settle([one, other])
    with one.here() as store:
        (number,) = [memory.id for memory in store.get_many(store.list_ids(Filter())) if "Xanadu" in memory.text]
        store.purge([number])
    assert other.store.sync.unconfirmed() == set()
    settle([one, other])
    assert one.store.sync.unconfirmed() == set()
    (third,) = _joined(tmp_path, "phone")
    settle([one, other, third])
    for device in (one, other, third):
        assert not any("Xanadu" in part for part in _everything(device.store)), device.name
        batches: list[Batch] = []
        chain = device.store.sync.chain("none")
        while (found := device.store.sync.next_batch(chain)) is not None:
            batches.append(found[0])
            chain = type(chain)("none", cursor=found[1])
        assert "xanadu" not in str(batches).lower()
    third.store.close()


def test_a_device_that_has_not_read_of_the_first_purge_is_named(tmp_path: Path) -> None:
    one, other = devices(tmp_path, "laptop", "desktop")
    one.sync()
    with other.here() as store:
        curation.add(store, "A secret place is Xanadu")
    other.sync()
    one.sync()
    with one.here() as store:
        store.purge([1])
    one.sync()
    assert one.store.sync.unconfirmed() == {other.store.sync.begin(other.name).uid}
    other.sync()
    assert one.sync().folded and one.store.sync.unconfirmed() == set()
    assert other.store.sync.unconfirmed() == set()  # this device purged nothing


def _everything(store: Store) -> list[str]:
    """Return every row of every table as text."""
    with store.sqlite() as connection:
        connection.execute("VACUUM")
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = [str(tuple(row)) for table in tables for row in connection.execute(f"SELECT * FROM {table}")]
        from store.record.changes import unpacked

        return [*rows, *(str(unpacked(row[0])) for row in connection.execute("SELECT changes FROM events"))]


def test_offline_is_told_and_nothing_is_lost(pair: tuple[Device, Device], tmp_path: Path) -> None:
    one, other = pair
    (tmp_path / "target").rename(tmp_path / "away")
    with one.here() as store:
        curation.add(store, "I live in Porto")
    with pytest.raises(TargetUnreachable):
        one.sync()
    (tmp_path / "target").mkdir()  # as with a drive that is not mounted
    with pytest.raises(TargetUnreachable):
        one.sync()
    (tmp_path / "target").rmdir()
    (tmp_path / "away").rename(tmp_path / "target")
    settle([one, other])
    assert "I live in Porto" in texts(other.store)


@thorough
def test_a_restored_backup_gets_back_what_came_after_it(pair: tuple[Device, Device], tmp_path: Path) -> None:

    one, other = pair
    settle([one, other])
    with one.here() as store:
        store.backup(tmp_path / "copy")
        curation.add(store, "I live in Porto")
        curation.tag(store, [1], ["drinks"])
    settle([one, other])
    with one.here() as store:
        store.close()
        restore(store.folder, tmp_path / "copy", content_key)
        curation.add(store, "I might move")
    settle([one, other])
    assert len(set(states([one, other]))) == 1
    assert {"I live in Porto", "I might move"} < set(texts(one.store)) and one.store.get(1).tags == ("drinks",)


def test_the_words_of_a_key() -> None:
    words = words_of(KEY)
    assert len(words) == 24 and key_of(words) == KEY
    for wrong in (words[1:], [*words[1:], words[0]], [*words[:-1], "xanadu"]):
        with pytest.raises(ValueError):
            key_of(wrong)


@thorough
def test_a_copied_home_is_another_device(pair: tuple[Device, Device], tmp_path: Path) -> None:
    one, other = pair
    settle([one, other])
    one.store.close()
    shutil.copytree(one.home, tmp_path / "copy")
    copy = Device("copy", tmp_path / "copy", Store.open(tmp_path / "copy" / "store"))
    for device, text in ((one, "I live in Porto"), (copy, "I might move"), (other, "I sail")):
        with device.here() as store:
            curation.add(store, text)
    settle([one, other, copy])
    assert len(set(states([one, other, copy]))) == 1
    assert {"I live in Porto", "I might move", "I sail"} < set(texts(copy.store))
    copy.store.close()


def test_what_a_newer_version_wrote_is_left_until_this_one_is_updated(
    pair: tuple[Device, Device], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = pair
    before = other.store.sync.digest()
    next_batch = Sync.next_batch

    def newer(self: Sync, chain: Chain) -> tuple[Batch, Cursor] | None:
        found = next_batch(self, chain)
        for event in found[0].get("events", ()) if found is not None else ():
            event["changes"][0]["c"][0] = "colour"
        return found

    with one.here() as store, monkeypatch.context() as patched:
        store.sync.rewrite()
        patched.setattr(Sync, "next_batch", newer)
        one.sync()
    with pytest.raises(TooNew, match="colour"):
        other.sync()
    assert other.store.sync.digest() == before


@thorough
def test_an_archive_without_forgotten_words_purges_nothing_elsewhere(
    pair: tuple[Device, Device], tmp_path: Path
) -> None:
    one, other = pair
    settle([one, other])
    with one.here() as store:
        curation.forget(store, [1])
    settle([one, other])
    file = tmp_path / "store.zip"
    with one.here() as store:
        with file.open("wb") as out:
            store.archive(out, forgotten_words=False)
        store.close()
        with file.open("rb") as stream, archive_reader.opened(stream, file) as archive:
            restore(store.folder, file, content_key, None, lambda: archive_reader.staged(archive))
    with pytest.raises(Conflict, match="without forgotten words"):
        one.sync()
    with one.here() as store:
        sync_file().unlink()
        with pytest.raises(Conflict, match="without forgotten words"):
            inspect_space(store, other.space.target, one.name, words_of(KEY))
    other.sync()
    assert other.store.get(1).text == "I like tea"


@thorough
def test_a_store_taken_over_from_an_archive_keeps_what_was_written_elsewhere(tmp_path: Path) -> None:
    old, other, late = devices(tmp_path, "old", "other", "late")
    with old.here() as store:
        put(store, "I like tea")
    settle([old, other, late])
    for one, text in ((late, "red"), (other, "black"), (old, "white"), (other, "plain")):
        with one.here() as store:
            (only,) = store.list_ids(Filter())
            curation.edit(store, only, f"I like {text} tea")
    settle([old, other])
    file = tmp_path / "store.zip"
    with old.here() as store, file.open("wb") as out:
        store.archive(out)
    with file.open("rb") as stream, archive_reader.opened(stream, file) as archive:
        restore(tmp_path / "new" / "store", file, content_key, None, lambda: archive_reader.staged(archive))
    new = new_device(tmp_path, "new")
    with new.here() as store:
        join(store, inspect_space(store, old.space.target, "new", words_of(KEY)))
    settle([other, new, late])
    assert len(set(states([other, new, late]))) == 1
    assert [one.text for one in new.store.get_many(new.store.list_ids(Filter()))] == ["I like plain tea"]


@thorough
def test_a_space_begun_with_an_archive_without_forgotten_words_purges_nothing_where_they_are(tmp_path: Path) -> None:
    old, new, empty = (new_device(tmp_path, name) for name in ("old", "new", "empty"))
    file, target = tmp_path / "store.zip", f"folder:{tmp_path / 'target'}"
    with old.here() as store:
        put(store, "I like tea", "I like chess")
        curation.forget(store, [1])
        with file.open("wb") as out:
            store.archive(out, forgotten_words=False)
    with new.here() as store:
        store.close()
        with file.open("rb") as stream, archive_reader.opened(stream, file) as archive:
            restore(store.folder, file, content_key, None, lambda: archive_reader.staged(archive))
    new = Device("new", new.home, Store.open(new.home / "store"))
    with new.here() as store:
        create(store, target, "new", KEY)
    new.sync()
    with empty.here() as store:
        join(store, inspect_space(store, target, "empty", words_of(KEY)))
    settle([new, empty])
    assert len(set(states([new, empty]))) == 1
    with old.here() as store, pytest.raises(Conflict, match="would purge the words of 1 of your memories"):
        join(store, inspect_space(store, target, "old", words_of(KEY)))
    assert old.store.get(1).text == "I like tea" and curation.restore(old.store, [1])


def put_over(store: Store, file: Path) -> None:
    """Replace a record by a copy but keep its recorded place, as another program would."""
    with sqlite3.connect(file) as copy, sqlite3.connect(store.folder / "record.sqlite") as record:
        (place,) = record.execute("SELECT value FROM meta WHERE name = 'place'").fetchone()
        copy.execute("INSERT OR REPLACE INTO meta (name, value) VALUES ('place', ?)", (place,))
        copy.commit()
        copy.backup(record)


@thorough
def test_an_older_copy_put_over_the_file_is_refused_before_anything_is_lost(
    pair: tuple[Device, Device], tmp_path: Path
) -> None:
    one, other = pair
    settle([one, other])
    with one.here() as store:
        store.backup(tmp_path / "copy")
        curation.add(store, "I live in Porto")
        settle([one, other])
        put_over(store, tmp_path / "copy")
    with pytest.raises(Conflict, match="older than what it wrote"):
        one.sync()
    with one.here() as store:
        curation.add(store, "I might move")
    with pytest.raises(Conflict, match="older than what it wrote"):
        one.sync()
    with one.here() as store:
        curation.edit(store, 1, "I like green tea")
    with pytest.raises(Conflict, match="older than what it wrote"):
        one.sync()
    with one.here() as store:
        for _ in range(2):
            with pytest.raises(Conflict, match="older than what it wrote"):
                sync(store, one.space, rewrite=True)
        store.purge([2])  # a purge also rewrites everything
        with pytest.raises(Conflict, match="older than what it wrote"):
            one.sync()
    other.sync()
    assert "I live in Porto" in texts(other.store) and "I might move" in texts(one.store)


@thorough
def test_an_older_copy_is_refused_after_a_purge_too(pair: tuple[Device, Device], tmp_path: Path) -> None:
    one, other = pair
    settle([one, other])
    with one.here() as store:
        store.backup(tmp_path / "copy")
        store.purge([1])
        settle([one, other])
        put_over(store, tmp_path / "copy")
    with pytest.raises(Conflict, match="older than what it wrote"):
        one.sync()


@thorough
def test_an_older_copy_that_lacks_the_message_of_a_request_is_refused(
    pair: tuple[Device, Device], tmp_path: Path
) -> None:
    one, other = pair
    settle([one, other])
    with one.here() as store:
        store.backup(tmp_path / "copy")
    with other.here() as store, store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("x", "Forget my old address."))
        store.forget_requests.put(writer, [(1, 7, 21)])
    settle([one, other])
    with one.here() as store:
        store.forget_requests.mark_seen([(1, 7, 21)])
        one.sync()
        put_over(store, tmp_path / "copy")
        curation.add(store, "I might move")
    with pytest.raises(Conflict, match="older than what it wrote"):
        one.sync()


@thorough
def test_a_device_that_was_in_another_space_meanwhile_comes_back_with_all_it_has(
    pair: tuple[Device, Device], tmp_path: Path
) -> None:
    one, other = pair
    settle([one, other])
    with one.here() as store:
        sync_file().unlink()
        create(store, f"folder:{tmp_path / 'second'}", one.name, KEY)
        curation.add(store, "I live in Porto")
        sync(store, one.space)
        sync_file().unlink()
        join(store, inspect_space(store, other.space.target, one.name, words_of(KEY)))
        curation.add(store, "I might move")
    settle([one, other])
    assert len(set(states([one, other]))) == 1
    assert {"I like tea", "I live in Porto", "I might move"} < set(texts(other.store))
    assert len(other.store.sync.chains()) == 2


@thorough
def test_a_segment_that_was_cut_before_it_was_noted_is_written_again_unless_more_follow_it(
    pair: tuple[Device, Device], tmp_path: Path
) -> None:
    one, other = pair
    settle([one, other])
    with one.here() as store:
        chain = store.sync.begin(one.name)
        path = SegmentPath(one.space.tag(chain.uid), chain.generation, chain.number + 1)
        target = target_of(one.space.target)
        target.put(path.name, b"")
        curation.add(store, "I live in Porto")
        assert "segment 4 of this device" in sync(store, one.space).problems[0]
        later = replace(path, number=path.number + 1)
        target.put(later.name, b"")
        with pytest.raises(Conflict, match="older than what it wrote"):
            sync(store, one.space, rewrite=True)
        target.delete(later.name)
        assert not sync(store, one.space, rewrite=True).problems
    settle([one, other])
    assert "I live in Porto" in texts(other.store)


def test_an_acknowledgement_whose_place_is_taken_by_a_broken_object_is_a_problem(tmp_path: Path) -> None:
    one, other = devices(tmp_path, "laptop", "desktop")
    with one.here() as store:
        curation.add(store, "I like tea")
    one.sync()
    with other.here() as store:
        chain = store.sync.begin(other.name)
        path = SegmentPath(other.space.tag(chain.uid), chain.generation, 1)
        target_of(other.space.target).put(path.name, b"")
    (problem,) = other.sync().problems
    assert "segment 1 of this device" in problem and "--rewrite" in problem
    with other.here() as store:
        assert not sync(store, other.space, rewrite=True).problems
    for made in (one, other):
        made.store.close()


def test_the_name_of_an_object_with_many_segments_takes_no_memory(tmp_path: Path) -> None:
    (one,) = devices(tmp_path, "laptop")
    tag = "0" * 32
    names = [f"{tag}/000001/{first:010d}-{first + 999_998:010d}" for first in (2, 3)]
    paths = [path for name in names if (path := parse_path(name)) is not None]
    tracemalloc.start()
    try:
        reader = SegmentReader(one.space, target_of(one.space.target), tag, paths, Chain(""))
        assert (len(paths), reader.count, first_missing(paths)) == (2, 1_000_001, 1)
        assert reader.next() is None and "segment 1 of" in reader.problem and "but 2 is" in reader.problem
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
        one.store.close()


def test_the_lowest_number_without_an_object_is_found() -> None:
    def missing(*spans: tuple[int, int]) -> int:
        return first_missing(SegmentPath("", 1, last, first) for first, last in spans)

    assert [missing(), missing((0, 1)), missing((0, 2), (0, 1)), missing((0, 2))] == [1, 2, 3, 1]
    assert [missing((1, 9), (2, 4)), missing((1, 3), (3, 5), (0, 7)), missing((2, 4), (0, 1))] == [10, 6, 5]


def test_a_name_whose_last_segment_is_before_its_first_is_of_none() -> None:
    assert parse_path(f"{'0' * 32}/000001/0000000005-0000000004") is None
