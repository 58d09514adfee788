"""A sentence on how two memories differ, in the person's words and consistent with the relation."""

import pytest

from curator.compare.differences import differences
from curator.compare.phrases import amounts
from curator.compare.summary import summarize, two_values
from curator.text import joined_thousands
from store.model import Relation

UPDATE, CONTRADICTION, DUPLICATE = Relation.UPDATE, Relation.CONTRADICTION, Relation.DUPLICATE


@pytest.mark.parametrize(
    ("relation", "a", "b", "said"),
    [
        (UPDATE, "I live in Graz.", "We moved from Graz to Basel two weeks ago.", "Two homes: Graz, then Basel"),
        (UPDATE, "I live in Graz", "Lives in Basel, works at Ypsomed, vegan.", "Two homes: Graz, then Basel"),
        (UPDATE, "I live in Graz and do ceramics", "I live in Basel now", "Two homes: Graz, then Basel"),
        (UPDATE, "I'm a nurse", "I'm a midwife at Inselspital now", "Two jobs: nurse, then midwife"),
        (CONTRADICTION, "I was born in Graz", "I was born in Linz", "Two origins: Graz and Linz"),
        (UPDATE, "I'm vegan, have been for years", "I'm not vegan anymore", "A says vegan, B says not any more"),
        (CONTRADICTION, "I'm vegan", "I'm not vegan", "A says vegan, B says not"),
        (
            CONTRADICTION,
            "I'm allergic to penicillin",
            "I am not allergic to anything",
            "A says “I'm allergic to penicillin”, B says “I am not allergic to anything”",
        ),
        (UPDATE, "I've been vegetarian since school", "I eat fish now, since June", "A says vegetarian, B says fish"),
        (UPDATE, "Keep answers short.", "Long answers are fine now", "Two lengths for answers: short, then long"),
        (
            UPDATE,
            "My best time in the half marathon is 2:01",
            "Half marathon done in 1:54, a new best time",
            "Two values for half marathon: 2:01, then 1:54",
        ),
        (UPDATE, "I solved 12 puzzles so far", "I've now solved 15 puzzles", "Two values for puzzles: 12, then 15"),
        (
            CONTRADICTION,
            "I want 90% test coverage on the parser",
            "We have 65% test coverage on the parser",
            "Two values for test coverage: 90% and 65%",
        ),
        (
            UPDATE,
            "The release of kilnlog is on 3 May 2025",
            "The release of kilnlog is on 10 May 2025",
            "Two dates for release: 3 May 2025, then 10 May 2025",
        ),
        (
            UPDATE,
            "I'm a tea person these days after all.",
            "The moka pot's gone, I don't drink coffee anymore, tea only.",
            "B tells of a change: “I don't drink coffee anymore”",
        ),
        (
            UPDATE,
            "I'm trying to repair the old loom",
            "The old loom runs, done at last",
            "Planned or under way in A, done in B",
        ),
        (UPDATE, "I drink coffee", "I drink tea only", "A says “coffee”, B says “tea only”"),
        (UPDATE, "My hens lay in the barn all day", "My hens lay in the yard all day.", "A says “barn”, B says “yard”"),
        (
            CONTRADICTION,
            "I sent the boots back",
            "I have never returned anything I ordered",
            "B says otherwise: “I have never returned anything I ordered”",
        ),
    ],
)
def test_what_two_memories_differ_in(relation: Relation, a: str, b: str, said: str) -> None:
    assert summarize(relation, a, b) == said


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ("I keep bees", "i keep bees!", "Says the same"),
        ("I keep bees", "I keep bees and hens", "Says the same; B adds “hens”"),
        ("I keep bees in the garden behind the house", "I keep bees", "Says the same; A adds details"),
        ("My deadline is 30 May", "I promised to be done by 30 May", "Says the same in other words"),
        (
            "The team uses dbt, Postgres and Grafana.",
            "We use dbt, Postgres and Grafana",
            "Says the same; A adds “team”",
        ),
    ],
)
def test_a_duplicate_is_never_said_to_differ(a: str, b: str, said: str) -> None:
    assert summarize(DUPLICATE, a, b) == said


def test_without_dates_nothing_comes_first() -> None:
    assert summarize(UPDATE, "I live in Graz", "I live in Basel", dated=False) == "Two homes: Graz and Basel"


def test_beside_one_memory_they_are_called_otherwise() -> None:
    names = "The other", "This"
    assert summarize(UPDATE, "I'm vegan", "I'm not vegan anymore", names=names) == (
        "The other says vegan, this says not any more"
    )


def test_the_relation_is_said_where_no_word_tells() -> None:
    a, b = "It is quiet in the kiln room", "The kiln room hums all day"
    assert summarize(UPDATE, a, b) == "Both are about kiln room; one replaces the other"
    assert summarize(CONTRADICTION, a, b) == "Both are about kiln room; they do not fit together"
    assert summarize(CONTRADICTION, "Bees", "Hens") == "They do not fit together"


@pytest.mark.parametrize(
    ("relation", "a", "b", "said"),
    [
        (UPDATE, "I live in Graz", "I live in Basel", "Two homes: Graz, then Basel"),
        (UPDATE, "I'm vegan", "I'm not vegan anymore", "Vegan, then not any more"),
        (UPDATE, "Leaving Graz soon!", "We moved to Basel", "Change: “We moved to Basel”"),
        (
            CONTRADICTION,
            "I sent the boots back",
            "I have never returned anything I ordered",
            "“I have never returned anything I ordered”",
        ),
        (DUPLICATE, "I keep bees", "I keep bees and hens", "Says the same in other words"),
    ],
)
def test_without_names_neither_text_is_called_by_one(relation: Relation, a: str, b: str, said: str) -> None:
    assert summarize(relation, a, b, names=None) == said


def test_two_values_are_told_by_themselves() -> None:
    assert two_values(UPDATE, "I live in Graz", "I live in Basel") == "Two homes: Graz, then Basel"
    assert two_values(UPDATE, "I'm vegan", "I'm not vegan anymore") == ""
    assert two_values(DUPLICATE, "I live in Graz", "Home is Graz") == ""


def test_a_long_clause_is_cut_at_a_word() -> None:
    a = "I sent the boots back"
    b = "I have never in my whole life returned a single thing that I ordered from anybody at all"
    said = summarize(CONTRADICTION, a, b)
    assert said.endswith("…”") and len(said) < 90 and said.removesuffix("…”").split()[-1] in b.split()


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ("I pay 780 euros per month", "I pay 1 150 euros per month now", "Two values: 780 euros, then 1 150 euros"),
        ("The flat costs 1 150 euros", "The flat costs 1\u202f250 euros", "Two prices: 1 150 euros, then 1 250 euros"),
        (
            "Two machines for 980 euros without tax",
            "Two machines for 1\u00a0050,50 euros without tax",
            "Two values for machines: 980 euros, then 1 050,50 euros",
        ),
    ],
)
def test_a_space_may_part_thousands_and_a_preposition_names_no_thing(a: str, b: str, said: str) -> None:
    assert summarize(UPDATE, a, b).replace("\u202f", " ").replace("\u00a0", " ") == said


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("I take Tresiba 16 units at 22h and Novorapid at meals", "My doctor told me to lower Tresiba to 14 units"),
        ("Each night 16 units of Tresiba", "I take 14 units of Tresiba since November"),
    ],
)
def test_two_doses_are_told_with_the_medicine(a: str, b: str) -> None:
    assert summarize(UPDATE, a, b) == two_values(UPDATE, a, b)
    assert summarize(UPDATE, a, b) == "Two doses of Tresiba: 16 units, then 14 units"


def test_other_numbers_beside_each_other_stay_apart() -> None:
    assert [one.written for one in amounts("In 2024 150 people came")["peopl"]] == ["150"]
    assert (
        joined_thousands("06 12 34 56 78, 2 500 mg tablets, in 2024 150")
        == "06 12 34 56 78, 2 500 mg tablets, in 2024 150"
    )
    assert joined_thousands("1 150 euros, 1\u2009250\u2009000 km") == "1150 euros, 1250000 km"
    assert not differences("The flat costs 1 150 euros", "The flat costs 1150 euros")


def test_doses_of_two_medicines_are_no_two_values() -> None:
    said = summarize(UPDATE, "I inject Lantus in the night, 18 units", "I take Tresiba 16 units in place of Lantus")
    assert "18" not in said
