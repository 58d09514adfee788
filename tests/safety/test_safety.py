"""Safety facts, which do harm when missed, are recognised by their words."""

import pytest

from curator import safety
from curator.safety.relevance import matters


@pytest.mark.parametrize(
    "text",
    [
        "I'm allergic to hazelnuts",
        "Nora can’t have gluten",
        "I cannot have more sugar at a time",
        "Ich bin allergisch gegen Nüsse",
        "Je suis végétarienne",
        "Soy alérgica al marisco",
        "私はえびアレルギーです",
        "My father uses a wheelchair",
        "I take a blood thinner",
        "I get hives from strawberries",
        "Penicillin gave me hives",
        "I break out in hives after shrimp",
        "My throat closes when I'm stung by a wasp",
        "There is a stent in my heart",
        "My father has a stent",
        "I'm allergic to work gloves",
        "I'm allergic to mornings and pollen",
        "I'm allergic to politics, peanuts and pollen",
        "I've PTSD since the accident",
        "I have G6PD deficiency",
        "My son is a haemophiliac",
        "I'm nearly blind",
        "cant do crawfish or shrimp, my face blows up like a balloon",
        "shellfish and me dont get along, ended up in the ER twice",
        "peanuts will kill me",
        "sulfa drugs nearly killed me in 03",
        "I react badly to latex",
        "my son goes into shock from eggs",
        "I'm in recovery from anorexia",
        "I am not allergic to anything but nuts",
    ],
)
def test_a_fact_is_known_by_its_words(text: str) -> None:
    assert safety.states(text)


@pytest.mark.parametrize(
    "text",
    [
        "Peanuts send me to hospital, I carry an EpiPen",
        "Peanuts could kill me",
        "I'm severely allergic to peanuts",
        "My nut allergy is life-threatening",
        "My throat closes up when I eat shellfish",
        "My son had anaphylaxis after a wasp sting",
        "Ich habe eine lebensbedrohliche Allergie gegen Nüsse",
        "ピーナッツでアナフィラキシーを起こしたアレルギーがある",
    ],
)
def test_a_grave_one_is_told_from_a_mild_one(text: str) -> None:
    assert safety.states(text) and safety.is_grave(text)
    for mild in ("I'm allergic to peanuts", "I'm a bit allergic to nuts", "I work in a hospital", "A severe winter"):
        assert not safety.is_grave(mild)


@pytest.mark.parametrize(
    "text",
    [
        "I'm vegan and work in a children's hospital",
        "My nut allergy is not severe",
        "I have no life-threatening allergies",
        "My pollen allergy has never sent me to the hospital",
        "I’m vegan and my boss could kill me if the demo fails",
    ],
)
def test_a_fact_that_is_said_not_to_be_grave_is_none(text: str) -> None:
    assert safety.states(text) and not safety.is_grave(text)
    assert safety.is_grave(f"{text}, but peanuts sent me to hospital")


@pytest.mark.parametrize(
    "text",
    [
        "I like tea",
        "The vegetables arrive on Friday",
        "Das ist doof",
        "A blind date",
        "I can't have meetings on Fridays",
        "We cannot have a dog in this flat",
        "Functions must not have side effects",
        "I keep bees and have four hives",
        "I was stung by the criticism",
        "My company has a stent patent",
        "My warnings fell on deaf ears",
        "The boss sent me to the hospital project",
        "My boss could kill me if I ship on Friday",
        "My wife would kill me",
        "Deadlines can kill me",
        "I nearly died from laughing",
        "I'm allergic to Mondays",
        "I am allergic to delays and early mornings.",
        "Honestly allergic to corporate bullshit, so be brief",
        "I am not allergic to anything",
        "No known allergies",
        "I don't have any food allergies",
        "The stairs nearly killed me",
        "That meeting will kill me",
        "The boiler goes into shock from cold water",
        "I react badly to criticism",
        "My face blows up on every screen",
        "I was held up in the ER for my shift",
    ],
)
def test_other_statements_are_none(text: str) -> None:
    assert not safety.states(text)


def test_a_denial_is_one_of_the_fact() -> None:
    for text in ("I'm no longer allergic to nuts", "I don't have a nut allergy", "My nut allergy is gone"):
        assert safety.may_deny(text)
    for text in ("I'm allergic to nuts, no big deal", "I'm allergic to nuts, not to milk", "I'm not fond of peanuts"):
        assert not safety.may_deny(text)


@pytest.mark.parametrize(
    "text",
    [
        "My INR target is 2.5",
        "I feel faint when I stand up",
        "On iron tablets since May",
        "My grandmother had a stroke",
        "I take lithium at night",
        "I'm on sertraline",
        "Broke my right ankle on ice",
        "A torn hamstring in 2019",
        "Running is out since the ankle",
    ],
)
def test_treatments_and_injuries_are_known_by_their_words(text: str) -> None:
    assert safety.states(text, tuple(safety.FACTS)) and not safety.states(text)


@pytest.mark.parametrize(
    "text",
    [
        "I earn 50000 INR",
        "I'm torn between Rust and Go",
        "Faint colours look best",
        "I live on Ankle Street",
        "We sell tablets and phones",
        "The lithium battery is empty",
        "It is grep on steroids",
    ],
)
def test_their_words_also_say_other_things(text: str) -> None:
    assert not safety.states(text, tuple(safety.FACTS))


@pytest.mark.parametrize("kind", safety.FACTS)
def test_no_kind_is_stated_by_every_text(kind: str) -> None:
    assert safety.pattern_of((kind,)).search("nothing of the kind") is None


def test_every_fact_has_the_word_by_which_it_is_looked_for() -> None:
    every = tuple(safety.FACTS)
    assert "allergic" in safety.roots_of(every)
    assert all(safety.states(f"{word}, nuts", every) for word in safety.words_of(every))


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("My brother swells up from nuts", True),
        ("Celery is out for my sake", True),
        ("Everything at home has to be gluten free", True),
        ("I can't do dairy", True),
        ("It all worked out for me", False),
        ("I don't tolerate noise", False),
    ],
)
def test_a_need_may_be_said_without_its_name(text: str, stated: bool) -> None:
    assert safety.states(text) is stated


def test_an_injured_back_and_bad_hearing_are_no_lasting_facts_but_known() -> None:
    for text in ("I hurt my back moving a piano", "I have a back injury", "I have a hearing problem"):
        assert safety.states(text, tuple(safety.FACTS)) and not safety.states(text)


@pytest.mark.parametrize(
    "text",
    [
        "I'm allergic to my boss",
        "I'm allergic to my boss lol",
        "I'm allergic to people who smoke",
        "I'm allergic to adulting haha",
        "I swear I'm allergic to Mariah Carey at this time of year",
        "I'm allergic to Taylor Swift, sorry",
        "I'm allergic to Taylor Swift 😂",
    ],
)
def test_an_allergy_to_somebody_is_a_joke(text: str) -> None:
    assert not safety.states(text)
    assert not safety.is_grave(text)
    assert not matters(text, "plan a dinner for my friends", ("food",))
    assert safety.states(f"I'm diabetic. {text}")


@pytest.mark.parametrize(
    "text",
    [
        "I'm allergic to Penicillin",
        "I'm allergic to Elastoplast lol yes really",
        "I'm allergic to Elastoplast lol",
        "I swear I'm allergic to wool",
        "I'm allergic to Brazil Nuts lol",
        "I'm allergic to Red Bull",
        "I'm allergic to Fairy Liquid, it gives me a rash lol",
        "I'm allergic to my wife's cat lol",
        "I'm allergic to my boss and to nuts",
        "I'm allergic to peanuts lol",
        "I'm allergic to Johnson Baby Shampoo, sorry",
        "I'm allergic to Bactrim Forte, sorry, forgot to say",
        "I'm allergic to Royal Jelly :)",
        "I'm allergic to Mountain Cedar at this time of year",
        "I'm allergic to Vicks Vaporub lol",
        "I'm allergic to kids shampoo",
        "I'm allergic to human seminal fluid",
        "I'm allergic to Aunt Bessie's puddings",
        "My mother is allergic to kiwi, sorry",
    ],
)
def test_no_true_allergy_is_taken_for_a_joke(text: str) -> None:
    assert safety.states(text)
