"""Relevant memories that a search does not return, because they are out of scope, superseded or expired.

They need additional searches, which are only made on request.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from curator.models import Embedder
from curator.recall.candidates import QUERY_CHARACTERS
from curator.recall.search import find
from curator.recall.types import Omission, OmissionKind, OmissionReason, SearchOptions, SearchResult
from store import Filter, Store
from store.model import Life, Review

if TYPE_CHECKING:
    from store.index import Index


NEAR = 0.5  # minimum cosine of an omitted memory that is not live
_NAMED = 10  # maximum per reason


def omissions_of(
    store: Store,
    index: "Index",
    embedder: Embedder | None,
    query: str,
    filter: Filter,
    options: SearchOptions,
    found: SearchResult,
) -> tuple[Omission, ...]:
    """Return the omissions of `found` and relevant memories that it did not search, each with the reason."""
    import numpy as np

    elsewhere: list[Omission] = []
    validated_only = filter.reviews == (Review.VALIDATED,)
    if filter.scopes or validated_only:
        wider = replace(filter, scopes=(), reviews=() if validated_only else filter.reviews)
        for hit in find(store, index, embedder, query, wider, options).hits:
            if filter.scopes and hit.memory.scope not in filter.scopes:
                elsewhere.append(Omission(hit.memory, OmissionReason(OmissionKind.SCOPE), hit.score))
            elif validated_only and hit.memory.review is not Review.VALIDATED:
                elsewhere.append(Omission(hit.memory, OmissionReason(OmissionKind.NOT_VALIDATED), hit.score))
    near: dict[int, float] = {}  # cosines of superseded and expired memories
    if embedder is not None and query.strip():
        (wanted,) = embedder.embed_query([query.strip()[:QUERY_CHARACTERS]])
        for life in (Life.SUPERSEDED, Life.EXPIRED):
            for ids, data in store.vectors.blocks(embedder.fingerprint, life=life):
                rows = np.frombuffer(data, np.float32).reshape(len(ids), -1)
                lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(wanted)
                cosines = (rows @ wanted) / np.maximum(lengths, 1e-12)
                near |= {ids[row]: float(cosines[row]) for row in np.flatnonzero(cosines >= NEAR)}
    allowed = set(store.list_ids(replace(filter, lives=(Life.SUPERSEDED, Life.EXPIRED)))) if near else set()
    best = sorted((number for number in near if number in allowed), key=lambda number: -near[number])
    ended = []
    for memory in store.get_many(best[:_NAMED]):
        reason = OmissionReason(OmissionKind(memory.life.value), memory.superseded_by)
        ended.append(Omission(memory, reason, None, near[memory.id]))
    return (*found.omitted, *elsewhere[:_NAMED], *ended)
