"""Corrections of a value said just before, denials, and a doctor's orders to the person."""

from dataclasses import replace

import pytest

from curator.distill.candidate import Candidate
from curator.distill.rules import distil
from factories import CHAT, TURN
from store.model import Kind, Tier


def kept(*texts: str) -> list[Candidate]:
    turns = [replace(TURN, id=TURN.id + at, text=text) for at, text in enumerate(texts)]
    return list(distil(CHAT, turns).candidates)


@pytest.mark.parametrize(
    "texts",
    [
        ("I've decided to charge 70 euro an hour instead of 65.", "no wait, I meant 75 euro an hour, not 70."),
        ("I've decided to charge 70 euro an hour. Sorry, I meant 75 euro an hour, not 70.",),
    ],
)
def test_a_corrected_value_is_kept_like_the_one_before(texts: tuple[str, ...]) -> None:
    first, second = kept(*texts)
    assert second.text == "I meant 75 euro an hour, not 70"
    assert first.kind is second.kind is Kind.DECISION and second.importance > first.importance


@pytest.mark.parametrize(
    "texts",
    [
        ("no wait, I meant 75 euro an hour, not 70.",),
        ("what is 70 times 5 euro?", "no wait, I meant 75 euro an hour, not 70."),
        ("I've decided to charge 60 euro an hour", "I meant 75 euro an hour, not 70."),
        ("I've decided to charge 70 euro an hour", "I meant what I said, not more"),
        ("Always answer in 70 words.", "I meant about 75 words each, not 70."),
    ],
)
def test_a_correction_of_nothing_kept_is_not_a_decision(texts: tuple[str, ...]) -> None:
    assert not any(one.text.startswith("I meant") and one.kind is Kind.DECISION for one in kept(*texts))


@pytest.mark.parametrize(
    "text",
    [
        "The doctor said I should stop drinking alcohol.",
        "The doctor said I should not drink alcohol.",
        "My cardiologist says I should cut down on salt.",
    ],
)
def test_what_a_doctor_orders_is_kept(text: str) -> None:
    (one,) = kept(text)
    assert one.text == text and one.tier is Tier.CORE


@pytest.mark.parametrize(
    "text",
    [
        "The doctor said I should wait.",
        "The doctor said I should worry less.",
        "The doctor said I should stop it.",
        "The teacher said I should stop talking.",
        "The doctor said I should be fine.",
    ],
)
def test_what_a_doctor_says_in_passing_is_no_order(text: str) -> None:
    assert not any(one.tier is Tier.CORE for one in kept(text))


@pytest.mark.parametrize("text", ["I don't have diabetes, that was my mum.", "I am not diabetic, that was my mum."])
def test_a_denial_that_names_who_is_meant_is_kept(text: str) -> None:
    assert [one.text for one in kept(text)] == [text]


@pytest.mark.parametrize("text", ["that was my mum", "I like that.", "I have diabetes, that was a surprise"])
def test_what_points_elsewhere_is_vague(text: str) -> None:
    assert kept(text) == []


@pytest.mark.parametrize(
    "texts",
    [
        ("We got a cat, Clawdette.", "clawdette died."),
        ("make a packing list for a move with 2 kids and a cat (Clawdette, 13)", "clawdette died."),
        ("We have a dog called Rex.", "Rex died"),
        ("my grandma Ada is 90.", "ada passed away"),
    ],
)
def test_a_death_of_somebody_the_chat_has_named_is_kept(texts: tuple[str, ...]) -> None:
    assert kept(*texts)[-1].quote == texts[-1] and kept(*texts)[-1].kind is Kind.RELATIONSHIP


@pytest.mark.parametrize(
    "texts",
    [
        ("clawdette died.",),
        ("my server runs Bosun", "bosun died."),
        ("We have a dog called Rex.", "the laptop died."),
        ("We have a dog called Rex.", "it died"),
        ("Tell me about the cat in Shrek", "shrek died"),
    ],
)
def test_other_deaths_are_not(texts: tuple[str, ...]) -> None:
    assert not any(one.message == TURN.id + len(texts) - 1 for one in kept(*texts))


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (("Please remember that my shifts are 12 hours long", "hm, make that 24 hours"), "24 hours long"),
        (("I've decided to charge 70 euro an hour. Sorry, make that 75.",), "75 euro an hour"),
        (("my budget is 500 euro for 3 weeks", "actually make that 600 euro"), "600 euro for 3 weeks"),
        (("I take 50 mg of sertraline", "make it 75 mg"), "75 mg"),
        (("my rent is $700. Sorry, make that 800.",), "$800"),
    ],
)
def test_a_new_value_takes_the_place_of_the_old_one(texts: tuple[str, ...], said: str) -> None:
    (one,) = kept(*texts)
    assert said in one.text and one.message == TURN.id + len(texts) - 1
    assert one.quote in texts[-1] and "mak" in one.quote.lower()


@pytest.mark.parametrize(
    "texts",
    [
        ("my budget is 500 euro for 3 weeks", "make that 600 pounds"),
        ("my budget is 500 euro for 3 weeks", "make it 600"),
        ("I take 50 mg of sertraline", "it's 14:30"),
        ("I take 50 mg of sertraline", "oops, make it 14:30"),
        ("I have 2 kids", "it's 5"),
        ("I have 2 kids", "make that 4"),
        ("I have 3 cats. It's 20.",),
        ("I live in Rome. what about dinner for 4?", "make it 6"),
        ("My son is 5. Plan a party for 12 kids", "make that 15 kids"),
    ],
)
def test_a_value_of_something_else_replaces_nothing(texts: tuple[str, ...]) -> None:
    assert [one.message for one in kept(*texts)] == [TURN.id]


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (("I got a placement at Croda in Hull", "correct: its in Goole not Hull. the site moved"), "Croda in Goole"),
        (("I live in Hull with my aunt", "sorry, it's Goole, not Hull"), "in Goole with my aunt"),
        (("My dog is called Rex. Oops, it's Max not Rex.",), "called Max"),
    ],
)
def test_a_new_name_takes_the_place_of_the_old_one(texts: tuple[str, ...], said: str) -> None:
    found = kept(*texts)
    assert [said in one.text for one in found] == [True] and found[0].message == TURN.id + len(texts) - 1


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (("I am moving for work", "correction: my job is in Goole, not Hull"), "My job is in Goole, not Hull"),
        (("I work for a bakery in hull", "correct: my job is in Goole, not Hull"), "My job is in Goole, not Hull"),
    ],
)
def test_a_correction_is_kept_without_the_word(texts: tuple[str, ...], said: str) -> None:
    assert kept(*texts)[-1].text == said


@pytest.mark.parametrize(
    "texts",
    [
        ("I live in Hull with my aunt", "correct: I has two dog and lives in Rome."),
        ("I live in Hull with my aunt", "correct: my job is in Goole, not York"),
        ("I live in Hull with my aunt", "correct this: its in Goole not Hull"),
        ("I live in Hull with my aunt", "sorry, it's red, not blue"),
        ("I live in Hull with my aunt", "is it Goole, not Hull"),
    ],
)
def test_a_text_to_correct_replaces_nothing(texts: tuple[str, ...]) -> None:
    assert "I live in Hull with my aunt" in [one.text for one in kept(*texts)]
    assert not any("Goole" in one.text for one in kept(*texts))


@pytest.mark.parametrize(
    "text",
    [
        "had the back MRI, its a slipped disc L5/S1",
        "I had my scan, it's a torn meniscus",
        "got my results: it's asthma",
    ],
)
def test_the_finding_of_an_own_examination_is_kept(text: str) -> None:
    (one,) = kept(text)
    assert one.tier is Tier.CORE and one.kind is Kind.IDENTITY


@pytest.mark.parametrize("text", ["had the back MRI, its a long wait", "had the meeting, its a slipped deadline"])
def test_what_is_found_elsewhere_is_none(text: str) -> None:
    assert not any(one.kind is Kind.IDENTITY for one in kept(text))
