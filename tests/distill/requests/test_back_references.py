"""Requests to remember the sentence before for a purpose: one memory with both, given with every prompt."""

from dataclasses import replace

import pytest

from curator.distill.candidate import Candidate
from curator.distill.rules import distil
from factories import CHAT, TURN


def kept(text: str, *, agent: bool = False) -> list[Candidate]:
    return list(distil(replace(CHAT, agent=agent), [replace(TURN, text=text)]).candidates)


@pytest.mark.parametrize("agent", [False, True])
@pytest.mark.parametrize(
    ("text", "everywhere"),
    [
        ("Use uv not pip. Remember that for all my python projects", True),
        ("Use tabs. Remember this for every repo, please.", True),
        ("I prefer small commits. Keep that in mind when you write commits", False),
    ],
)
def test_a_request_that_points_back_is_one_memory_with_what_it_is_for(text: str, everywhere: bool, agent: bool) -> None:
    (one,) = kept(text, agent=agent)
    assert one.text == one.quote == text
    assert (one.always, one.everywhere) == (True, everywhere)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "my one rule: no meetings before 9. please keep that in mind whenever you plan my week",
            "My one rule: no meetings before 9. Please keep that in mind whenever you plan my week",
        ),
        ("we have two cats. bear it in mind for holiday plans", "We have two cats. Bear it in mind for holiday plans"),
        (
            "no meetings on fridays. could you remember this when planning my week",
            "No meetings on fridays. Could you remember this when planning my week",
        ),
    ],
)
def test_it_is_given_with_every_prompt_in_chats(text: str, said: str) -> None:
    (one,) = kept(text)
    assert (one.text, one.quote, one.always) == (said, text, True)


def test_several_memories_of_the_sentence_before_stay_apart() -> None:
    found = kept("I'm coeliac and I hate tofu. Remember that when you suggest recipes.")
    assert [(one.text, one.always) for one in found] == [("I'm coeliac", True), ("I hate tofu.", True)]


def test_a_rule_for_this_project_stays_in_it() -> None:
    (one,) = kept("use pnpm, never npm. remember that for this repo", agent=True)
    assert one.in_project and one.always


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Remember that when I'm in Oslo I stay at the Thon.", "When I'm in Oslo I stay at the Thon."),
        ("Hi. Remember that for all my projects we use uv.", "For all my projects we use uv."),
        ("OK thanks. Remember that in CI there is no docker.", "In CI there is no docker."),
    ],
)
def test_what_is_said_itself_points_nowhere(text: str, said: str) -> None:
    assert [one.text for one in kept(text)] == [said]


@pytest.mark.parametrize(
    "text",
    [
        "what time is it? keep that in mind for dinner",
        "ok. remember that for next week",
        "remember that for all my python projects",
    ],
)
def test_a_request_after_nothing_to_keep_is_none(text: str) -> None:
    assert kept(text) == []
