"""Parts of one side of a conflict that the other does not change: named, left by bulk and group, kept by a draft."""

import pytest

from curator import curation
from curator.curation import Choice, Pair, Rule
from curator.curation.change_groups import plan_group
from curator.curation.losses import SAFETY_LOST
from curator.curation.safety_loss import suggested_side
from curator.curation.text_parts import kept_parts, more_parts
from factories import put
from store import Store, clock
from store.model import Life, Relation

STOOL = ("The stool in ash costs 180 euros, the bench 420.", "The stool in ash is now 210 euros because of the wood.")
KERF = (
    "The saw blade kerf is 3.2 mm, it's a constant KERF_MM in cutlist/config.py, never hardcode it in other place",
    "The kerf is now 2.8 mm because I changed the blade",
)
INSULIN = (
    "My diabetologue Dr. Morvan changed my insulin: since september I take Tresiba 16 units in place of Lantus, and"
    " Fiasp instead of NovoRapid",
    "My doctor told me to lower Tresiba to 14 units since monday",
)
WORKSHOP = (
    "My workshop is at 12 rue Fouré in Nantes, 85 m2, I rent it for 780 euros per month.",
    "I moved the workshop, now it's at 3 quai Wilson on Île de Nantes, 140 m2, 1 150 euros per month",
)
MOTHER = (
    "My mother Amélia has dementia, she lives in Setúbal in a care home since October (2024).",
    "My mother is now in a wheelchair since her hip.",
)


def clash(store: Store, a: str, b: str, relation: Relation = Relation.UPDATE) -> Pair:
    (first,) = put(store, a, created_at=100 * clock.DAY)
    (second,) = put(store, b, created_at=900 * clock.DAY)
    with store.command("compare") as writer:
        store.alerts.put(writer, first, second, relation, 0.8, ["signs of a conflict"], judge="rules/2")
    return curation.pair(store, store.alerts.open(first)[0].id)


@pytest.mark.parametrize(
    ("loser", "winner", "more"),
    [
        (*STOOL, ("the bench 420.",)),
        ("The stool is 150 and the bench 420", "The stool is 170 now", ("the bench 420",)),
        (*KERF, ("it's a constant KERF_MM in cutlist/config.py", "never hardcode it in other place")),
        (*INSULIN, ("My diabetologue Dr. Morvan changed my insulin", "Fiasp instead of NovoRapid")),
        (*WORKSHOP, ()),
        (
            "My apprentice Malik is 19, he is left handed, so the push sticks are on the other side",
            "Malik is 20 now",
            ("he is left handed", "the push sticks are on the other side"),
        ),
        (
            "I've a hearing aid in the left ear, Phonak, since 2011",
            "My hearing aid is now in both",
            ("Phonak", "since 2011"),
        ),
        ("I live in Lisbon, Portugal, with a cat", "I live in Porto", ()),
        ("I live in Lisbon with two flatmates", "I live in Porto", ()),
        ("I'm vegan, have been for years", "I eat fish again", ()),
        ("We use poetry, not pip", "We moved from poetry to uv", ()),
        ("I buy my plywood from Bois & Co since 2015", "I stopped with Bois & Co because always late", ()),
        ("Nuts send me to hospital, I'm allergic to nuts", "I'm no longer allergic to nuts", ()),
        ("Just so you know, I have never smoked, lol", "I had a cigarette after lunch", ()),
    ],
)
def test_parts_that_say_more_than_what_changed(loser: str, winner: str, more: tuple[str, ...]) -> None:
    assert more_parts(winner, loser) == more


@pytest.mark.parametrize(("older", "newer"), [STOOL, KERF, INSULIN])
def test_many_at_once_leave_a_pair_whose_older_side_says_more(store: Store, older: str, newer: str) -> None:
    clear = clash(store, "I weigh 60 kilos", "I weigh 62 kilos")
    pair = clash(store, older, newer)
    assert suggested_side(pair) == "b"
    assert "lost with it: “" in curation.outcome(pair, Choice.B)
    plan = curation.plan_bulk([clear, pair], Rule.NEWEST)
    assert plan.left == ((SAFETY_LOST if (older, newer) == INSULIN else "where the older says more", 1),)
    assert f"leaves 1: 1 {plan.left[0][0]}" in curation.bulk_outcome(plan)
    assert plan_group([clear, pair], clear, "b").left == plan.left
    assert curation.bulk(store, plan).memories == 1
    assert store.get(pair.a.id).life is Life.LIVE


@pytest.mark.parametrize(
    ("older", "newer", "drafted"),
    [
        (*STOOL, f"{STOOL[1]} The bench costs 420 euros."),
        (
            *KERF,
            f"{KERF[1]}. The saw blade kerf is a constant KERF_MM in cutlist/config.py, never hardcode it in other"
            " place.",
        ),
        (*INSULIN, f"{INSULIN[1]}. My diabetologue Dr. Morvan changed my insulin. Fiasp instead of NovoRapid."),
        (*WORKSHOP, WORKSHOP[1]),
        (
            "The pump is broken, it leaks oil and Karim repairs it",
            "The pump works again",
            "The pump works again. The pump leaks oil and Karim repairs it.",
        ),
    ],
)
def test_a_draft_keeps_what_is_not_replaced(store: Store, older: str, newer: str, drafted: str) -> None:
    pair = clash(store, older, newer)
    assert curation.draft(store, [pair.a.id, pair.b.id]).text == drafted


def test_a_draft_of_two_that_both_hold_says_both(store: Store) -> None:
    pair = clash(store, *MOTHER)
    found = curation.draft(store, [pair.a.id, pair.b.id])
    assert not found.opposed and all(text in found.text for text in MOTHER)


def test_what_another_text_has_is_not_said_again() -> None:
    assert kept_parts(STOOL[1], STOOL[0], "a bench for 420") == ()
