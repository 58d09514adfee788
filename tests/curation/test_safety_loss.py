"""Facts about health that a decision on a conflict would take out of recall."""

import pytest

from curator import curation
from curator.curation import Choice, Rule
from curator.curation.safety_loss import loses_safety, safety_lost, suggested_side
from factories import put
from store import Store, clock
from store.model import Relation

SHRIMP = "Im severely allergic to shrimp, crab, all crustaceans."
CONFIRMED = "Shrimp is confirmed though, sky-high IgE"


def clash(store: Store, a: str, b: str, relation: Relation = Relation.UPDATE) -> curation.Pair:
    (first,) = put(store, a, created_at=100 * clock.DAY)
    (second,) = put(store, b, created_at=900 * clock.DAY)
    with store.command("compare") as writer:
        store.alerts.put(writer, first, second, relation, 0.8, ["signs of a conflict"], judge="rules/2")
    return curation.pair(store, store.alerts.open(first)[0].id)


@pytest.mark.parametrize(
    ("winner", "loser", "lost"),
    [
        (CONFIRMED, SHRIMP, (SHRIMP,)),
        ("I'm no longer allergic to shrimp", "I'm allergic to shrimp", ()),
        ("My allergy is gone", "I'm allergic to eggs", ()),
        ("I'm not allergic to penicillin after all", "I'm allergic to nuts", ("I'm allergic to nuts",)),
        ("I have a mild nut allergy", "I'm severely allergic to nuts", ("I'm severely allergic to nuts",)),
        ("I eat fish again", "I'm vegetarian and allergic to nuts", ("allergic to nuts",)),
        ("I'm pescatarian now", "I'm vegetarian since 2014", ()),
        ("The levothyroxine was raised to 100", "I take levothyroxine 75 mcg", ()),
        ("I see the doctor on Tuesday", "I take warfarin every morning", ("I take warfarin every morning",)),
        ("We moved to Bergen", "I live in Ghent and I have type 1 diabetes", ("I have type 1 diabetes",)),
        ("The doctor switched me to apixaban", "I take warfarin", ()),
        ("They moved her onto apixaban", "She is on warfarin every morning", ()),
        ("I'm on naproxen now", "I take warfarin", ("I take warfarin",)),
        ("They switched me to a pump", "I take insulin for my diabetes", ("I take insulin for my diabetes",)),
        ("They switched me to apixaban", "I'm allergic to nuts", ("I'm allergic to nuts",)),
        ("I live in Porto", "I live in Lisbon", ()),
        ("I gave birth in May", "I'm pregnant", ()),
        ("I eat everything now", "I'm vegan", ()),
        ("I eat everything now", "I'm allergic to nuts", ("I'm allergic to nuts",)),
        ("My son is allergic to nuts", "My daughter is allergic to nuts", ("My daughter is allergic to nuts",)),
        ("My son is allergic to nuts", "I'm allergic to nuts", ("I'm allergic to nuts",)),
        ("My ex-girlfriend had asthma", "I have asthma", ("I have asthma",)),
        ("My friend has asthma", "I have asthma", ("I have asthma",)),
        ("My doctor says I no longer have asthma", "I have asthma", ()),
        ("The asthma is gone", "I have asthma", ()),
        ("My son has a mild nut allergy", "My son is allergic to nuts", ()),
    ],
)
def test_facts_that_a_newer_text_neither_states_nor_changes_are_lost(
    winner: str, loser: str, lost: tuple[str, ...]
) -> None:
    assert safety_lost(winner, loser) == lost


def test_repetitions_lose_none_in_other_words() -> None:
    assert safety_lost("I'm celiac", "I have coeliac disease", repeated=True) == ()
    assert safety_lost("No bread for me", "I have coeliac disease", repeated=True) == ("I have coeliac disease",)


def test_the_side_that_would_lose_a_fact_about_health_is_not_suggested(store: Store) -> None:
    pair = clash(store, SHRIMP, CONFIRMED)
    assert suggested_side(pair) == "a"
    assert f"lost with it: “{SHRIMP}”" in curation.outcome(pair, Choice.B)
    assert "lost with it" not in curation.outcome(pair, Choice.A)
    assert suggested_side(clash(store, "I'm allergic to kiwi", "I'm not allergic to kiwi after all")) == "b"
    assert suggested_side(clash(store, "I live in Lisbon", "I live in Porto")) == "b"
    taken, stopped = "I take naproxen 500, and omeprazole with it", "Naproxen gave me a rash, the doctor stopped it."
    assert suggested_side(clash(store, taken, stopped)) == "b", "a reaction is a fact too"
    assert suggested_side(clash(store, "Ibuprofen gave me a rash", "I take ibuprofen")) == "a"


def test_no_rule_for_many_conflicts_loses_a_fact_about_health(store: Store) -> None:
    lost = clash(store, "I take warfarin every morning", "I'm off the pills until Tuesday")
    over = clash(store, "I'm allergic to kiwi", "I'm not allergic to kiwi after all")
    plan = curation.plan_bulk([lost, over], Rule.NEWEST)
    assert [pair.alert.id for pair, _ in plan.decided] == [over.alert.id]
    assert plan.left == (("where a fact about health would be lost", 1),)


def test_a_former_partner_is_another_person_than_the_present_one() -> None:
    for former in ("My ex-wife is allergic to nuts", "My former wife is allergic to nuts"):
        now = "My wife is allergic to nuts"
        assert safety_lost(now, former) == (former,) and safety_lost(former, now) == (now,)
    assert safety_lost("My ex is allergic to nuts", "My ex-wife is allergic to nuts") == ()


def test_neither_of_two_treatments_is_kept_unasked(store: Store) -> None:
    had, has = "Kuba has asthma, the brown inhaler", "The brown inhaler is gone, he's on a Symbicort turbohaler now"
    pair = clash(store, had, has)
    assert loses_safety(pair, "a") and loses_safety(pair, "b")
