"""The sweep scheduler, and a person's control over it: interval, limit, window, pause, cancel, start, quit."""

import asyncio
import time
from datetime import datetime

import pytest
from scripted_sweeps import leases, models, quoting, standing, stored, sweeper, talk, texts, until

from curator.config import Sweep, settings
from curator.models import Offline, Question
from curator.sweeps import State, Sweeper
from curator.sweeps.progress import HOUR, SweepStatus, due_at, is_open, opens
from effort import thorough
from factories import put
from store import Busy, Store
from store.record.sweep_state import Sweeps

AT_ONCE = 2.0  # seconds, for a busy machine; otherwise it takes milliseconds, and the model never answers


@pytest.fixture(autouse=True)
def _model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_OLLAMA__MODEL", "scripted:1b")
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
    monkeypatch.setenv("CURATOR_SWEEP_JUDGE__ENABLED", "false")  # alerts of the rules are not tested here
    monkeypatch.setenv("TZ", "Europe/Lisbon")
    time.tzset()


def at(text: str) -> int:
    """Return a local time in microseconds."""
    return round(datetime.fromisoformat(text).timestamp() * 1_000_000)


class Clock:
    """A clock that tests set."""

    def __init__(self, text: str = "2026-03-10 12:00") -> None:
        self.time = at(text)

    def __call__(self) -> int:
        return self.time

    def set(self, text: str) -> None:
        self.time = at(text)


async def never(question: Question) -> str:
    await asyncio.Event().wait()
    return ""


def some(store: Store, count: int = 3) -> None:
    stored(store, *(talk(f"talk {n}", f"I own {n + 3} bicycles of make {n}.") for n in range(count)))


# Schedule


@pytest.mark.parametrize(
    ("window", "moment", "open_"),
    [
        ("", "2026-03-10 12:00", True),
        ("22:00-07:00", "2026-03-10 21:59", False),
        ("22:00-07:00", "2026-03-10 22:00", True),
        ("22:00-07:00", "2026-03-11 06:59", True),
        ("22:00-07:00", "2026-03-11 07:00", False),
        ("09:00-17:30", "2026-03-10 17:29", True),
        ("09:00-17:30", "2026-03-10 17:30", False),
        ("08:00-08:00", "2026-03-10 03:00", True),
    ],
)
def test_a_window_is_open_from_its_beginning_to_before_its_end(window: str, moment: str, open_: bool) -> None:
    assert is_open(window, at(moment)) is open_


def test_a_window_opens_next_today_or_tomorrow_also_when_clocks_change() -> None:
    assert opens("22:00-07:00", at("2026-03-10 12:00")) == at("2026-03-10 22:00")
    assert opens("22:00-07:00", at("2026-03-10 23:00")) == at("2026-03-10 23:00")
    assert opens("09:00-10:00", at("2026-03-10 11:00")) == at("2026-03-11 09:00")
    assert opens("09:00-10:00", at("2026-03-28 11:00")) == at("2026-03-29 09:00")  # the night when summer time begins


def test_a_sweep_is_due_after_its_interval_and_in_its_window() -> None:
    noon = at("2026-03-10 12:00")
    assert due_at(Sweep(interval=6), 0, noon) == noon
    assert due_at(Sweep(interval=6), noon - HOUR, noon) == noon + 5 * HOUR
    assert due_at(Sweep(interval=6), noon - 9 * HOUR, noon) == noon
    assert due_at(Sweep(interval=6, window="22:00-07:00"), noon - HOUR, noon) == at("2026-03-10 22:00")


async def test_a_sweep_waits_for_its_window_and_its_interval(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_SWEEP_DISTIL__WINDOW", "22:00-07:00")
    monkeypatch.setenv("CURATOR_SWEEP_DISTIL__INTERVAL", "2")
    some(store)
    clock, given = Clock(), models()
    sweeps = sweeper(store, given, now=clock)
    working = asyncio.create_task(sweeps.work())
    await until(lambda: standing(sweeps, "distil").pending == 3)
    await asyncio.sleep(0.1)
    stands = standing(sweeps, "distil")
    assert (stands.state, stands.next_at, given.scripted.asked) == (State.WAITING, at("2026-03-10 22:00"), [])
    clock.set("2026-03-10 22:00")
    await until(lambda: standing(sweeps, "distil").done == 3 and standing(sweeps, "distil").state is State.WAITING)
    assert standing(sweeps, "distil").next_at == at("2026-03-11 00:00")
    stored(store, talk("more", "I own 9 boats of make 8."))
    clock.set("2026-03-10 23:59")
    await asyncio.sleep(0.1)
    assert len(given.scripted.asked) == 3
    clock.set("2026-03-11 00:00")
    await until(lambda: len(texts(store)) == 4 and standing(sweeps, "distil").state is State.WAITING)
    working.cancel()
    await asyncio.wait({working})
    again = sweeper(store, given, now=clock)  # the interval is kept across processes
    await again.refresh()
    assert standing(again, "distil").state is State.WAITING


async def test_a_memory_that_was_just_put_has_its_vector_soon(store: Store) -> None:
    clock = Clock()
    put(store, "I own two boats")
    sweeps = sweeper(store, models(), now=clock)
    working = asyncio.create_task(sweeps.work())
    await until(lambda: standing(sweeps, "embed").state is State.WAITING and standing(sweeps, "embed").done == 1)
    await until(lambda: standing(sweeps, "embed").next_at == clock.time + 12 * HOUR)  # once recounted
    put(store, "I own three boats")
    await until(lambda: standing(sweeps, "embed").pending == 1)
    assert standing(sweeps, "embed").next_at == clock.time + 30_000_000
    clock.set("2026-03-10 12:01")
    await until(lambda: standing(sweeps, "embed").pending == 0)
    assert not store.vectors.missing(models().embedder.fingerprint, 1)
    working.cancel()
    await asyncio.wait({working})


async def test_a_window_that_closes_ends_a_run_after_the_item(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_SWEEP_DISTIL__WINDOW", "11:00-13:00")
    some(store)
    clock = Clock()

    def mind(question: Question) -> str:
        clock.set("2026-03-10 13:00")
        return quoting(question)

    sweeps = sweeper(store, models(mind), now=clock)
    working = asyncio.create_task(sweeps.work())
    await until(lambda: standing(sweeps, "distil").done == 1 and standing(sweeps, "distil").state is State.WAITING)
    assert standing(sweeps, "distil").pending == 2
    working.cancel()
    await asyncio.wait({working})


async def test_a_run_does_no_more_than_its_batch_and_its_limit(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_SWEEP_DISTIL__BATCH", "2")
    some(store, 4)
    clock = Clock()
    sweeps = sweeper(store, models(), now=clock)
    working = asyncio.create_task(sweeps.work())
    await until(lambda: standing(sweeps, "distil").state is State.WAITING and standing(sweeps, "distil").done == 2)
    assert standing(sweeps, "distil").pending == 2
    working.cancel()
    await asyncio.wait({working})
    monkeypatch.setenv("CURATOR_SWEEP_DISTIL__LIMIT", "0.05")
    settings.cache_clear()

    async def slow(question: Question) -> str:
        await asyncio.sleep(0.1)
        return quoting(question)

    sweeps = sweeper(store, models(slow), now=clock)
    clock.set("2026-03-10 20:00")
    working = asyncio.create_task(sweeps.work())
    await until(lambda: standing(sweeps, "distil").state is State.WAITING and standing(sweeps, "distil").done == 1)
    assert standing(sweeps, "distil").pending == 1
    working.cancel()
    await asyncio.wait({working})


async def test_without_a_model_it_says_what_to_do_and_does_the_rest(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURATOR_OLLAMA__MODEL", "")
    some(store)
    given = models()
    sweeps = sweeper(store, given)
    await sweeps.work(once=True)
    assert {one.name: one.state for one in sweeps.statuses()} == {
        "embed": State.WAITING,
        "distil": State.OFF,
        "compare": State.WAITING,
        "judge": State.OFF,
        "warmth": State.OFF,
        "tidy": State.OFF,
        "backup": State.OFF,
        "sync": State.OFF,
        "snapshot": State.OFF,
        "watch": State.OFF,
    }
    assert "curator models" in standing(sweeps, "distil").problem
    assert given.scripted.asked == []


async def test_a_sweep_that_is_switched_off_does_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_SWEEP_DISTIL__ENABLED", "false")
    some(store)
    given = models()
    await sweeper(store, given).work(once=True)
    assert given.scripted.asked == []


async def test_a_server_that_is_not_there_is_tried_again_later_and_later(store: Store) -> None:
    some(store)
    clock, given = Clock(), models()
    given.error = Offline("nobody is at 127.0.0.1:11434")
    sweeps = sweeper(store, given, now=clock)
    working = asyncio.create_task(sweeps.work())
    await until(lambda: standing(sweeps, "distil").state is State.OFFLINE)
    first = standing(sweeps, "distil").next_at
    assert first == clock.time + 30_000_000
    clock.time = first
    await until(lambda: standing(sweeps, "distil").next_at == first + 60_000_000)
    given.error = None
    sweeps.begin("distil")
    await until(lambda: len(texts(store)) == 3)
    await until(lambda: standing(sweeps, "distil").state is State.WAITING)
    assert (standing(sweeps, "distil").problem, standing(sweeps, "distil").failed) == ("", 0)
    working.cancel()
    await asyncio.wait({working})


async def test_what_was_wrong_is_forgotten_as_soon_as_the_server_is_there(store: Store) -> None:
    some(store)
    clock, given = Clock(), models(never)
    given.error = Offline("nobody is at 127.0.0.1:11434")
    sweeps = sweeper(store, given, now=clock)
    working = asyncio.create_task(sweeps.work())
    await until(lambda: standing(sweeps, "distil").state is State.OFFLINE)
    assert standing(sweeps, "distil").problem
    given.error = None
    clock.time = standing(sweeps, "distil").next_at
    await until(lambda: given.scripted.asked)  # the model has not answered yet
    assert (standing(sweeps, "distil").state, standing(sweeps, "distil").problem) == (State.RUNNING, "")
    working.cancel()
    await asyncio.wait({working})


async def test_a_fault_in_one_sweep_is_told_and_does_not_end_the_others(store: Store) -> None:
    some(store)

    def broken(question: Question) -> str:
        raise ZeroDivisionError("at this place")

    sweeps = sweeper(store, models(broken))
    working = asyncio.create_task(sweeps.work())
    await until(lambda: standing(sweeps, "distil").problem == "ZeroDivisionError: at this place")
    await until(lambda: standing(sweeps, "compare").state is State.WAITING)
    assert not working.done()
    working.cancel()
    await asyncio.wait({working})
    with pytest.raises(ZeroDivisionError):
        await sweeper(store, models(broken)).work(once=True)


async def test_a_record_that_is_locked_after_a_run_is_told_and_does_not_end_the_work(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    some(store)
    mark = Sweeps.mark

    def locked(self: Sweeps, version: str, item: int, upto: int) -> None:
        if version == "distil ran":
            raise Busy("another process has been writing")
        mark(self, version, item, upto)

    monkeypatch.setattr(Sweeps, "mark", locked)
    sweeps = sweeper(store, models())
    working = asyncio.create_task(sweeps.work())
    await until(lambda: standing(sweeps, "distil").problem == "another process has been writing")
    assert not working.done()
    working.cancel()
    await asyncio.wait({working})


@thorough
async def test_what_can_never_be_stored_is_told_after_three_runs(store: Store) -> None:
    some(store)
    changing = True

    def mind(question: Question) -> str:
        if changing and "make 1" in question.user:  # as if the conversation were changed each time
            with store.sqlite() as connection:
                connection.execute("UPDATE messages SET text = text || '!' WHERE text LIKE '%make 1.%'")
        return quoting(question)

    given = models(mind)
    sweeps = sweeper(store, given)
    working = asyncio.create_task(sweeps.work())
    for run in range(1, 4):
        asked = run + 2
        await until(lambda asked=asked: len(given.scripted.asked) == asked)  # type: ignore[misc]
        await until(lambda: standing(sweeps, "distil").state is State.WAITING)
        assert ("1 of them could not be stored" in standing(sweeps, "distil").problem) == (run == 3)
        assert standing(sweeps, "distil").pending == 1
        changing = run < 3
        sweeps.begin("distil")
    await until(lambda: len(texts(store)) == 3)
    await until(lambda: standing(sweeps, "distil").problem == "")
    working.cancel()
    await asyncio.wait({working})


# Control by the person


async def test_cancelling_and_quitting_drop_the_call_in_flight_at_once(store: Store) -> None:
    some(store)
    given = models(never)
    sweeps = sweeper(store, given)
    working = asyncio.create_task(sweeps.work())
    await until(lambda: given.scripted.asked)
    assert standing(sweeps, "distil").state is State.RUNNING
    start = time.monotonic()
    sweeps.cancel("distil")
    await until(lambda: standing(sweeps, "distil").state is State.WAITING)
    assert time.monotonic() - start < AT_ONCE
    assert given.scripted.dropped == 1
    assert (standing(sweeps, "distil").failed, standing(sweeps, "distil").problem) == (0, "")
    sweeps.begin("distil")
    await until(lambda: len(given.scripted.asked) == 2)
    start = time.monotonic()
    working.cancel()
    await asyncio.wait({working})
    assert time.monotonic() - start < AT_ONCE
    assert (given.scripted.dropped, given.closed) == (2, 1)
    await until(lambda: leases(store) == 0)
    await sweeper(store, models()).work(once=True)
    assert len(texts(store)) == 3


async def test_a_pause_lets_the_item_end_and_going_on_does_the_rest(store: Store) -> None:
    some(store)
    answer = asyncio.Event()

    async def mind(question: Question) -> str:
        await answer.wait()
        return quoting(question)

    given = models(mind)
    sweeps = sweeper(store, given)
    working = asyncio.create_task(sweeps.work())
    await until(lambda: given.scripted.asked)
    await sweeps.pause("distil")
    assert standing(sweeps, "distil").state is State.RUNNING
    answer.set()
    await until(lambda: standing(sweeps, "distil").state is State.PAUSED)
    await asyncio.sleep(0.05)
    assert (len(texts(store)), standing(sweeps, "distil").pending) == (1, 2)
    await sweeps.resume("distil")
    await until(lambda: len(texts(store)) == 3)
    working.cancel()
    await asyncio.wait({working})


@thorough
async def test_what_another_process_does_meanwhile_is_counted(store: Store) -> None:
    some(store)
    answer = asyncio.Event()

    async def mind(question: Question) -> str:
        await answer.wait()
        return quoting(question)

    given = models(mind)
    sweeps = sweeper(store, given)
    working = asyncio.create_task(sweeps.work())
    await until(lambda: given.scripted.asked)
    sweeps._sweeps["distil"].paused = True  # paused in this sweeper only, so that the other one does the rest
    other = sweeper(store, models())
    doing = asyncio.create_task(other.work(once=True))
    await until(lambda: standing(other, "distil").elsewhere == 1 and len(texts(store)) == 2)
    answer.set()
    await until(lambda: standing(sweeps, "distil").state is State.PAUSED)
    await doing
    await until(lambda: (standing(sweeps, "distil").pending, standing(sweeps, "distil").elsewhere) == (0, 0))
    assert (standing(sweeps, "distil").done, standing(sweeps, "distil").total) == (1, 1)
    working.cancel()
    await asyncio.wait({working})


async def test_it_tells_how_far_it_is(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("curator.sweeps.progress._ENOUGH", 0.01)
    some(store, 4)
    seen: list[SweepStatus] = []

    async def mind(question: Question) -> str:
        await asyncio.sleep(0.02)
        return quoting(question) if "make 1" not in question.user else "no"

    sweeps: Sweeper = sweeper(store, models(mind), tell=lambda: seen.append(standing(sweeps, "distil")))
    await sweeps.work(once=True)
    running = [one for one in seen if one.state is State.RUNNING]
    assert [one.done for one in running] == sorted(one.done for one in running)
    assert {one.total for one in running if one.done} == {4}
    assert any(one.rate and one.left for one in running)
    assert (running[-1].done, running[-1].failed, running[-1].pending) == (4, 1, 0)
    assert seen[-1].model == "scripted:1b@0123456789ab"
