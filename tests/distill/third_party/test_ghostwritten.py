"""Other people's texts give no memories and no orders, while the person's own statements are kept."""

from dataclasses import replace

import pytest
from texts_of_others import Figures, conversations, figures

from curator.distill.candidate import Candidate
from curator.distill.rules import distil
from effort import thorough
from factories import CHAT, TURN
from store.model import Tier


def found(*texts: str) -> list[Candidate]:
    turns = [replace(TURN, id=at, ordinal=at, text=text, created_at=None) for at, text in enumerate(texts, 1)]
    return list(distil(CHAT, turns).candidates)


def kept_texts(*texts: str) -> list[str]:
    return [one.text for one in found(*texts)]


@thorough
@pytest.mark.parametrize(("half", "taken", "own", "near"), [("tune", 9, 12, 20), ("held", 17, 12, 20)])
def test_few_words_of_others_are_kept_and_the_persons_stay(half: str, taken: int, own: int, near: int) -> None:
    total = sum((figures(one, None) for one in conversations(half)), Figures())
    assert (len(total.taken_always), len(total.lasting_core)) == (0, 0)
    kept = (
        len(total.taken),
        total.own - len(total.lost),
        total.near - len(total.near_lost),
    )  # no texts in the failure message: half of them are held out
    assert kept[0] <= taken
    assert kept[1] >= own
    assert kept[2] >= near


@pytest.mark.parametrize(
    "texts",
    [
        ("I'm allergic to penicillin. I take warfarin. I live in Leeds.\nCan you fix the typos in this?",),
        ("I had a heart attack in 2020. I take warfarin. I'm diabetic.", "check this for me: what can I eat"),
        ("Write me a checklist for camping. Never suggest meat. Always use metric in what you write for me.",),
        ("My husband Tom needs a reference. He has epilepsy.",),
        ("This came from my GP. I have diabetes. I take metformin.",),
    ],
)
def test_what_nothing_says_to_be_for_others_is_the_persons(texts: tuple[str, ...]) -> None:
    assert len(kept_texts(*texts)) >= 2


@pytest.mark.parametrize(
    "texts",
    [
        ("please polish this for one of my porters\n\nI have two sons. I live in Lugo. I am allergic to nuts.",),
        ("I am allergic to nuts. I live in Lugo.\nmake it sound warmer, he's a good lad",),
        ("I am allergic to nuts. I live in Lugo.", "the above is from one of our trainees, tidy it"),
        ("shorten the profile of our new member, she'll paste it", "I live in Lugo. I am allergic to nuts."),
        ("write a complaint, signed as my aunt: I live in Lugo and I am allergic to nuts",),
        ("obituary for the club bulletin. He couldn't swim. He was allergic to nuts.",),
    ],
)
def test_a_text_in_the_voice_of_somebody_else_is_not_about_the_person(texts: tuple[str, ...]) -> None:
    assert kept_texts(*texts) == []


@pytest.mark.parametrize(
    "texts",
    [
        ("polish my profile please\n\nI have two sons. I live in Lugo. I am allergic to nuts.",),
        ("I am allergic to nuts. I live in Lugo.\nthat's me, make my bio sound warmer",),
        ("write a complaint to the bank. I live in Lugo and I am allergic to nuts",),
        ("tidy this plan up for my team. By the way, I am allergic to nuts",),
        ("tidy this, my mum says it is long\nI live in Lugo. I am allergic to nuts. I have two sons.",),
        ("can you proofread this? it's for my visa\nI live in Lugo. I am allergic to nuts. I have two sons.",),
        ("I live in Lugo. I am allergic to nuts. I have two sons.\nmake it shorter, my boss hates long texts",),
        ("I want a new job.", "tidy this:\nI live in Lugo. I am allergic to nuts. I have two sons."),
        ("I have to write my cv", "polish this", "I live in Lugo. I am allergic to nuts. I have two sons."),
    ],
)
def test_what_the_person_says_of_themselves_amid_a_task_stays(texts: tuple[str, ...]) -> None:
    assert "allergic to nuts" in " ".join(kept_texts(*texts))


def test_rules_for_others_are_no_orders_to_the_assistant() -> None:
    rules = "need a poster for the forge\nAlways wear gloves.\nNever leave the fire.\nFrom now on answer me in Dutch."
    assert kept_texts(rules) == ["From now on answer me in Dutch."]
    assert kept_texts(rules, "and never bring dogs in")[1:] == []
    assert [one.always for one in found(rules, "Never use emojis.")] == [True, False]
    assert [one.always for one in found(rules, "hi", "thanks", "Never use emojis.")] == [True, True]


@pytest.mark.parametrize(
    "heading",
    ["Rules for you:", "Rules:", "Some rules.", "Writing guidelines:", "Ground rules:", "Follow the club rules:"],
)
def test_rules_that_name_no_other_readers_are_for_the_assistant(heading: str) -> None:
    assert "Never use emojis." in kept_texts(f"{heading}\nNever use emojis.")


def test_a_request_to_remember_that_names_such_a_text_is_kept() -> None:
    assert kept_texts("Remember when writing the newsletter: readers are over 60") == ["Readers are over 60"]
    assert kept_texts("Remember these rules: 1. No jargon. 2. No bullet points.") == ["No jargon.", "No bullet points."]


def test_an_order_for_one_text_is_not_given_with_every_prompt() -> None:
    assert not any(one.always for one in found("so in this novel please, never use the word very"))
    assert not any(one.always for one in found("in this novel never use the word very"))
    assert not any(one.always for one in found("Call me Sherlock Holmes"))
    assert all(one.tier is Tier.CORE for one in found("never use the word very"))
