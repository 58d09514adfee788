"""Candidates for comparing a few memories of a large store, found through the search index.

Reading all of a million memories takes 22 s of processor time and 4 GB; the index takes 80 ms per compared memory. It
finds all nearest neighbours in stores of up to 200,000 memories and about 80 % in larger ones. Full-text search
replaces the index of rare words; its hits need a minimum cosine.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from math import log1p

import numpy as np
from numpy.typing import NDArray

from curator.config import settings
from curator.conflicts.alert_policy import MemoryText
from curator.conflicts.candidates import (
    BY_WORDS,
    FIRST,
    LAST,
    MAX_CANDIDATES,
    MIN_COSINE,
    NEAREST,
    STANDING,
    Candidates,
    MemoryCandidates,
    contradicts_use,
    least_of_nearest,
    least_with_words,
    may_oppose,
    statement_hashes,
)
from curator.curation.names import overlap
from store import Filter, Sort, Store, Unusable
from store.index import Index
from store.model import Fingerprint, Given, Life, Memory

_MEMORIES_PER_SEARCH = 2_000  # reading this many memories takes as long as comparing one through the index
_MAX_READ = 2_000_000  # maximum memories of a store that is read completely, which takes ten gigabytes
_AT_ONCE = 100


def is_cheaper(store: Store, count: int) -> bool:
    """Return True if comparing `count` memories through the index takes less time than reading the whole store."""
    live = store.count(Filter())
    return count * _MEMORIES_PER_SEARCH < live or live > _MAX_READ


def candidates_for(
    store: Store, count: int, fingerprint: Fingerprint | None, rest: Callable[[], None]
) -> "Candidates | IndexedCandidates":
    """Return the faster source of candidates for `count` memories: the index, or reading all memories."""
    if fingerprint is not None and is_cheaper(store, count):
        with suppress(Unusable):
            return IndexedCandidates(store, fingerprint, rest)
    return Candidates(store, fingerprint, rest)


class IndexedCandidates:
    """The interface of `Candidates`, implemented by the search index without reading the whole store."""

    def __init__(self, store: Store, fingerprint: Fingerprint, rest: Callable[[], None] = lambda: None) -> None:
        """Open and update the index. Raises Unusable if it cannot be searched."""
        self._store, self._rest = store, rest
        self._index = Index(store, fingerprint, settings().index.uri)
        self._index.catch_up(wait=False)
        self._key = store.replies.secret()
        self._fingerprint = fingerprint
        self._least_with_words = least_with_words()
        self._least_of_nearest = least_of_nearest()
        self._near: dict[int, list[tuple[int, float]]] = {}
        self._done: dict[int, frozenset[int]] = {}

    def batches(self, memories: Sequence[int]) -> Iterator[list[MemoryCandidates]]:
        """See `Candidates.batches`."""
        wanted = sorted(set(memories))
        for at in range(0, len(wanted), _AT_ONCE):
            own = [one for one in self._store.get_many(wanted[at : at + _AT_ONCE]) if one.life is Life.LIVE]
            if own:
                yield self._batch(own)

    def neighbour_density(self, one: int, other: int) -> float:
        """See `Candidates.neighbour_density`."""
        near = (sum(cosine >= MIN_COSINE for _, cosine in self._nearest(memory)) for memory in (one, other))
        return sum(map(log1p, near)) / 2

    def _batch(self, own: Sequence[Memory]) -> list[MemoryCandidates]:
        said = {one.id: statement_hashes(one.text, self._key, one.subject, one.relation) for one in own}
        stating = self._stating(said)
        alerts = {
            memory: [alert.b if alert.a == memory else alert.a for alert in found]
            for memory, found in self._store.alerts.unresolved(list(said)).items()
        }
        likely: dict[int, list[int]] = {}
        standing = self._standing(own)
        for one in own:
            self._rest()
            by_words = self._index.search_text(one.text, Filter(), BY_WORDS + 1)
            by_statement = [other for digest in said[one.id] for other in stating[digest]]
            by_vector = self._nearest(one.id)
            found = [*(other for other, _ in (*by_vector, *by_words)), *by_statement, *standing[one.id]]
            found += alerts.get(one.id, ())
            likely[one.id] = [other for other in dict.fromkeys(found) if other != one.id]
        ids = sorted({*said, *(other for found in likely.values() for other in found)})
        known = {one.id: one for one in self._store.get_many(ids) if one.life is Life.LIVE}
        keys, vectors = self._store.content_keys(ids), dict[int, NDArray[np.float32]]()
        for memory, data in self._index.record.vectors(ids).items():
            row = np.frombuffer(data, np.float32)
            vectors[memory] = row / max(float(np.linalg.norm(row)), 1e-12)
        texts = {number: MemoryText(number, one.text, keys[number], one.created_at) for number, one in known.items()}
        batch = []
        for one in own:
            cosines = {
                other: float(vectors[one.id] @ vectors[other]) if one.id in vectors and other in vectors else None
                for other in likely[one.id]
                if other in known
            }
            sure = {*(other for other, _ in self._nearest(one.id)), *standing[one.id]}
            sure |= {other for digest in said[one.id] for other in stating[digest]}
            others = [
                other
                for other, cosine in cosines.items()
                if (
                    other in sure
                    or cosine is None
                    or cosine >= self._least_with_words
                    or contradicts_use(one.text, known[other].text)
                )
                and overlap(one.scope, known[other].scope)
                and other not in alerts.get(one.id, ())
            ][: MAX_CANDIDATES + len(standing[one.id])]
            self._done[one.id] = frozenset(others)
            fresh = [other for other in others if one.id not in self._done.get(other, ())]
            fresh += [other for other in alerts.get(one.id, ()) if other in known]
            pairs = tuple((texts[other], cosines[other]) for other in fresh)
            batch.append(MemoryCandidates(texts[one.id], one.id in vectors, said[one.id], pairs))
        return batch

    def _standing(self, own: Sequence[Memory]) -> dict[int, list[int]]:
        """Return, for each standing memory among these, the newest other standing memories."""
        if not any(one.given is Given.ALWAYS for one in own):
            return {one.id: [] for one in own}
        found = self._store.get_many(self._store.list_ids(Filter(given=(Given.ALWAYS,)), Sort.ADDED, STANDING + 1))
        return {
            one.id: [
                other.id
                for other in found
                if one.given is Given.ALWAYS
                and other.id != one.id
                and may_oppose(one.text, other.text, self._fingerprint)
            ]
            for one in own
        }

    def _nearest(self, memory: int) -> list[tuple[int, float]]:
        if memory not in self._near:
            vector = self._index.record.vectors([memory]).get(memory)
            hits = self._index.search_vector(vector, Filter(), NEAREST + 1) if vector else []
            near = [(other, cosine) for other, cosine in hits if cosine >= self._least_of_nearest and other != memory]
            self._near[memory] = near[:NEAREST]
        return self._near[memory]

    def _stating(self, own: dict[int, tuple[int, ...]]) -> dict[int, list[int]]:
        """Return, by hash, the first and last memories with it among those compared earlier or in this batch."""
        here: defaultdict[int, list[int]] = defaultdict(list)
        for memory, numbers in own.items():
            for digest in numbers:
                here[digest].append(memory)
        found = self._store.compare_queue.stating(list(here), FIRST, LAST)
        ordered = {digest: sorted({*memories, *found[digest]}) for digest, memories in here.items()}
        return {digest: list(dict.fromkeys((*some[:FIRST], *some[-LAST:]))) for digest, some in ordered.items()}
