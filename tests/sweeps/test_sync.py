"""The sync sweep: nothing without a space, one pass with one, and its problems as messages."""

import shutil
from pathlib import Path

import pytest
from scripted_sweeps import models, standing, sweeper

from curator.curation import add
from curator.share.run import create as start_sharing
from curator.sweeps import State, SweepStatus
from curator.sync.key import saved, words_of
from curator.sync.run import create, inspect_space, join, sync
from effort import thorough
from factories import conversation, put
from store import Conflict, Filter, Store

KEY = bytes(range(32))


@pytest.fixture(autouse=True)
def at_home(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("curator.paths.store_folder", lambda: store.folder)


async def swept(store: Store) -> SweepStatus:
    sweeps = sweeper(store, models())
    await sweeps.work(once=True)
    status: SweepStatus = standing(sweeps, "sync")
    return status


async def test_without_a_space_nothing_is_synced(store: Store) -> None:
    put(store, "I like tea")
    status = await swept(store)
    assert status.state is State.OFF and "curator sync init" in status.problem


async def test_what_is_new_is_written_and_read_by_another_device(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    create(store, f"folder:{target}", "laptop", KEY)
    put(store, "I like tea")
    status = await swept(store)
    assert status.done == 1 and not status.problem
    space = saved()
    assert space is not None
    other = Store.open(tmp_path / "other")
    join(other, inspect_space(other, space.target, "desktop", words_of(KEY)))
    assert sync(other, space).folded > 0
    assert [memory.text for memory in other.get_many(other.list_ids(Filter()))] == ["I like tea"]


async def test_what_was_asked_to_be_forgotten_on_another_device_is_kept_from_models(
    store: Store, tmp_path: Path
) -> None:
    create(store, f"folder:{tmp_path / 'target'}", "laptop", KEY)
    (home,) = put(store, "I live in Ghent near the canal.", created_at=1)
    space = saved()
    assert space is not None
    other = Store.open(tmp_path / "other")
    join(other, inspect_space(other, space.target, "desktop", words_of(KEY)))
    with other.command("import") as writer:
        other.raw.put_conversation(writer, conversation("x", "Forget that I live in Ghent near the canal."))
        other.forget_requests.put(writer, [(1, 12, 42)])
    sync(other, space)
    assert not (await swept(store)).problem
    assert store.get(home).quarantined


async def test_shared_projects_are_synced_too(store: Store, tmp_path: Path) -> None:
    share = start_sharing(store, "garden", f"folder:{tmp_path / 'target'}", "Anna", KEY)
    add(store, "The roses are cut in March", project="garden")
    status = await swept(store)
    assert status.done == 1 and not status.problem
    assert len(store.shares.sent(share.id)) == 1
    shutil.move(tmp_path / "target", tmp_path / "away")
    assert (await swept(store)).state is State.OFFLINE


async def test_a_target_that_is_away_is_said_and_tried_again(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "stick"
    target.mkdir()
    create(store, f"folder:{target}", "laptop", KEY)
    shutil.move(target, tmp_path / "away")
    put(store, "I like tea")
    status = await swept(store)
    assert status.state is State.OFFLINE and "is not there" in status.problem
    shutil.move(tmp_path / "away", target)
    status = await swept(store)
    assert status.done == 1 and not status.problem


@thorough
async def test_what_another_device_purged_is_erased_outside_of_the_record_too(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    create(store, f"folder:{target}", "laptop", KEY)
    put(store, "I like tea")
    space = saved()
    assert space is not None
    sync(store, space)
    other = Store.open(tmp_path / "other")
    join(other, inspect_space(other, space.target, "desktop", words_of(KEY)))
    sync(other, space)
    other.purge(other.list_ids(Filter()))
    sync(other, space)
    ended: list[Store] = []

    def end_purge(given: Store) -> list[str]:
        assert given.unfinished_purge() is not None
        ended.append(given)
        return []

    await sweeper(store, models(), end_purge=end_purge).work(once=True)
    assert ended == [store]


async def test_another_store_than_that_of_the_home_is_never_synced(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    create(store, f"folder:{target}", "laptop", KEY)
    demo = Store.open(tmp_path / "demo")
    put(demo, "I am made up")
    assert (await swept(demo)).state is State.OFF
    assert [file.name for file in target.rglob("*") if file.is_file()] == ["space"]


@thorough
async def test_a_device_that_was_removed_syncs_no_more(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "target"
    create(store, f"folder:{target}", "laptop", KEY)
    put(store, "I like tea")
    await swept(store)
    space = saved()
    assert space is not None
    other = Store.open(tmp_path / "other")
    join(other, inspect_space(other, space.target, "desktop", words_of(KEY)))
    sync(other, space)
    sync(other, space, remove=store.sync.begin("laptop").uid)
    other.close()
    with pytest.raises(Conflict, match="was removed"):
        sync(store, space)
    status = await swept(store)
    assert status.state is State.OFF and "curator sync join" in status.problem


@pytest.mark.parametrize("file", ["sync.json", "shares.json"])
async def test_a_damaged_file_of_keys_stops_no_other_sweep(store: Store, file: str) -> None:
    put(store, "I like tea")
    (store.folder.parent / file).write_text("{")
    sweeps = sweeper(store, models())
    await sweeps.work(once=True)
    assert standing(sweeps, "embed").done == 1
    status = standing(sweeps, "sync")
    assert status.state is State.OFF and file in status.problem and "move it away" in status.problem
