"""Facts that hurt when they are missed, and the prompts that they matter to, are told by their words."""

import pytest

from curator import safety


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
    ],
)
def test_a_fact_is_known_by_its_words(text: str) -> None:
    assert safety.states(text)


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
    ],
)
def test_other_statements_are_none(text: str) -> None:
    assert not safety.states(text)


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
        ("something for the bake sale", "allergy"),
        ("make me a training plan for the marathon", "injury"),
    ],
)
def test_a_prompt_tells_what_it_is_about(prompt: str, kind: str) -> None:
    assert kind in safety.concerned(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "write a bash script that renames files",
        "add a column food_safe to glaze",
        "why is the sky blue",
        "the in-flight bug",
    ],
)
def test_most_prompts_are_about_none_of_it(prompt: str) -> None:
    assert safety.concerned(prompt) == ()


def test_a_treatment_matters_to_its_prompts_only() -> None:
    assert not safety.states("I had a migraine yesterday")
    assert safety.states("I had a migraine yesterday", safety.concerned("a pill for my headache"))


def test_every_fact_has_the_word_by_which_it_is_looked_for() -> None:
    every = tuple(safety.FACTS)
    assert "allergic" in safety.roots_of(every)
    assert all(safety.states(word, every) for word in safety.words_of(every))
