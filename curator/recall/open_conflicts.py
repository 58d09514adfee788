"""Open conflicts among memories for a model: which of the two was said last."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from curator import safety
from store import Filter, Store
from store.model import Alert, Memory, Outline, Relation

OUTDATED, DISPUTED = "maybe outdated", "another memory says otherwise"
"""Notes on a memory that a later one contradicts or updates, and on both if it is not known which was said later."""
_CLASHES = frozenset({Relation.CONTRADICTION, Relation.UPDATE})


def outdated(store: Store, found: Mapping[int, Memory | Outline]) -> set[int]:
    """Return the older sides of the open conflicts among these memories.

    A safety fact is outdated only by a text that denies it, not by mere signs of a conflict; several in one memory only
    if all are denied.
    """
    return {older for older, _ in _sides(store.alerts.between(list(found)), found)}


def conflict_notes(store: Store, found: Mapping[int, Memory]) -> dict[int, str]:
    """Return the notes on those of these memories that are in open conflict with another of them."""
    notes: dict[int, str] = {}
    for older, newer in _sides(store.alerts.between(list(found)), found):
        if found[older].created_at is None or found[newer].created_at is None:
            notes |= {side: DISPUTED for side in (older, newer) if side not in notes}
        else:
            notes[older] = OUTDATED
    return notes


def newer_sides(
    store: Store, memories: Sequence[Memory], memory_filter: Filter, known: Collection[int]
) -> dict[int, Memory]:
    """Return memories in open conflict with these that were said later, or may have been, by the former memory.

    Only those that match the filter and are not among the `known` ones; of several the last.
    """
    alerts = store.alerts.about([memory.id for memory in memories])
    others = {side for alert in alerts for side in (alert.a, alert.b)}.difference(known)
    if memory_filter.among is not None:
        others &= {*memory_filter.among}
    if not others:
        return {}
    fitting = store.list_ids(replace(memory_filter, among=tuple(others)))
    later = {memory.id: memory for memory in store.get_many(fitting)}
    found = {memory.id: memory for memory in memories} | later
    pairs = [alert for alert in alerts if {alert.a, alert.b} <= found.keys()]
    sides = sorted(_sides(pairs, found), key=lambda sides: found[sides[1]].created_at or 0)
    sides += [(newer, older) for older, newer in sides if found[older].created_at is None]
    return {older: later[newer] for older, newer in sides if newer in later and older not in later}


def _sides(alerts: Sequence[Alert], found: Mapping[int, Memory | Outline]) -> list[tuple[int, int]]:
    """Return (older, newer) of the alerts by which the older memory may be outdated."""
    if not alerts:
        return []
    from curator.compare.relation import SIGNS
    from curator.curation.unique_statements import keeps_safety

    pairs = []
    for alert in alerts:
        if alert.relation not in _CLASHES:
            continue
        older, newer = sorted((found[alert.a], found[alert.b]), key=lambda memory: (memory.created_at or 0, memory.id))
        only_signs = any(reason.startswith(SIGNS) for reason in alert.reasons[:1])
        if not (only_signs and safety.states(older.text)) and not keeps_safety(older.text, newer.text):
            pairs.append((older.id, newer.id))
    return pairs
