"""Search sessions that a long-running process reuses."""

import pytest

from curator.config import settings
from curator.services import search_session
from curator.services.search_session import open_index, open_search
from factories import put
from store import Store
from store.index import Index
from store.model import Fingerprint


def test_a_memory_added_while_a_session_opens_is_embedded_by_the_next_search(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slowly(store: Store, fingerprint: Fingerprint) -> Index:
        monkeypatch.setattr(search_session, "open_index", open_index)
        put(store, "My sister is a dentist")  # by another process
        return open_index(store, fingerprint)

    monkeypatch.setenv("CURATOR_EMBED__PROVIDER", "hashing")
    settings.cache_clear()
    monkeypatch.setattr(search_session, "_cached_sessions", {})
    monkeypatch.setattr(search_session, "open_index", slowly)
    put(store, "I like coffee")
    first = open_search(store)
    found = open_search(store)
    assert found.embedder is not None and store.vectors.missing(found.embedder.fingerprint, 10) == []
    assert found.index is first.index, "opened once"
    again = open_search(store)
    assert again is open_search(store), "nothing changed since"
