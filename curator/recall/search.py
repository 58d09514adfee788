"""Searching memories: candidates by words, by the words around them and by meaning, put in one order."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from curator.recall.fusion import Candidates, weigh
from store import Filter, Store
from store.model import Life, Memory

if TYPE_CHECKING:
    from curator.models import Embedder
    from store.index import Index

QUERY_CHARACTERS = 1_000  # of a query that are looked at
_POOL = 100  # candidates from each of the three searches


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
    """Answer many queries, one list of hits each, in order; all are embedded in one go. Raises as `search` does.

    While one query is embedded or ranked, the words of the next are searched.
    """
    if embedder is not None and embedder.fingerprint != index.fingerprint:
        raise ValueError(f"the index is for {index.fingerprint.label}, not {embedder.fingerprint.label}")
    cut = [(query.strip()[:QUERY_CHARACTERS], wanted) for query, wanted in queries]
    reach = max(_POOL, 2 * limit)
    lexical = index.fingerprint.provider == "hashing"
    threads = _threads()

    def by_words(query: str, wanted: Filter) -> Sequence[Future[list[tuple[int, float]]]]:
        ways = (index.search_text, index.search_context)
        return [threads.submit(way, query, wanted, reach) for way in ways]

    ahead = by_words(*cut[0]) if cut else ()
    vectors = None if embedder is None else embedder.embed_query([query for query, _ in cut])
    for place, (query, wanted) in enumerate(cut):
        words, ahead = ahead, by_words(*cut[place + 1]) if place + 1 < len(cut) else ()
        near = index.search_vector(vectors[place], wanted, reach) if vectors is not None and query else []
        text, context = (dict(way.result()) for way in words)
        ids = list(dict.fromkeys((*text, *context, *(number for number, _ in near))))
        yield _ranked(store, index, Candidates(ids, text, context, dict(near), index.outlines(ids), lexical), limit)


def _ranked(store: Store, index: Index, candidates: Candidates, limit: int) -> list[Hit]:
    ranked = weigh(candidates)[:limit]
    memories = {memory.id: memory for memory in store.get_many([number for number, _ in ranked])}
    sources = store.sources(list(memories))
    return [
        Hit(memories[number], sum(parts.values()), parts, sources.get(number, ()))
        for number, parts in ranked
        if number in memories and memories[number].life is Life.LIVE
    ]


@functools.cache
def _threads() -> ThreadPoolExecutor:
    """The two threads that search words; LanceDB works outside the interpreter's lock."""
    return ThreadPoolExecutor(2, thread_name_prefix="recall")
