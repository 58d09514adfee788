"""Scans compare each new or changed memory once, after any interruption, and leave settled pairs alone."""

import asyncio
import json
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from scans import EAST, NORTH, SPACE, alerts, embed, scan

from curator import conflicts, curation
from curator.conflicts import alert_policy, knn, scanner
from curator.curation import ConflictFilter, waiting
from curator.models import Embedder, load_embedder
from curator.services.import_logs import distil_all, import_paths
from curator.sweeps import Sweeper
from effort import thorough
from factories import memory, put
from store import Busy, Conflict, Filter, Store, Writer
from store.errors import LeaseLost
from store.model import Actor, Relation

LISBON, PORTO = "I live in Lisbon", "I live in Porto"
CLASH = [(LISBON, PORTO, Relation.CONTRADICTION)]


@pytest.fixture
def lexical(tmp_path: Path) -> Embedder:
    return load_embedder("hashing", tmp_path)


def log(folder: Path, *said: str) -> Path:
    """Write a log in which a person says these things."""
    file = folder / "chat.json"
    turns = [
        turn
        for text in said
        for turn in ({"role": "user", "content": text}, {"role": "assistant", "content": "Noted."})
    ]
    file.write_text(json.dumps({"messages": turns}))
    return file


def the_pair(store: Store) -> curation.Pair:
    (found,) = waiting(store, ConflictFilter())
    return found


# Pending memories


def imported(store: Store, folder: Path, *said: str) -> None:
    lines = [json.dumps({"id": text, "text": text}) for text in said]
    file = folder / "memories.jsonl"
    file.write_text("\n".join(lines) + "\n")
    import_paths(store, [file], None)


def typed(store: Store, _: Path, *said: str) -> None:
    for text in said:
        curation.add(store, text)


def distilled(store: Store, folder: Path, *said: str) -> None:
    import_paths(store, [log(folder, *said)], load_embedder("hashing", folder))


def edited(store: Store, _: Path, *said: str) -> None:
    ids = put(store, "I like pears in autumn", "The roof leaks")
    scan(store)
    assert alerts(store) == []
    for number, text in zip(ids, said, strict=True):
        curation.edit(store, number, text)


@pytest.mark.parametrize("how", [imported, typed, distilled, edited])
@pytest.mark.parametrize("embedded", [True, False])
def test_whatever_comes_or_is_put_differently_is_compared(
    store: Store, tmp_path: Path, how: Callable[..., None], embedded: bool
) -> None:
    how(store, tmp_path, LISBON, PORTO)
    if embedded:
        embed(store, store.list_ids(Filter(), descending=False), EAST + NORTH, EAST)
    scan(store)
    assert [(one, other) for one, other, _ in alerts(store)] == [(LISBON, PORTO)]
    assert conflicts.pending(store, 9) == []
    assert scan(store) == scan(store)
    assert scan(store).total == 0


@thorough
def test_the_sweep_does_it_too(store: Store) -> None:
    put(store, LISBON, PORTO)
    asyncio.run(Sweeper(store).work(once=True))
    assert alerts(store) == CLASH
    assert conflicts.count_pending(store) == 0


def test_what_had_no_vector_then_is_compared_again_when_it_has_one(store: Store) -> None:
    ids = put(store, "I fetch bread from the bakery", "I get bread from the bakery")
    scan(store)
    embed(store, ids[:1], EAST)
    assert conflicts.pending(store, 9) == ids[:1]
    embed(store, ids[1:], EAST * 0.95 + NORTH * 0.3)
    scan(store)
    assert conflicts.pending(store, 9) == []
    assert [relation for _, _, relation in alerts(store)] == [Relation.DUPLICATE]


def test_what_comes_back_is_compared_with_what_came_meanwhile(store: Store) -> None:
    (first,) = put(store, LISBON)
    scan(store)
    curation.forget(store, [first])
    put(store, PORTO)
    scan(store)
    assert alerts(store) == []
    curation.restore(store, [first])
    scan(store)
    assert alerts(store) == CLASH
    store.undo()
    assert alerts(store) == []


def test_what_holds_elsewhere_now_is_compared_there(store: Store) -> None:
    (first,) = put(store, LISBON, scope="project:one")
    put(store, PORTO, scope="project:two")
    scan(store)
    assert alerts(store) == []
    curation.set_scope(store, [first], "global")
    scan(store)
    assert alerts(store) == CLASH


def test_by_other_rules_all_is_compared_again_and_what_they_would_not_say_is_taken_back(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = put(store, LISBON, PORTO, "The roof leaks", "The roof is new")
    with store.command("compare", Actor.SWEEP) as writer:
        store.alerts.put(writer, ids[2], ids[3], Relation.CONTRADICTION, 0.9, ["old rules"], judge="rules/1")
    scan(store)
    assert alerts(store) == CLASH
    curation.keep_both(store, the_pair(store))
    monkeypatch.setattr(alert_policy, "RULES", "rules/next")
    assert conflicts.count_pending(store) == 4
    scan(store)
    assert alerts(store) == []
    assert store.differences() == []


# Repeated scans


def again(store: Store, folder: Path) -> None:
    scan(store, again=True)


def imported_again(store: Store, folder: Path) -> None:
    import_paths(store, [log(folder, f"{LISBON}.", f"{PORTO}.")], load_embedder("hashing", folder))
    scan(store)


def distilled_again(store: Store, folder: Path) -> None:
    distil_all(store, load_embedder("hashing", folder), again=True)
    scan(store)


def rebuilt(store: Store, folder: Path) -> None:
    with store.sqlite() as connection:
        connection.execute("UPDATE compared SET rules = ''")
        connection.execute("DELETE FROM stated")
        connection.execute("DELETE FROM vectors")
    scan(store)


SETTLE: dict[str, Callable[[Store, curation.Pair], object]] = {
    "not a conflict": curation.keep_both,
    "superseded": lambda store, pair: curation.keep(store, pair, "b"),
    "merged": lambda store, pair: curation.merge_pair(store, pair, "I moved from Lisbon to Porto"),
    "rejected": curation.reject_both,
}


@thorough
@pytest.mark.parametrize("how", SETTLE)
def test_a_settled_pair_does_not_come_back_whatever_is_done_again(store: Store, tmp_path: Path, how: str) -> None:
    import_paths(store, [log(tmp_path, f"{LISBON}.", f"{PORTO}.")], load_embedder("hashing", tmp_path))
    scan(store)
    pair = the_pair(store)
    SETTLE[how](store, pair)
    (settled, *_) = store.journal.log(1)
    after = store.state_hash()
    for once_more in (again, imported_again, distilled_again, rebuilt):
        once_more(store, tmp_path)
        assert alerts(store) == []
        assert store.state_hash() == after
    assert store.differences() == []
    store.undo(settled.id)
    assert [(one, other) for one, other, _ in alerts(store)] == [(f"{LISBON}.", f"{PORTO}.")]
    assert the_pair(store).alert.id == pair.alert.id


def test_it_is_asked_again_only_where_a_text_is_another_and_the_rules_still_find_something(store: Store) -> None:
    first, second = put(store, LISBON, PORTO)
    scan(store)
    number = the_pair(store).alert.id
    curation.keep_both(store, the_pair(store))
    curation.edit(store, first, "I like pears in autumn")
    scan(store)
    assert alerts(store) == []
    curation.edit(store, first, "I live in Faro")
    scan(store)
    assert the_pair(store).alert.id == number, "the same alert, opened again"
    curation.edit(store, first, LISBON)
    scan(store)
    assert alerts(store) == [], "for these texts it was settled"
    curation.edit(store, second, "I live in Braga")
    scan(store)
    assert len(alerts(store)) == 1
    store.undo()  # undoes the scan, which was run by hand
    store.undo()
    assert store.get(second).text == PORTO and alerts(store) == []
    assert store.differences() == []


# Interruptions


def many(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(knn, "_ROWS", 8)
    put(store, *(f"I live in Lisbon with Wolfram{n} and {n} cats" for n in range(40)))


@thorough
def test_stopped_at_any_step_it_goes_on_from_there(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many(store, monkeypatch)
    whole = Store.open(tmp_path / "whole")
    many(whole, monkeypatch)
    scan(whole)
    left = []
    for _ in range(9):
        steps = conflicts.scan(store, conflicts.pending(store, 99), None, lambda writer: None)
        next(steps, None)
        assert isinstance(steps, Generator)
        steps.close()
        left.append(conflicts.count_pending(store))
    assert left == [32, 24, 16, 8, 0, 0, 0, 0, 0]
    assert alerts(store) == alerts(whole)
    assert len(alerts(store)) > 20
    whole.close()


def test_who_has_lost_the_lease_leaves_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    many(store, monkeypatch)
    put(store, "The user drinks tea after dinner", "I drink tea after dinner")
    before, waiting_still = store.state_hash(), conflicts.count_pending(store)

    def lost(writer: Writer) -> None:
        raise LeaseLost("taken over")

    with pytest.raises(Conflict):
        list(conflicts.scan(store, conflicts.pending(store, 99), None, lost))
    assert (store.state_hash(), conflicts.count_pending(store)) == (before, waiting_still)


def test_one_at_a_time(store: Store) -> None:
    put(store, LISBON, PORTO)
    lease = store.sweeps.take("compare", "another process", 60)
    assert lease is not None
    with pytest.raises(Busy):
        scan(store)
    store.sweeps.release(lease)
    assert scan(store).found == 1


def test_what_was_put_differently_while_it_was_compared_waits_again(store: Store) -> None:
    first, _ = put(store, LISBON, PORTO)
    steps = conflicts.scan(store, conflicts.pending(store, 9), None, lambda writer: None)
    curation.edit(store, first, "I like pears in autumn")
    list(steps)
    assert conflicts.pending(store, 9) in ([], [first])
    scan(store)
    assert alerts(store) == []
    assert store.get(first).text == "I like pears in autumn"


def test_a_memory_that_goes_meanwhile_is_no_side_of_an_alert(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = put(store, LISBON, PORTO)
    made = memory("I live in Faro")
    steps = conflicts.scan(store, [first, second], None, lambda writer: None)
    found = vars(scanner)["find_relations"]

    def gone_meanwhile(*words: Any) -> Any:
        monkeypatch.setattr(scanner, "find_relations", found)
        curation.forget(store, [second])
        put(store, made.text)
        return found(*words)

    monkeypatch.setattr(scanner, "find_relations", gone_meanwhile)
    list(steps)
    assert alerts(store) == []
    scan(store)
    assert alerts(store) == [(LISBON, "I live in Faro", Relation.CONTRADICTION)]
    assert SPACE not in store.vectors.spaces()


@pytest.mark.usefixtures("classifiers")
def test_what_was_found_by_signs_is_taken_back_once_pairs_are_read(store: Store) -> None:
    first, second = put(store, "Keep answers to code questions short.", "Explain history questions in detail.")
    with store.command("compare") as writer:
        keys = store.content_keys([first, second])
        judge = f"{alert_policy.RULES} by signs"
        pair = (keys[first], keys[second])
        store.alerts.put(writer, first, second, Relation.UPDATE, 0.7, ("by signs",), judge=judge, keys=pair)
    scan(store)
    assert store.alerts.open() == []
