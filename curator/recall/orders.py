"""Standing memories: those that are given with every prompt, whatever it says."""

from dataclasses import replace

from curator.recall.search import hidden_reason
from store import Filter, Sort, Store
from store.model import Given, Memory, Relation, Review

MOST = 100
"""Standing memories that are read for a block, the most important ones."""
_CLASHES = frozenset({Relation.CONTRADICTION, Relation.UPDATE})


def standing(store: Store, which: Filter, now: int) -> list[Memory]:
    """Return the standing memories within the scopes of a filter, the most important first.

    Without scopes, only global ones. Of two in an open conflict only the one that was said last is returned.
    """
    scoped = replace(which, given=(Given.ALWAYS,), scopes=which.scopes or ("global",))
    found = {
        memory.id: memory
        for memory in store.get_many(store.list_ids(scoped, Sort.MATTERS, MOST))
        if memory.review is not Review.REJECTED and hidden_reason(memory, now, True) is None
    }
    former = {
        min(found[alert.a], found[alert.b], key=lambda memory: (memory.said_order, memory.id)).id
        for alert in store.alerts.between(list(found))
        if alert.relation in _CLASHES
    }
    return [memory for memory in found.values() if memory.id not in former]
