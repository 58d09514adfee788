"""Lists of statements about oneself are kept whole; safety facts are kept whatever else the list holds."""

from dataclasses import replace

import pytest

from curator.distill.rules import distil
from factories import CHAT, TURN
from store.model import Kind, Tier

ITEMS = (
    "I live in Leeds",
    "I work as a plumber",
    "I have two dogs, Rex and Bo",
    "I drive a Skoda",
    "sister Maureen knits",
    "yes",
    "I play the cello",
    "I'm learning Spanish",
    "I hate coriander",
    "I run 10 km every Sunday",
    "severe allergy to shellfish - I carry an EpiPen",
    "I was born in York",
    "I love jazz",
)


@pytest.mark.parametrize(("head", "mark"), [("About me", "- "), ("**About me:**", ""), ("hi", "* ")])
def test_what_is_refused_of_a_list_does_not_end_it(head: str, mark: str) -> None:
    text = "\n".join([head, *(f"{mark}{item}" for item in ITEMS)])
    found = distil(CHAT, [replace(TURN, text=text)])
    assert "limit" not in found.counts
    kept = {one.text.lower() for one in found.candidates}
    assert {item.lower() for item in ITEMS if item.startswith("I")} <= kept
    assert head == "hi" or ITEMS[-3].lower() in kept


def test_safety_takes_no_place_of_a_limit_and_needs_none() -> None:
    said = ["I live in Leeds.", "I drive a Skoda.", "I hate coriander."]
    safe = [f"My son is allergic to {what}." for what in ("nuts", "milk", "eggs")]
    text = " The build broke again. ".join([*said, *safe, "I'm vegan."])
    found = distil(CHAT, [replace(TURN, text=text)], limit=2)
    assert len([one for one in found.candidates if one.text in said]) == 2 and found.counts["limit"] == 1
    assert [one.text for one in found.candidates if one.text not in said] == [*safe, "I'm vegan."]


@pytest.mark.parametrize("head", ["About me:", "## About me", "Some facts about me", "My diet"])
def test_safety_in_a_list_about_oneself_needs_no_subject(head: str) -> None:
    items = ["diabetic type 1", "vegan", "vegetarian since 2019", "severe peanut allergy"]
    found = distil(CHAT, [replace(TURN, text="\n".join([head, *(f"- {item}" for item in items)]))])
    assert [one.quote for one in found.candidates] == items
    assert {one.kind.value for one in found.candidates} == {"identity"}


@pytest.mark.parametrize(
    "text",
    ["Menu:\n- vegan\n- gluten-free", "About me:\n- is it vegan?", "About me:\n- hi\n\nWhat to cook:\n- vegan lasagne"],
)
def test_other_lists_say_nothing_of_the_person(text: str) -> None:
    assert distil(CHAT, [replace(TURN, text=text)]).candidates == ()


def test_what_may_cost_a_life_is_central_whatever_it_is_said_with() -> None:
    text = (
        "Severe allergy to shellfish - I carry an EpiPen. Actually I was tested for it, and my allergy is anaphylactic."
    )
    found = distil(CHAT, [replace(TURN, text=text)]).candidates
    assert len(found) == 2
    assert {(one.kind, one.tier, one.importance) for one in found} == {(Kind.IDENTITY, Tier.CORE, 9)}
