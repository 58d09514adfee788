"""Role play and fiction: what is said in a role is no fact of the person, what is said outside of it may be one."""

from dataclasses import replace

import pytest

from curator.distill.rules import distil
from factories import CHAT, TURN
from store.model import Role


def said(*texts: str, role: Role = Role.USER) -> list[str]:
    turns = [replace(TURN, id=at, ordinal=at, text=text, created_at=None) for at, text in enumerate(texts, 1)]
    others = [replace(TURN, id=99, ordinal=99, role=Role.OTHER, text="ok")] if role is Role.OTHER else []
    return [one.text for one in distil(CHAT, [*turns, *others]).candidates]


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        (("Write a story in which I am a pirate called Red Mary.", "As Red Mary I hate rum. continue"), []),
        (("As Red Mary I hate rum.",), []),
        (("Write a story where I am a detective.", "As the detective I drink gin every night."), []),
        (("Let's role-play. You are the innkeeper.", "I live in a tower. My brother has epilepsy."), []),
        (("I'll play the knight and you play the dragon.", "I have a wooden leg and two dogs"), []),
        (("Let's play a text adventure. I'm from Baldur and I have a dog.",), []),
    ],
)
def test_what_is_said_in_a_role_is_left_out(texts: tuple[str, ...], kept: list[str]) -> None:
    assert said(*texts) == kept


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        (("Let's role-play.", "Stop the role play. I'm allergic to shellfish."), ["I'm allergic to shellfish."]),
        (("Let's role-play.", "remember that I'm allergic to kiwi"), ["I'm allergic to kiwi"]),
        (("Write a story about a dog. I live in Rome.",), ["I live in Rome."]),
        (("Write a story in which I am a pirate.", "I'm vegan."), ["I'm vegan."]),
        (
            ("Write a poem I can read at my wedding.", "As a nurse I work nights in Leeds"),
            ["As a nurse I work nights in Leeds"],
        ),
        (("I teach with role-play in class.", "I live in York."), ["I live in York."]),
        (("Pretend you are a recruiter. I worked at Nokia for ten years.",), ["I worked at Nokia for ten years."]),
    ],
)
def test_what_is_said_outside_of_a_role_is_kept(texts: tuple[str, ...], kept: list[str]) -> None:
    assert said(*texts) == kept


def test_among_people_nobody_plays_with_an_assistant() -> None:
    assert said("Let's play d&d tonight", "I live in York.", role=Role.OTHER) == ["I live in York."]
