"""Nearest stored memories: found through the index for few texts, by brute force for many."""

from pathlib import Path

import pytest

from curator.models import load_embedder
from curator.services import neighbours
from curator.services.search_session import embed_missing
from factories import put
from store import Store, Unreachable
from store.index import Index
from store.model import Life

SAID = ["I live in Lisbon", "I live in Porto", "The roof of the barn leaks", "Wolfram plays the oboe"]


@pytest.mark.parametrize("away", [False, True])
def test_both_ways_find_the_same(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, away: bool) -> None:
    embedder = load_embedder("hashing", tmp_path)
    put(store, *SAID)
    embed_missing(store, embedder)
    asked = embedder.embed(["I live in Lisbon now", "The roof leaks", "Nothing of the kind"])
    expected = neighbours.nearest_stored(store, embedder, asked, Life.LIVE)
    assert [bool(near) for near in expected] == [True, True, False]

    monkeypatch.setattr(neighbours, "_VECTORS_PER_SEARCH", 1)
    searched = Index.search_vector

    def search(index: Index, *asked: object) -> object:
        if away:
            raise Unreachable("the index is away", "away")
        calls.append(1)
        return searched(index, *asked)  # type: ignore[arg-type]

    calls: list[int] = []
    monkeypatch.setattr(Index, "search_vector", search)
    found = neighbours.nearest_stored(store, embedder, asked, Life.LIVE)
    assert len(calls) == (0 if away else 3)
    assert [[number for number, _ in near] for near in found] == [[number for number, _ in near] for near in expected]
