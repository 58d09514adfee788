"""Letters that the person asks for in their own name: what they say of health stays, everything else is quoted."""

from dataclasses import replace

import pytest

from curator.distill.rules import distil
from factories import CHAT, TURN


def kept_texts(*texts: str) -> list[str]:
    turns = [replace(TURN, id=TURN.id + at, text=text) for at, text in enumerate(texts)]
    return [one.text for one in distil(CHAT, turns).candidates]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "Could you draft a note to the school with the allergies of my kids: Idris is allergic to peanuts (epipen"
            " in the blue bag), Juno has none but is vegetarian.",
            ["Idris is allergic to peanuts (epipen in the blue bag), Juno has none but is vegetarian."],
        ),
        ("Please write to the dentist that I am allergic to penicillin.", ["I am allergic to penicillin."]),
        ("Write a mail to Jo: I am vegan and live in Rome.", ["I am vegan"]),
        ("Write a mail to Jo:\nI am vegan and live in Rome.\n\nI have two kids.", ["I am vegan"]),
        ("Write to my landlord: I am diabetic and need a fridge", ["I am diabetic and need a fridge"]),
        ("Write Ann a text saying I'm vegan", ["I'm vegan"]),
        ("tell my boss: I'm pregnant", ["I'm pregnant"]),
        (
            "write a message for the babysitter: Mia is allergic to nuts. Her toys are in the hall. I take warfarin.",
            ["Mia is allergic to nuts.", "I take warfarin."],
        ),
        (
            "can you write an email to the hotel saying that my husband is coeliac and I am allergic to shellfish?",
            ["My husband is coeliac", "I am allergic to shellfish"],
        ),
        ("Draft an email to my boss: I am epileptic. We are moving on 1 May.", ["I am epileptic."]),
        ("Reply to Jane: yes I am allergic to cats.", ["I am allergic to cats."]),
        ("Reply to the dentist's email saying that I am allergic to latex.", ["I am allergic to latex."]),
        ("Write an email to my son's school: Max is allergic to nuts.", ["Max is allergic to nuts."]),
        ("Write an email to my sister's doctor: I am allergic to latex.", ["I am allergic to latex."]),
        ("Write today's email to the clinic: I am allergic to latex.", ["I am allergic to latex."]),
        ("Please tell the hotel I can't eat gluten.", ["I can't eat gluten."]),
        ("Tell my new landlord I have asthma", ["I have asthma"]),
        ("Write a letter for Dr Smith: I have asthma.", ["I have asthma."]),
        ("Write a letter for the hotel: I can't eat nuts.", ["I can't eat nuts."]),
        ("Write a letter for Oslo University saying that I have dyslexia", ["I have dyslexia"]),
    ],
)
def test_safety_facts_in_letters_of_the_person_are_kept(text: str, kept: list[str]) -> None:
    assert kept_texts(text) == kept


@pytest.mark.parametrize(
    "text",
    [
        "Write a story: I am allergic to penicillin.",
        "Write a letter from a patient: I am allergic to penicillin.",
        "Draft a template letter to a school: my son is allergic to nuts.",
        "Write a sample email to the hotel: I have coeliac disease.",
        "write a letter in the name of my neighbour: I have asthma",
        "Draft a note for my client to send to her doctor: I am allergic to penicillin.",
        "Write a poem that says I am allergic to penicillin",
        "Rewrite this email: I have coeliac disease and live in Leeds",
        "Write a dialogue for English class: I'm allergic to nuts, says Tom.",
        "Write a message as a diabetic patient: I have type 1 diabetes",
        "Write a note to my landlord: we are moving out on 1 May and the boiler is broken.",
        "Write to the dentist that if I am allergic to penicillin I will tell them.",
        "Write a letter to my MP saying that people with diabetes need help",
        "Reply to my friend: he has diabetes and asks what to eat",
        "Write a letter for Kim to her boss: I am pregnant and need leave.",
        "Write Anna's email to Dr Lee: I am allergic to latex",
        "write a letter for Anna: I can't eat nuts",
        "Write a letter for Anna to the hotel: I can't eat nuts. I have asthma.",
        "Write a mail for Jo Miller saying that I am allergic to latex",
        "Please tell the hotel I can't come.",
        "Write my wife's message to HR: I am pregnant",
        "Write a text my wife can send to her boss: I'm pregnant",
        "Write an email to Dr Lee, signed Anna: I am allergic to latex",
        "Create a message for my app's users: I am allergic to nuts",
        "Write a bot reply: I am deaf",
        "Reply to Bob's message: I am allergic to nuts",
        "Reply to my tenant's email: I have asthma and there is mould.",
        "Respond to the customer who said: I am allergic to nuts",
        "Respond to a customer complaint: I am allergic to nuts and got sick.",
        "Respond to the customer: I am allergic to nuts",
    ],
)
def test_made_up_letters_and_those_of_others_stay_refused(text: str) -> None:
    assert kept_texts(text) == []


def test_a_letter_within_fiction_is_fiction() -> None:
    assert kept_texts("Write a story about me on a ship.", "Write a letter to the captain: I am diabetic.") == []


@pytest.mark.parametrize("text", ["I use a wheelchair.", "I use a hearing aid at work.", "I wear hearing aids."])
def test_an_aid_that_the_person_uses_is_a_matter_of_safety(text: str) -> None:
    found = distil(CHAT, [replace(TURN, text=text)]).candidates
    assert [(one.text, one.rule) for one in found] == [(text, "health")]


@pytest.mark.parametrize("text", ["I use a walker library", "I use a wheelchair emoji here", "I use a tree walker."])
def test_a_thing_of_the_same_name_is_none(text: str) -> None:
    assert not any(one.rule == "health" for one in distil(CHAT, [replace(TURN, text=text)]).candidates)


def test_a_request_to_forget_after_a_letter_is_heeded() -> None:
    found = distil(CHAT, [replace(TURN, text="Write to my boss: I am pregnant. Forget that I'm pregnant.")])
    assert [one.query for one in found.forget_requests] == ["I'm pregnant"]
