"""Role play and fiction: statements in a role are not facts about the person, those outside of it may be."""

from dataclasses import replace

import pytest

from curator.distill.rules import distil
from factories import CHAT, TURN
from store.model import Role


def kept_texts(*texts: str, role: Role = Role.USER) -> list[str]:
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
    assert kept_texts(*texts) == kept


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
    assert kept_texts(*texts) == kept


def test_among_people_nobody_plays_with_an_assistant() -> None:
    assert kept_texts("Let's play d&d tonight", "I live in York.", role=Role.OTHER) == ["I live in York."]


FACTS = "I have two sons. My wife left me. I have diabetes."


@pytest.mark.parametrize(
    "start",
    [
        "imagine that I am a 50-year-old fisherman with two sons",
        "Pretend I'm a widower with four hens.",
        "let's say i'm the client and you're the lawyer",
        "play my headmaster, i'll be the pupil",
        "Be my landlord. I'll be the tenant.",
        "I'm the customer, you're the shop assistant.",
        "Imagine I'm 67 and living in Leeds.",
        "For this exercise, I'm a retired teacher.",
        "Scenario: I'm a single dad in Cork.",
        "suppose you're a judge and i'm the accused",
        "Act as my sister and I will be our dad, ok?",
        "You are the dragon, I'm going to be the knight",
    ],
)
def test_a_part_given_in_the_sentence_or_message_before_is_heeded(start: str) -> None:
    assert kept_texts(f"{start}\n{FACTS}") == [] == kept_texts(start, FACTS)
    assert kept_texts(start, FACTS, "ok stop, out of character. I live in York.") == ["I live in York."]


@pytest.mark.parametrize(
    "start",
    [
        "Imagine I'm a beginner and explain recursion.",
        "Pretend I'm five and explain tax.",
        "Suppose I am late with the rent, what happens?",
        "I'm the eldest and you're the best.",
        "Imagine I'm at the airport and my bag is lost.",
        "Act as my dietitian.",
        "My kids like to play the doctor.",
        "Be my guest.",
        "I told my brother to stop acting up.",
        "That was out of character for him.",
    ],
)
def test_what_gives_nobody_a_part_hides_nothing(start: str) -> None:
    assert kept_texts(f"{start}\n{FACTS}")[-3:] == kept_texts(FACTS) == kept_texts("I live in York.", FACTS, start)[1:4]


def test_a_scenario_ends_with_thanks() -> None:
    assert kept_texts("Imagine I'm a nurse in Hull. What would I pay?", "Thanks! I live in York.") == [
        "I live in York."
    ]


@pytest.mark.parametrize(
    "stop",
    [
        "ok stop, out of character",
        "End scene.",
        "stop pretending now",
        "none of that was real, lol",
        "that was all role play",
    ],
)
def test_the_end_of_a_play_takes_back_what_was_said_in_it(stop: str) -> None:
    start = "you are a stern innkeeper and it is 1743"
    assert kept_texts("I live in York.", start, FACTS, f"{stop}. I have a dog.") == ["I live in York.", "I have a dog."]
    assert kept_texts(FACTS, stop) == []
    assert kept_texts(start, "Remember that I'm allergic to kiwi.", FACTS, stop) == ["I'm allergic to kiwi."]


@pytest.mark.parametrize(
    "before",
    [
        ("This was just acting up, my knee.",),
        ("I was acting head of department from 2019 to 2021.",),
        ("Imagine I'm a tourist in Rome. What should I see?",),
        ("In this scenario I'm retired. How much do I need?",),
        ("For this exercise I'm using my bad knee.",),
        ("Pretend you're a nutritionist and I'm your client.",),
        ("Imagine I'm a widow in Hull.", "I have four hens.", "What would you cook?"),
    ],
)
def test_what_a_scenario_is_not_about_is_kept(before: tuple[str, ...]) -> None:
    assert kept_texts("I live in York.", *before, FACTS)[0] == "I live in York."
    assert kept_texts(*before, FACTS)[-2:] == kept_texts(FACTS)[-2:]


@pytest.mark.parametrize(
    "text",
    [
        "Act as a doctor. I am 80 and have chest pain. what do you ask",
        "Act as a doctor. I am 80 and have chest pain.",
        "Imagine you're my doctor. I'm diabetic. What now?",
        "I am 80 and have chest pain, you are my doctor, go",
        "You're a paramedic. I'm 45 with a bad headache. Go!",
        "Pretend you're my lawyer. I have two sons. What do you say?",
        "You are a doctor, I'm your patient Bob, 54, allergic to penicillin",
        "You are a doctor. I'm your patient Bob, 54, allergic to penicillin. What do you say?",
        "You're a doctor. I'm Bob and I'm allergic to penicillin. What do you say?",
        "Imagine you're my doctor. I'm diabetic. What do you say?",
        "You're a doctor. I'm diabetic. Go!",
        "You're a nurse. I am 80 with chest pain and diabetes. What do you say?",
        "You're a lawyer. I have two sons. What do you say?",
        "You're a doctor. I have a cough. What do you say?",
    ],
)
def test_a_case_for_an_assistant_in_a_part_is_no_fact(text: str) -> None:
    assert kept_texts(text) == []
    assert kept_texts("I live in York.", text, "thanks", FACTS) == ["I live in York.", *kept_texts(FACTS)]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Act as my dietitian. I'm diabetic. Make me a meal plan.", "I'm diabetic."),
        ("Act as a doctor. I have diabetes. Explain my lab results.", "I have diabetes."),
        ("Act as a doctor. I am 80 and have diabetes. What should I eat?", "I am 80 and have diabetes."),
        ("You are an expert cook. I'm vegan. Go!", "I'm vegan."),
        ("You are a doctor. I am 60 with a cough, allergic to sulfa.", "I am 60 with a cough, allergic to sulfa."),
        ("You are a helpful assistant. I'm vegan. What do you say?", "I'm vegan."),
        ("You're a doctor. I'm allergic to penicillin. What do you say?", "I'm allergic to penicillin."),
        ("Be my pharmacist. I take warfarin. How do you respond?", "I take warfarin."),
        ("My doctor says I'm diabetic. What now?", "My doctor says I'm diabetic."),
        ("I'm diabetic. What now?", "I'm diabetic."),
    ],
)
def test_facts_for_advice_in_a_part_are_kept(text: str, kept: str) -> None:
    assert kept_texts(text) == [kept]
