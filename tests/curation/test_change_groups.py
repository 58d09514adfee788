"""Conflicts about one change: which form a group, its name, and one decision for all."""

import pytest

from curator import curation
from curator.compare import relate
from curator.curation import Pair
from curator.curation.change_groups import group_alerts, group_pairs, plan_group, same_change, title
from factories import put
from store import Filter, Store, clock
from store.model import Relation

DAY = clock.DAY


def said(store: Store, *texts: str) -> list[int]:
    """Store memories, each said a day after the one before."""
    return [put(store, text, created_at=(1000 + n) * DAY)[0] for n, text in enumerate(texts)]


def alarm(
    store: Store, *found: tuple[int, int], relation: Relation = Relation.UPDATE, reasons: tuple[str, ...] = ()
) -> None:
    with store.command("compare") as writer:
        for n, (a, b) in enumerate(found):
            store.alerts.put(writer, a, b, relation, 0.9 - n / 100, reasons, judge="rules/2")


def groups(store: Store) -> list[list[tuple[str, str]]]:
    found = curation.waiting(store, curation.ConflictFilter())
    grouped = [[(pair.a.text, pair.b.text) for pair in group] for group in group_pairs(found)]
    ids = [[pair.alert.id for pair in group] for group in group_pairs(found)]
    assert [[alert.id for alert in group] for group in group_alerts(store, store.alerts.find())] == ids
    return grouped


def waiting(store: Store, a: int, b: int) -> Pair:
    return next(p for p in curation.waiting(store, curation.ConflictFilter()) if {p.a.id, p.b.id} == {a, b})


def test_those_that_share_the_older_or_the_newer_side_stand_together(store: Store) -> None:
    tea, graz, home, basel, basel_too, bees = said(
        store,
        "I like tea",
        "I live in Graz",
        "Home is Graz",
        "I live in Basel",
        "We moved to Basel",
        "I keep bees in Graz",
    )
    alarm(store, (graz, basel), (tea, bees), (home, basel_too), (graz, basel_too))
    assert groups(store) == [
        [
            ("I live in Graz", "I live in Basel"),
            ("Home is Graz", "We moved to Basel"),
            ("I live in Graz", "We moved to Basel"),
        ],
        [("I like tea", "I keep bees in Graz")],
    ]


def test_what_is_the_newer_of_one_and_the_older_of_another_joins_nothing(store: Store) -> None:
    dan, graz, basel = said(store, "Dan doesn't run", "I live in Graz with Dan", "I live in Basel")
    alarm(store, (graz, basel), (dan, graz))
    assert [len(group) for group in groups(store)] == [1, 1]


def test_one_property_with_one_value_joins_those_that_share_no_memory(store: Store) -> None:
    graz, basel, home, moved = said(store, "I live in Graz", "I live in Basel", "Home is Graz", "We moved to Basel")
    alarm(store, (graz, basel), reasons=("only one can be true at a time, where they live: graz / basel",))
    alarm(store, (home, moved), reasons=("only one can be true at a time, where they live: graz / basel 2 weeks ago",))
    assert [len(group) for group in groups(store)] == [2]


def test_duplicates_join_by_any_memory_and_conflicts_none_of_them(store: Store) -> None:
    one, two, three, other = said(store, "I keep bees", "I keep bees!", "Bees are kept by me", "I keep no bees")
    alarm(store, (one, two), (two, three), relation=Relation.DUPLICATE)
    alarm(store, (one, other), relation=Relation.CONTRADICTION)
    assert sorted(len(group) for group in groups(store)) == [1, 2]


def test_a_group_is_called_by_what_most_are_about(store: Store) -> None:
    graz, home, basel, moved = said(
        store, "I live in Graz", "Leaving Graz soon!", "I live in Basel", "We moved to Basel"
    )
    alarm(store, (home, moved), (graz, basel), (graz, moved))
    (group,) = group_pairs(curation.waiting(store, curation.ConflictFilter()))
    assert title(group) == "Two homes: Graz, then Basel"


def test_the_name_of_a_group_calls_no_side_by_its_letter(store: Store) -> None:
    vegan, ended, now = said(store, "I'm vegan", "I'm not vegan anymore", "I'm not vegan now")
    alarm(store, (vegan, ended), (vegan, now))
    (group,) = group_pairs(curation.waiting(store, curation.ConflictFilter()))
    assert title(group) == "Vegan, then not any more"


def test_the_newer_side_is_kept_in_all_in_one_step(store: Store) -> None:
    graz, home, basel, moved = said(store, "I live in Graz", "Home is Graz", "I live in Basel", "We moved to Basel")
    alarm(store, (graz, basel), (home, moved), (graz, moved))
    before, chosen = store.state_hash(), waiting(store, graz, basel)
    plan = plan_group(same_change(store, chosen.alert.id), chosen, "b")
    assert (
        curation.bulk_outcome(plan) == "newer wins: resolves 3 conflicts (3 update), supersedes 2 memories · undoable"
    )
    assert store.state_hash() == before
    assert curation.bulk(store, plan) == curation.BulkResult(3, 2, 0)
    assert sorted(store.list_ids(Filter())) == [basel, moved]
    store.undo()
    assert store.state_hash() == before and store.differences() == []


def test_the_older_side_is_kept_along_a_chain(store: Store) -> None:
    one, two, three = said(store, "I live in Graz", "I live in Basel", "I live in Bern")
    alarm(store, (one, three), (one, two), (two, three))
    chosen = waiting(store, one, three)
    plan = plan_group(same_change(store, chosen.alert.id), chosen, "a")
    assert curation.bulk_outcome(plan) == (
        "older wins: resolves 2 conflicts (2 update), supersedes 2 memories · 1 more resolved with them · undoable"
    )
    curation.bulk(store, plan)
    assert store.list_ids(Filter()) == [one]
    assert curation.waiting(store, curation.ConflictFilter()) == []


@pytest.mark.parametrize("ends", [True, False])
def test_the_older_side_is_kept_where_it_loses_to_a_still_older_one(store: Store, ends: bool) -> None:
    one, two, three = said(store, "I live in Graz", "I live in Basel", "I live in Bern")
    alarm(store, (one, two), (two, three), *([(one, three)] if ends else []))
    before, chosen = store.state_hash(), waiting(store, two, three)
    plan = plan_group(curation.waiting(store, curation.ConflictFilter()), chosen, "a")
    assert curation.bulk(store, plan) == curation.BulkResult(2 + ends, 2, 0)
    assert store.list_ids(Filter()) == [one]
    assert curation.waiting(store, curation.ConflictFilter()) == []
    store.undo()
    assert store.state_hash() == before and store.differences() == []


def test_the_newer_side_is_kept_along_a_chain(store: Store) -> None:
    one, two, three = said(store, "I live in Graz", "I live in Basel", "I live in Bern")
    alarm(store, (one, two), (two, three))
    plan = plan_group(curation.waiting(store, curation.ConflictFilter()), waiting(store, two, three), "b")
    assert plan.left == () and curation.bulk(store, plan) == curation.BulkResult(2, 2, 0)
    assert store.list_ids(Filter()) == [three]
    assert curation.waiting(store, curation.ConflictFilter()) == []


def test_a_reason_of_the_rules_joins_by_its_values(store: Store) -> None:
    texts = ("I live in Graz", "I live in Basel", "My home is in Graz", "We live in Basel now")
    graz, basel, home, moved = said(store, *texts)
    reasons = [relate(a, b, None, (1000 * DAY, 1001 * DAY)).reasons for a, b in (texts[:2], texts[2:])]
    alarm(store, (graz, basel), reasons=reasons[0])
    alarm(store, (home, moved), reasons=reasons[1])
    assert [len(group) for group in groups(store)] == [2]


def test_where_nobody_knows_which_is_newer_only_the_chosen_one_is_decided(store: Store) -> None:
    (graz,) = put(store, "I live in Graz", created_at=None)
    basel, bern = said(store, "I live in Basel", "I live in Bern")
    alarm(store, (graz, basel), (graz, bern))
    chosen = waiting(store, graz, basel)
    plan = plan_group(same_change(store, chosen.alert.id), chosen, "b")
    assert [pair for pair, _ in plan.decided] == [chosen] and plan.left == (("with unknown dates", 1),)


def test_a_resolved_conflict_has_no_group(store: Store) -> None:
    graz, basel = said(store, "I live in Graz", "I live in Basel")
    alarm(store, (graz, basel))
    chosen = waiting(store, graz, basel)
    curation.keep_both(store, chosen)
    assert same_change(store, chosen.alert.id) == []


def test_a_decision_reaches_what_the_list_shows_as_one_group(store: Store) -> None:
    graz, home, basel, moved = said(store, "I live in Graz", "Home is Graz", "I live in Basel", "We moved to Basel")
    alarm(store, (graz, basel))
    alarm(store, (graz, moved), relation=Relation.CONTRADICTION)
    alarm(store, (home, moved))
    shown = group_pairs(curation.waiting(store, curation.ConflictFilter()))
    assert [len(group) for group in shown] == [3]
    chosen = waiting(store, graz, moved)
    assert {pair.alert.id for pair in same_change(store, chosen.alert.id)} == {pair.alert.id for pair in shown[0]}


def test_a_snoozed_conflict_is_not_decided_with_its_group(store: Store) -> None:
    graz, home, basel, moved = said(store, "I live in Graz", "Home is Graz", "I live in Basel", "We moved to Basel")
    alarm(store, (graz, basel), (graz, moved), (home, moved))
    curation.snooze(store, waiting(store, home, moved))
    chosen = waiting(store, graz, basel)
    assert len(same_change(store, chosen.alert.id)) == 2
