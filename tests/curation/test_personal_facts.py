"""Personal facts that a decision on a conflict would take out of recall, and the suggested side of repetitions."""

import pytest

from curator import curation
from curator.curation import Choice, Rule
from curator.curation.change_groups import plan_group
from curator.curation.personal_facts import ORDER_LOST, facts_lost
from curator.curation.safety_loss import suggested_side
from factories import put
from store import Store, clock
from store.model import Given, Relation

TAMSIN = "Im Tamsin, 41, living in Leeds with my partner Ruben and our two kids, Idris (9) and Juno (6)."
APART = "Ruben and i broke up last week"


def clash(store: Store, a: str, b: str, relation: Relation = Relation.UPDATE) -> curation.Pair:
    (first,) = put(store, a, created_at=100 * clock.DAY)
    (second,) = put(store, b, created_at=900 * clock.DAY)
    with store.command("compare") as writer:
        store.alerts.put(writer, first, second, relation, 0.8, ["signs of a conflict"], judge="rules/2")
    return curation.pair(store, store.alerts.open(first)[0].id)


@pytest.mark.parametrize(
    ("winner", "loser", "lost"),
    [
        (APART, TAMSIN, ("Im Tamsin, 41", "living in Leeds", "our two kids, Idris (9) and Juno (6)")),
        (
            "We live in Antwerp now",
            TAMSIN,
            ("Im Tamsin, 41", "my partner Ruben", "our two kids, Idris (9) and Juno (6)"),
        ),
        ("I got a job at ASML", "I'm Jo, 35, and I work at Philips", ("I'm Jo, 35",)),
        ("I turned 42", "I'm 41 and I live in Leeds", ("I live in Leeds",)),
        ("I live in Porto", "I live in Lisbon with my husband Tom", ("my husband Tom",)),
        ("My name is Sam now", "My name is Jo and we have two daughters", ("we have two daughters",)),
        ("I'm 42 now", "I'm Jo, 41.", ("I'm Jo",)),
        ("I live in Ghent", "I'm Jo, I'm 41 and live in Leeds", ("I'm Jo", "I'm 41")),
        ("I moved to Ghent, my husband hates it", "I live in Leeds with my husband Tom", ("my husband Tom",)),
        ("I work at ASML", "I work at Philips and my wife is Kim", ("my wife is Kim",)),
        ("I moved to a single room", "I live in Leeds with my wife Kim", ("my wife Kim",)),
        ("My girlfriend is Lea", "My girlfriend is Kim and my ex-wife Ann lives in Leeds", ("my ex-wife Ann",)),
        # a single fact is what the other replaces
        ("I live in Porto", "I live in Lisbon", ()),
        ("I live in Porto", "I live in Lisbon with two flatmates", ()),
        ("I'm not tired", "I'm Dutch", ()),
        ("My son is 12", "My son Ben is 11", ()),
        ("I moved out of Ghent", "I'm a teacher living in Ghent", ()),
        ("My sister Keziah is married now", "My sister Keziah lives in Lisbon and is getting married", ()),
        # the other states or changes all of them
        ("My wife left in May", "I'm a nurse, my wife is Kim", ()),
        ("I live in Porto with my husband Tom", "I live in Lisbon with my husband Tom", ()),
        ("I'm Jo, 36, living in Ghent", "I'm Jo, 35, living in Leeds", ()),
        # a break-up that names nobody, and where somebody is from, which is no name
        ("We split in May", "I'm Jo, 35, and my partner is Kim", ("I'm Jo, 35",)),
        ("We're no longer together", "I'm Jo, 35, and my partner is Kim", ("I'm Jo, 35",)),
        ("I'm not with my partner anymore", "I live in Leeds with my partner Ruben", ("I live in Leeds",)),
        ("I moved to Lisbon", "I'm Dutch, living in Porto", ()),
        # of two facts, either may be the one that is replaced
        ("I can't eat gluten", "My boss Griet knows my brother Tom", ()),
    ],
)
def test_facts_of_a_compound_text_that_the_other_does_not_replace_are_lost(
    winner: str, loser: str, lost: tuple[str, ...]
) -> None:
    assert facts_lost(winner, loser) == lost


def test_lost_facts_are_named_before_the_decision_and_kept_by_the_draft(store: Store) -> None:
    pair = clash(store, TAMSIN, APART)
    lost = "Im Tamsin, 41; living in Leeds; our two kids, Idris (9) and Juno (6)"
    assert f"lost with it: “{lost}" in curation.outcome(pair, Choice.B)
    assert "Im Tamsin" not in curation.outcome(pair, Choice.A).partition("superseded")[2]
    assert curation.draft(store, [pair.a.id, pair.b.id]).text == f"{APART}. {lost}."


def test_a_lost_fact_within_a_lost_statement_is_named_once(store: Store) -> None:
    pair = clash(store, "I'm Jo, 41, living in Bath with my wife Kim; I work at Acme", "I quit my job at Acme")
    assert "lost with it: “I'm Jo, 41, living in Bath with my wife Kim”" in curation.outcome(pair, Choice.B)


def test_no_rule_for_many_conflicts_loses_them(store: Store) -> None:
    lost = clash(store, TAMSIN, APART)
    over = clash(store, "I live in Lisbon", "I live in Porto")
    left = (("where other personal facts would be lost", 1),)
    plan = curation.plan_bulk([lost, over], Rule.NEWEST)
    assert [pair.alert.id for pair, _ in plan.decided] == [over.alert.id] and plan.left == left
    group = plan_group([over, lost], over, "b")
    assert [pair.alert.id for pair, _ in group.decided] == [over.alert.id] and group.left == left


@pytest.mark.parametrize(
    ("older", "newer", "side"),
    [
        (
            "No aubergine pls i hate it, and coriander tastes like soap to me",
            "Still no coriander and still hate aubergine",
            "a",
        ),
        ("I keep bees in the garden behind the house", "I keep bees", "a"),
        ("I keep bees", "I keep bees in the garden behind the house", "b"),
        ("I love hiking in the Alps", "I like to hike in the Alps", "b"),
    ],
)
def test_of_repetitions_the_side_with_more_details_is_suggested(
    store: Store, older: str, newer: str, side: str
) -> None:
    assert suggested_side(clash(store, older, newer, Relation.DUPLICATE)) == side


def test_details_alone_do_not_make_the_older_side_of_a_change_the_suggested_one(store: Store) -> None:
    assert suggested_side(clash(store, "I keep bees in the garden", "I keep no bees")) == "b"


def test_an_order_is_not_superseded_in_bulk_by_what_replaces_a_part_of_it(store: Store) -> None:
    order = "Never push to main directly, always a PR, Tobias reviews"
    pair = clash(store, order, "Tobias left, Ragnhild reviews the PRs now")
    assert curation.plan_bulk([pair], Rule.NEWEST).left == (("where the older says more", 1),)
    curation.set_given(store, [pair.a.id], Given.ALWAYS)
    pair = curation.pair(store, pair.alert.id)
    plan = curation.plan_bulk([pair], Rule.NEWEST)
    assert not plan.decided and plan.left == ((ORDER_LOST, 1),)
    assert "lost with it: “Never push to main directly; always a PR”" in curation.outcome(pair, Choice.B)
