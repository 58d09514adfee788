"""The backup sweep: once a day if something has changed, verified, keeping the newest backups."""

import contextlib
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from scripted_sweeps import models, standing, sweeper

from curator.config import settings
from curator.sweeps import State
from curator.text import content_key
from effort import thorough
from factories import conversation, put
from store import Store, clock, restore


@pytest.fixture(autouse=True)
def enabled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_SWEEP_BACKUP__ENABLED", "true")


def aged(store: Store, days: int) -> None:
    """Move the backups of a store `days` days into the past, in name and time."""
    for file in store.backups():
        at = file.stat().st_mtime - days * 86_400
        stamp = clock.to_iso(clock.from_seconds(at))[:10].replace("-", "")
        older = file.with_name(f"curator-{stamp}-{file.stem[-6:]}.sqlite")
        file.rename(older)
        os.utime(older, (at, at))


async def swept(store: Store) -> Any:
    sweeps = sweeper(store, models())
    await sweeps.work(once=True)
    return standing(sweeps, "backup")


async def test_a_store_without_changes_is_not_backed_up(store: Store) -> None:
    assert (await swept(store)).pending == 0 and store.backups() == []


@thorough
async def test_a_backup_a_day_and_only_after_a_change(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, "I like tea")
    assert (await swept(store)).done == 1
    before = store.state_hash()
    put(store, "I like kites")
    await swept(store)
    assert len(store.backups()) == 1  # less than a day old
    aged(store, 2)
    await swept(store)
    monkeypatch.setenv("CURATOR_SWEEP_BACKUP__INTERVAL", "1e-9")
    settings.cache_clear()
    await swept(store)
    assert len(store.backups()) == 2  # nothing has changed since the second
    restore(tmp_path / "new", store.backups()[0], content_key)
    with contextlib.closing(Store.open(tmp_path / "new")) as again:
        assert again.state_hash() == before


async def test_without_a_backup_one_does_not_wait_for_the_next_day(store: Store) -> None:
    put(store, "I like tea")
    await swept(store)
    store.backups()[0].unlink()  # as a purge would
    put(store, "I like kites")
    sweeps = sweeper(store, models())
    await sweeps.refresh()
    assert (standing(sweeps, "backup").next_at or 0) <= clock.now() + 60 * clock.SECOND


async def test_what_a_long_import_adds_after_a_backup_is_backed_up(store: Store) -> None:
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("first", "I like tea"))
        writer.pause()
        assert (await swept(store)).done == 1
        writer.resume()
        store.raw.put_conversation(writer, conversation("second", "I like kites"))
    assert store.backup_due(0)
    store.keep_backup(7)
    assert not store.backup_due(0)


async def test_the_oldest_goes_and_files_of_others_stay(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_BACKUPS__KEEP", "2")
    (store.folder / "backups").mkdir()
    mine = store.folder / "backups" / "record-before-restore-1.sqlite"
    mine.write_bytes(b"")
    for number in range(3):
        put(store, f"I have kite number {number}")
        await swept(store)
        aged(store, 2)
    assert len(store.backups()) == 2 and mine.exists()


async def test_a_full_disk_is_said_and_costs_no_backup(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, "I like tea")
    await swept(store)
    aged(store, 2)
    put(store, "I like kites")
    usage = shutil.disk_usage(store.folder)
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage._replace(free=1_000))
    found = await swept(store)
    assert found.state is State.OFFLINE and "free some space" in found.problem and len(store.backups()) == 1


def test_a_clock_that_was_ahead_costs_no_new_backup(store: Store) -> None:
    put(store, "I like tea")
    first = store.keep_backup(3)
    for year in (2997, 2998, 2999):
        ahead = shutil.copy2(first, first.with_name(f"curator-{year}0101-000000.sqlite"))
        os.utime(ahead, (32e9, 32e9))
    new = store.keep_backup(3)
    assert new.exists() and len(store.backups()) == 3
    assert store.keep_backup(1).exists() and len(store.backups()) == 1
