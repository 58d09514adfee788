"""The snapshot sweep: only if a target is set, and only what changed."""

from collections.abc import Callable
from pathlib import Path

import pytest
from scripted_sweeps import models, standing, sweeper

from curator.config import settings
from curator.purge_everywhere import purge
from curator.snapshot import writer
from curator.snapshot.reader import query
from curator.sweeps import State, SweepStatus
from effort import thorough
from factories import put
from store import Store

COUNT = "SELECT count(*) FROM memories WHERE life = 'live'"


@pytest.fixture(autouse=True)
def at_home(store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("curator.paths.store_folder", lambda: store.folder)
    monkeypatch.setenv("CURATOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")


@pytest.fixture
def aim(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that sets the target."""

    def set_target(text: str) -> None:
        monkeypatch.setenv("CURATOR_SNAPSHOT__TARGET", text)
        settings.cache_clear()

    return set_target


async def swept(store: Store) -> SweepStatus:
    sweeps = sweeper(store, models())
    await sweeps.work(once=True)
    status: SweepStatus = standing(sweeps, "snapshot")
    return status


async def test_without_a_target_nothing_is_written(store: Store) -> None:
    put(store, "I like tea")
    status = await swept(store)
    assert status.state is State.OFF and "snapshot.target" in status.problem
    assert writer.noted_targets(store) == {}


@thorough
async def test_it_is_written_once_for_each_change(store: Store, tmp_path: Path, aim: Callable[[str], None]) -> None:
    place = f"folder:{tmp_path / 'target'}"
    aim(place)
    put(store, "I like tea")
    assert (await swept(store)).done == 1
    assert (await swept(store)).done == 0
    (number,) = put(store, "I live in Ghent")
    assert (await swept(store)).done == 1
    assert query(place, COUNT)[0].rows == [(2,)]
    purge(store, [number])
    assert (await swept(store)).done == 1
    assert query(place, COUNT)[0].rows == [(1,)]


@thorough
async def test_another_target_takes_its_place_and_no_target_ends_it(
    store: Store, tmp_path: Path, aim: Callable[[str], None]
) -> None:
    put(store, "I like tea")
    former, later = tmp_path / "former", tmp_path / "later"
    aim(f"folder:{former}")
    await swept(store)
    aim(f"folder:{later}")
    await swept(store)
    assert list(former.rglob("*.*")) == [] and list(later.rglob("*.json"))
    aim("")
    assert (await swept(store)).state is State.OFF
    assert list(later.rglob("*.*")) == []


@thorough
async def test_a_target_that_is_away_is_said_and_tried_again(
    store: Store, tmp_path: Path, aim: Callable[[str], None]
) -> None:
    aim(f"folder:{tmp_path / 'stick' / 'target'}")
    put(store, "I like tea")
    status = await swept(store)
    assert status.state is State.OFFLINE and "is not there" in status.problem
    (tmp_path / "stick").mkdir()
    assert (await swept(store)).done == 1


async def test_while_a_purge_is_not_done_nothing_is_written(
    store: Store, tmp_path: Path, aim: Callable[[str], None]
) -> None:
    aim(f"folder:{tmp_path / 'target'}")
    (number,) = put(store, "I like tea")
    store.purge([number])
    assert (await swept(store)).pending == 0
    assert not (tmp_path / "target").exists()


async def test_the_store_of_the_demo_is_not_written_to_the_persons_target(
    store: Store, tmp_path: Path, aim: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    aim(f"folder:{tmp_path / 'target'}")
    monkeypatch.setattr("curator.paths.store_folder", lambda: tmp_path / "home")
    put(store, "I like tea")
    assert (await swept(store)).state is State.OFF
    assert not (tmp_path / "target").exists()


async def test_a_damaged_list_of_places_stops_no_other_sweep(store: Store) -> None:
    put(store, "I like tea")
    (store.folder / "snapshot").mkdir()
    (store.folder / "snapshot" / "places.json").write_text("{")
    sweeps = sweeper(store, models())
    await sweeps.work(once=True)
    assert standing(sweeps, "embed").done == 1
    status = standing(sweeps, "snapshot")
    assert status.state is State.OFF and "places.json" in status.problem
