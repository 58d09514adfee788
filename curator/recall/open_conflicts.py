"""Open conflicts among memories for a model: which of the two was said last."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from curator import safety
from curator.block_text import brought_by, notes_on
from store import Filter, Store
from store.model import Alert, Memory, Origin, Outline, Relation, Review

_OWN = (Origin.RULES, Origin.MODEL, Origin.PERSON)
_CLASHES = frozenset({Relation.CONTRADICTION, Relation.UPDATE})


def outdated(store: Store, found: Mapping[int, Memory | Outline]) -> set[int]:
    """Return the older sides of the open conflicts among these memories.

    A safety fact is outdated only by a text that denies it, not by mere signs of a conflict; several in one memory only
    if all are denied; one that may cost a life only if that text is about safety, too ("no longer allergic").
    """
    return {older for older, _ in _sides(store.alerts.between(list(found)), found)}


def conflict_sides(store: Store, found: Mapping[int, Memory]) -> list[tuple[int, int]]:
    """Return (older, newer) of the open conflicts among these memories by which the older may be outdated."""
    return _sides(store.alerts.between(list(found)), found)


def conflict_notes(found: Mapping[int, Memory], sides: Sequence[tuple[int, int]]) -> dict[int, str]:
    """Return the notes on those of these memories that are in open conflict with another of them."""
    return notes_on(sides, _said(found))


def newer_sides(
    store: Store, memories: Sequence[Memory], memory_filter: Filter, known: Collection[int], own: bool = False
) -> dict[int, Memory]:
    """Return memories in open conflict with these that were said later, or may have been, by the former memory.

    Only those that match the filter and are not among the `known` ones, with `own` only words of the person or
    validated ones; of several the last.
    """
    alerts = store.alerts.about([memory.id for memory in memories])
    others = {side for alert in alerts for side in (alert.a, alert.b)}.difference(known)
    if memory_filter.among is not None:
        others &= {*memory_filter.among}
    if not others:
        return {}
    fitting = store.list_ids(replace(memory_filter, among=tuple(others)))
    later = {
        memory.id: memory
        for memory in store.get_many(fitting)
        if not own or memory.origin in _OWN or memory.review is Review.VALIDATED
    }
    found = {memory.id: memory for memory in memories} | later
    pairs = [alert for alert in alerts if {alert.a, alert.b} <= found.keys()]
    brought = brought_by(_sides(pairs, found), _said(found), later)
    return {older: later[newer] for older, newer in brought.items()}


def in_force(store: Store, memories: Sequence[Memory], memory_filter: Filter) -> list[Memory]:
    """Return always-given memories with, in the place of each, the one in open conflict with it that was said later.

    Only the person's own words, or what they validated, take such a place. A validated memory stays beside one that is
    not. Nothing takes a place if it is not known which was said later.
    """
    given, asked, known = list(memories), list(memories), {memory.id for memory in memories}
    while later := newer_sides(store, asked, memory_filter, known, own=True):
        asked = list(later.values())
        known |= {newer.id for newer in asked}
        placed: dict[int, Memory] = {}
        for memory in given:
            newer = later.get(memory.id)
            if newer is None or None in (memory.created_at, newer.created_at):
                placed[memory.id] = memory
                continue
            placed[newer.id] = newer
            if memory.review is Review.VALIDATED and newer.review is not Review.VALIDATED:
                placed[memory.id] = memory
        given = list(placed.values())
    return given


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
