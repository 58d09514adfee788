"""Automatic merges of duplicates: which, in which direction, and which never."""

import pytest
from scans import EAST, alerts, embed, scan, texts

from curator import conflicts, curation
from curator.config import settings
from factories import put, quote
from store import Filter, Store
from store.model import Actor, Life, Relation, Review


def merges(store: Store) -> list[int]:
    return [command.id for command in store.journal.log(1000) if command.verb == "merge" and command.undone is None]


def twins(store: Store, **fields: object) -> tuple[int, int]:
    """Write two duplicate memories, each with its own quote and tag."""
    pair = []
    for n, text in enumerate(("The user drinks tea after dinner", "I drink tea after dinner")):
        own = {"evidence": (quote(text, text, reference=f"r{n}"),), "tags": (f"tag{n}",)}
        pair += put(store, text, **{**own, **fields})
    return pair[0], pair[1]


def test_what_says_the_same_becomes_one_and_nothing_is_lost(store: Store) -> None:
    first, second = twins(store)
    curation.pin(store, put(store, "The roof leaks"))
    before = store.state_hash()
    assert scan(store).merged == 1
    (command,) = merges(store)
    (done,) = store.journal.commands([command])
    assert (done.actor, done.undoable) == (Actor.SWEEP, True)
    survivor, gone = store.get(first), store.get(second)
    assert (survivor.life, gone.life, gone.superseded_by) == (Life.LIVE, Life.SUPERSEDED, first)
    assert survivor.review is Review.OPEN
    assert [version.text for version in store.versions(first)] == [gone.text]
    assert {quote.quote for quote in store.evidence(first)} == {survivor.text, gone.text}
    assert set(survivor.tags) == {"tag0", "tag1"}
    assert store.differences() == []
    store.undo(command)
    assert store.state_hash() == before
    store.redo(command)
    assert store.get(second).life is Life.SUPERSEDED


def test_of_two_the_one_stays_that_says_more(store: Store) -> None:
    ids = put(store, "I've never flown a kite on that beach", "I've never flown a kite on that beach before")
    embed(store, ids, EAST)
    assert scan(store).merged == 1
    assert texts(store) == ["I've never flown a kite on that beach before"]
    assert [version.text for version in store.versions(ids[1])] == ["I've never flown a kite on that beach"]


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("how", ["validated", "pinned"])
def test_never_what_the_person_decided_on(store: Store, side: int, how: str) -> None:
    pair = twins(store)
    {"validated": curation.validate, "pinned": curation.pin}[how](store, [pair[side]])
    assert (scan(store).merged, len(texts(store))) == (0, 2)
    assert [relation for _, _, relation in alerts(store)] == [Relation.DUPLICATE]


def test_nor_what_is_in_quarantine_or_holds_elsewhere_or_where_it_is_switched_off(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    twins(store, flag="injection")
    put(store, "I read at night", scope="project:one")
    put(store, "The user reads at night", "I read at night, in bed")
    assert scan(store).merged == 0
    monkeypatch.setenv("CURATOR_CONFLICTS__MERGE", "false")
    settings.cache_clear()
    put(store, "I sing on Sundays")
    put(store, "We sing on Sundays", "User sings on Sundays")
    before = len(texts(store))
    assert (scan(store).merged, len(texts(store))) == (0, before)


def test_what_was_taken_back_is_not_done_again_but_asked(store: Store) -> None:
    twins(store)
    scan(store)
    store.undo(*merges(store))
    assert conflicts.count_pending(store) == 1
    assert scan(store).merged == 0
    assert len(texts(store)) == 2
    assert [relation for _, _, relation in alerts(store)] == [Relation.DUPLICATE]
    assert scan(store, again=True).merged == 0


def test_what_was_restored_is_not_merged_again_but_asked(store: Store) -> None:
    _, second = twins(store)
    scan(store)
    curation.restore(store, [second])
    assert (scan(store).merged, scan(store, again=True).merged, len(texts(store))) == (0, 0, 2)
    assert [relation for _, _, relation in alerts(store)] == [Relation.DUPLICATE]


def test_nor_is_what_the_person_said_both_hold_of(store: Store) -> None:
    first, second = twins(store)
    with store.command("import") as writer:
        store.alerts.put(writer, first, second, Relation.DUPLICATE, 0.95, ["alike"], judge=conflicts.RULES)
    (waiting_pair,) = curation.waiting(store, curation.ConflictFilter())
    curation.keep_both(store, waiting_pair)
    assert (scan(store).merged, scan(store, again=True).merged, len(texts(store))) == (0, 0, 2)
    assert alerts(store) == []


def test_of_three_that_say_the_same_one_is_left(store: Store) -> None:
    put(store, "The user drinks tea", "I drink tea", "User drinks tea")
    before = store.state_hash()
    assert scan(store).merged == 2
    assert len(texts(store)) == 1
    (left,) = store.list_ids(Filter())
    assert {version.text for version in store.versions(left)} | set(texts(store)) == {
        "The user drinks tea",
        "I drink tea",
        "User drinks tea",
    }
    for command in merges(store):
        store.undo(command)
    assert store.state_hash() == before
