"""Memories similar in meaning to a given one."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from store import Filter, Store
from store.model import Life, Memory, Relation

if TYPE_CHECKING:
    from store.index import Index

NEAREST = 5
LEAST = 0.3  # minimum cosine of related memories
_COMPARED = 2_000  # maximum characters of a text that is compared by rules


@dataclass(frozen=True, slots=True)
class SimilarMemory:
    """A similar live memory: the cosine of the vectors, and the relation of the texts by rules.

    The relation is `UNSURE` for texts that are too long to compare, and for pairs that the person has resolved.
    """

    memory: Memory
    cosine: float
    relation: Relation


def related(store: Store, number: int, index: "Index", limit: int = NEAREST) -> tuple[SimilarMemory, ...]:
    """Return the live memories nearest in meaning to another one, nearest first. Raises StoreError."""
    from curator.compare import relate

    vector, found = store.vectors.of(number, index.fingerprint), store.get_many([number])
    if vector is None or not found:
        return ()
    text, hits = found[0].text, index.search_vector(vector, Filter(), limit + 1)
    cosines = {other: min(cosine, 1.0) for other, cosine in hits if other != number and cosine >= LEAST}
    near: list[SimilarMemory] = []
    for other in store.get_many(list(cosines)[:limit]):
        if other.life is Life.LIVE:
            asked = max(len(text), len(other.text)) <= _COMPARED and not store.alerts.decided(number, other.id)
            verdict = relate(text, other.text, cosines[other.id]).relation if asked else Relation.UNSURE
            near.append(SimilarMemory(other, cosines[other.id], verdict))
    return tuple(near)
