"""Coding sessions: distilled by the rules at any length, by a model only from `distil.agent_messages` on."""

from dataclasses import replace
from pathlib import Path

import pytest

from curator.config import settings
from curator.distill import DISTILLER
from curator.llm.extract import VERSION
from curator.models import Embedder, load_embedder
from curator.services.import_logs import distil_all
from factories import conversation
from store import Filter, Store
from store.model import Memory, Refusal

ORDER = "always run the linter first"
FACT = "our staging server is on port 8443"
TASK = "fix the failing test"


@pytest.fixture
def embedder(tmp_path: Path) -> Embedder:
    return load_embedder("hashing", tmp_path)


def grow(store: Store, *said: str, dated: bool = True) -> int:
    talk = conversation("s1", *said, source="claude_code", agent=True, project="shop")
    if not dated:
        talk = replace(talk, messages=tuple(one._replace(created_at=None) for one in talk.messages))
    with store.command("import") as writer:
        store.raw.put_conversation(writer, talk)
    (number,) = store.raw.conversation_ids()
    return number


def memories(store: Store) -> dict[str, Memory]:
    return {memory.text: memory for memory in store.get_many(store.list_ids(Filter()))}


def test_a_session_of_two_messages_is_distilled(store: Store, embedder: Embedder) -> None:
    grow(store, ORDER, "Done.", TASK, "Done.", FACT)
    distil_all(store, embedder)
    assert set(memories(store)) == {"Always run the linter first", "Our staging server is on port 8443"}
    assert {memory.scope for memory in memories(store).values()} == {"project:shop"}
    assert store.distillation.undistilled([DISTILLER]) == []


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("always run the linter first", "project:shop"),
        ("we use uv, not pip", "project:shop"),
        ("I prefer small commits, one per change", "global"),
        ("I'm on NixOS, so no apt", "global"),
        ("I work on this alone, so no feature branches", "project:shop"),
        ("never force-push in any of my projects", "global"),
        ("I want you to ask before you delete any file", "project:shop"),
    ],
)
def test_memories_of_a_session_belong_to_its_project(store: Store, embedder: Embedder, text: str, scope: str) -> None:
    grow(store, text, "Done.")
    distil_all(store, embedder)
    assert [memory.scope for memory in memories(store).values()] == [scope]


def test_a_model_waits_for_more(store: Store, embedder: Embedder) -> None:
    grow(store, ORDER, "Done.")
    assert store.sweeps.unswept(VERSION, settings().distil.agent_messages) == []
    assert len(store.distillation.undistilled([DISTILLER])) == 1


def test_what_an_earlier_version_left_unread_is_read(store: Store, embedder: Embedder) -> None:
    number = grow(store, ORDER, "Done.")
    (first, _) = store.raw.messages(number)
    with store.command("distil") as writer:
        store.distillation.put_refusals(writer, DISTILLER, [Refusal(first.id, 0, len(ORDER), "short_session")])
        store.distillation.mark(writer, number, DISTILLER, first.id - 1)
    assert store.distillation.undistilled([DISTILLER]) == [number]
    distil_all(store, embedder)
    assert set(memories(store)) == {"Always run the linter first"}
    assert store.distillation.refusals(number) == []


def test_an_undated_session_gives_undated_memories(store: Store, embedder: Embedder) -> None:
    grow(store, ORDER, "Done.", dated=False)
    distil_all(store, embedder)
    (memory,) = memories(store).values()
    assert memory.created_at is None
