"""A prompt about "my husband" finds what is said of him by name."""

from pathlib import Path

import pytest

from curator.models import load_embedder
from curator.recall import find
from curator.recall.named_people import names_of_mentioned, with_names
from curator.services.recall import block_options
from curator.services.search_session import embed_missing
from factories import put
from store import Filter, Store
from store.index import Index

FOUND = [
    "My husband Haakon is Norwegian",
    "Our younger daughter is called Juno",
    "My son, Elias, plays the drums",
    "Ana is my sister",
    "My mum's name is Marisol",
    "My boss Tobias left",
    "My boss Tobias wants reports on Monday",
    "My boss Ragnhild is new",
    "My neighbour has a dog",
    "Tobias's wife Eva is a baker",
    "My colleague from Oslo is called Nils",
    "My flatmate Ben-Levi's bike is red",
    "My wife is German and my partner is Christian",
]


@pytest.mark.parametrize(
    ("prompt", "names"),
    [
        ("birthday present for my husband", {"husband": ("Haakon",)}),
        ("What does MY HUSBAND'S car need?", {"husband": ("Haakon",)}),
        ("a weekend with our older daughter and my son", {"daughter": ("Juno",), "son": ("Elias",)}),
        ("what do my kids like", {"kids": ("Elias", "Juno")}),
        ("my mother and my sister visit", {"mother": ("Marisol",), "sister": ("Ana",)}),
        ("an email to my boss", {"boss": ("Tobias", "Ragnhild")}),
        ("my roommate snores", {"roommate": ("Ben-Levi",)}),
        ("my husband Olaf", {}),
        ("my wife and my partner", {}),
        ("my neighbour's dog", {}),
        ("my code", {}),
        ("her husband", {}),
    ],
)
def test_names_are_those_said_of_the_relation(prompt: str, names: dict[str, tuple[str, ...]]) -> None:
    found = names_of_mentioned(prompt, FOUND)
    assert {word: tuple(sorted(given)) if word == "kids" else given for word, given in found.items()} == names


def test_a_name_follows_its_relation() -> None:
    named = {"husband": ("Haakon",), "kids": ("Elias", "Juno")}
    assert with_names("for My husband and my kids", named) == "for My husband Haakon and my kids Elias Juno"
    assert with_names("the husband of my friend", named) == "the husband of my friend"


def test_a_block_has_what_is_said_by_name(store: Store) -> None:
    embedder = load_embedder("hashing", Path())
    put(store, "My husband Haakon is Norwegian", "Haakon collects old Land Rovers", "The cache lives 12 hours")
    embed_missing(store, embedder)
    index = Index(store, embedder.fingerprint)
    index.catch_up()
    hits = find(store, index, embedder, "a birthday present for my husband", Filter(), block_options()).hits
    assert [hit.memory.text for hit in hits] == ["My husband Haakon is Norwegian", "Haakon collects old Land Rovers"]
