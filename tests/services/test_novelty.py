"""The novelty gate of an import: refuses what one known memory already says, never another value."""

import json
from pathlib import Path

import pytest

from curator import curation
from curator.config import settings
from curator.curation.forgotten_match import like_forgotten_flag
from curator.models import Embedder, load_embedder
from curator.services.import_logs import import_paths
from curator.services.import_summary import Summary
from effort import thorough
from store import Filter, Store
from store.model import Memory

OTHER_VALUES = [
    ("I am allergic to peanuts", "I am allergic to walnuts"),
    ("I am allergic to penicillin", "I am allergic to amoxicillin"),
    ("My sister lives in Ghent", "My brother lives in Ghent"),
    ("My mother works as a nurse", "My aunt works as a nurse"),
    ("My son Tom is 7 years old", "My son Jim is 7 years old"),
    ("I have two cats at home", "I have two dogs at home"),
    ("I play the violin", "I play the viola"),
    ("I speak Spanish", "I speak Swedish"),
    ("I go running with Tom on Mondays", "I go running with Tim on Mondays"),
    ("I flew from Ghent with my family", "I flew to Ghent with my family"),
    ("I like swimming in lakes", "I like swimming in pools"),
    ("My sister's husband is a nurse", "My sister is a nurse"),
    ("I like tea with milk", "I like tea with honey"),
    ("I work for my father in Ghent", "I work with my father in Ghent"),
    ("I have a peanut allergy", "I have a severe peanut allergy"),
]
NOTHING_NEW = [
    ("I have been living in Lisbon since 2019 with my dog", "I have been living in Lisbon with my dog"),
    ("I really hate flying with the kids in summer", "I hate flying with kids"),
]


@pytest.fixture
def lexical(tmp_path: Path) -> Embedder:
    """Return the embedder that needs no weights."""
    return load_embedder("hashing", tmp_path)


def read(store: Store, embedder: Embedder, folder: Path, *said: str, name: str = "chat") -> Summary:
    """Import a log in which a person says these things in order."""
    turns = [
        turn
        for text in said
        for turn in ({"role": "user", "content": f"{text}."}, {"role": "assistant", "content": "Noted."})
    ]
    file = folder / f"{name}.json"
    file.write_text(json.dumps({"messages": turns}))
    return import_paths(store, [file], embedder)


def live(store: Store) -> list[Memory]:
    """Return the live memories, oldest first."""
    return store.get_many(store.list_ids(Filter(), descending=False))


@pytest.mark.parametrize(("first", "second"), OTHER_VALUES)
def test_another_value_is_kept(store: Store, lexical: Embedder, tmp_path: Path, first: str, second: str) -> None:
    summary = read(store, lexical, tmp_path, first, second)
    assert [memory.text.rstrip(".") for memory in live(store)] == [first, second]
    assert not summary.reasons["low_surprise"]


@pytest.mark.parametrize(("first", "second"), NOTHING_NEW)
def test_what_adds_nothing_is_refused(store: Store, lexical: Embedder, tmp_path: Path, first: str, second: str) -> None:
    summary = read(store, lexical, tmp_path, first, second)
    assert [memory.text.rstrip(".") for memory in live(store)] == [first]
    assert summary.reasons["low_surprise"] + summary.evidence == 1


@thorough
def test_a_forgotten_allergy_in_other_words_waits(store: Store, lexical: Embedder, tmp_path: Path) -> None:
    read(store, lexical, tmp_path, "I am allergic to peanuts")
    (gone,) = store.list_ids(Filter())
    curation.forget(store, [gone])
    summary = read(
        store, lexical, tmp_path, "I have a severe allergy to peanuts", "I am allergic to walnuts", name="later"
    )
    flags = {memory.text: memory.flag for memory in live(store)}
    assert flags == {
        "I have a severe allergy to peanuts.": f"like memory {gone}, which you forgot",
        "I am allergic to walnuts.": None,
    }
    assert summary.held == 1


def test_a_rejected_memory_is_called_rejected(store: Store, lexical: Embedder, tmp_path: Path) -> None:
    read(store, lexical, tmp_path, "I am allergic to peanuts")
    (gone,) = store.list_ids(Filter())
    curation.reject(store, [gone])
    assert like_forgotten_flag(store, gone) == f"like memory {gone}, which you rejected"


def test_the_threshold_spares_what_was_asked_for_and_ordered(
    store: Store, lexical: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURATOR_DISTIL__SURPRISE", "1")
    settings.cache_clear()
    kept = ["Remember that my sister is a nurse", "Always answer in metric units", "Never use emojis with me"]
    summary = read(store, lexical, tmp_path, *kept, "I like tea with honey")
    assert summary.reasons["low_surprise"] == 1
    assert [memory.text for memory in live(store)] == ["My sister is a nurse.", f"{kept[1]}.", f"{kept[2]}."]


@pytest.mark.parametrize(("threshold", "kept"), [("0.4", 1), ("0.6", 0)])
def test_a_higher_threshold_refuses_unspecific_statements(
    store: Store, lexical: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threshold: str, kept: int
) -> None:
    monkeypatch.setenv("CURATOR_DISTIL__SURPRISE", threshold)
    settings.cache_clear()
    read(store, lexical, tmp_path, "I like swimming in lakes")
    assert len(live(store)) == kept
