"""An allergy that an assistant asked about for somebody else is not the person's."""

from dataclasses import replace

import pytest

from curator.distill.rules import distil
from curator.distill.scores.chats import sentence_classifier
from factories import CHAT, TURN
from store.model import Role


def kept_texts(question: str, answer: str) -> list[str]:
    asked = replace(TURN, id=1, ordinal=1, role=Role.ASSISTANT, text=question, created_at=None)
    turns = [asked, replace(TURN, id=2, ordinal=2, text=answer, created_at=None)]
    found = distil(CHAT, turns, classifier=sentence_classifier())
    assert found.candidates or found.refusals
    return [one.text for one in found.candidates]


@pytest.mark.usefixtures("classifiers")
@pytest.mark.parametrize(
    "question",
    [
        "Does your visitor have allergies?",
        "Lovely. Would you like a menu? Does Kofi have any allergies?",
        "Is your niece allergic to anything?",
        "Does anyone in your group have dietary restrictions?",
        "Do you or your guest have any allergies?",
        "Do you know if they have allergies?",
        "Are you cooking for someone with allergies?",
        "Do you have any friends with allergies?",
        "Is she on any medication?",
        "What about your mother-in-law, any allergies?",
    ],
)
def test_a_bare_answer_about_somebody_else_is_not_the_persons(question: str) -> None:
    assert kept_texts(question, "Yes, severe sesame allergy.") == []
    assert kept_texts(question, "yes, allergic to eggs and cats") == []


@pytest.mark.usefixtures("classifiers")
@pytest.mark.parametrize(
    ("question", "answer", "kept"),
    [
        ("Do you have any allergies?", "Yes, severe sesame allergy.", "Severe sesame allergy."),
        ("Any allergies I should know about?", "Yes, severe sesame allergy.", "Severe sesame allergy."),
        ("Are your allergies severe?", "Yes, severe sesame allergy.", "Severe sesame allergy."),
        ("Who are your guests? Do you have any allergies?", "Yes, severe sesame allergy.", "Severe sesame allergy."),
        ("Does your visitor have allergies?", "I'm allergic to eggs", "I'm allergic to eggs"),
        (
            "Does your visitor have allergies?",
            "my visitor Ann is allergic to eggs",
            "My visitor Ann is allergic to eggs",
        ),
        ("Does Kofi have allergies?", "Kofi has a sesame allergy", "Kofi has a sesame allergy"),
    ],
)
def test_an_answer_that_says_whose_it_is_is_kept(question: str, answer: str, kept: str) -> None:
    assert kept_texts(question, answer) == [kept]
