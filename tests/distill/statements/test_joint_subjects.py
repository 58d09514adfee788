"""Joint subjects: a statement about several people is one memory, and names all of them."""

from dataclasses import replace

import pytest

from curator.distill.rules import distil
from curator.text.dates import without_dates
from factories import CHAT, TURN
from store.model import Kind


def kept(text: str) -> list[str]:
    return [without_dates(one.text) for one in distil(CHAT, [replace(TURN, text=text)]).candidates]


@pytest.mark.parametrize(
    "text",
    [
        "My son Finn and I have asthma",
        "my son finn and i have asthma",
        "My son Finn (8) and I have asthma",
        "My daughter Ada, 9, and I are allergic to nuts",
        "My wife Anna, my son Finn and I have asthma",
        "My friend's son Finn and I have asthma",
        "My partner Lotte and I broke up last week",
        "My husband Tom and I got divorced",
        "My girlfriend Kim and I don't eat meat",
        "My sister Eva and I don't talk anymore",
        "My boyfriend Luc and I are moving in together in June",
        "My dog Bosun and I run 5k every morning",
        "My wife and I are vegetarian",
        "The kids and I have coeliac disease",
        "Idris and I live in Bergen",
    ],
)
def test_a_joint_subject_is_not_split(text: str) -> None:
    assert kept(text) == [text[0].upper() + text[1:]]
    assert kept(f"Remember that {text}") == [text[0].upper() + text[1:]]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("My wife is Anna and I have asthma", "My wife is Anna|I have asthma"),
        ("My wife loves Rome and I love Paris", "My wife loves Rome|I love Paris"),
        ("My wife hates cats and I have asthma", "My wife hates cats|I have asthma"),
        ("My dad died and I have asthma", "My dad died|I have asthma"),
        ("I live with my son Finn and I have asthma", "I live with my son Finn|I have asthma"),
        ("My name is Jonas, my son Finn and I have asthma", "My name is Jonas|My son Finn and I have asthma"),
        ("My husband Tom and I live in Oslo and I work at NAV", "My husband Tom and I live in Oslo|I work at NAV"),
        ("I'm vegan and my son Finn and I have asthma", "I'm vegan|My son Finn and I have asthma"),
    ],
)
def test_statements_beside_one_another_are_split(text: str, parts: str) -> None:
    assert kept(text) == parts.split("|")


def test_what_is_said_of_them_decides_the_kind() -> None:
    (one,) = distil(CHAT, [replace(TURN, text="My son Finn and I have asthma")]).candidates
    assert (one.kind, one.rule) == (Kind.IDENTITY, "health")
