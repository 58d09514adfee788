"""A quoted phrase is literally in every memory that a search finds."""

from curator.models import load_embedder
from curator.recall import find
from curator.services.recall import block_options, search_options
from factories import put
from store import Filter, Store
from store.index import Index


def found_ids(store: Store, query: str) -> list[int]:
    index = Index(store, load_embedder("hashing", store.folder).fingerprint)
    return [hit.memory.id for hit in find(store, index, None, query, Filter(), search_options()).hits]


def test_a_phrase_in_quotes_is_in_every_hit(store: Store) -> None:
    put(store, "For the new job, remote is fine", "A fine remote control", "Remote work is what I want", "It is fine")
    assert found_ids(store, '"remote is fine"') == [1]
    assert found_ids(store, "\u201cis fine\u201d") and set(found_ids(store, '"is fine"')) == {1, 4}
    assert found_ids(store, '"is fine" "new job"') == [1]
    assert found_ids(store, '"fine remote" job') == [2]
    assert found_ids(store, '"nothing of it"') == []
    assert set(found_ids(store, "remote is fine")) >= {1, 2, 3}


def test_quotes_in_a_prompt_are_no_such_phrase(store: Store) -> None:
    put(store, "The deployment runs on Fridays")
    index = Index(store, load_embedder("hashing", store.folder).fingerprint)
    hits = find(store, index, None, 'the deployment says "no space left"', Filter(), block_options()).hits
    assert [hit.memory.id for hit in hits] == [1]
