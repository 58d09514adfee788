"""Many small segments are compacted into few objects, which nobody reads again."""

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from curator import curation
from curator.sync import compaction
from curator.sync.key import words_of
from curator.sync.run import inspect_space, join
from curator.targets import FolderTarget
from effort import share, thorough
from store import Filter, Store
from store.record.sync.outbox import Batch
from store.record.sync.repository import Chain, Sync
from sync.devices import KEY, Device, act, device, devices, settle, states

pytestmark = thorough


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Device, Device]]:
    """Return a laptop and a desktop, which compact ten small segments."""
    monkeypatch.setattr(compaction, "MOST", 10)
    one, other = devices(tmp_path, "laptop", "desktop")
    yield one, other
    for made in (one, other):
        made.store.close()


def writes(one: Device, count: int, first: int = 0) -> None:
    for number in range(first, first + count):
        with one.here() as store:
            curation.add(store, f"I have {number} bees")
        assert one.sync().problems == []


def objects(folder: Path, one: Device) -> list[Path]:
    tag = one.space.tag(one.store.sync.begin(one.name).uid)
    return sorted(file for file in (folder / "target" / tag).rglob("*") if file.is_file())


def joined(folder: Path, name: str) -> Device:
    made = device(folder, name)
    with made.here() as store:
        join(store, inspect_space(store, f"folder:{folder / 'target'}", name, words_of(KEY)))
    return made


def read_by(one: Device, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Sync a device; return the names of the objects that it read."""
    names: list[str] = []
    get = FolderTarget.get

    def noted(self: FolderTarget, name: str) -> bytes | None:
        names.append(name)
        return get(self, name)

    with monkeypatch.context() as patched:
        patched.setattr(FolderTarget, "get", noted)
        assert one.sync().problems == []
    return names


def count(store: Store) -> int:
    return len(store.list_ids(Filter()))


def test_a_new_device_reads_few_objects_and_those_who_had_read_them_nothing_again(
    pair: tuple[Device, Device], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = pair
    writes(one, 8)
    other.sync()
    writes(one, 27, 8)
    one.sync()
    assert len(objects(tmp_path, one)) < 14
    assert len(read_by(other, monkeypatch)) < 14
    assert count(other.store) == 35
    writes(one, 1, 35)
    assert len(read_by(other, monkeypatch)) == 1
    third = joined(tmp_path, "phone")
    third.sync()
    settle([one, other, third])
    assert len(set(states([one, other, third]))) == 1 and count(third.store) == 36
    third.store.close()


def test_a_device_in_the_middle_of_an_object_goes_on_there(
    pair: tuple[Device, Device], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = pair
    writes(one, 4)
    other.sync()
    writes(one, 10, 4)
    assert any(file.name.startswith("0000000001-") for file in objects(tmp_path, one))
    folded: list[int] = []
    fold = Sync.fold

    def noted(self: Sync, chain: Chain, batch: Batch) -> None:
        folded.append(chain.number)
        fold(self, chain, batch)

    monkeypatch.setattr(Sync, "fold", noted)
    other.sync()
    assert folded == [*range(5, 15)] and count(other.store) == 14


@pytest.mark.parametrize("lost", ["large", "small"])
def test_either_is_enough_while_both_are_there(pair: tuple[Device, Device], tmp_path: Path, lost: str) -> None:
    one, other = pair
    writes(one, 11)
    large = [file for file in objects(tmp_path, one) if "-" in file.name]
    small = [file for file in objects(tmp_path, one) if "-" not in file.name]
    assert len(large) == 1 and len(small) == 11
    for file in large if lost == "large" else small:
        file.unlink()
    assert other.sync().problems == [] and count(other.store) == 11
    settle([one, other])
    assert len(set(states([one, other]))) == 1


class Killed(BaseException):
    """The end of the process."""


@pytest.mark.parametrize("nth", range(1, 4))
def test_a_compaction_that_was_killed_is_taken_up_again(
    pair: tuple[Device, Device], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nth: int
) -> None:
    one, other = pair
    writes(one, 10)
    with one.here() as store:
        curation.add(store, "I sail")
    monkeypatch.setattr(compaction, "FULL", 1_000)
    put, delete, count = FolderTarget.put, FolderTarget.delete, 0

    def killing_put(self: FolderTarget, name: str, data: bytes) -> bool:
        nonlocal count
        done = put(self, name, data)
        count += "-" in name
        if count == nth:
            raise Killed
        return done

    def killing_delete(self: FolderTarget, name: str) -> None:
        nonlocal count
        delete(self, name)
        count += 1
        if count == nth:
            raise Killed

    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(FolderTarget, "put", killing_put)
        one.sync()
    other.sync()
    count = 0
    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(FolderTarget, "delete", killing_delete)
        one.sync()
        one.sync()
    settle([one, other])
    third = joined(tmp_path, "phone")
    settle([one, other, third])
    assert len(set(states([one, other, third]))) == 1
    third.store.close()


def test_an_object_that_is_damaged_or_of_other_segments_is_refused(pair: tuple[Device, Device], tmp_path: Path) -> None:
    one, other = pair
    writes(one, 12)
    one.sync()
    (large,) = [file for file in objects(tmp_path, one) if "-" in file.name]
    data = large.read_bytes()
    for name, content in ((large.name, data[:-1]), (f"{1:010d}-{10:010d}", data), (f"{2:010d}-{11:010d}", data)):
        large.unlink(missing_ok=True)
        (large.parent / name).write_bytes(content)
        (problem,) = other.sync().problems
        assert "segment 1 of" in problem and "curator sync --rewrite" in problem
        (large.parent / name).unlink()
    with one.here() as store:
        store.sync.rewrite()
    settle([one, other])
    assert count(other.store) == 12


def test_a_purge_leaves_the_words_in_no_object(pair: tuple[Device, Device], tmp_path: Path) -> None:
    one, other = pair
    writes(one, 25)
    settle([one, other])
    with other.here() as store:
        store.purge([store.list_ids(Filter())[3]])
    settle([one, other])
    generations = {file.parent.name for file in objects(tmp_path, one)}
    assert generations == {"000002"}
    assert len(set(states([one, other]))) == 1


def test_a_copy_of_an_older_state_of_the_folder_hides_nothing(pair: tuple[Device, Device], tmp_path: Path) -> None:
    one, other = pair
    writes(one, 12)
    shutil.copytree(tmp_path / "target", tmp_path / "before")
    writes(one, 14, 12)
    settle([one, other])
    shutil.copytree(tmp_path / "before", tmp_path / "target", dirs_exist_ok=True)
    settle([one, other])
    third = joined(tmp_path, "phone")
    settle([one, other, third])
    assert len(set(states([one, other, third]))) == 1
    third.store.close()


@pytest.mark.parametrize("seed", range(share(4, 1)))
def test_random_devices_with_compaction_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(compaction, "MOST", 3)
    monkeypatch.setattr(compaction, "FULL", 3_000)
    rng = random.Random(seed)
    made = devices(tmp_path, "a", "b", "c")
    for _ in range(60):
        with rng.choice(made).here() as store:
            act(store, rng)
        if rng.random() < 0.6:
            rng.choice(made).sync(rng.choice([0.3, 1.0]), rng)
    settle(made)
    made.append(joined(tmp_path, "d"))
    settle(made)
    assert len(set(states(made))) == 1
    for one in made:
        one.store.close()


def test_the_name_of_an_object_alone_deletes_no_segment(tmp_path: Path, pair: tuple[Device, Device]) -> None:
    one, _ = pair
    writes(one, 4)
    kept = objects(tmp_path, one)
    large = kept[0].with_name("0000000001-0000000004")
    large.write_bytes(b"not carried here completely")
    with one.here() as store:
        curation.add(store, "I have a garden")
    assert large.name in one.sync().problems[0]
    assert all(file.exists() for file in kept)
