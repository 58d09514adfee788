"""Statements that only one side of a conflict makes: shown before they are lost, kept by a merge draft."""

from array import array

import pytest

from curator import curation
from curator.curation import Choice, Pair, Rule
from curator.curation.unique_statements import alone, beyond, lost_with
from curator.tui.memories.queries import duplicate_groups
from factories import put
from store import Filter, Store, clock
from store.model import Relation

NUTS = (
    "I've been vegetarian since 2015 and I'm allergic to hazelnuts, I carry an EpiPen, Tiago eats anything",
    "I'm pescatarian",
)


def clash(store: Store, a: str, b: str, relation: Relation = Relation.UPDATE, **fields: str) -> Pair:
    (first,) = put(store, a, created_at=100 * clock.DAY, **fields)
    (second,) = put(store, b, created_at=900 * clock.DAY)
    with store.command("compare") as writer:
        store.alerts.put(writer, first, second, relation, 0.8, ["only one holds at a time"], judge="rules/2")
    return curation.pair(store, store.alerts.open(first)[0].id)


@pytest.mark.parametrize(
    ("winner", "loser", "left"),
    [
        (NUTS[1], NUTS[0], ("I'm allergic to hazelnuts", "I carry an EpiPen", "Tiago eats anything")),
        ("I'm not vegetarian anymore", "I'm vegetarian, have been for almost ten years.", ()),
        ("I live in Porto", "I live in Lisbon with two flatmates", ()),
        ("I live in Porto", "I live in Lisbon. It is warm. I work at BMW.", ("I work at BMW.",)),
        ("I drive an electric car", "When I'm at work, I drive a van and I like tea.", ()),
        ("I sold my car", "I drive to work. I like my neighbours.", ()),  # the second sentence may be about either
    ],
)
def test_what_a_text_says_beyond_another(winner: str, loser: str, left: tuple[str, ...]) -> None:
    assert beyond(winner, loser) == left


def test_what_points_at_other_words_is_not_read_alone() -> None:
    assert alone(("My parents hated it", "I like tea")) == ("I like tea",)


def test_what_has_its_subject_before_it_is_not_read_alone() -> None:
    bare = ("120 for rush jobs", "€120 per rush job", "40 euros in advance", "for rush jobs 120", "plus VAT")
    whole = (
        "I charge 120 for rush jobs",
        "Rush jobs cost 120",
        "In May we fly to Rome",
        "On Sundays I swim",
        "90% of my work is design",
        "3 of my kids live in Rome",
        "10 people work for me",
        "20 minutes of yoga each day",
    )
    assert alone((*bare, *whole)) == whole


def test_a_draft_says_what_it_cannot_add_without_its_subject(store: Store) -> None:
    older, newer = "My rate is 90 an hour; 120 for rush jobs", "My rate is 100 an hour"
    first, second = (put(store, text, created_at=at)[0] for at, text in enumerate((older, newer), 1))
    with store.command("compare") as writer:
        store.alerts.put(writer, first, second, Relation.UPDATE, 0.9, ())
    found = curation.draft(store, [first, second])
    assert (found.text, found.left_out) == (newer, ("120 for rush jobs",))


@pytest.mark.parametrize("relation", [Relation.UPDATE, Relation.CONTRADICTION])
def test_a_draft_of_what_cannot_both_be_true_does_not_say_both(store: Store, relation: Relation) -> None:
    first, then = "I'm vegetarian, have been for almost ten years.", "I eat fish again, I'm not vegetarian anymore."
    pair = clash(store, first, then, relation)
    curation.validate(store, [pair.a.id])
    both = [pair.a.id, pair.b.id]
    drafted = curation.draft(store, both)
    assert (drafted.text, drafted.survivor, drafted.left_out) == (then, pair.b.id, ())
    kept = curation.draft(store, both, pair.a.id)
    assert (kept.text, kept.survivor) == (first, pair.a.id)


def test_a_draft_keeps_what_no_rule_speaks_against(store: Store) -> None:
    pair = clash(store, *NUTS)
    drafted = curation.draft(store, [pair.a.id, pair.b.id])
    assert drafted.text == "I'm pescatarian. I'm allergic to hazelnuts. I carry an EpiPen. Tiago eats anything."
    assert drafted.survivor == pair.b.id


def test_a_draft_stays_as_long_as_a_memory_may_be(store: Store) -> None:
    pair = clash(store, NUTS[0], "I'm pescatarian and I like " + ", ".join(["herring"] * 50))
    drafted = curation.draft(store, [pair.a.id, pair.b.id])
    assert len(drafted.text) <= curation.MAX_LENGTH
    assert drafted.left_out == ("I'm allergic to hazelnuts", "Tiago eats anything")


def test_what_leaves_recall_with_the_other_is_said_before(store: Store) -> None:
    pair = clash(store, *NUTS)
    lost = "I'm allergic to hazelnuts; I carry an EpiPen; Tiago eats anything"
    said = f"lost with it: “{lost}” (a merge with your own text can keep it)"
    assert said in curation.outcome(pair, Choice.B)
    assert "lost with it" not in curation.outcome(pair, Choice.A)


@pytest.mark.parametrize(
    ("kept", "other", "lost"),
    [
        (
            "We have lived in Malmö since June",
            "I live in Gothenburg with my husband Emil and our daughter Tuva, who is four.",
            ("my husband Emil", "our daughter Tuva, who is four"),
        ),
        ("I live in Malmö with my husband Emil", "I live in Rome with my husband Emil", ()),
        ("I live in Malmö", "I live in Rome and work as a nurse.", ("work as a nurse.",)),
        ("I live in Malmö", "I live in Rome.", ()),
    ],
)
def test_people_and_clauses_with_a_shared_subject_are_lost_too(kept: str, other: str, lost: tuple[str, ...]) -> None:
    assert lost_with(kept, other) == lost


def test_that_is_cut_and_says_nothing_of_merging_across_scopes(store: Store) -> None:
    pair = clash(store, f"{NUTS[0]}. {'I like to sing in the evening. ' * 9}", NUTS[1], scope="project:x")
    told = curation.outcome(pair, Choice.B)
    assert "lost with it: “I'm allergic" in told and "…” · undoable" in told and len(told) < 300


@pytest.mark.parametrize(
    "mild", ["I have a peanut allergy", "I'm a bit allergic to peanuts", "My peanut allergy is mild"]
)
def test_a_milder_text_never_stands_for_a_grave_one(store: Store, mild: str) -> None:
    pair = clash(store, "I'm severely allergic to peanuts", mild, Relation.DUPLICATE)
    assert "severely" in curation.draft(store, [pair.a.id, pair.b.id]).text
    plan = curation.plan_bulk([pair], Rule.NEWEST)
    assert not plan.decided and plan.left == (("where a life-threatening fact would give way", 1),)
    assert not duplicate_groups(store, array("q", store.list_ids(Filter()))), (
        "the Inbox does not fold it below the milder one"
    )
    over = clash(store, "Nuts send me to hospital, I'm allergic to nuts", "I'm no longer allergic to nuts")
    assert curation.plan_bulk([over], Rule.NEWEST).decided
