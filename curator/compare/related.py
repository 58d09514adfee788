"""Memories near to one in meaning."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from store import Filter, Store
from store.model import Life, Memory, Relation

if TYPE_CHECKING:
    from store.index import Index

NEAREST = 5
LEAST = 0.3  # cosine below which two memories have nothing to do with each other
_COMPARED = 2_000  # characters up to which two texts are compared by rule


@dataclass(frozen=True, slots=True)
class Near:
    """A live memory near in meaning: the cosine of both vectors, and how the texts stand to each other by rule."""

    memory: Memory
    cosine: float
    relation: Relation


def related(store: Store, number: int, index: "Index", limit: int = NEAREST) -> tuple[Near, ...]:
    """Return the live memories nearest to one in meaning, nearest first, without itself. Raises StoreError."""
    from curator.compare import relate

    vector, found = store.vectors.of(number, index.fingerprint), store.get_many([number])
    if vector is None or not found:
        return ()
    text, hits = found[0].text, index.search_vector(vector, Filter(), limit + 1)
    cosines = {other: min(cosine, 1.0) for other, cosine in hits if other != number and cosine >= LEAST}
    near: list[Near] = []
    for other in store.get_many(list(cosines)[:limit]):
        if other.life is Life.LIVE:
            short = max(len(text), len(other.text)) <= _COMPARED
            verdict = relate(text, other.text, cosines[other.id]).relation if short else Relation.UNSURE
            near.append(Near(other, cosines[other.id], verdict))
    return tuple(near)
