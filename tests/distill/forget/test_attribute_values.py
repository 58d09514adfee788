"""Requests to forget that name an attribute of the person find its values, and no other things of that name."""

import pytest

from curator.distill.forget.match import Certainty, match_text, parse_request
from curator.distill.rules import distil
from store.model import Conversation, Message, Role


def certainty(request: str, text: str) -> Certainty:
    """Return the certainty that a request means a memory of a chat about something else."""
    return match_text(parse_request(request), text, ["Talk"])[0]


@pytest.mark.parametrize(
    ("request_text", "said"),
    [
        ("my weight", "Im trying to lose a stone before summer, currently 78 kilo"),
        ("my weight", "I've gained 5 kg since january"),
        ("my weight", "Currently 78 kilo"),
        ("my weight", "My BMI is 31"),
        ("my weight", "Im 5 foot 4 and 70 kilo"),
        ("my weight", "I want to lose weight"),
        ("my age", "I'm 43"),
        ("my age", "I am 43 years old and live in York"),
        ("my age", "I turned 50 in May"),
        ("my age", "My age is 51"),
        ("my salary", "I'm on 38k"),
        ("my salary", "I get paid 2,900 euros a month"),
        ("my phone number", "Reach me on 07700 900123"),
    ],
)
def test_a_value_states_the_attribute(request_text: str, said: str) -> None:
    assert certainty(request_text, said) is Certainty.SURE


@pytest.mark.parametrize(
    ("request_text", "said"),
    [
        ("my weight", "Weights always in grams please never cups, i dont even own cups"),
        ("my weight", "I lift weights three times a week"),
        ("my weight", "The weight of the parcel is 3 kg"),
        ("my weight", "I use a weighted blanket"),
        ("my weight", "I deadlift 100 kilo"),
        ("my weight", "I bought 5 kg of flour"),
        ("my weight", "My suitcase is at 23 kilo"),
        ("my weight", "I lost 20 pounds at poker"),
        ("my weight", "I'm down to 50 pounds in the bank"),
        ("my weight", "Zosia lost a stone"),
        ("my weight", "Petrol is up to 71.5 pence"),
        ("my age", "All my patient leaflets must be reading age 11 and font 14"),
        ("my age", "I'm 40 weeks pregnant"),
        ("my age", "I haven't slept for ages"),
        ("my age", "Graham is 51"),
        ("my salary", "I paid 400 euros for the bike"),
        ("my salary", "I'm on 75 mcg"),
    ],
)
def test_the_word_or_number_of_something_else_states_nothing(request_text: str, said: str) -> None:
    assert certainty(request_text, said) is not Certainty.SURE


def test_a_number_without_its_unit_is_in_doubt() -> None:
    found = match_text(parse_request("my weight"), "Down to 71.5 and stopping there, i feel good.", ["Talk"])
    assert found == (Certainty.DOUBTFUL, "perhaps your weight")


def test_what_somebody_with_a_name_weighs_is_in_doubt() -> None:
    assert certainty("my weight", "Graham weighs 92 kilo") is Certainty.DOUBTFUL
    assert certainty("Graham's weight", "Graham weighs 92 kilo") is Certainty.SURE
    assert certainty("the weights in grams", "Weights always in grams") is Certainty.SURE


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("forget my weight please, i dont want numbers about my body saved anywhere", "my weight"),
        ("Forget I smoke.", "I smoke"),
        ("forget about my weight", "my weight"),
    ],
)
def test_whose_it_is_belongs_to_the_request(text: str, asked: str) -> None:
    said = Message(id=1, conversation=1, ordinal=0, role=Role.USER, text=text)
    found = distil(Conversation(id=1, source="chatgpt", messages=1), [said], confidence=0.0)
    assert [one.query for one in found.forget_requests] == [asked]
