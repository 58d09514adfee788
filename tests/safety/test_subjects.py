"""Prompts for which a safety fact matters are recognised by their words."""

import pytest

from curator.safety import states
from curator.safety.relevance import kinds_of, matters
from curator.safety.subjects import subjects_of

DINNER, DENTIST, HOTEL = "dinner ideas for tonight", "the dentist wants to give me something", "a hotel in Rome"
HIKE, PAINT, STUNG = "which hikes are doable on sunday", "how do I repaint the bedroom", "got stung, what now"


@pytest.mark.parametrize(
    ("prompt", "kind"),
    [
        ("plan a dinner for six", "allergy"),
        ("recpie for four", "diet"),
        ("a good painkiler", "illness"),
        ("was soll ich heute kochen", "allergy"),
        ("明日の夕食を考えて", "diet"),
        ("find us a hotel in Rome", "disability"),
        ("what can I take for this headache", "treatment"),
        ("is amoxicillin fine for me", "allergy"),
        ("which horror film should we watch tonight", "flicker"),
        ("movie night with Elif, ideas", "flicker"),
        ("something for the bake sale", "allergy"),
        ("make me a training plan for the marathon", "injury"),
        ("what may I eat before my operation", "treatment"),
        ("which dose of ibuprofen is right for a child", "allergy"),
        ("INR was 4.1 this morning, hm", "illness"),
        ("feeling sick every morning after my tablets", "illness"),
        ("got stung in the garden, what now", "allergy"),
        ("is a back massage fine after a fall", "illness"),
        ("my GP wants to see me", "treatment"),
        ("is St. Johns wort worth trying", "illness"),
        ("how do I clean a wound", "allergy"),
        ("can I take a pill for the cold", "allergy"),
    ],
)
def test_a_prompt_tells_what_it_is_about(prompt: str, kind: str) -> None:
    assert kind in kinds_of(subjects_of(prompt))


@pytest.mark.parametrize(
    "prompt",
    [
        "write a bash script that renames files",
        "add a column food_safe to glaze",
        "why is the sky blue",
        "the thickness of the film on the wafer",
        "review the loader of the movie dataset",
        "the in-flight bug",
        "Add retry to the delete operation",
        "Port the app to a tablet layout",
        "convert 500 INR to EUR",
        "make the badge a pill with rounded corners",
        "massage the data into one dose per row",
        "a GP regression with the kernel wound around it",
        "remove the side effect from the reducer",
        "set the stroke width of the path",
        "the tests laufen nicht",
        "my gpu is slow",
        "my pillow is flat",
        "my operational costs of the shop",
        "plan the training for my new staff",
    ],
)
def test_most_prompts_are_about_none_of_it(prompt: str) -> None:
    assert subjects_of(prompt) == ()


def test_a_treatment_matters_to_its_prompts_only() -> None:
    assert not states("I had a migraine yesterday")
    assert states("I had a migraine yesterday", kinds_of(subjects_of("a pill for my headache")))


@pytest.mark.parametrize(
    ("text", "prompts"),
    [
        ("I'm allergic to penicillin, I stopped breathing as a child", (DENTIST, STUNG)),
        ("I cant have penicillin, its on my file", (DENTIST, STUNG)),
        ("Im allergic to penicillin and to shellfish", (DINNER, DENTIST, HOTEL, STUNG)),
        ("I have a nickel allergy", (DENTIST, STUNG)),
        ("Lena is allergic to bee stings", (HIKE, STUNG)),
        ("I'm allergic to kiwis", (DINNER, DENTIST, HOTEL, STUNG)),
        ("I have asthma", (DENTIST, HIKE, PAINT, STUNG)),
        ("My left knee can't take stairs", (HIKE,)),
        ("No lifting over 5kg for 3 months", (HIKE,)),
        ("I have a slipped disk", (HIKE,)),
        ("I have a hearing problem", ("seats for the concert",)),
        ("I'm coeliac", (DINNER, HOTEL)),
        ("I'm allergic to cats", (HIKE, PAINT, STUNG)),
        ("I'm colour-blind", ("a chart of sales per month", "choose a palette for the site")),
        ("I take ibuprofen on long days", (DENTIST, STUNG)),
        ("I used to take ibuprofen on long days", ()),
        ("I take metformin twice a day", (DINNER, DENTIST, STUNG)),
        ("No grapefruit with my tablets a day", (DINNER, DENTIST, STUNG)),
        ("Rolo has kidney disease, only the vet's kibble", ("what to ask the vet about rolo",)),
    ],
)
def test_a_fact_matters_to_its_subjects(text: str, prompts: tuple[str, ...]) -> None:
    others = ("a chart of sales per month", "choose a palette for the site", "what to ask the vet about rolo")
    every = (DINNER, DENTIST, HOTEL, HIKE, PAINT, "seats for the concert", STUNG, *others)
    assert tuple(one for one in every if matters(text, one, subjects_of(one))) == prompts


def test_an_injury_matters_to_exercise() -> None:
    for prompt in ("can I deadlift today", "a gym routine for me", "a session of bouldering on Sunday"):
        assert matters("No lifting over 5kg for 3 months", prompt, subjects_of(prompt)), prompt


def test_an_illness_of_an_animal_matters_to_prompts_about_animals_only() -> None:
    biscuit = "My dog Biscuit has kidney disease and takes Fortekor"
    for prompt, matter in (
        ("cook dinner for guests", False),
        ("plan a trip to Spain", False),
        ("dinner for guests and a treat for the dog", True),
        ("what may biscuit eat for supper", True),
    ):
        assert matters(biscuit, prompt, subjects_of(prompt)) is matter
    prompt = "cook dinner for guests"
    for text in ("My son is allergic to cats and nuts", "My dog is old, I have diabetes", "I have a dog, is kosher"):
        assert matters(text, prompt, subjects_of(prompt))
    assert not matters("Our cat is diabetic and takes insulin", prompt, subjects_of(prompt))


@pytest.mark.parametrize("text", ["I'm on levothyroxine", "I have high blood pressure", "I take simvastatin at night"])
def test_a_treatment_that_forbids_some_food_matters_to_dinner(text: str) -> None:
    assert matters(text, DINNER, subjects_of(DINNER))


@pytest.mark.parametrize(
    "prompt", ["toothache, what can i take", "my uti is back", "what should i take for a sore throat?"]
)
def test_complaints_bring_what_forbids_a_medicine(prompt: str) -> None:
    assert "health" in subjects_of(prompt)
    assert "health" not in subjects_of("which train can i take")
