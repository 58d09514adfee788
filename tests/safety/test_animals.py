"""Names of animals, and what is said of them."""

import pytest

from curator.safety.animals import AnimalNames, is_animal

KINDS = ("illness", "allergy")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bosun", "We got a dog, Bosun, a 2 year old Lapphund."),
        ("miso", "My cat Miso hates rain"),
        ("rex", "My dog's name is Rex"),
        ("rex", "Our dog is called Rex"),
        ("rex", "Rex is our old dog"),
        ("rex", "Rex (my dog) is 3"),
    ],
)
def test_a_name_is_of_an_animal_by_what_was_said(name: str, text: str) -> None:
    assert is_animal(name, text)


@pytest.mark.parametrize("text", ["Anna likes dogs", "My dog walker Anna is ill", "Anna and my dog went out", "Anna"])
def test_and_of_nobody_beside_one(text: str) -> None:
    assert not is_animal("anna", text)


def test_a_fact_of_an_animal_is_none_of_the_person() -> None:
    looked: list[str] = []

    def texts_with(name: str) -> list[str]:
        looked.append(name)
        return ["We got a dog, Bosun"] if name == "bosun" else []

    animals = AnimalNames(texts_with)
    assert animals.has_fact("Bosun has been diagnosed with epilepsy", KINDS)
    assert animals.has_fact("My cat Miso has asthma", KINDS)
    assert not animals.has_fact("Bosun has fleas and I have asthma", KINDS)
    assert not animals.has_fact("Lotte has epilepsy", KINDS)
    assert animals.has_fact("Bosun is epileptic", KINDS) and looked.count("bosun") == 1
    assert animals.are_in("what may Bosun eat") and animals.are_in("a dog sitter")
    assert not animals.are_in("a hot dog for lunch") and not animals.are_in("Lotte is coming")
