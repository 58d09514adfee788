"""Allergies, grouped by allergen."""

import pytest

from curator.safety.allergens import Allergen, allergens


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("allergic to penicillin (hives in 1998), also amoxicillin", "drug"),
        ("my son has a latex allergy", "latex"),
        ("lena is allergic to wasp stings and carries an adrenaline pen", "sting"),
        ("the allergies: hazelnuts and nickel", "metal food"),
        ("i'm allergic to penicillin and lupin", "drug food"),
        ("allergic to sesame and penicillin", "drug food"),
        ("i'm allergic to aspirin", "drug"),
        ("my daughter has a nut allergy, no penicillin either", "drug food"),
        ("i take aspirin and am allergic to nuts", "food"),
        ("i'm lactose intolerant", "food"),
        ("i'm allergic to penicillin, proper anaphylaxis, so any talk about antibiotics keep that in mind", "drug"),
        ("wasps make me swell up, i carry an epipen", "sting"),
        ("i'm allergic to novalgin, not to nuts", "food other"),
        ("penicillin was found by fleming, no allergies here", "drug"),
    ],
)
def test_an_allergy_is_known_by_what_it_is_to(text: str, found: str) -> None:
    assert {one.value for one in allergens(text)[0]} == {*found.split()}


def test_nothing_named_says_nothing() -> None:
    assert allergens("we keep bees and two cats") == (frozenset(), "we keep bees and two cats")
    assert Allergen.FOOD in allergens("allergic to cats and peanuts")[0]
