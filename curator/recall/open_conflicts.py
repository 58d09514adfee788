"""Open conflicts among memories for a model: which of the two was said last."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from curator import safety
from curator.block_text import brought_by, notes_on
from store import Filter, Store
from store.model import Alert, Memory, Outline, Relation

_CLASHES = frozenset({Relation.CONTRADICTION, Relation.UPDATE})


def outdated(store: Store, found: Mapping[int, Memory | Outline]) -> set[int]:
    """Return the older sides of the open conflicts among these memories.

    A safety fact is outdated only by a text that denies it, not by mere signs of a conflict; several in one memory only
    if all are denied; one that may cost a life only if that text is about safety, too ("no longer allergic").
    """
    return {older for older, _ in _sides(store.alerts.between(list(found)), found)}


def conflict_notes(store: Store, found: Mapping[int, Memory]) -> dict[int, str]:
    """Return the notes on those of these memories that are in open conflict with another of them."""
    return notes_on(_sides(store.alerts.between(list(found)), found), _said(found))


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
    brought = brought_by(_sides(pairs, found), _said(found), later)
    return {older: later[newer] for older, newer in brought.items()}


def _said(found: Mapping[int, Memory | Outline]) -> dict[int, int | None]:
    return {number: memory.created_at for number, memory in found.items()}


def _sides(alerts: Sequence[Alert], found: Mapping[int, Memory | Outline]) -> list[tuple[int, int]]:
    """Return (older, newer) of the alerts by which the older memory may be outdated."""
    if not alerts:
        return []
    from curator.compare.relation import SIGNS
    from curator.curation.unique_statements import keeps_safety, loses_grave

    pairs = []
    for alert in alerts:
        if alert.relation not in _CLASHES:
            continue
        older, newer = sorted((found[alert.a], found[alert.b]), key=lambda memory: (memory.created_at or 0, memory.id))
        only_signs = any(reason.startswith(SIGNS) for reason in alert.reasons[:1])
        if only_signs and safety.states(older.text):
            continue
        if not keeps_safety(older.text, newer.text) and not loses_grave(newer.text, older.text):
            pairs.append((older.id, newer.id))
    return pairs
