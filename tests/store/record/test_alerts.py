"""Alerts in the record: one per pair, kept, reopened for changed texts only, consistent after undo and purge."""

from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from older_schemas import lead_back

from curator import curation
from effort import thorough
from factories import memory, put
from store import Store
from store.model import Actor, Relation

Raise = Callable[..., bool]
UPDATE, CONTRADICTION, DUPLICATE = Relation.UPDATE, Relation.CONTRADICTION, Relation.DUPLICATE


def raise_alert(
    store: Store, a: int, b: int, relation: Relation = UPDATE, judge: str = "rules/2", **fields: object
) -> bool:
    """Put an alert as a sweep would; return True if it is new and open."""
    with store.command("compare", Actor.SWEEP) as writer:
        return store.alerts.put(writer, a, b, relation, 0.8, ["why"], judge=judge, **fields)  # type: ignore[arg-type]


def rows(store: Store) -> int:
    with store.sqlite() as connection:
        return int(connection.execute("SELECT count(*) FROM alerts").fetchone()[0])


def open_ones(store: Store) -> list[int]:
    return [alert.id for alert in store.alerts.open()]


def pair(store: Store) -> tuple[int, int, int]:
    a, b = put(store, "I live in Lisbon", "I live in Porto")
    assert raise_alert(store, a, b)
    return (*open_ones(store), a, b)  # type: ignore[return-value]


def test_one_a_pair_in_either_order(store: Store) -> None:
    number, a, b = pair(store)
    assert not raise_alert(store, a, b)
    assert not raise_alert(store, b, a, CONTRADICTION)
    assert (open_ones(store), rows(store)) == ([number], 1)
    found = store.alerts.get(number)
    assert (found.a, found.b, found.relation, found.judge, found.reasons) == (a, b, UPDATE, "rules/2", ("why",))
    assert found.keys == tuple(store.content_keys([a, b]).values())


def test_a_later_version_of_the_rules_takes_the_place_of_what_an_earlier_found(store: Store) -> None:
    number, a, b = pair(store)
    assert not raise_alert(store, b, a, CONTRADICTION, "rules/3"), "it was open before"
    assert (store.alerts.get(number).relation, store.alerts.get(number).judge) == (CONTRADICTION, "rules/3")
    assert store.differences() == []
    store.undo(store.journal.log(1)[0].id)
    assert store.alerts.get(number).relation is UPDATE


@pytest.mark.parametrize("judge", ["rules/2", "rules/3", "judge/1 m@1"])
@pytest.mark.parametrize("turned", [False, True])
def test_what_was_settled_stays_settled_for_these_texts(store: Store, judge: str, turned: bool) -> None:
    number, a, b = pair(store)
    with store.command("settle") as writer:
        assert store.alerts.resolve(writer, [number], "not a conflict") == 1
    after = store.state_hash()
    assert not raise_alert(store, *((b, a) if turned else (a, b)), DUPLICATE, judge)
    assert (store.state_hash(), store.alerts.get(number).settled) == (after, "not a conflict")
    store.undo()
    assert open_ones(store) == [number]


def test_what_was_judged_before_the_text_was_changed_is_not_raised(store: Store) -> None:
    a, b = put(store, "I live in Lisbon", "I live in Porto")
    keys = store.content_keys([a, b])
    curation.edit(store, a, "I like pears")
    assert not raise_alert(store, a, b, keys=(keys[a], keys[b]))
    assert rows(store) == 0


def test_settled_once_for_each_wording(store: Store) -> None:
    number, a, b = pair(store)
    for text in ("I live in Faro", "I live in Braga"):
        with store.command("settle") as writer:
            store.alerts.resolve(writer, [number], "not a conflict")
        curation.edit(store, a, text)
        assert open_ones(store) == []
        assert raise_alert(store, b, a)
        assert open_ones(store) == [number]
    for text in ("I live in Lisbon", "I live in Faro"):
        curation.edit(store, a, text)
        assert open_ones(store) == []
        assert not raise_alert(store, a, b)
    curation.edit(store, a, "I live in Braga")
    assert open_ones(store) == [number], "which waits for a decision still"
    assert (rows(store), store.differences()) == (1, [])


LET_GO: dict[str, Callable[[Store, int, int, int], object]] = {
    "forgotten": lambda store, one, other, third: curation.forget(store, [one]),
    "rejected": lambda store, one, other, third: curation.reject(store, [one]),
    "superseded by a third": lambda store, one, other, third: curation.supersede(store, [one], third),
    "superseded by the other": lambda store, one, other, third: curation.supersede(store, [one], other),
    "merged with a third": lambda store, one, other, third: curation.merge(store, [one, third], "I moved", third),
    "merged with each other": lambda store, one, other, third: curation.merge(store, [one, other], "I moved", other),
}


@pytest.mark.parametrize("how", LET_GO)
@pytest.mark.parametrize("side", [0, 1])
def test_it_closes_with_either_side_and_undo_opens_it_again(store: Store, how: str, side: int) -> None:
    number, *both = pair(store)
    sides = (both[0], both[1])
    (third,) = put(store, "I live in Faro")
    before = store.state_hash()
    LET_GO[how](store, sides[side], sides[1 - side], third)
    assert open_ones(store) == []
    assert not raise_alert(store, *sides), "not while one of them is gone"
    store.undo()
    assert (open_ones(store), store.state_hash()) == ([number], before)
    store.redo()
    assert (open_ones(store), store.differences()) == ([], [])


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("settled", [False, True])
def test_a_purge_leaves_nothing_of_the_words_and_the_pair_for_good(store: Store, side: int, settled: bool) -> None:
    number, *both = pair(store)
    sides = (both[0], both[1])
    raise_alert(store, *sides, CONTRADICTION, "rules/3")
    if settled:
        with store.command("settle") as writer:
            store.alerts.resolve(writer, [number], "not a conflict")
    curation.purge(store, [sides[side]])
    assert open_ones(store) == []
    assert store.alerts.get(number).reasons == ()
    assert not raise_alert(store, *sides)
    assert store.differences() == []


def test_put_off_and_asked_again(store: Store) -> None:
    number, a, b = pair(store)
    before = store.state_hash()
    with store.command("later") as writer:
        assert store.alerts.postpone(writer, [number], 100) == 1
    assert (store.alerts.find(due_by=99), len(store.alerts.find(due_by=100))) == ([], 1)
    assert not raise_alert(store, a, b, CONTRADICTION, "rules/3")
    assert store.alerts.get(number).later_until == 100, "other rules do not ask earlier"
    store.undo(store.journal.log(1)[0].id)
    store.undo()
    assert store.state_hash() == before


def test_what_the_rules_would_not_say_any_more_is_taken_back(store: Store) -> None:
    number, a, b = pair(store)
    with store.command("settle") as writer:
        store.alerts.resolve(writer, [number], "not a conflict")
    curation.edit(store, a, "I live in Faro")
    raise_alert(store, a, b)
    for left in (1, 0):
        with store.command("compare", Actor.SWEEP) as writer:
            assert store.alerts.withdraw(writer, number) is bool(left)
    assert store.alerts.get(number).settled == "not a conflict", "as it was for the words of then"
    (other,) = put(store, "The roof leaks")
    assert raise_alert(store, a, other)
    (fresh,) = open_ones(store)
    with store.command("compare", Actor.SWEEP) as writer:
        assert store.alerts.withdraw(writer, fresh)
    assert (rows(store), store.differences()) == (1, [])


def test_the_strongest_of_very_many_are_found_without_reading_all(store: Store) -> None:
    ids = put(store, *(f"I own {n} lamps" for n in range(60)))
    with store.command("compare", Actor.SWEEP) as writer:
        for n, a in enumerate(ids):
            for b in ids[:n]:
                store.alerts.put(writer, a, b, UPDATE, (a * b % 997) / 997, [])
    found = store.alerts.find(limit=5)
    assert [alert.score for alert in found] == sorted((alert.score for alert in store.alerts.open()), reverse=True)[:5]
    steps: list[str] = []
    with store.sqlite() as connection:
        connection.set_trace_callback(steps.append)
        store.alerts.find(limit=5)
        connection.set_trace_callback(None)
        (query,) = (step for step in steps if step.startswith("SELECT"))
        plan = [row["detail"] for row in connection.execute(f"EXPLAIN QUERY PLAN {query}")]
    assert any("alerts_unsettled" in step for step in plan)
    assert not any("TEMP B-TREE" in step for step in plan), "in the order of the index"


def test_the_alerts_of_a_memory_are_found_without_reading_all(store: Store) -> None:
    steps: list[str] = []
    with store.sqlite() as connection:
        connection.set_trace_callback(steps.append)
        store.alerts.open(5)
        connection.set_trace_callback(None)
        (query,) = (step for step in steps if step.startswith("SELECT"))
        plan = [row["detail"] for row in connection.execute(f"EXPLAIN QUERY PLAN {query}")]
    assert not any(step.startswith("SCAN t") for step in plan), plan


# A record of schema 2


def former_store(folder: Path) -> tuple[str, int, int, int]:
    """Write a record of schema 2 with an open, a resolved and an undone alert.

    Return its rows of alerts, with the seven columns of that schema, and the three memories.
    """
    store = Store.open(folder)
    columns = ("id", "a", "b", "relation", "score", "reasons")
    with store.command("import") as writer:
        ids = [store.admit(writer, memory(f"I live in {town}")).added or 0 for town in ("Lisbon", "Porto", "Faro")]
        for number, (a, b) in enumerate(((ids[0], ids[1]), (ids[2], ids[0]), (ids[1], ids[2])), 1):
            reasons = orjson.dumps([f"why {number}"]).decode()
            writer.insert("alerts", columns, [(number, a, b, "contradiction", 0.7 + number / 100, reasons)])
    with store.command("settle") as writer:
        writer.update("alerts", [2], {"settled": "not a conflict"})
    with store.command("settle") as writer:
        writer.update("alerts", [3], {"settled": "not a conflict"})
    with store.sqlite() as connection:
        left = connection.execute("SELECT id, a, b, relation, score, reasons, settled FROM alerts").fetchall()
        told = orjson.dumps([tuple(row) for row in left]).decode()
    store.close()
    lead_back(folder, 2)
    return told, ids[0], ids[1], ids[2]


def test_a_record_of_the_version_before_keeps_its_alerts(tmp_path: Path) -> None:
    left, first, second, third = former_store(tmp_path / "old")
    store = Store.open(tmp_path / "old")
    assert (tmp_path / "old" / "backups" / "record-v2.sqlite").exists()
    with store.sqlite() as connection:
        kept = connection.execute("SELECT id, a, b, relation, score, reasons, settled FROM alerts")
        assert orjson.dumps([tuple(row) for row in kept]).decode() == left
    assert store.differences() == []
    (found,) = store.alerts.open()
    assert (found.id, found.a, found.b, found.judge, found.keys, found.at) == (1, first, second, "", None, 0)
    assert found.reasons == ("why 1",)
    before = store.state_hash()
    assert not raise_alert(store, first, third), "settled then, settled now, though nobody knows for which words"
    assert store.state_hash() == before
    store.undo()
    assert open_ones(store) == [3, 1]
    store.redo()
    assert store.state_hash() == before
    assert not raise_alert(store, second, first), "it was open, and takes over who judged and what"
    assert store.alerts.get(1).judge == "rules/2"
    assert store.alerts.get(1).keys is not None
    curation.keep_both(store, curation.pair(store, 1))
    assert (open_ones(store), store.differences()) == ([], [])
    store.close()


@thorough
def test_what_came_with_it_can_be_taken_back_and_purged(tmp_path: Path) -> None:
    _, first, second, third = former_store(tmp_path / "old")
    store = Store.open(tmp_path / "old")
    for _ in range(3):
        store.undo()
    assert (rows(store), store.differences()) == (0, [])
    for _ in range(3):
        store.redo()
    assert [alert.id for alert in store.alerts.get_many([1, 2, 3])] == [1, 2, 3]
    curation.purge(store, [second])
    assert (open_ones(store), store.alerts.get(1).reasons, store.alerts.get(2).reasons) == ([], (), ("why 2",))
    assert store.differences() == []
    assert store.get(first).text != store.get(third).text
    store.close()
