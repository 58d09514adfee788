"""Jokes, which are no facts about the person, and true statements said with a laugh."""

from dataclasses import replace

import pytest

from curator.distill.rules import distil
from factories import CHAT, TURN


def kept_texts(text: str, *, agent: bool = False) -> list[str]:
    found = distil(replace(CHAT, agent=agent), [replace(TURN, text=text)])
    return [one.text for one in found.candidates if not one.standing]


@pytest.mark.parametrize("agent", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        "no treble clefs please, I'm allergic to treble clefs on logos, ha.",
        "I'm allergic to mornings, ha.",
        "I'm basically married to my lathe, ha.",
        "I'm married to my lathe lol",
        "my kids are actually goblins",
        "my twins are literally gremlins haha",
        "I'm allergic to semicolons in code ;)",
        "I'm allergic to mondays and to recipes with 14 ingredients",
        "I'm allergic to recipes with more than 10 steps and to mornings.",
        "I'm allergic to meetings before 9am",
        "im allergic to mondays me",
        "I'm allergic to being awake before noon haha",
        "I'm allergic to being on time",
        "i'm allergic to getting up early, sorry",
        "I'm allergic to waking up before my alarm",
        "I'm allergic to having to queue",
        "I'm allergic to talking on the phone",
        "I'm allergic to washing the dishes",
        "I'm allergic to jogging lol",
        "My blood type is salt water",
        "my star sign is fume hood",
        "my blood type is coffee, ha",
        "my blood group is a strong espresso",
    ],
)
def test_jokes_are_not_kept(text: str, agent: bool) -> None:
    assert kept_texts(text, agent=agent) == []


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I'm allergic to penicillin, lol nearly forgot", "I'm allergic to penicillin, lol nearly forgot"),
        ("I'm allergic to kohlrabi, ha.", "I'm allergic to kohlrabi, ha."),
        ("I'm allergic to nickel on jeans, ha", "I'm allergic to nickel on jeans, ha"),
        ("I'm allergic to eggs in meetings lol", "I'm allergic to eggs in meetings"),
        ("I'm allergic to being near cats, ha", "I'm allergic to being near cats, ha"),
        ("I'm allergic to being in the sun, ha", "I'm allergic to being in the sun, ha"),
        ("I'm allergic to eating kohlrabi", "I'm allergic to eating kohlrabi"),
        ("I'm allergic to wearing wool", "I'm allergic to wearing wool"),
        ("I'm allergic to washing powder", "I'm allergic to washing powder"),
        ("I'm allergic to herring lol", "I'm allergic to herring lol"),
        ("I'm allergic to working with epoxy", "I'm allergic to working with epoxy"),
        ("I'm allergic to stinging nettles", "I'm allergic to stinging nettles"),
        ("I'm allergic to swimming in chlorine", "I'm allergic to swimming in chlorine"),
        ("I'm allergic to having kohlrabi", "I'm allergic to having kohlrabi"),
        ("I'm married to my best friend, lol", "I'm married to my best friend"),
        ("I'm basically married to my partner of 12 years", "I'm basically married to my partner of 12 years"),
        ("I'm allergic to mondays and kohlrabi", "I'm allergic to mondays and kohlrabi"),
        ("I'm allergic to recipes with peanuts", "I'm allergic to recipes with peanuts"),
        ("I'm allergic to mondays and to peanuts", "I'm allergic to mondays and to peanuts"),
        ("my blood type is O negative, ha", "My blood type is O negative, ha"),
        ("my star sign is Virgo", "My star sign is Virgo"),
        ("my star sign is actually a leo", "My star sign is actually a leo"),
        ("my blood type is AB", "My blood type is AB"),
        ("my blood type is zero negative", "My blood type is zero negative"),
        ("my blood type is known: O neg", "My blood type is known: O neg"),
        ("my blood type is listed on my card", "My blood type is listed on my card"),
        ("My blood group is A and I donate", "My blood group is A and I donate"),
        ("my blood type is a+", "My blood type is a+"),
        ("my blood type is very rare", "My blood type is very rare"),
        ("my kids are vegetarian, ha", "My kids are vegetarian, ha"),
        ("my son plays a goblin in the school play", "My son plays a goblin in the school play"),
        ("Our cat is called Goblin, lol.", "Our cat is called Goblin"),
    ],
)
def test_what_is_said_with_a_laugh_is_kept(text: str, kept: str) -> None:
    assert kept_texts(text) == [kept]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I live in Oslo. I owe you one!", "I live in Oslo."),
        ("My husband is Tom. I owe you one", "My husband is Tom."),
        ("I'm allergic to my boss. Also to dogs.", None),
    ],
)
def test_the_sentence_after_a_statement_is_no_laughter(text: str, kept: str | None) -> None:
    assert kept_texts(text) == ([kept] if kept else [])


@pytest.mark.parametrize("text", ["haha yes I'm coeliac ;)", "haha I'm coeliac", "lol I'm coeliac"])
def test_a_laugh_before_a_statement_hides_nothing(text: str) -> None:
    assert "I'm coeliac" in kept_texts(text)[0]


@pytest.mark.parametrize("text", ["haha", "lol thanks", "haha no", "hehe nice"])
def test_a_laugh_alone_is_nothing(text: str) -> None:
    assert kept_texts(text) == []
