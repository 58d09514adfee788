"""Search with vectors of a server: with it, without it, and while another model's vectors are made."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from curator.config import settings
from curator.models import ollama_embedder
from curator.paths import store_folder
from effort import thorough
from factories import put
from fake_ollama.scenario import EMBEDDER, Scenario
from fake_ollama.server import Server, serving
from store import Store

Curator = Callable[..., Any]
OTHER = replace(EMBEDDER, name="bge-m3", family="bert", dimension=1024)


@pytest.fixture
def server(curator: Curator, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Run a server that makes vectors, and fill a store with them."""
    with serving(Scenario(models=(EMBEDDER, OTHER))) as standin:
        monkeypatch.setenv("CURATOR_OLLAMA__HOST", standin.host)
        monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "ollama")
        settings.cache_clear()
        store = Store.open(store_folder())
        put(store, *(f"I own {n + 2} boats of the make number {n}" for n in range(40)))
        store.close()
        assert curator("work", "--once").code == 0
        yield standin


@thorough
@pytest.mark.parametrize("begins", [True, False], ids=["from the start", "in the middle"])
def test_without_its_server_words_are_searched_and_that_is_said(
    curator: Curator, server: Server, monkeypatch: pytest.MonkeyPatch, begins: bool
) -> None:
    ran = curator("search", "boats of the make number 7")
    assert (ran.code, ran.err) == (0, "") and "number 7" in ran.out
    server.stop()
    if begins:
        monkeypatch.setattr(ollama_embedder, "_loaded", {})
    for words in (("search", "number 7"), ("recall", "number 7"), ("search", "number 7", "--explain")):
        ran = curator(*words)
        assert ran.code == 0 and "number 7" in ran.out
        assert "searching by words only, not by meaning" in ran.err and "ollama serve" in ran.err
    server.start()
    assert curator("search", "number 7").err == ""


@thorough
def test_another_model_is_searched_when_its_vectors_are_all_there(
    curator: Curator, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURATOR_EMBED__MODEL", "bge-m3")
    settings.cache_clear()
    ran = curator("search", "number 7")
    assert ran.code == 0 and "nomic-embed-text:latest is searched" in ran.err and "`curator work`" in ran.err
    assert curator("work", "--once").code == 0
    before = len(server.calls("/api/embed"))
    ran = curator("search", "number 7")
    assert (ran.code, ran.err) == (0, "") and "number 7" in ran.out
    assert {call.body["model"] for call in server.calls("/api/embed")[before:]} == {"bge-m3:latest"}
