"""Resolving many conflicts by one rule: counts beforehand, chains, the rest, and one undo for all."""

import time

import pytest

from curator import curation
from curator.curation import Pair, Rule
from effort import exhaustive
from factories import put
from store import Filter, Store, clock
from store.model import Life, Relation

DAY = clock.DAY


def said(store: Store, *texts: str, **fields: object) -> list[int]:
    """Store memories, each said a day after the one before, from day 1000 on."""
    return [put(store, text, created_at=(1000 + n) * DAY, **fields)[0] for n, text in enumerate(texts)]


def alarm(store: Store, *pairs: tuple[int, int], relation: Relation = Relation.UPDATE) -> None:
    with store.command("compare") as writer:
        for a, b in pairs:
            store.alerts.put(writer, a, b, relation, 0.8, [])


def waiting(store: Store) -> list[Pair]:
    return curation.waiting(store, curation.ConflictFilter())


def live(store: Store) -> list[int]:
    return sorted(store.list_ids(Filter()))


def test_the_newest_wins_along_a_chain(store: Store) -> None:
    one, two, three, four = said(store, "I weigh 60", "I weigh 61", "I weigh 62", "I weigh 63")
    alarm(store, (one, two), (two, three), (one, three), (three, four))
    before = store.state_hash()
    plan = curation.plan_bulk(waiting(store), Rule.NEWEST)
    assert curation.bulk_outcome(plan) == (
        "newest wins: resolves 4 conflicts (4 update), supersedes 3 memories · undoable"
    )
    assert store.state_hash() == before
    assert curation.bulk(store, plan) == curation.BulkResult(4, 3, 0)
    after = store.state_hash()
    assert live(store) == [four]
    assert store.successors(one) == [three, four], "to the newest of those it lost to"
    assert store.successors(two) == [three, four]
    assert waiting(store) == []
    assert {alert.settled for alert in store.alerts.get_many([1, 2, 3, 4])} == {"superseded"}
    command = store.journal.log(1)[0]
    assert (command.verb, command.summary) == ("settle", "newest wins: 4 of 4 conflicts")
    store.undo()
    assert store.state_hash() == before
    store.redo()
    assert store.state_hash() == after
    assert store.differences() == []


@pytest.mark.parametrize("turned", [False, True])
def test_a_loser_goes_to_the_newest_winner_in_whatever_order_they_are_met(store: Store, turned: bool) -> None:
    one, two, three = said(store, "I weigh 60", "I weigh 61", "I weigh 62")
    alarm(store, (one, two), (one, three))
    pairs = sorted(waiting(store), key=lambda pair: pair.b.id, reverse=turned)
    curation.bulk(store, curation.plan_bulk(pairs, Rule.NEWEST))
    assert store.get(one).superseded_by == three and live(store) == [two, three]


def test_what_a_rule_says_nothing_of_is_left_and_counted(store: Store) -> None:
    a, b, c, d = said(store, "I like tea", "I like no tea", "I like rain", "I like no rain", source="claude")
    e, f = put(store, "I like snow", "I like no snow", created_at=5 * DAY)
    alarm(store, (a, b), (c, d))
    alarm(store, (e, f), relation=Relation.CONTRADICTION)
    curation.validate(store, [a])
    curation.pin(store, [b])
    for rule, source, outcome in (
        (
            Rule.NEWEST,
            None,
            "newest wins: resolves 2 conflicts (2 update), supersedes 2 memories, 1 validated among them"
            " · leaves 1: 1 said at the same time · undoable",
        ),
        (
            Rule.VALIDATED,
            None,
            "validated wins: resolves 1 conflict (1 update), supersedes 1 memory, 1 pinned among them"
            " · leaves 2: 2 neither validated · undoable",
        ),
        (Rule.SOURCE, "claude", "claude wins: resolves none · leaves 3: 2 both from claude, 1 neither from claude"),
        (Rule.SOURCE, "typed", "typed wins: resolves none · leaves 3: 2 neither from typed, 1 both from typed"),
    ):
        assert curation.bulk_outcome(curation.plan_bulk(waiting(store), rule, source)) == outcome
    with pytest.raises(ValueError, match="source that wins"):
        curation.plan_bulk([], Rule.SOURCE)


@pytest.mark.parametrize(("rule", "source"), [(Rule.VALIDATED, None), (Rule.SOURCE, "chatgpt")])
def test_the_validated_and_those_of_a_source_win(store: Store, rule: Rule, source: str | None) -> None:
    old, older = said(store, "I live in Lisbon", "I live in Faro", source="claude")
    first, second = (
        put(store, text, created_at=n * DAY, source="chatgpt")[0] for n, text in ((5, "I live in Oslo"), (6, "In Oslo"))
    )
    alarm(store, (old, first), (older, first), (old, second), (first, second))
    curation.validate(store, [first, second])
    before = store.state_hash()
    plan = curation.plan_bulk(waiting(store), rule, source)
    assert [reason.split()[0] for reason, _ in plan.left] == ["both"]
    assert curation.bulk(store, plan) == curation.BulkResult(3, 2, 0)
    assert (store.get(old).superseded_by, store.get(older).superseded_by) == (second, first)
    assert [pair.alert.id for pair in waiting(store)] == [4]
    store.undo()
    assert store.state_hash() == before


def test_what_changed_meanwhile_is_left(store: Store) -> None:
    ids = said(store, *(f"I have {n} cats" for n in range(2, 12)))
    alarm(store, *((ids[n], ids[n + 1]) for n in range(0, 10, 2)))
    plan = curation.plan_bulk(waiting(store), Rule.NEWEST)
    other = Store.open(store.folder)
    curation.forget(other, [ids[0]])
    curation.edit(other, ids[3], "I have many cats")
    curation.keep_both(other, curation.pair(other, 3))
    other.close()
    assert curation.bulk(store, plan) == curation.BulkResult(2, 2, 3)
    assert [store.get(number).life for number in ids[6:]] == [Life.SUPERSEDED, Life.LIVE] * 2
    assert store.get(ids[2]).life is store.get(ids[4]).life is Life.LIVE
    commands = len(store.journal.log())
    assert curation.bulk(store, plan) == curation.BulkResult(0, 0, 5)
    assert len(store.journal.log()) == commands, "nothing was done"


def test_alerts_that_were_not_meant_stay(store: Store) -> None:
    one, two, three = said(store, "I weigh 60", "I weigh 61", "I weigh 62")
    alarm(store, (one, three), (two, three))
    alarm(store, (one, two), relation=Relation.DUPLICATE)
    chosen = curation.waiting(store, curation.ConflictFilter(relations=(Relation.UPDATE,)))
    curation.bulk(store, curation.plan_bulk(chosen, Rule.NEWEST))
    assert waiting(store) == []
    curation.restore(store, [one, two])
    assert [pair.alert.relation for pair in waiting(store)] == [Relation.DUPLICATE]


@exhaustive
def test_two_thousand_take_seconds_at_most(store: Store) -> None:
    ids = put(store, *(f"fact number {n}" for n in range(4_000)))
    with store.command("age") as writer:
        for n, number in enumerate(ids):
            writer.update("memories", [number], {"created_at": n * DAY})
    alarm(store, *zip(ids[::2], ids[1::2], strict=True))
    plan = curation.plan_bulk(waiting(store), Rule.NEWEST)
    start = time.monotonic()
    assert curation.bulk(store, plan).conflicts == 2_000
    print(f"{time.monotonic() - start:.2f} s")
    before = len(live(store))
    store.undo()
    assert (before, len(live(store))) == (2_000, 4_000)
