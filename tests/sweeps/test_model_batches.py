"""Vectors and chat on one server: the questions of several conversations are all asked before the first is admitted."""

import asyncio
from collections.abc import Iterator

import pytest
from scripted_sweeps import leases, standing, stored, talk, texts, until

from curator import curation
from curator.config import settings
from curator.sweeps import State, Sweeper
from effort import thorough
from factories import put
from fake_ollama.faults import Fault, What
from fake_ollama.rule_model import answer
from fake_ollama.scenario import Scenario
from fake_ollama.server import Server, serving
from store import Filter, Store

pytestmark = thorough

PLAIN = Scenario(mind=answer)
COUNT = 6


@pytest.fixture
def server(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with serving(PLAIN) as standin:
        told = {"OLLAMA__HOST": standin.host, "OLLAMA__MODEL": "qwen3:4b", "EMBED__PROVIDER": "ollama"}
        told |= {f"SWEEP_{name}__ENABLED": "false" for name in ("COMPARE", "JUDGE")}
        for name, value in told.items():
            monkeypatch.setenv(f"CURATOR_{name}", value)
        settings.cache_clear()
        stored(store, *(talk(f"talk {n}", f"I keep {n + 3} bees of kind {n} at home.") for n in range(COUNT)))
        yield standin


def sweep(store: Store) -> Sweeper:
    return Sweeper(store, tick=0.01)


def expected(*without: int) -> list[str]:
    return sorted(f"I keep {n + 3} bees of kind {n} at home." for n in range(COUNT) if n not in without)


async def test_what_fails_is_asked_three_times_and_kept_once_and_the_others_are_done(
    store: Store, server: Server
) -> None:
    server.change(Scenario(mind=answer, faults=(Fault(What.NOTHING, when="kind 2"),)))
    sweeps = sweep(store)
    await sweeps.work(once=True)
    assert sorted(texts(store)) == expected(2)
    (failed,) = await sweeps.failures("distil")
    assert (failed.title, failed.tries) == ("talk 2", 1)
    assert (standing(sweeps, "distil").failed, standing(sweeps, "distil").pending) == (1, 0)
    assert len(server.calls()) == COUNT - 1 + 3
    server.change(PLAIN)
    await sweeps.retry("distil")
    await sweeps.work(once=True)
    assert (sorted(texts(store)), standing(sweeps, "distil").failed) == (expected(), 0)


async def test_what_was_answered_before_the_server_went_is_not_asked_again(store: Store, server: Server) -> None:
    server.change(Scenario(mind=answer, faults=(Fault(What.STOP, calls=range(4, 5), at=60),)))
    sweeps = sweep(store)
    await sweeps.work(once=True)
    assert (texts(store), standing(sweeps, "distil").state) == ([], State.OFFLINE)
    assert (standing(sweeps, "distil").failed, standing(sweeps, "distil").pending) == (0, COUNT)
    server.start()
    server.change(PLAIN)
    before = len(server.calls())
    await sweeps.work(once=True)
    assert sorted(texts(store)) == expected()
    assert len(server.calls()) - before == COUNT - 3


async def test_stopped_while_it_asks_it_lets_go_of_all_and_the_next_goes_on(store: Store, server: Server) -> None:
    server.change(Scenario(mind=answer, faults=(Fault(What.SLOW, calls=range(3, 100)),)))
    sweeps = sweep(store)
    working = asyncio.create_task(sweeps.work())
    await until(lambda: len(server.calls()) == 3)
    working.cancel()
    await asyncio.wait({working})
    await until(lambda: server.disconnects)
    await until(lambda: leases(store) == 0)
    server.change(PLAIN)
    before = len(server.calls())
    await sweep(store).work(once=True)
    assert sorted(texts(store)) == expected()
    assert len(server.calls()) - before == COUNT - 2


async def test_what_is_purged_between_question_and_settling_does_not_come(store: Store, server: Server) -> None:
    """Purge erases the stored answer too, and masks the words in the conversation."""
    (number,) = put(store, "I keep 5 bees of kind 2 at home.")
    sweeps = sweep(store)
    server.change(Scenario(mind=answer, faults=(Fault(What.SLOW, calls=range(6, 7), seconds=1.0),)))
    working = asyncio.create_task(sweeps.work(once=True))
    await until(lambda: len(server.calls()) == 6)
    await asyncio.to_thread(curation.purge, store, [number])
    await working
    assert sorted(texts(store)) == expected(2)
    with store.sqlite() as connection:
        rows = [row[0] for row in connection.execute("SELECT reply FROM replies")]
    assert not any("kind 2" in reply for reply in rows)
    assert all("kind 2" not in memory.text for memory in store.get_many(store.list_ids(Filter())))
