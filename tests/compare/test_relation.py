import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.compare import Guard, differences, relate
from store.model import Relation

SAME = [
    ("I prefer tea", "User prefers tea."),
    ("I prefer tea", "The user prefers tea"),
    ("My name is Ada", "User's name is Ada"),
    ("I have three dogs", "I have 3 dogs"),
    ("I really enjoy hiking in the mountains", "I enjoy hiking in mountains"),
    ("I work at a bakery in Porto", "I'm working at a bakery in Porto"),
    ("Our standup is on Mondays", "our standup is on Monday"),
]
DIFFERENT = [
    (Guard.NUMBER, "I run 5 km every day", "I run 8 km every day"),
    (Guard.NUMBER, "My rent is $1,500", "My rent is $1,650"),
    (Guard.UNIT, "I run 5 km every day", "I run 5 miles every day"),
    (Guard.DATE, "My exam is on March 3", "My exam is on March 13"),
    (Guard.DATE, "My exam is on 2024-03-03", "My exam is on 2024-04-03"),
    (Guard.DATE, "We meet on Mondays at the gym", "We meet on Fridays at the gym"),
    (Guard.DATE, "I moved to Rome in 2019", "I moved to Rome in 2021"),
    (Guard.NAME, "My sister lives in Lisbon", "My sister lives in Porto"),
    (Guard.NAME, "I work with Anna on the garden plan", "I work with Berta on the garden plan"),
    (Guard.NEGATION, "I eat meat on weekends", "I don't eat meat on weekends"),
    (Guard.NEGATION, "I have been to Japan", "I have never been to Japan"),
    (Guard.POLARITY, "I love long train rides", "I hate long train rides"),
    (Guard.POLARITY, "Always reply in short sentences", "Never reply in short sentences"),
    (Guard.POLARITY, "My landlord allows pets in the flat", "My landlord bans pets in the flat"),
    (Guard.POLARITY, "I am married and live in Bonn", "I am divorced and live in Bonn"),
    (Guard.DIRECTION, "I prefer tea over coffee", "I prefer coffee over tea"),
    (Guard.DIRECTION, "I switched from Vim to Emacs", "I switched from Emacs to Vim"),
    (Guard.ORDER, "Anna is older, Berta is younger", "Berta is older, Anna is younger"),
    (Guard.ORDER, "A man carries the old dog", "The old dog carries a man"),
    (Guard.PERSON, "I am allergic to peanuts and shellfish", "My son is allergic to peanuts and shellfish"),
    (Guard.TENSE, "I live in Berlin near the lake", "I lived in Berlin near the lake"),
    (Guard.TENSE, "I am a teacher in Bonn", "I was a teacher in Bonn"),
    (Guard.MODALITY, "I want to play the violin in an orchestra", "I play the violin in an orchestra"),
    (Guard.QUANTITY, "I sometimes drink wine with dinner", "I usually drink wine with dinner"),
    (Guard.QUESTION, "I like green tea with milk", "I like green tea with milk?"),
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_rewordings_are_duplicates(a: str, b: str) -> None:
    verdict = relate(a, b)
    assert verdict.relation is Relation.DUPLICATE
    assert verdict.duplicate_score > 0.6
    assert verdict.conflict_score == 0.0
    assert differences(a, b) == ()


@pytest.mark.parametrize(("guard", "a", "b"), DIFFERENT)
@pytest.mark.parametrize("cosine", [None, 0.7, 0.97, 1.0])
def test_what_differs_in_something_hard_is_never_a_duplicate(
    guard: Guard, a: str, b: str, cosine: float | None
) -> None:
    assert guard in {difference.guard for difference in differences(a, b)}
    for verdict in (relate(a, b, cosine), relate(b, a, cosine)):
        assert verdict.relation is not Relation.DUPLICATE
        assert any(guard.value in reason for reason in verdict.reasons)


@pytest.mark.parametrize(
    ("a", "b", "relation"),
    [
        ("I love long train rides", "I hate long train rides", Relation.CONTRADICTION),
        ("I eat meat on weekends", "I don't eat meat on weekends", Relation.CONTRADICTION),
        ("I prefer tea over coffee", "I prefer coffee over tea", Relation.CONTRADICTION),
        ("I like hiking", "I like hiking alone", Relation.UNSURE),
        ("I run 5 km every day", "I run 8 km every day", Relation.UPDATE),
        ("I live in Berlin near the lake", "I lived in Berlin near the lake", Relation.UPDATE),
        ("I am allergic to nuts and eggs", "My son is allergic to nuts and eggs", Relation.COEXIST),
        ("I grow tomatoes", "My car is a blue Skoda", Relation.UNRELATED),
    ],
)
def test_relation_says_what_to_look_at(a: str, b: str, relation: Relation) -> None:
    assert relate(a, b).relation is relation


def test_reasons_have_the_words_as_they_were_written() -> None:
    assert "polarity: hates / liking" in relate("She hates tea", "She is liking tea").reasons
    assert "a change is mentioned: I moved" in relate("I live in Ghent", "I moved to Antwerp").reasons


def test_double_negation_is_no_contradiction() -> None:
    assert relate("I don't like olives at all", "I dislike olives at all").relation is not Relation.CONTRADICTION


def test_a_replaced_word_is_not_a_duplicate_however_much_is_shared() -> None:
    verdict = relate(
        "I keep my bike in the small shed behind the house", "I keep my boat in the small shed behind the house"
    )
    assert verdict.relation is Relation.UNSURE
    assert any("boat" in reason for reason in verdict.reasons)


def test_vectors_decide_where_words_do_not() -> None:
    a, b = "I commute by bicycle", "Cycling is how I get to the office"
    assert relate(a, b, 0.96).relation is Relation.DUPLICATE
    assert relate(a, b, 0.88).relation is Relation.UNSURE
    assert relate(a, b, 0.3).relation is Relation.UNRELATED


def test_near_opposites_have_a_high_conflict_score() -> None:
    opposed = relate("I like oat milk in coffee", "I don't like oat milk in coffee", 0.92)
    assert opposed.conflict_score > max(0.7, opposed.duplicate_score)
    assert relate("I like oat milk", "The bus was late", 0.1).conflict_score < 0.2


@given(st.text(max_size=120), st.text(max_size=120), st.none() | st.floats(-1, 1))
def test_any_two_texts_compare(a: str, b: str, cosine: float | None) -> None:
    verdict = relate(a, b, cosine)
    assert 0.0 <= verdict.duplicate_score <= 1.0
    assert 0.0 <= verdict.conflict_score <= 1.0
    assert verdict.reasons
    assert relate(b, a, cosine).relation is verdict.relation


@given(st.text(min_size=1, max_size=120))
def test_a_text_duplicates_itself(text: str) -> None:
    assert relate(text, text).relation is Relation.DUPLICATE


@pytest.mark.parametrize("fact", ["is allergic to nuts", "lives in Rome"])
def test_a_former_partner_is_another_person(fact: str) -> None:
    assert relate(f"My girlfriend Anna {fact}", f"My ex-girlfriend Anna {fact}").relation is not Relation.DUPLICATE
    assert relate(f"My girlfriend Anna {fact}", f"My girlfriend Anna {fact}").relation is Relation.DUPLICATE
