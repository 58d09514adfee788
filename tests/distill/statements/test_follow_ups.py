from dataclasses import replace

import pytest

from curator.distill.rules import distil
from factories import CHAT, TURN
from store.model import Kind


def kept_texts(text: str) -> list[str]:
    return [one.text for one in distil(CHAT, [replace(TURN, text=text)]).candidates]


def test_an_allergy_keeps_the_sentence_that_says_to_what() -> None:
    (one,) = kept_texts("Is there latex in balloons? I'm allergic, badly, I was in hospital at nine.")
    assert "latex" in one and "hospital" in one
    (one,) = kept_texts("Is there latex in balloons? I'm allergic to nuts.")
    assert "latex" not in one
    first, second = kept_texts("I'm allergic to nuts. Plan a picnic. I'm allergic, as I said, very.")
    assert "picnic" not in first + second


def test_what_is_taken_back_is_kept_with_what_holds_instead() -> None:
    (one,) = kept_texts("I always said I hated the mountains. I was wrong, I love them now.")
    assert "wrong" in one and "hated the mountains" in one
    assert kept_texts("I live in Turin. I was wrong, it is Tuesday.") == ["I live in Turin."]


def test_jokes_about_an_allergy_or_a_marriage_are_none() -> None:
    assert kept_texts("im allergic to ironing and married to my couch") == []
    assert kept_texts("I'm allergic to sesame and married to a baker") != []


@pytest.mark.parametrize(
    "text",
    ["I don't eat pork. Or beef.", "I like jazz. And blues.", "I'm allergic to nuts. And sesame or soy!"],
)
def test_a_thing_in_a_sentence_of_its_own_is_joined(text: str) -> None:
    assert kept_texts(f"{text} Chicken is fine") == [text]


@pytest.mark.parametrize("more", ["And thanks!", "Or not.", "And you?", "And finally.", "And swimming helps a lot."])
def test_what_adds_no_thing_is_not_joined(more: str) -> None:
    assert kept_texts(f"I like jazz. {more}")[0] == "I like jazz."
    assert kept_texts("I work as a nurse. And blues.") == ["I work as a nurse."]


def test_good_news_keeps_its_name() -> None:
    (one,) = kept_texts("good news: the allergist tested me and I'm no longer allergic to eggs")
    assert one.startswith("Good news: ")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I'm allergic to shellfish. Also to nuts.", "I'm allergic to nuts"),
        ("I'm allergic to shellfish. And to nuts and penicillin.", "I'm allergic to nuts and penicillin"),
        ("I'm allergic to shellfish. Also sesame, soy and milk.", "I'm allergic to sesame, soy and milk"),
        ("I'm allergic to shellfish. Oh, and also to mushrooms.", "I'm allergic to mushrooms"),
        ("I'm allergic to shellfish. Oh, and to tree nuts too.", "I'm allergic to tree nuts"),
        ("My son Leo is allergic to nuts. Also to eggs.", "My son Leo is allergic to eggs"),
        ("I have a severe allergy to nuts. Also to eggs", "I have a severe allergy to eggs"),
    ],
)
def test_a_further_allergy_in_a_sentence_of_its_own_names_whose_it_is(text: str, kept: str) -> None:
    first, _ = text.split(". ", 1)
    assert kept_texts(text) == [f"{first}.", kept]


@pytest.mark.parametrize(
    "text",
    [
        "I'm not allergic to shellfish. Also to nuts.",
        "I'm no longer allergic to shellfish. Also to nuts.",
        "I'm allergic to shellfish. Also to Paris.",
        "I'm allergic to shellfish. Also to work.",
        "I'm allergic to shellfish. Also to discuss.",
        "I'm allergic to shellfish. Also add milk.",
        "I'm allergic to shellfish. Also suggest fish",
        "I live in Rome. Also to nuts.",
        "I like jazz. Also nuts.",
    ],
)
def test_other_sentences_add_no_allergy(text: str) -> None:
    assert kept_texts(text) == kept_texts(text.split(". ")[0] + ".")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I quit coffee in 2020. Only tea now", "I quit coffee in 2020. Only tea now"),
        (
            "We bought a house!! Askøy, Kleppestø, moving in next. so not laksevåg anymore then",
            "We bought a house!! Askøy, Kleppestø, moving in next. so not laksevåg anymore then",
        ),
        ("We bought a flat. In Leeds.", "We bought a flat. In Leeds."),
        (
            "dont write my essays for me even if i beg. ask me questions instead",
            "Dont write my essays for me even if i beg. ask me questions instead",
        ),
        ("We bought a house. The address is 4 Elm Road", "We bought a house. The address is 4 Elm Road"),
    ],
)
def test_a_fragment_that_says_where_or_what_instead_is_joined(text: str, kept: str) -> None:
    assert kept_texts(text) == [kept]


@pytest.mark.parametrize(
    "text",
    [
        "I quit coffee in 2020. Just kidding now",
        "Never use emojis. Give me the recipe with oat milk instead.",
        "I quit coffee in 2020. Only one more question now",
        "We bought a house. Thanks Claude, Jo",
        "We bought a house. The address is confidential",
        "We bought a house. Any tips in Leeds?",
        "Our server is in Leeds. Only tea now",
    ],
)
def test_other_fragments_are_not_joined(text: str) -> None:
    assert not any(one.endswith(text.split(". ")[1]) for one in kept_texts(text))


def test_what_follows_for_a_time_belongs_to_the_event_before_it() -> None:
    text = "It's decided, operation of the knee the 14 January 2027 at Clinique Ada. No work for 6 weeks."
    (one,) = distil(CHAT, [replace(TURN, text=text)]).candidates
    assert (one.text, one.kind) == (text, Kind.DECISION)
    assert not distil(CHAT, [replace(TURN, text="It's decided, we go with it")]).candidates
    rest = "I live in Rome. No work for 6 weeks."
    assert [one.text for one in distil(CHAT, [replace(TURN, text=rest)]).candidates] == ["I live in Rome."]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "magnesium is that ok with levothyroxine? i take 75 mcg every morning at 6",
            ["Magnesium is that ok with levothyroxine? i take 75 mcg every morning at 6"],
        ),
        ("is milk ok with coffee? i take 75 mcg every morning at 6", ["I take 75 mcg every morning at 6"]),
        ("is warfarin safe? I take 5 mg ramipril every morning", ["I take 5 mg ramipril every morning"]),
    ],
)
def test_a_dose_without_its_medicine_is_joined_to_the_sentence_that_names_one(text: str, kept: list[str]) -> None:
    assert [one.text for one in distil(CHAT, [replace(TURN, text=text, created_at=None)]).candidates] == kept
