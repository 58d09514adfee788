"""Why something that is near to a question is not among the hits: it holds elsewhere, was superseded, has expired.

The search itself never sees these, so they are looked for only when somebody asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from curator.recall.search import QUERY_CHARACTERS, Found, Wanted, find
from store import Filter, Store
from store.model import Life, Memory, Review

if TYPE_CHECKING:
    from curator.models import Embedder
    from curator.recall.select import LeftOut
    from store.index import Index

NEAR = 0.5  # cosine from which what is no longer live is worth a word
_NAMED = 10  # of each reason


def missed(
    store: Store, index: Index, embedder: Embedder | None, query: str, filter: Filter, wanted: Wanted, found: Found
) -> tuple[LeftOut, ...]:
    """What `found` left out, and what the search for it could not see, with the reason of each."""
    from curator.recall.select import LeftOut

    elsewhere: list[LeftOut] = []
    vouched = filter.reviews == (Review.VALIDATED,)
    if filter.scopes or vouched:
        wider = replace(filter, scopes=(), reviews=() if vouched else filter.reviews)
        anywhere = find(store, index, embedder, query, wider, wanted)
        for hit in anywhere.hits:
            if filter.scopes and hit.memory.scope not in filter.scopes:
                elsewhere.append(LeftOut(hit.memory, "scope", hit.score))
            elif vouched and hit.memory.review is not Review.VALIDATED:
                elsewhere.append(LeftOut(hit.memory, "not validated", hit.score))
    gone = [LeftOut(memory, _end(memory), None, cosine) for memory, cosine in _gone(store, embedder, query, filter)]
    return (*found.left, *elsewhere[:_NAMED], *gone)


def _end(memory: Memory) -> str:
    by = "" if memory.superseded_by is None else f" by {memory.superseded_by}"
    return f"{memory.life.value}{by}"


def _gone(store: Store, embedder: Embedder | None, query: str, filter: Filter) -> Sequence[tuple[Memory, float]]:
    """Superseded and expired memories near to the question, nearest first, with their cosines."""
    import numpy as np

    if embedder is None or not query.strip():
        return ()
    (wanted,) = embedder.embed_query([query.strip()[:QUERY_CHARACTERS]])
    near: dict[int, float] = {}
    for life in (Life.SUPERSEDED, Life.EXPIRED):
        for ids, data in store.vectors.blocks(embedder.fingerprint, life=life):
            rows = np.frombuffer(data, np.float32).reshape(len(ids), -1)
            lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(wanted)
            cosines = (rows @ wanted) / np.maximum(lengths, 1e-12)
            near |= {ids[place]: float(cosines[place]) for place in np.flatnonzero(cosines >= NEAR)}
    meant = set(store.list_ids(replace(filter, lives=(Life.SUPERSEDED, Life.EXPIRED)))) if near else set()
    best = sorted((number for number in near if number in meant), key=lambda number: -near[number])[:_NAMED]
    return [(memory, near[memory.id]) for memory in store.get_many(best)]
