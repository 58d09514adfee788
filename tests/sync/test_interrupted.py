"""A sync that is killed at any moment is continued."""

import os
import random
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import pytest

from curator import curation
from curator.paths import sync_file
from curator.sync import run
from curator.sync.key import saved, words_of
from curator.targets import FolderTarget
from effort import some, thorough
from store import Busy, Conflict, Store
from store.record.sync import outbox
from store.record.sync.repository import Chain, Sync
from sync.devices import Device, act, devices, settle, states

_SCRIPT = Path(__file__).with_name("sync_process.py")


def killed(device: Device, after: float) -> bool:
    """Sync in another process that is killed after `after` seconds; return True if it was done before."""
    device.store.close()
    environment = {**os.environ, "CURATOR_HOME": str(device.home)}
    with subprocess.Popen(
        [sys.executable, str(_SCRIPT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=Path(__file__).parents[2],
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        assert process.stdout.readline() == "begins\n"
        process.stdin.write("\n")
        process.stdin.flush()
        time.sleep(after)
        process.send_signal(signal.SIGKILL)
        return process.stdout.read() == "done\n"


@thorough
@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_kills_in_the_middle_of_writing_and_folding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "_EVENTS", 5)
    rng = random.Random(7)
    one, other = made = devices(tmp_path, "laptop", "desktop")
    for device in made:
        with device.here() as store:
            for _ in range(60):
                act(store, rng)
    cut = 0
    for _ in range(4):
        for device in made:
            cut += not killed(device, rng.uniform(0.0, 0.2))
    settle(made)
    assert len(set(states(made))) == 1
    assert cut > 0
    for device in (one, other):
        device.store.close()


class Killed(BaseException):
    """The end of the process."""


@thorough
@pytest.mark.parametrize(("place", "nth"), some([*product(["before", "after", "noted"], range(1, 6))], 6))
def test_any_segment_may_be_the_last_that_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nth: int, place: str
) -> None:
    monkeypatch.setattr(outbox, "_EVENTS", 1)
    one, other = made = devices(tmp_path, "laptop", "desktop")
    with one.here() as store:
        for number in range(5):
            curation.add(store, f"I have {number} bees")
    put, written, count = FolderTarget.put, Sync.written, 0

    def killing_put(self: FolderTarget, name: str, data: bytes) -> bool:
        nonlocal count
        count += 1
        if count == nth and place == "before":
            raise Killed
        done = put(self, name, data)
        if count == nth and place == "after":
            raise Killed
        return done

    def killing_written(self: Sync, chain: Chain, batch: outbox.Batch) -> None:
        written(self, chain, batch)
        if count == nth and place == "noted":
            raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(FolderTarget, "put", killing_put)
        patched.setattr(Sync, "written", killing_written)
        with pytest.raises(Killed):
            one.sync()
    with one.here() as store:
        curation.pin(store, [1])
    settle(made)
    assert len(set(states(made))) == 1
    assert other.store.get(1).pinned
    for device in made:
        device.store.close()


@thorough
@pytest.mark.parametrize("nth", some(range(1, 6), 3))
def test_what_follows_is_drawn_after_a_crash_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nth: int) -> None:
    monkeypatch.setattr(outbox, "_EVENTS", 1)
    one, other = made = devices(tmp_path, "laptop", "desktop")
    with one.here() as store:
        curation.forget(store, [curation.add(store, "I keep bees").id])
        curation.add(store, "I like tea")
    with other.here() as store:
        curation.add(store, "I keep bees")
        curation.add(store, "I like tea")
    one.sync()
    fold, count = Sync.fold, 0

    def killing_fold(self: Sync, chain: Chain, batch: outbox.Batch) -> None:
        nonlocal count
        fold(self, chain, batch)
        count += 1
        if count == nth:
            raise Killed

    def killing_draw(*_: object) -> bool:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(Sync, "fold", killing_fold)
        patched.setattr(Sync, "reconcile", killing_draw)
        with pytest.raises(Killed):
            other.sync()
    settle(made)
    assert len(set(states(made))) == 1
    lives = {memory.life.value for memory in other.store.get_many([1, 2, 3, 4]) if "bees" in memory.text}
    assert lives == {"forgotten"}
    for device in made:
        device.store.close()


def test_one_process_syncs_at_a_time(tmp_path: Path) -> None:
    (one,) = devices(tmp_path, "laptop")
    with one.here(), run.exclusive(), pytest.raises(Busy):
        one.sync()
    one.store.close()


def test_no_space_is_begun_or_joined_while_a_pass_runs(tmp_path: Path) -> None:
    (one,) = devices(tmp_path, "laptop")
    other = Store.open(tmp_path / "desktop" / "store")
    with one.here():
        entry = run.inspect_space(other, one.space.target, "desktop", words_of(one.space.key))
        sync_file().unlink()
        with run.exclusive():
            with pytest.raises(Busy):
                run.join(other, entry)
            with pytest.raises(Busy):
                run.create(one.store, f"folder:{tmp_path / 'new'}", "laptop", bytes(32))
        assert saved() is None and not (tmp_path / "new").exists()
    for store in (one.store, other):
        store.close()


def test_a_pass_that_waited_while_the_space_changed_writes_nothing(tmp_path: Path) -> None:
    (one,) = devices(tmp_path, "laptop")
    former = one.space
    with one.here() as store:
        curation.add(store, "I keep bees")
        sync_file().unlink()
        run.create(store, f"folder:{tmp_path / 'new'}", "laptop", bytes(32))
        with pytest.raises(Conflict, match="no longer syncs"):
            run.sync(store, former)
    assert one.sync().written == 1
    one.store.close()
