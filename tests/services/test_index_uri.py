"""The setting `index.uri` reaches the index, and an import works without that storage."""

import json
from pathlib import Path
from typing import NoReturn

import pytest

from curator.config import settings
from curator.models import load_embedder
from curator.services.import_logs import import_paths, index_memories
from curator.services.search_session import open_index
from store import Filter, Store, Unreachable
from store.index import remote


def test_what_is_imported_while_the_storage_is_away_is_kept(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(place: str) -> NoReturn:
        raise remote.unreachable(place, OSError("no route"))

    monkeypatch.setenv("CURATOR_INDEX__URI", "s3://bucket/mine")
    settings.cache_clear()
    monkeypatch.setattr(remote, "connect", away)
    log = tmp_path / "chat.json"
    log.write_text(json.dumps({"messages": [{"role": "user", "content": "I live in Ghent and I never drink coffee."}]}))
    embedder = load_embedder("hashing", tmp_path)

    summary = import_paths(store, [log], embedder)
    index_memories(store, embedder, summary)

    assert store.count(Filter()) >= 1
    assert summary.unreadable == []
    (warning,) = summary.warnings
    assert "updated later" in warning and "s3://bucket/mine cannot be reached (no route)" in warning
    with pytest.raises(Unreachable):
        open_index(store).search_text("Ghent", Filter(), 5)
