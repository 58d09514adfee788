"""Typing errors, corrected with words of the store, in a small index and a large one."""

import pytest

from curator.models import load_embedder
from effort import thorough
from factories import put
from store import Filter, Store
from store.index import Index, tables
from store.index.corrections import edit_distance, suggest_words


@pytest.fixture(params=["small", "large"])
def index(request: pytest.FixtureRequest, store: Store, monkeypatch: pytest.MonkeyPatch) -> Index:
    if request.param == "large":
        monkeypatch.setattr(tables, "WORDS_FROM", 0)
    put(store, "Allergies: hazelnuts", "My wedding is near Amarante", "My father uses a wheelchair", "I like tea")
    put(store, "The deployment runs on Fridays", project="shop", scope="project:shop")
    made = Index(store, load_embedder("hashing", store.folder).fingerprint)
    made.catch_up()
    return made


@thorough
@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("alergies", "allergies"),
        ("amarnte", "amarante"),
        ("wheelchar", "wheelchair"),
        ("weding", "wedding"),
        ("hazlenuts", "hazelnuts"),
        ("deploiment", "deployment"),
        ("deployemnt", "deployment"),
        ("vedding", "wedding"),
    ],
)
def test_a_word_that_no_memory_has_is_corrected(index: Index, typed: str, meant: str) -> None:
    assert index.corrections([typed], Filter())[typed][0] == meant


@thorough
def test_known_words_other_forms_and_distant_ones_are_left_alone(index: Index) -> None:
    assert index.corrections(["wedding", "allergy", "hazelnut", "xylophone", "father"], Filter()) == {}
    assert index.corrections(["vedding"], Filter(), same_letter=True) == {}


def test_no_word_outside_the_filter_is_named(index: Index) -> None:
    assert index.corrections(["deploiment"], Filter(scopes=("global",))) == {}


def test_what_was_added_since_counts_too(index: Index) -> None:
    put(index.store, "The zephyrometer is broken")
    assert index.corrections(["zephyrometr"], Filter()) == {"zephyrometr": ("zephyrometer",)}


def test_an_edit_is_a_letter_more_less_or_other_or_two_swapped() -> None:
    assert [edit_distance("house", one, 2) for one in ("hose", "houses", "mouse", "huose", "hoes", "garden")] == [
        1,
        1,
        1,
        1,
        2,
        3,
    ]


def test_the_word_with_the_same_first_letter_comes_first_then_the_most_frequent() -> None:
    assert suggest_words("boke", ["a joke", "a joke", "my bike", "the book", "my bike"]) == ["bike", "joke"]


def test_a_long_word_is_not_corrected_by_its_short_stem() -> None:
    assert suggest_words("evenings", ["Owen is ever so late, every day"]) == []
    assert suggest_words("vedding", ["The wedding is in May"]) == ["wedding"]
