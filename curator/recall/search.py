"""Searching memories: candidates by words, by the words around them and by meaning, put in one order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from curator.recall.fusion import Candidates, weigh
from store import Filter, Store
from store.model import Life, Memory

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from curator.models import Embedder
    from store.index import Index

QUERY_CHARACTERS = 1_000  # of a query that are looked at
_POOL = 200  # candidates from each of the three searches


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that answers a query. `parts` say what its score is the sum of.

    `sources` are the external ids of the messages its evidence cites.
    """

    memory: Memory
    score: float
    parts: dict[str, float]
    sources: tuple[str, ...]


def search(
    store: Store, index: Index, embedder: Embedder | None, query: str, filter: Filter, limit: int = 10
) -> list[Hit]:
    """The memories that answer a query best, best first.

    Without an embedder words alone decide. Of a query longer than 1,000 characters the beginning counts. Raises
    ValueError if the index holds vectors of another embedder.
    """
    return next(search_many(store, index, embedder, [(query, filter)], limit))


def search_many(
    store: Store, index: Index, embedder: Embedder | None, queries: Sequence[tuple[str, Filter]], limit: int = 10
) -> Iterator[list[Hit]]:
    """Answer many queries, one list of hits each, in order; all are embedded in one go. Raises as `search` does."""
    cut = [(query.strip()[:QUERY_CHARACTERS], wanted) for query, wanted in queries]
    vectors: Sequence[NDArray[np.float32] | None] = [None] * len(cut)
    if embedder is not None:
        if embedder.fingerprint != index.fingerprint:
            raise ValueError(f"the index is for {index.fingerprint.label}, not {embedder.fingerprint.label}")
        vectors = list(embedder.embed([query for query, _ in cut]))
    for (query, wanted), vector in zip(cut, vectors, strict=True):
        yield _answer(store, index, query, vector, wanted, limit) if query and limit > 0 else []


def _answer(
    store: Store, index: Index, query: str, vector: NDArray[np.float32] | None, filter: Filter, limit: int
) -> list[Hit]:
    reach = max(_POOL, 2 * limit)
    text = dict(index.search_text(query, filter, reach))
    context = dict(index.search_context(query, filter, reach))
    cosine = dict(index.search_vector(vector, filter, reach)) if vector is not None else {}
    ids = list(dict.fromkeys((*text, *context, *cosine)))
    candidates = Candidates(ids, text, context, cosine, index.outlines(ids))
    ranked = weigh(candidates)[:limit]
    memories = {memory.id: memory for memory in store.get_many([memory for memory, _ in ranked])}
    sources = store.sources(list(memories))
    return [
        Hit(memories[number], sum(parts.values()), parts, sources.get(number, ()))
        for number, parts in ranked
        if number in memories and memories[number].life is Life.LIVE
    ]
