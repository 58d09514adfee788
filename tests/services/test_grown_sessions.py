"""A coding session that was too short to distil is read from its start once it has grown."""

from pathlib import Path

import pytest

from curator.distill import DISTILLER
from curator.models import Embedder, load_embedder
from curator.services.import_logs import distil_all
from factories import conversation
from store import Filter, Store

EARLY = "I decided to use Redis 7 for the queue."
LATE = "I prefer small commits with a test each."


@pytest.fixture
def embedder(tmp_path: Path) -> Embedder:
    return load_embedder("hashing", tmp_path)


def session(turns: int) -> list[str]:
    said = {0: EARLY, 28: LATE}
    return [said.get(turn, f"Step {turn}.") for turn in range(turns)]


def grow(store: Store, turns: int) -> None:
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("s1", *session(turns), source="claude_code", agent=True))


def texts(store: Store) -> set[str]:
    return {memory.text for memory in store.get_many(store.list_ids(Filter()))}


def short(store: Store) -> int:
    return sum(refusal.reason == "short_session" for refusal in store.distillation.refusals())


def test_a_grown_session_is_distilled_from_its_start(store: Store, embedder: Embedder) -> None:
    grow(store, 24)
    first = distil_all(store, embedder)
    assert (texts(store), first.reasons["short_session"], short(store)) == (set(), 12, 12)
    assert store.distillation.undistilled(DISTILLER, 25) == []
    grow(store, 30)
    distil_all(store, embedder)
    assert texts(store) == {EARLY, LATE}
    assert short(store) == 0
    assert store.distillation.undistilled(DISTILLER, 25) == []


def test_a_session_that_stays_short_is_counted_once(store: Store, embedder: Embedder) -> None:
    grow(store, 10)
    distil_all(store, embedder)
    grow(store, 14)
    assert store.distillation.undistilled(DISTILLER, 25) != []
    again = distil_all(store, embedder)
    assert (again.reasons["short_session"], short(store)) == (2, 7)
    assert store.distillation.undistilled(DISTILLER, 25) == []


def test_the_start_is_read_after_the_distilling_was_undone(store: Store, embedder: Embedder) -> None:
    grow(store, 24)
    distil_all(store, embedder)
    grow(store, 30)
    distil_all(store, embedder)
    store.undo()
    assert texts(store) == set()
    distil_all(store, embedder)
    assert texts(store) == {EARLY, LATE}


def test_a_lower_gate_takes_effect_without_reading_all_anew(
    store: Store, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    from curator.config import settings

    grow(store, 24)
    distil_all(store, embedder)
    monkeypatch.setenv("CURATOR_DISTIL__AGENT_MESSAGES", "10")
    settings.cache_clear()
    distil_all(store, embedder)
    assert texts(store) == {EARLY}
