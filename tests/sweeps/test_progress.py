"""Progress of a run, read by another process; a killed run is never shown as running."""

import asyncio
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from scripted_sweeps import models, quoting, standing, stored, sweeper, talk, until

from curator.models import Question
from curator.services.run_progress import LEASE, is_alive, make_progress
from curator.sweeps import Sweeper
from curator.sweeps.base import BaseSweep, Progress
from curator.sweeps.compare import scan_all
from curator.sweeps.progress import Publisher, SweepRun
from effort import thorough
from factories import put
from store import Store, clock

_TELLS = """
import sys, time
from pathlib import Path
from curator.services.run_progress import make_progress
from store import Store
store = Store.open(Path(sys.argv[1]))
store.sweeps.put_progress([make_progress("distil", "other", 90.0, 31, 204, 2)])
print("told", flush=True)
time.sleep(60)
"""


@pytest.fixture(autouse=True)
def _model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_OLLAMA__MODEL", "scripted:1b")
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")


async def test_a_write_under_way_at_the_end_leaves_nothing_behind(store: Store) -> None:
    writing, go = threading.Event(), threading.Event()

    def held(work: Callable[[], Any]) -> Any:
        writing.set()
        go.wait(10)
        return work()

    busy = asyncio.create_task(asyncio.sleep(60))
    sweep = SweepRun(cast(BaseSweep, SimpleNamespace(name="distil")), Progress(total=6, done=1), busy)
    publisher = Publisher(store, lambda work: asyncio.to_thread(held, work), "me", 0.0)
    following = asyncio.create_task(publisher.follow([sweep]))
    await asyncio.to_thread(writing.wait, 10)
    following.cancel()
    closing = asyncio.create_task(publisher.close())
    await asyncio.sleep(0.05)
    go.set()
    await closing
    busy.cancel()
    assert store.sweeps.progress() == []


@thorough
async def test_a_run_tells_how_far_it_is_and_nothing_once_it_has_ended(store: Store) -> None:
    stored(store, *(talk(f"talk {n}", f"I own {n + 3} bicycles.") for n in range(4)))
    go, calls = asyncio.Event(), 0

    async def slow(question: Question) -> str:
        nonlocal calls
        calls += 1
        if calls == 3:
            await go.wait()
        return quoting(question)

    before = store.state_hash(), store.journal.seq()
    working = asyncio.create_task(sweeper(store, models(slow), publish=0.02).work(once=True))
    await until(lambda: [run.done for run in store.sweeps.progress() if run.sweep == "distil"] == [2])
    (run,) = [run for run in store.sweeps.progress() if run.sweep == "distil"]
    assert (run.total, run.failed) == (4, 0) and is_alive(run) and run.since <= run.seen
    watching = Sweeper(store, models=models())
    await watching.refresh()
    seen = standing(watching, "distil")
    assert seen.other == run and (seen.done, seen.total) == (0, 0)
    go.set()
    await working
    assert store.sweeps.progress() == []
    assert before != (store.state_hash(), store.journal.seq()) and store.differences() == []


@thorough
async def test_a_process_that_was_killed_is_shown_as_stopped(store: Store) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _TELLS, str(store.folder)], stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None and other.stdout.readline() == "told\n"
        watching = Sweeper(store, models=models())
        await watching.refresh()
        run = standing(watching, "distil").other
        assert run is not None and (run.process, run.done, run.total, run.failed) == (other.pid, 31, 204, 2)
        other.send_signal(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
        other.wait()
    await watching.refresh()
    gone = standing(watching, "distil")
    if sys.platform != "win32":
        assert gone.other is None
    assert [(one.process, one.done) for one in gone.others] == [(run.process, 31)]
    assert not is_alive(replace(run, host="elsewhere", seen=clock.now() - clock.from_seconds(LEASE + 1)))
    assert is_alive(replace(run, host="elsewhere"))


def test_progress_is_no_state_and_what_was_left_goes(store: Store) -> None:
    before = store.state_hash(), store.journal.seq()
    run = make_progress("judge", "one", 1.0, 1, 2)
    store.sweeps.put_progress([replace(run, seen=run.seen - 2 * clock.DAY), replace(run, sweep="embed")])
    assert [one.sweep for one in store.sweeps.progress()] == ["embed"]
    assert (store.state_hash(), store.journal.seq()) == before and store.differences() == []


@thorough
def test_a_scan_by_hand_tells_too(store: Store) -> None:
    put(store, *(f"I own {n} kites of make {n}." for n in range(20)))
    told: list[tuple[int, int]] = []
    scan_all(store, report=lambda scan: told.extend((run.done, run.total) for run in store.sweeps.progress()))
    assert told and told[-1] == (20, 20) and store.sweeps.progress() == []
