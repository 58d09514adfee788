"""The tidy sweep: only after the person's first run, one command per run, at most one batch."""

import pytest
from scripted_sweeps import models, standing, sweeper

from curator import curation
from curator.lifecycle import allow
from curator.sweeps import State
from factories import put
from store import Store, clock
from store.model import Actor, Kind, Life

LONG_AGO = clock.now() - 400 * clock.DAY


def expired(store: Store, count: int) -> list[int]:
    """Store tasks whose date has passed."""
    texts = [f"water plant number {number}" for number in range(count)]
    return put(store, *texts, kind=Kind.TASK, expires_at=LONG_AGO)


async def test_it_waits_for_the_person_to_have_seen_what_it_does(store: Store) -> None:
    ids = expired(store, 2)
    sweeps = sweeper(store, models())
    await sweeps.work(once=True)
    assert standing(sweeps, "tidy").state is State.OFF and "curator tidy" in standing(sweeps, "tidy").problem
    assert all(memory.life is Life.LIVE for memory in store.get_many(ids))


async def test_then_it_does_all_in_one_command_that_can_be_taken_back(store: Store) -> None:
    ids = expired(store, 3)
    curation.pin(store, ids[:1])
    before = store.get_many(ids)
    allow(store)
    sweeps = sweeper(store, models())
    await sweeps.work(once=True)
    assert [memory.life for memory in store.get_many(ids)] == [Life.LIVE, Life.EXPIRED, Life.EXPIRED]
    (done,) = [command for command in store.journal.log() if command.verb == "tidy"]
    assert (done.actor, done.summary, done.count) == (Actor.SWEEP, "2 expired", 2)
    assert (standing(sweeps, "tidy").done, standing(sweeps, "tidy").pending) == (2, 0)
    store.undo(done.id)
    assert [memory.life for memory in store.get_many(ids)] == [memory.life for memory in before]
    await sweeper(store, models()).work(once=True)
    assert all(memory.life is Life.LIVE for memory in store.get_many(ids))  # an undone change is not repeated


async def test_it_can_be_switched_off(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_SWEEP_TIDY__ENABLED", "false")
    ids = expired(store, 1)
    allow(store)
    await sweeper(store, models()).work(once=True)
    assert store.get(ids[0]).life is Life.LIVE
