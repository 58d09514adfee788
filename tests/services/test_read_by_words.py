"""Chats distilled without the sentence classifier are distilled again once it is there."""

from pathlib import Path

import pytest

from curator import curation
from curator.cli.output import undistilled
from curator.distill import DISTILLER, marks
from curator.distill.scores.chats import scores
from curator.models import load_embedder
from curator.services.import_logs import distil_all
from effort import thorough
from factories import conversation
from store import Filter, Store
from store.model import Life

PATTERN = "I live in Lisbon with my two dogs."
FORGOTTEN = "I am allergic to peanuts."


def texts(store: Store) -> list[str]:
    return sorted(memory.text for memory in store.get_many(store.list_ids(Filter())))


def put(store: Store, key: str, agent: bool) -> None:
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation(key, PATTERN, "Fine.", FORGOTTEN, agent=agent))


def test_only_chats_are_read_once_more_with_the_model(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, "chat", agent=False)
    put(store, "session", agent=True)
    embedder = load_embedder("hashing", tmp_path)
    distil_all(store, embedder)
    found = texts(store)
    gone = next(one.id for one in store.get_many(store.list_ids(Filter())) if "peanuts" in one.text)
    curation.forget(store, [gone])
    assert undistilled(store) == 0 and not store.distillation.undistilled(marks())
    monkeypatch.setattr("curator.models.can_classify", lambda: True)
    monkeypatch.setattr(
        "curator.services.distillation.sentence_classifier", lambda: lambda said: list(map(scores, said))
    )
    assert undistilled(store) == 1
    distil_all(store, embedder)
    assert undistilled(store) == 0 and not store.distillation.undistilled([DISTILLER])
    assert texts(store) == [text for text in found if "peanuts" not in text]
    assert store.get(gone).life is Life.FORGOTTEN
    monkeypatch.setattr("curator.models.can_classify", lambda: False)
    assert undistilled(store) == 0


@thorough
def test_the_model_keeps_what_words_alone_refused(
    classifiers: None, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with store.command("import") as writer:
        said = ("We don't have a gas stove, only induction.", "Noted.", "I remember things better with a summary.")
        store.raw.put_conversation(writer, conversation("chat", *said))
    embedder = load_embedder("hashing", tmp_path)
    with monkeypatch.context() as without:
        without.setattr("curator.models.can_classify", lambda: False)
        distil_all(store, embedder)
    before = texts(store)
    distil_all(store, embedder)
    assert set(before) < set(texts(store))
    after = texts(store)
    distil_all(store, embedder)
    assert texts(store) == after
