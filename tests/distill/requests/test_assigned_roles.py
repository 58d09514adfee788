"""Roles given to the assistant for a chat, and the orders that belong to them."""

from dataclasses import replace

import pytest

from curator.distill.candidate import Candidate
from curator.distill.rules import distil
from factories import CHAT, TURN
from store.model import Tier


def kept(text: str, agent: bool = False) -> list[Candidate]:
    return list(distil(replace(CHAT, agent=agent), [replace(TURN, text=text)]).candidates)


@pytest.mark.parametrize("agent", [False, True])
@pytest.mark.parametrize(
    ("text", "texts"),
    [
        (
            "From now on act as a senior Rust engineer. Always show the Cargo.toml changes. Never use unwrap().",
            ["Always show the Cargo.toml changes.", "Never use unwrap()."],
        ),
        ("You are an expert Python developer. Always use type hints.", ["Always use type hints."]),
        ("From now on behave like a pirate.", []),
    ],
)
def test_a_role_and_its_orders_are_not_for_every_prompt(text: str, texts: list[str], agent: bool) -> None:
    found = kept(text, agent)
    assert [one.text for one in found] == texts
    assert not any(one.always or one.tier is Tier.CORE for one in found)


@pytest.mark.parametrize(
    "text",
    [
        "From now on answer in British English.",
        "From now on act as if I know Rust well. Always show the Cargo.toml changes.",
        "Always show the Cargo.toml changes. Never use unwrap() in examples.",
        "Always act as a senior Rust engineer in all my chats.",
        "You are my assistant. From now on always use metric units.",
        "You are great. From now on always use metric units.",
        "You are using tabs. From now on always use spaces.",
        "I act as treasurer of our club. Never suggest meetings on Mondays.",
        "Never use emojis. Act as a senior engineer.",
        "Act as a chef. In all my chats, always use metric units.",
    ],
)
def test_other_orders_are_given_always(text: str) -> None:
    assert kept(text)[-1].always


def test_a_fact_after_a_role_is_the_persons() -> None:
    (one,) = kept("Act as a senior Rust engineer. By the way, I'm allergic to nuts.")
    assert one.text == "I'm allergic to nuts." and one.tier is Tier.CORE
