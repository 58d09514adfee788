"""A few memories of a large store are compared through the search index, with the same results."""

from pathlib import Path

import pytest
from labelled_pairs import pairs
from scans import alerts, scan

from curator import conflicts, curation
from curator.conflicts import indexed
from curator.filters import parse_filter
from curator.models import load_embedder
from curator.services.search_session import embed_missing
from effort import thorough
from factories import put
from store import Store
from store.model import Given

SAID = ["I live in Lisbon", "I live in Porto", "I'm vegetarian", "The roof leaks", "Wolfram plays the oboe"]


def embedded_store(folder: Path, texts: list[str]) -> Store:
    store = Store.open(folder)
    put(store, *texts)
    embed_missing(store, load_embedder("hashing", folder))
    return store


@thorough
def test_the_conflicts_are_those_of_a_scan_of_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = list(dict.fromkeys(text for pair in pairs()[:60] for text in (pair.a, pair.b)))
    whole, by_index = (embedded_store(tmp_path / name, texts) for name in ("whole", "index"))
    scan(whole)
    monkeypatch.setattr(indexed, "is_cheaper", lambda store, count: True)
    scan(by_index)

    expected, found = set(alerts(whole)), set(alerts(by_index))
    assert len(expected) > 10
    assert len(expected & found) >= 0.9 * len(expected | found)
    assert conflicts.pending(by_index, 9) == []


@thorough
def test_a_new_memory_is_compared_without_reading_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = embedded_store(
        tmp_path, [f"{text}, as I said in {year}" for text in SAID[2:] for year in range(1990, 1996)]
    )
    scan(store)
    put(store, *SAID[:2])
    embed_missing(store, load_embedder("hashing", tmp_path))
    before = alerts(store)
    monkeypatch.setattr(indexed, "_MEMORIES_PER_SEARCH", 1)
    monkeypatch.setattr("curator.conflicts.candidates.Candidates.__init__", None)  # would read all memories

    scan(store)
    assert [pair[:2] for pair in alerts(store) if pair not in before] == [(SAID[0], SAID[1])]


def test_opposite_orders_need_no_word_or_vector_in_common(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexed, "is_cheaper", lambda store, count: True)
    texts = (
        "Please always answer in British English, courgette not zucchini",
        "From now on answer in American English",
    )
    store = embedded_store(tmp_path, [*texts, *SAID])
    curation.set_given(store, store.list_ids(parse_filter("answer")), Given.ALWAYS)
    scan(store)
    assert [set(pair[:2]) for pair in alerts(store) if texts[0] in pair] == [set(texts)]
