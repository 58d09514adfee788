"""Statements about the person inside questions and tasks."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from curator.distill.requests.standing_orders import asks_unmarked
from curator.distill.rules import distil
from curator.distill.scores.chats import Scores, sentence_classifier
from factories import CHAT, TURN


def kept_texts(text: str, lasting: Callable[[str], bool]) -> list[str]:
    """Return the texts kept from a message, without dates, when a classifier recognises what lasts."""

    def classify(texts: Sequence[str]) -> list[Scores]:
        return [Scores(3.0 if lasting(one) else -4.5, -4.5, -4.5) for one in texts]

    found = distil(CHAT, [replace(TURN, text=text)], classifier=classify, after=-1)
    return [one.text.split(" (")[0] for one in found.candidates]


STATED = {
    "can i put my mum on my insurance, she's 68 and lives with me": "My mum's 68 and lives with me",
    "what tax code am i on, i work nights at Tesco": "I work nights at Tesco",
    "any good pubs near the flat, we moved to Leith in May?": "We moved to Leith in May",
    "since i'm on warfarin can i still eat spinach": "I'm on warfarin",
    "should i fix the boiler now that we've decided to sell the house?": "We've decided to sell the house",
    "i'm a muslim so what can i eat at a korean bbq": "I'm a muslim",
    "we're vegetarians, is there a rennet free parmesan?": "We're vegetarians",
    "i play the keyboard, headphones which don't weigh a ton?": "I play the keyboard",
    "write me a quote for two rooms, my day rate is 260 euros": "My day rate is 260 euros",
    "my size of gloves is 8 and work shoes 39, search promotion": "My size of gloves is 8 and work shoes 39",
    "i have two cats, search a vet in Nantes": "I have two cats",
    "my car is a Kangoo, look for winter tyres": "My car is a Kangoo",
    "cv for me: 8 yrs as a plumber in Leeds, gas safe registered": "8 yrs as a plumber in Leeds, gas safe registered",
    "do i need to tell the dvla that i have epilepsy": "I have epilepsy",
    "how do i help my brother who lost his job at Ford in May": "My brother who lost his job at Ford in May",
}
GRANTED = {
    "can my asthmatic daughter take ibuprofen": "My asthmatic daughter",
    "what can i cook tonight that my coeliac wife can eat": "My coeliac wife",
    "with my peanut allergy can i eat thai food?": "My peanut allergy",
}
NOTHING = (
    "if i were diabetic, could my kids be too?",
    "can you take ibuprofen if you have asthma",
    "a 45 year old man is on warfarin, what is the dose?",
    "from the mark scheme: i am a vegetarian, is that right?",
    "i am a country, i changed my capital, who said that?",
    "does my diabetes essay need a conclusion",
    "could my son be dyslexic",
    "act as my doctor, i am diabetic, what do you say?",
    "how do you say i am allergic to nuts in japanese",
    "search and rescue teams, look after them?",
    "always validate input, isn't that what they teach",
)


@pytest.mark.parametrize(("text", "kept"), (STATED | GRANTED).items())
def test_a_question_or_task_gives_what_it_states_or_takes_for_granted(text: str, kept: str) -> None:
    assert kept_texts(text, lambda one: "'s 68" in one or one.lower() == kept.lower()) == [kept]


@pytest.mark.parametrize("text", NOTHING)
def test_nobody_is_meant_by_what_is_made_up_or_general(text: str) -> None:
    assert kept_texts(text, lambda one: False) == []


def test_the_score_of_what_a_question_states_decides_and_not_that_of_the_question() -> None:
    text = "my taxi is late, who do i call"
    assert kept_texts(text, lambda one: one != "my taxi is late") == []
    assert kept_texts(text, lambda one: one == "my taxi is late") == ["My taxi is late"]


def test_what_points_at_the_question_is_kept_with_it() -> None:
    (one,) = kept_texts("any places near the office in Leith, we moved there in june?", lambda one: "moved" in one)
    assert one.startswith("Any places near the office in Leith, we moved there in june")


def test_what_a_relative_clause_adds_belongs_to_the_statement() -> None:
    text = "I told her I'm allergic to penicillin, which gave me hives when I was thirty."
    assert kept_texts(text, lambda one: True) == [text]


def test_a_sentence_is_not_taken_apart_at_the_names_of_its_subject() -> None:
    assert kept_texts("We're vegan and our two kids, Mia and Leo, hate tofu: dinner ideas?", lambda one: True) == []


def test_brackets_stay_whole() -> None:
    text = "need a dinner idea, ca 40 min. I've been vegan and I'm allergic to nuts (badly, with an EpiPen), bye"
    assert not any("(badly" in one and ")" not in one for one in kept_texts(text, lambda one: True))


@pytest.mark.parametrize(
    "text",
    [
        "What are the good vegan places in armley, for a date.",
        "what's a good gluten-free bakery near the office.",
        "what are some vegetarian snacks that keep for a week.",
    ],
)
@pytest.mark.parametrize("agent", [False, True])
def test_a_question_with_a_full_stop_is_no_fact(text: str, agent: bool) -> None:
    found = distil(replace(CHAT, agent=agent), [replace(TURN, text=text)], classifier=sentence_classifier())
    assert found.candidates == ()


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("what is the cost of a ticket.", True),
        ("what are the rules here", True),
        ("what is the main thing for us is that tests are fast", False),
        ("what is important to me is speed", False),
        ("what the team uses is Postgres", False),
    ],
)
def test_a_question_is_recognised_without_its_mark(text: str, asks: bool) -> None:
    assert asks_unmarked(text) is asks
