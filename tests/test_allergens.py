"""Allergies by what they are to, and the prompts to which a matter of safety matters by that."""

import pytest

from curator import concerns, safety
from curator.allergens import Allergen, allergens
from curator.concerns import Whose

DINNER, DENTIST, HOTEL = "dinner ideas for tonight", "the dentist wants to give me something", "a hotel in Rome"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("allergic to penicillin (hives in 1998), also amoxicillin", "drug"),
        ("my son has a latex allergy", "touch"),
        ("lena is allergic to wasp stings and carries an adrenaline pen", "sting"),
        ("the allergies: hazelnuts and nickel", "touch other"),
        ("i'm allergic to penicillin and lupin", "drug other"),
        ("allergic to sesame and penicillin", "drug other"),
        ("i'm allergic to aspirin", "drug"),
        ("my daughter has a nut allergy, no penicillin either", "drug other"),
        ("i take aspirin and am allergic to nuts", ""),
        ("penicillin was found by fleming, no allergies here", "drug"),
    ],
)
def test_an_allergy_is_to_food_unless_it_is_known_to_be_to_something_else(text: str, found: str) -> None:
    assert {one.value for one in allergens(text)[0]} == {*found.split()}


def test_nothing_named_says_nothing() -> None:
    assert allergens("we keep bees and two cats") == (frozenset(), "we keep bees and two cats")
    assert Allergen.OTHER in allergens("allergic to cats and peanuts")[0]


@pytest.mark.parametrize(
    ("text", "prompts"),
    [
        ("I'm allergic to penicillin, I stopped breathing as a child", (DENTIST,)),
        ("I cant have penicillin, its on my file", (DENTIST,)),
        ("Im allergic to penicillin and to shellfish", (DINNER, DENTIST, HOTEL)),
        ("I have a nickel allergy", (DENTIST,)),
        ("Lena is allergic to bee stings", (DENTIST, HOTEL)),
        ("I'm allergic to kiwis", (DINNER, DENTIST, HOTEL)),
        ("I'm colour-blind", ("a chart of sales per month", "choose a palette for the site")),
        ("I take ibuprofen on long days", (DENTIST, HOTEL)),
        ("I used to take ibuprofen on long days", ()),
        ("I take metformin twice a day", (DINNER, DENTIST, HOTEL)),
        ("No grapefruit with my tablets a day", (DINNER, DENTIST, HOTEL)),
        ("Rolo has kidney disease, only the vet's kibble", ("what to ask the vet about rolo",)),
    ],
)
def test_a_fact_matters_to_its_subjects(text: str, prompts: tuple[str, ...]) -> None:
    others = ("a chart of sales per month", "choose a palette for the site", "what to ask the vet about rolo")
    every = (DINNER, DENTIST, HOTEL, *others)
    assert tuple(one for one in every if safety.matters(text, one, safety.concerned(one))) == prompts


@pytest.mark.parametrize(
    ("text", "of"),
    [
        ("What do I give a plumber who's vegan and loves hiking", Whose.OTHERS),
        ("I know someone who is coeliac", Whose.OTHERS),
        ("I'm a runner who's diabetic", Whose.OWN),
        ("Never suggest ibuprofen to me, they don't go with warfarin", Whose.OWN),
        ("She is vegan and has a severe nut allergy", Whose.OWN),  # as a model may say of the person
        ("They gave me warfarin", Whose.OWN),
    ],
)
def test_a_fact_of_somebody_else_is_theirs(text: str, of: Whose) -> None:
    assert concerns.whose(text) is of


def test_a_prompt_about_the_own_health_brings_no_facts_of_others() -> None:
    texts = ["My daughter is allergic to eggs", "I have asthma", "Lena is allergic to wasp stings, carries an epipen"]

    def brought(prompt: str) -> list[int]:
        return sorted(concerns.wanted(texts, prompt, lambda _: ["my wife Lena"], 6))

    assert brought("a painkiller for my headache") == brought("make me a training plan for a marathon") == [1]
    assert brought("the dentist has antibiotics for me, what do I tell him") == [1], "he is the dentist"
    assert brought("a painkiller for my daughter") == brought("which painkiller for us") == [0, 1, 2]
    assert brought("Lena has a headache, which medicine") == [1, 2] and brought("dinner tonight") == [0, 1, 2]


def test_what_only_mentions_a_fact_is_not_given_beside_it() -> None:
    warfarin, fall = "I take warfarin for life", "I gave up climbing, a fall on warfarin is not worth it"
    nuts, baking = "I'm allergic to walnuts", "No pesto because of my walnut allergy"

    def brought(*texts: str) -> list[int]:
        return concerns.wanted(texts, DINNER, lambda _: (), 6)

    assert brought(fall, warfarin) == [1] and brought(baking, nuts) == [1]
    assert brought(fall) == [0] and brought(baking) == [0], "alone it is"
    assert len(brought("I take apixaban because of my asthma", "I have asthma")) == 2, "it says what is taken"
    assert (
        len(brought("On warfarin, INR target 3", warfarin)) == 2 and len(brought(baking, "I'm allergic to kiwi")) == 2
    )
