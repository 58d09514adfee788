"""Recall is the same through the app, the command line, the API, MCP and hooks."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from cli.conftest import curator as curator
from cli.runner import Curator as RunCommand
from curator import Curator
from curator.paths import store_folder
from curator.recall import Preset
from curator.serve.store_service import StoreService
from curator.services import search_session
from curator.tui.recall.queries import Recaller, RecallQuestion
from factories import put
from store import Store, clock
from store.model import Fingerprint

PROMPT = "violin"
MUSIC, FOOD, ILLNESS = "Plays in an orchestra", "Every meal is vegan", "Had a fever in May"


class PromptEmbedder:
    """An embedder to which a search for a violin is about music, and a prompt about a violin about food."""

    fingerprint = Fingerprint("test", "prompts", "1", 4)

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        themes = (("violin", "orchestra"), ("meal", "food"), ("fever",))
        rows = [[any(word in text for word in theme) for theme in themes] + [0.1] for text in texts]
        unit: NDArray[np.float32] = np.array(rows, np.float32)
        unit /= np.linalg.norm(unit, axis=1, keepdims=True)
        return unit

    def embed_query(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.embed(texts)

    def embed_prompt(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.embed(["food"] * len(texts))

    def is_word(self, word: str) -> None:
        return None


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, curator: RunCommand) -> Iterator[Store]:
    """Yield the person's store, which all interfaces search with `PromptEmbedder`."""
    monkeypatch.setattr(search_session, "load_embedder", lambda *names: PromptEmbedder())
    monkeypatch.setattr(search_session, "_cached_sessions", None)
    opened = Store.open(store_folder())
    put(opened, MUSIC, FOOD, ILLNESS)
    yield opened
    opened.close()


def test_a_prompt_is_recalled_alike_by_every_interface(store: Store, curator: RunCommand) -> None:
    with Curator.open() as api:
        by_api = [memory.text for memory in api.recall(PROMPT).memories]
    service = StoreService()
    by_agent = service.recall({"prompt": PROMPT})
    event = {"prompt": PROMPT, "session_id": "1", "cwd": "/", "hook_event_name": "UserPromptSubmit"}
    by_hook = str(service.hook({"host": "claude", "event": "prompt", "input": json.dumps(event)})["out"])
    service.close()
    shown = Recaller(store).ask(RecallQuestion(PROMPT), clock.now())
    in_app = [memory.text for memory in store.get_many(shown.block.memories)]
    printed = json.loads(curator("recall", PROMPT, "--json").out)
    by_command = [memory.text for memory in store.get_many(printed["memories"])]
    items = by_agent["items"]
    assert isinstance(items, list) and [item["text"] for item in items] == [FOOD]
    assert by_api == in_app == by_command == [FOOD]
    assert FOOD in by_hook and MUSIC not in by_hook


def test_a_search_is_the_same_by_every_interface(store: Store, curator: RunCommand) -> None:
    with Curator.open() as api:
        by_api = [hit.memory.text for hit in api.search(PROMPT).hits]
    service = StoreService()
    by_agent = service.search({"query": PROMPT})["memories"]
    service.close()
    by_command = [json.loads(line)["text"] for line in curator("search", PROMPT, "--json").out.splitlines()]
    assert isinstance(by_agent, list) and [item["text"] for item in by_agent] == by_api == by_command == [MUSIC]


@pytest.mark.parametrize("preset", [Preset.CURATOR, Preset.HYBRID, Preset.YAK])
def test_the_app_compares_with_what_the_other_preset_finds(store: Store, curator: RunCommand, preset: Preset) -> None:
    shown = Recaller(store).ask(RecallQuestion(PROMPT, against=preset), clock.now())
    alone = Recaller(store).ask(RecallQuestion(PROMPT, preset=preset), clock.now())
    ranks = {row.memory.id: (row.position or 0) + row.moved for row in shown.above if row.moved is not None}
    assert ranks.items() <= {hit.memory.id: rank for rank, hit in enumerate(alone.search.result.hits, 1)}.items()
