"""Pairs read by a classifier: certain verdicts of the rules stay, and both plain and hidden conflicts are found."""

import pytest

from curator.compare import PairPrediction, PairPredictor, compare, relate
from curator.config import settings
from curator.conflicts import pair_classifier
from effort import thorough
from store.clock import DAY
from store.model import Relation

OPPOSED = (Relation.UPDATE, Relation.CONTRADICTION)
PLAIN = [
    ("I live in Oslo.", "I live in Bergen."),
    ("I work at Google.", "I work at Microsoft."),
    ("I work at Google", "I used to work at Google"),
    ("I'm vegetarian", "I'm vegan"),
    ("I am 34 years old.", "I am 36 years old."),
    ("I use vim.", "I use emacs."),
    ("My wife's name is Anna.", "My wife's name is Eva."),
    ("I prefer tabs", "I prefer spaces"),
    ("Answer in German", "Answer in English"),
    ("I have no allergies", "I am allergic to peanuts"),
    ("The project is written in Go", "The project is written in Rust"),
]
HIDDEN = [
    ("I sent the running shoes back.", "I have never returned anything."),
    ("I've used Flask-Login for the sessions of my app.", "I've never written any code for Flask in this project."),
]
COMPATIBLE = [
    ("I like tea", "I like coffee"),
    ("Always ask about allergies before a recipe.", "I asked about allergies."),
    ("My goal is to read 24 books this year.", "I've read 9 books so far this year."),
    ("My sister Anna is a nurse.", "My sister Eva is a nurse."),
]


@pytest.fixture
def classifier(classifiers: None) -> PairPredictor:
    found = pair_classifier()
    assert found is not None
    return found


def relation(a: str, b: str, classifier: PairPredictor | None) -> Relation:
    return relate(a, b, 0.6, (0, 400 * DAY), classifier=classifier).relation


@thorough
@pytest.mark.parametrize(("a", "b"), PLAIN + HIDDEN)
def test_conflicts_are_found(a: str, b: str, classifier: PairPredictor) -> None:
    assert relation(a, b, classifier) in OPPOSED


@pytest.mark.parametrize(("a", "b"), HIDDEN)
def test_signs_alone_do_not_find_what_is_hidden(a: str, b: str) -> None:
    assert relation(a, b, None) not in OPPOSED


@pytest.mark.parametrize(("a", "b"), COMPATIBLE)
def test_what_may_both_be_true_is_neither_a_conflict_nor_a_repetition(
    a: str, b: str, classifier: PairPredictor
) -> None:
    assert relation(a, b, classifier) not in (*OPPOSED, Relation.DUPLICATE)


def test_a_reading_is_not_asked_for_where_little_is_in_common() -> None:
    def asked(first: str, second: str) -> PairPrediction:
        raise AssertionError(f"{first} | {second}")

    found = relate("I play the cello.", "I like tea.", 0.02, (0, DAY), neighbour_density=2.4, classifier=asked)
    assert found.relation not in (*OPPOSED, Relation.DUPLICATE)


@pytest.mark.parametrize(
    ("a", "b", "cosine", "neighbours", "read"),
    [
        (
            "The contract has the report due by 1 May",
            "They've given us til 30 June for the report.",
            0.58,
            1.1,
            True,
        ),
        ("We rehearse in the scout hall", "The scout hall is let, St Anne's has us from May", 0.55, 1.1, True),
        ("I walk the dog at six", "It's half past seven for the dog, since the clocks changed", 0.5, 1.4, True),
        ("The report has 40 pages", "I'm looking for a red kayak.", 0.05, 1.1, False),
        ("Rehearsal dinner for 30 people on the 4th", "We've the hall booked for the 11th.", 0.5, 2.2, False),
    ],
)
def test_what_a_prediction_can_decide_is_read_however_many_memories_are_near(
    a: str, b: str, cosine: float, neighbours: float, read: bool
) -> None:
    assert (compare(a, b, cosine, (0, 200 * DAY), neighbours).undecided is not None) is read


def test_other_persons_and_other_units_are_no_certain_repetition() -> None:
    def sure(first: str, second: str) -> PairPrediction:
        return PairPrediction(same=0.99, both=0.01, update=0.0, contradiction=0.0)

    for a, b in (
        COMPATIBLE[3],
        ("I cycle 12 km to work on my old blue bike.", "On my old blue bike I cycle 12 miles to work."),
    ):
        assert relate(a, b, 0.9, (0, DAY), classifier=sure).relation is not Relation.DUPLICATE


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The boiler man comes on 4 May to look at the pump", "On 5 May the boiler man comes to look at the pump"),
        ("My spare key is with Paula, in her kitchen drawer", "my spare key is in Olga's kitchen drawer, with her"),
        ("The loft hatch is insulated with sheep's wool", "the loft hatch isn't insulated with sheep's wool"),
        ("I take my tablet before breakfast with water", "I take the tablet after breakfast, with water"),
        ("Every spring we drive from Bern to Nantes", "Every spring we drive from Nantes to Bern"),
        ("My loan for the roof runs over 12 years", "my loan for the roof runs over 15 years"),
        ("There are thirty-one chairs in our hall", "There are thirty-two chairs in our hall"),
        ("My cousin Lou lends me 40 euros", "I lend my cousin Lou 40 euros"),
        (
            "Half of the hops goes to the old village brewery by bike",
            "Half of the hops goes to the old village brewery by truck",
        ),
    ],
    ids=["date", "name", "negation", "opposite", "direction", "number", "compound", "part", "word"],
)
def test_what_differs_in_one_thing_is_no_repetition_even_if_the_classifier_says_so(a: str, b: str) -> None:
    def sure(first: str, second: str) -> PairPrediction:
        return PairPrediction(same=0.99, both=0.01, update=0.0, contradiction=0.0)

    found = relate(a, b, 0.94, (0, DAY), classifier=sure)
    assert found.relation is not Relation.DUPLICATE
    assert found.repeat_score < settings().conflicts.duplicate  # else it would be shown as a duplicate


def test_a_denial_in_the_same_words_is_a_contradiction_even_if_the_classifier_overlooks_it() -> None:
    def sure(first: str, second: str) -> PairPrediction:
        return PairPrediction(same=0.9, both=0.08, update=0.01, contradiction=0.01)

    for a, b in (
        ("We write our parser in Zig 0.12.", "Our parser isn't written in Zig 0.12."),
        ("Moths leave the carpets alone.", "Moths do not leave the carpets alone."),
        ("I like plums more than pears.", "For me pears beat plums."),
        ("We'd rather have the cabin than the tent.", "We would rather have the tent than the cabin."),
    ):
        assert relate(a, b, 0.92, (0, DAY), classifier=sure).relation is Relation.CONTRADICTION


def test_two_people_who_prefer_the_reverse_contradict_nobody() -> None:
    def sure(first: str, second: str) -> PairPrediction:
        return PairPrediction(same=0.9, both=0.08, update=0.01, contradiction=0.01)

    found = relate("I like plums more than pears.", "My aunt likes pears more than plums.", 0.92, (0, DAY), None, sure)
    assert found.relation not in (*OPPOSED, Relation.DUPLICATE)


def test_a_denial_of_something_far_off_is_no_conflict() -> None:
    def opposed(first: str, second: str) -> PairPrediction:
        return PairPrediction(same=0.0, both=0.05, update=0.0, contradiction=0.95)

    a, b = "I work at a petrol station.", "I don't grow anything, I have no garden."
    assert relate(a, b, 0.1, (0, DAY), classifier=opposed).relation not in OPPOSED
