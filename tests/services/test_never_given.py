"""Memories that are never given: in nothing that a model reads, whatever it asks for."""

import contextlib
from pathlib import Path

import pytest

from curator import curation
from curator.config import settings
from curator.paths import store_folder
from curator.serve.store_service import StoreService
from curator.services.context_files import chatgpt_fields, confirmed_memories, markdown
from curator.services.layers import export_layers
from factories import conversation, put, quote
from store import NotFound, Store
from store.model import Given, Kind, Relation

SECRET = "My divorce lawyer is Dr Marsh"


@pytest.fixture
def divorce(monkeypatch: pytest.MonkeyPatch) -> Store:
    """Store a validated memory that is never given, in conflict with one that is, both from one conversation."""
    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
    settings.cache_clear()
    store = Store.open(store_folder())
    turn = f"{SECRET}. My lawyer is Ana Sousa, I'm allergic to nuts."
    with store.command("import") as writer:
        store.raw.put_conversation(writer, conversation("law", turn))
    said = store.raw.messages(1)[0].id
    (hidden,) = put(store, SECRET, kind=Kind.PREFERENCE, evidence=(quote(SECRET, turn, said),))
    (plain,) = put(store, "My lawyer is Ana Sousa", kind=Kind.PREFERENCE, evidence=(quote("My lawyer", turn, said),))
    curation.validate(store, [hidden, plain])
    curation.set_given(store, [hidden], Given.NEVER)
    with store.command("duplicates") as writer:
        store.alerts.put(writer, hidden, plain, Relation.UPDATE, 0.9, ("changed",), judge="rules", cosine=0.8)
    return store


def test_no_answer_to_an_assistant_has_it(divorce: Store) -> None:
    with contextlib.closing(StoreService()) as service:
        answers = [
            service.recall({"prompt": "who is my divorce lawyer"}),
            service.search({"query": "divorce lawyer"}),
            service.search({"query": "divorce lawyer", "limit": 5}),
            service.context({}),
        ]
        with pytest.raises(NotFound):
            service.search({"ids": [divorce.get(1).uid]})
    assert all("Ana Sousa" in str(answer) and "Marsh" not in str(answer) for answer in answers)


def test_no_file_for_an_assistant_has_it(divorce: Store, tmp_path: Path) -> None:
    found, _ = export_layers(divorce, tmp_path / "layers", False)
    written = "".join(path.read_text() for path in (tmp_path / "layers").rglob("*.*"))
    assert found.left_out == 1 and "Ana Sousa" in written and "Marsh" not in written
    memories = confirmed_memories(divorce, None)
    text = markdown(memories) + str(chatgpt_fields(memories))
    assert "Ana Sousa" in text and "Marsh" not in text
