"""Received memories reach no model before the person, or somebody whom they trust, has validated them."""

import random
from contextlib import suppress
from pathlib import Path

import pytest

from curator import curation
from curator.recall.always_given import ordered_standing_memories
from curator.share import manage, run
from curator.share.project import find
from effort import some, thorough
from share.people import Person, people
from store import Filter, Store, clock
from store.errors import Conflict, NotFound
from store.model import Given, Memory, Review


def act(one: Person, rng: random.Random) -> None:
    """Apply a random decision of a person to own and received memories."""
    with one.here() as store, suppress(Conflict, NotFound, ValueError):
        ids = store.list_ids(Filter(lives=()))
        if len(ids) < 2:
            curation.add(store, f"Bed {rng.randrange(100)} is empty", project="garden")
            return
        some = rng.sample(ids, 2)
        text = f"Bed {rng.randrange(40)} has {rng.choice(['kale', 'peas', 'nuts, which I am allergic to'])}"
        match rng.randrange(14):
            case 0 | 1 | 2:
                curation.add(store, text, project="garden")
            case 3 | 4:
                run.sync(store, find("garden"), manual=True)
            case 5:
                curation.edit(store, some[0], text)
            case 6:
                curation.merge(store, some, text, some[0])
            case 7:
                curation.supersede(store, some[:1], some[1])
            case 8:
                curation.restore(store, some[:1])
            case 9:
                store.undo()
            case 10:
                store.redo()
            case 11:
                curation.set_given(store, some[:1], rng.choice(list(Given)))
            case 12:
                curation.pin(store, some[:1])
            case 13:
                curation.forget(store, some[:1])


def released(store: Store) -> list[Memory]:
    """Return the memories of others that a model may be given in any way."""
    which = Filter(quarantine=False)
    found = {*store.list_ids(which), *(one.id for one in ordered_standing_memories(store, which, clock.now()))}
    return [one for one in store.get_many(sorted(found)) if one.author is not None]


@thorough
@pytest.mark.parametrize("seed", some([*range(5)], 2))
def test_whatever_the_person_does_else(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    anna, ben = people(tmp_path, "Anna", "Ben")
    for step in range(60):
        act(rng.choice([anna, ben]), rng)
        if step == 40:
            ben.trust("Anna")
        for one in (anna, ben):
            by_trust = one is ben and step >= 40
            for memory in released(one.store):
                assert memory.review is Review.VALIDATED or by_trust, (step, memory)
    with ben.here() as store:
        manage.distrust(store, find("garden"), "Anna")
    undecided = [
        one
        for one in released(ben.store)
        if one.review is Review.OPEN and not ben.store.journal.person_verbs([one.id], ("undo", "redo"))
    ]
    assert undecided == []
