"""Conflicts for tests of the app: pairs of memories with an alert."""

from typing import Any

from curator import curation
from curator.curation import Pair
from factories import put
from store import Store, clock
from store.model import Relation

DAY = clock.DAY
TOLD = (
    ("I live in Lisbon", "I live in Porto"),
    ("I drink coffee", "I drink tea only"),
    ("I work at the harbour", "I work at Tidewell"),
    ("I use bash", "I use the fish shell"),
    ("My dog is called Rex", "My dog is called Bruno"),
    ("I run on Mondays", "I run on Fridays"),
)


def clash(
    store: Store,
    a: str = TOLD[0][0],
    b: str = TOLD[0][1],
    score: float = 0.8,
    relation: Relation = Relation.UPDATE,
    sources: tuple[str, str] = ("chatgpt", "claude"),
    **fields: Any,
) -> Pair:
    """Store two memories with an alert between them; `a` was said first."""
    (first,) = put(store, a, created_at=100 * DAY, source=sources[0], **fields)
    (second,) = put(store, b, created_at=900 * DAY, source=sources[1], **fields)
    with store.command("compare") as writer:
        store.alerts.put(writer, first, second, relation, score, ["only one holds at a time"], judge="rules/2")
    return curation.pair(store, next(alert.id for alert in store.alerts.open(first) if second in (alert.a, alert.b)))


def clashes(store: Store, count: int = 3) -> list[Pair]:
    """Store several conflicts; return them as the queue orders them, strongest first."""
    return [clash(store, *TOLD[n], score=0.9 - n / 20) for n in range(count)]


def settled(store: Store, pair: Pair) -> str | None:
    """Return how a conflict was resolved."""
    return store.alerts.get(pair.alert.id).settled
