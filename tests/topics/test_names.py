"""Names of topics: a few words that tell what the memories are about."""

from collections.abc import Sequence

import pytest

from curator.topics.names import TopicTexts, names
from curator.topics.words import words_of

TREES = ("Prunes the apple trees in March", "Waters the trees at dusk", "Planted two pear trees")


def named(*topics: Sequence[str]) -> list[str]:
    return names([TopicTexts(texts, texts) for texts in topics])


def test_a_phrase_is_spelled_as_it_is_said_and_joins_singular_and_plural() -> None:
    milk = (
        "I buy oat milk",
        "Oat milk is what I take with coffee",
        "No cow's milk, it makes me ill",
        "Oats for the milk",
    )
    allergy = ("I have a hazelnut allergy", "Never suggest hazelnuts", "No hazelnuts, for my hazelnut allergy")
    assert named(milk, allergy, TREES) == ["oat milk", "hazelnut allergy", "trees"]


def test_words_that_are_part_of_anything_name_nothing() -> None:
    texts = ("I like the new day", "A new day at the violin", "Every day is a good new day for the violin")
    assert named(texts, TREES)[0] == "violin"


@pytest.mark.parametrize("word", "but though yet whereas although hence through within whose off out till".split())
def test_a_word_that_only_joins_others_is_in_no_name(word: str) -> None:
    texts = (
        f"I like my sister {word} she is loud",
        f"My sister is tall {word} shy",
        f"My sister lives here, {word} not for long",
        f"{word.title()} my sister {word} sister is nice",
    )
    assert named(texts, TREES)[0] == "sister"


def test_nouns_are_preferred_to_verbs() -> None:
    texts = ("I scrub the oven", "We scrub after the oven was on", "You scrub, please, if the oven is cold")
    assert named(texts, TREES)[0] == "oven"


def test_people_are_named_only_if_the_topic_is_about_them_and_then_with_their_relation() -> None:
    trip = (
        "My sister Elin comes to the harbour",
        "The ferry leaves the harbour at noon",
        "The ferry is full, says Elin",
        "We meet at the harbour",
        "The harbour has a café",
        "Bring a coat for the ferry",
        "The tickets are paid",
    )
    dog = ("Biscuit has a bad hip", "Biscuit eats fish only", "The vet saw Biscuit")
    mother = (
        "Our dog is Biscuit",
        "Birgitta, my mother, paints",
        "My mother Birgitta has a studio",
        "Birgitta likes oil",
    )
    found = named(trip, dog, mother, TREES)
    assert found[1].startswith("dog Biscuit") and found[2].startswith("mother Birgitta")
    assert "elin" not in found[0].casefold() and "harbour" in found[0]


def test_programs_are_no_people() -> None:
    texts = ("SQLite has one file", "SQLite makes backups easy", "SQLite needs no server", "I use SQLite at home")
    rest = ("Paris is far", "Trees and SQLite", "Nothing else here")
    assert named(texts, TREES, rest)[0].startswith("SQLite")


@pytest.mark.parametrize("intro", ["My name is Nora", "I'm Nora, a potter", "Nora Lind, 33, potter"])
def test_the_person_is_never_named(intro: str) -> None:
    texts = (intro, "Nora works at a kiln", "Nora wants a larger kiln", "Nora has two sons")
    (found, _) = named(texts, TREES)
    assert "nora" not in found.casefold() and "kiln" in found


def test_capital_letters_of_names_are_kept_and_those_of_sentences_are_not() -> None:
    texts = ("Ferries to Malmö are late", "I love Malmö in May", "Malmö again this year", "Ferries are full")
    assert named(texts, TREES)[0] == "Malmö, ferries"


def test_a_name_has_at_most_three_words() -> None:
    texts = ("Test coverage of the parser module rose", "The parser module needs test coverage", "More test coverage")
    for name in named(texts, texts[:2], TREES):
        assert len(name.replace(",", "").split()) <= 3


def test_titles_of_conversations_choose_among_the_words_of_memories() -> None:
    texts = ("Kanazawa in spring", "By train through Japan", "Two people, medium luggage")
    plain, titled, foreign = (
        names([TopicTexts(texts, texts, titles), TopicTexts(TREES, TREES)])[0]
        for titles in ((), ("Two weeks in Japan",) * 3, ("Divorce papers",) * 3)
    )
    assert titled.startswith("Japan") and not plain.startswith("Japan") and foreign == plain


def test_a_relation_that_only_a_forgotten_memory_tells_is_not_named() -> None:
    members = ("Kofi has a cold", "Kofi likes drums", "My son Kofi plays outside")
    assert names([TopicTexts(members, members), TopicTexts(TREES, TREES)])[0].startswith("son Kofi")
    found = names([TopicTexts(members, members[:2]), TopicTexts(TREES, TREES)])[0]
    assert found.startswith("Kofi") and "son" not in found


def test_scripts_without_spaces_are_named_by_whole_words() -> None:
    coffee = ("コーヒーを毎朝飲みます", "ブラックコーヒーが好きです", "コーヒー豆を京都で買います")
    assert named(coffee, ("庭でトマトを育てています", "庭は小さいです", "庭に水をやります"))[0] == "コーヒー"


def test_equal_topics_get_different_names() -> None:
    found = named(TREES, TREES, TREES, TREES)
    assert len(set(found)) == 4


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("My ex-girlfriend Anna lives in Rome", "ex"),
        ("My ex girlfriend Anna lives in Rome", "ex"),
        ("My former wife Anna paints", "ex"),
        ("Anna, my ex-wife", "ex"),
        ("My ex Anna paints", "ex"),
        ("My wife Anna paints", "wife"),
        ("My former boss Anna paints", "boss"),
        ("Anna, my sister", "sister"),
    ],
)
def test_a_former_partner_is_named_as_such(text: str, relation: str) -> None:
    assert words_of(text).people.relations == (("anna", relation),)
