"""Statements that say of whom or of what they are only with the sentence before them are kept together with it."""

from dataclasses import replace

import pytest

from curator.distill.candidate import Candidate
from curator.distill.chat_score import sentence_classifier
from curator.distill.rules import distil
from factories import CHAT, TURN
from store.model import Kind, Tier

pytestmark = pytest.mark.usefixtures("classifiers")


def read(text: str) -> list[Candidate]:
    said = replace(TURN, text=text, created_at=None)
    return list(distil(CHAT, [said], classifier=sentence_classifier(), after=-1).candidates)


@pytest.mark.parametrize(
    "text",
    [
        "Ilse moved to Ghent in spring. She teaches violin at the conservatory there now.",
        "My old boat is gone. I sold it to a man from Harlingen and paid off the loan.",
        "I gave up oat milk in my tea. Only lemon in it now, every morning since March.",
        "We had planned to sail to Gotland. We'll cycle along the Danube instead, in June.",
        "I'm carving a heron for the club. It's for the show in May, the carvers in Bruges, the first one I put in",
        "We got a kitten from the shelter. 9 weeks old, grey, called Pepper",
        "What does it cost to move a call sign? PA3XYZ, had it since 2011",
        "Moved into the flat on Larkstreet. Second floor. no lift, a balcony to the south",
    ],
)
def test_such_a_statement_begins_with_the_sentence_before(text: str) -> None:
    kept = [one for one in read(text) if one.end == len(text)]
    assert [(one.quote, one.text.lower()) for one in kept] == [(text, text.lower())]
    assert len(read(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "I like rowing. My brother Piet lives in Delft and works for the city.",
        "The trains were late again. It's easier for me to work from home on Fridays.",
        "Draft a mail to the school. They keep calling me at eight, and I work nights until six.",
        "Keep a note of this for when you write my cards. They go to Hugo and Ilse, who live in Bruges.",
        "Can you explain this? It belongs to my neighbour Hugo, who collects clocks.",
        "I'm scared for her. She lost her job at the bakery in Lyon last year.",
        "My laptop says ValueError: bad input. It's for a greenhouse that I built with Tom.",
        "I moved to Ghent last year.\n\nShe teaches violin at the conservatory in Brussels.",
        "- I moved to Ghent last year\n- Second floor, no lift, a balcony to the south",
        "Forget that I had a boat. I sold it to a man from Harlingen in 2019.",
    ],
)
def test_others_stay_as_they_are(text: str) -> None:
    assert not [one for one in read(text) if one.quote.count(". ") or one.quote.count("? ") or "\n" in one.quote]


def test_orders_and_requests_to_remember_stay_alone() -> None:
    for text in (
        "I keep bees behind the house. From now on never suggest spraying them.",
        "Remember that my licence ends in May 2031. I got it from the harbour office in Kiel.",
    ):
        first, second = (said.rstrip(".") for said in text.split(". "))
        kept = {one.always: one.quote.rstrip(".") for one in read(text)}
        assert kept.get(True, "") in first + second
        assert not [one for one in read(text) if first[-20:] in one.quote and second[:20] in one.quote]


def test_a_fact_on_health_keeps_its_kind() -> None:
    (one,) = read(
        "Saw the rheumatologist on Monday. He stopped the methotrexate, I'm on insulin now, 8 units at night."
    )
    assert (one.kind, one.tier) == (Kind.IDENTITY, Tier.CORE)
    assert one.text.startswith("Saw the rheumatologist") and one.text.endswith("8 units at night.")
    for text in (
        "I'm allergic to walnuts. It started in Lyon when I was nine and lived with my aunt.",
        "I had asthma as a boy. I sold the house in Lyon to pay for it.",
    ):
        assert not [one for one in read(text) if "Lyon" in one.text and one.start == 0]


def test_what_would_be_too_long_stays_alone() -> None:
    long = f"We opened a shop for second hand books {'near the harbour of Split ' * 5}in the spring."
    text = f"{long} It sells maps of the islands as well, the old ones, on Saturdays."
    assert not [one for one in read(text) if one.end == len(text) and one.start == 0]


def test_an_order_about_what_the_order_before_it_names_is_one_with_it() -> None:
    (one,) = read("And dont begin with sure thing or of course. Quit that for good.")
    assert one.text == "Dont begin with sure thing or of course. Quit that for good." and one.always
    apart = read("Never use tables. Always answer in Dutch.")
    assert [each.text for each in apart] == ["Never use tables.", "Always answer in Dutch."]
