"""Several sweepers on one store, in one process or many: nothing is done twice, and nothing is lost if one ends."""

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import pytest
from scripted_sweeps import items, leases, models, note, quoting, standing, stored, sweeper, talk, texts, turns, until

from curator.config import settings
from curator.models import Question
from curator.sweeps import State
from curator.sweeps.base import leased
from effort import exhaustive, thorough
from fake_ollama.rule_model import answer
from fake_ollama.scenario import Scenario
from fake_ollama.server import Server, serving
from store import Busy, Filter, Store
from store.errors import LeaseLost
from store.model import Actor
from store.record.sweep_state import Sweeps

WORKER = Path(__file__).with_name("sweep_process.py")
COUNT = 10
T = TypeVar("T")


@pytest.fixture(autouse=True)
def _model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_OLLAMA__MODEL", "qwen3:4b")
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
    for name in ("COMPARE", "JUDGE", "WARMTH"):
        monkeypatch.setenv(f"CURATOR_SWEEP_{name}__ENABLED", "false")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with serving(Scenario(mind=answer, first_byte=0.05, parallel=4)) as standin:
        monkeypatch.setenv("CURATOR_OLLAMA__HOST", standin.host)
        yield standin


def some(store: Store, count: int = COUNT) -> list[int]:
    return stored(store, *(talk(f"talk {n}", f"I own {n + 3} bicycles of make {n}.") for n in range(count)))


def asked_twice(questions: list[str]) -> list[str]:
    return [one for one, times in Counter(questions).items() if times > 1]


def start(store: Store, lease: float) -> "subprocess.Popen[str]":
    """Start a sweeper process; return once it has begun."""
    root = WORKER.parents[2]
    path = os.pathsep.join((str(root), str(root / "tests"), os.environ.get("PYTHONPATH", "")))
    command = [sys.executable, str(WORKER), str(store.folder), str(lease)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path})
    assert process.stdout is not None and process.stdout.readline() == "begins\n"
    return process


def check_whole(store: Store, count: int = COUNT) -> None:
    """Check that each conversation was distilled once: one memory, one quote, one command."""
    assert sorted(texts(store)) == sorted(f"I own {n + 3} bicycles of make {n}." for n in range(count))
    assert all(len(store.evidence(number)) == 1 for number in store.list_ids(Filter()))
    made = [command for command in store.journal.log(1000) if command.actor is Actor.MODEL]
    assert len(made) == count
    assert store.differences() == []


@thorough
async def test_two_sweepers_share_the_work_and_do_nothing_twice(store: Store) -> None:
    some(store)
    asked: list[str] = []

    async def mind(question: Question) -> str:
        asked.append(question.user)
        await asyncio.sleep(0.01)
        return items(*(note(number, text) for number, text in turns(question)))

    first, second = models(mind), models(mind)
    await asyncio.gather(sweeper(store, first).work(once=True), sweeper(store, second).work(once=True))
    assert (len(asked), asked_twice(asked)) == (COUNT, [])
    assert min(len(first.scripted.asked), len(second.scripted.asked)) >= 2
    check_whole(store)


async def test_what_is_held_elsewhere_is_waited_for_until_it_runs_out(store: Store) -> None:
    first, *_ = some(store, 2)
    assert store.sweeps.take(f"distil:{first}", "another", 0.5)
    given = models()
    began = time.monotonic()
    await sweeper(store, given).work(once=True)
    assert len(given.scripted.asked) == 2
    assert time.monotonic() - began >= 0.4
    assert len(texts(store)) == 2


@thorough
async def test_a_lease_is_renewed_while_a_call_takes_longer(store: Store) -> None:
    (number,) = some(store, 1)
    answered = asyncio.Event()

    def ends() -> int:
        with store.sqlite() as connection:
            row = connection.execute("SELECT until FROM leases WHERE item = ?", (f"distil:{number}",)).fetchone()
        return int(row[0])

    async def mind(question: Question) -> str:
        await answered.wait()
        return quoting(question)

    given = models(mind)
    working = asyncio.create_task(sweeper(store, given, lease=1.0).work(once=True))
    await until(lambda: given.scripted.asked)
    for _ in range(3):
        before = ends()
        await until(lambda before=before: ends() > before)  # type: ignore[misc]
    answered.set()
    await working
    assert len(texts(store)) == 1
    await until(lambda: leases(store) == 0)


async def test_what_came_of_a_call_is_dropped_where_the_item_was_taken_over(store: Store) -> None:
    (number,) = some(store, 1)
    taken = False

    def mind(question: Question) -> str:
        nonlocal taken
        if not taken:  # as if the machine had slept until another process took the item
            taken = True
            with store.sqlite() as connection:
                connection.execute("UPDATE leases SET holder = 'another' WHERE item = ?", (f"distil:{number}",))
        return quoting(question)

    given = models(mind)
    sweeps = sweeper(store, given)
    working = asyncio.create_task(sweeps.work(once=True))
    await until(lambda: taken and standing(sweeps, "distil").state != "running")
    assert (texts(store), store.sweeps.unswept("extract/1"), store.sweeps.count_failures("extract/1")) == (
        [],
        [number],
        0,
    )
    with store.sqlite() as connection:
        connection.execute("DELETE FROM leases")
    await working
    assert len(texts(store)) == 1


async def test_vectors_are_not_kept_under_a_lease_that_was_lost(store: Store) -> None:
    from factories import put

    (number,) = put(store, "I like tea")
    embedder = models().embedder
    lease = store.sweeps.take("embed", "me", 60)
    assert lease is not None
    store.sweeps.release(lease)
    row = (number, "I like tea", embedder.embed(["I like tea"])[0].tobytes())
    with pytest.raises(LeaseLost), store.sweeps.holding(lease) as connection:
        store.vectors.put(connection, embedder.fingerprint, [row])
    assert store.vectors.spaces() == []


@thorough
def test_two_processes_share_the_work_and_do_nothing_twice(store: Store, server: Server) -> None:
    some(store)
    processes = [start(store, 60), start(store, 60)]
    assert [process.wait(60) for process in processes] == [0, 0]
    prompts = [str(call.body["messages"]) for call in server.calls()]
    assert (len(prompts), asked_twice(prompts)) == (COUNT, [])
    check_whole(store)


@thorough
def test_what_a_killed_process_was_at_is_done_by_the_next(store: Store, server: Server) -> None:
    """Kill a process with calls in flight, three times; the result is the same as without."""
    some(store)
    for share in (1, 4, 7):
        process = start(store, 1.0)
        while len(store.sweeps.unswept("extract/1")) > COUNT - share:
            assert process.poll() is None
            time.sleep(0.005)
        process.kill()
        process.wait()
        assert 0 < len(store.sweeps.unswept("extract/1")) <= COUNT - share
        assert store.differences() == []
    asyncio.run(asyncio.wait_for(_rest(store), 60))
    check_whole(store)
    assert store.sweeps.count_failures("extract/1") == 0


async def _rest(store: Store) -> None:
    from curator.sweeps import Sweeper

    settings.cache_clear()
    await Sweeper(store, tick=0.05).work(once=True)


async def test_a_lease_is_renewed_while_its_thread_is_at_one_thing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    renewed = threading.Event()
    monkeypatch.setattr(Sweeps, "renew", lambda *_: renewed.set())
    with ThreadPoolExecutor(max_workers=1) as own:

        async def run(work: Callable[[], T]) -> T:
            return await asyncio.get_running_loop().run_in_executor(own, work)

        async with leased(store, run, ["compare"], "me", 0.3) as held:
            assert held[0] is not None
            assert await run(lambda: renewed.wait(30))


async def test_a_lease_is_renewed_again_after_the_record_was_locked(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[None] = []
    renewed = asyncio.Event()
    loop = asyncio.get_running_loop()

    def renew(*_: object) -> bool:
        tries.append(None)
        if len(tries) == 1:
            raise Busy("another process has been writing")
        loop.call_soon_threadsafe(renewed.set)
        return True

    monkeypatch.setattr(Sweeps, "renew", renew)
    async with leased(store, asyncio.to_thread, ["compare"], "me", 0.3):
        await asyncio.wait_for(renewed.wait(), 30)


@exhaustive
async def test_a_pause_holds_in_another_process_until_it_is_resumed(store: Store, server: Server) -> None:
    some(store)
    server.change(Scenario(mind=answer, first_byte=0.3))
    worker = start(store, 60)
    try:
        await until(lambda: len(texts(store)) >= 1, 30)
        store.sweeps.pause("distil")
        assert worker.wait(30) == 0, "nothing else is to be done"
        done = len(texts(store))
        assert 1 <= done < COUNT and leases(store) == 0
        assert start(store, 60).wait(30) == 0
        assert len(texts(store)) == done, "it is still paused after a restart"
        server.change(Scenario(mind=answer))
        store.sweeps.resume("distil")
        assert start(store, 60).wait(30) == 0
    finally:
        worker.kill()
        worker.communicate()
    check_whole(store)


async def test_a_sweeper_that_keeps_running_goes_on_when_another_resumes(store: Store) -> None:
    some(store, 2)
    store.sweeps.pause("distil")
    working = asyncio.create_task((sweeps := sweeper(store, models())).work())
    await until(lambda: standing(sweeps, "distil").state is State.PAUSED)
    assert texts(store) == []
    store.sweeps.resume("distil")
    await until(lambda: len(texts(store)) == 2)
    working.cancel()
    await asyncio.wait({working})
    assert store.sweeps.paused() == set()


async def test_a_sweep_that_is_off_is_shown_as_paused(store: Store) -> None:
    sweeps = sweeper(store, models())
    await sweeps.refresh()
    assert standing(sweeps, "watch").state is State.OFF
    store.sweeps.pause("watch")
    await sweeps.refresh()
    assert standing(sweeps, "watch").state is State.PAUSED
