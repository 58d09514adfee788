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


@pytest.mark.parametrize(
    "text",
    [
        "Anna is our dog sitter",
        "Anna is a dog person",
        "Anna was bitten by a dog",
        "Anna is allergic to dogs",
        "Anna, the dog and I went out",
        "I love my dog, Anna hates him",
        "When I walk the dog, Anna cooks",
        "The dog Anna walks is ill",
        "Our cat is anna",
    ],
)
def test_nor_of_who_has_to_do_with_one(text: str) -> None:
    assert not is_animal("anna", text)


def test_an_allergy_of_a_child_is_never_taken_for_that_of_an_animal() -> None:
    said = ["My dog Max hates rain", "My son Max is 7", "Emil is allergic to dogs", "Our dog is called Bosun"]
    animals = AnimalNames(lambda name: [text for text in said if name in text.casefold()])
    assert not animals.has_fact("Max is severely allergic to peanuts", KINDS)
    assert not animals.has_fact("Emil has asthma", KINDS)
    assert not animals.has_fact("Bosun's walker Anna is allergic to nuts", KINDS)
    assert not animals.has_fact("Bosun's owner has a nut allergy", KINDS)
    assert animals.has_fact("Bosun has epilepsy", KINDS)


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
    assert not any(map(animals.are_in, ("cat notes.txt", "tail -f x | cat > y", "a pet project in Rust", "cat a/b")))
    assert not animals.are_in("a hot dog for lunch") and not animals.are_in("Lotte is coming")
