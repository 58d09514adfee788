"""Open conflicts among recalled memories: which memory of each pair was said last."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter

from curator import safety
from curator.block_text import later_sides, notes_on
from curator.partial_updates import parts_left
from store import Filter, Store
from store.model import Alert, Memory, Origin, Outline, Review

_OWN = (Origin.RULES, Origin.MODEL, Origin.PERSON)


def outdated_memories(store: Store, found: Mapping[int, Memory | Outline]) -> set[int]:
    """Return the older memories of the open conflicts among these memories.

    A memory with safety facts is outdated only by a text that denies all of them, not by other signs of a conflict. For
    life-threatening facts that text must be about safety too ("no longer allergic").
    """
    return {older for older, _ in _sides(store.alerts.between(list(found)), found)}


def replaced_orders(store: Store, orders: Mapping[int, Memory]) -> set[int]:
    """Return the older memories of the open conflicts among standing memories, without those replaced only in part."""
    sides = _sides(store.alerts.between(list(orders)), orders)
    return {older for older, newer in sides if not parts_left(orders[older].text, orders[newer].text)}


def conflict_sides(store: Store, found: Mapping[int, Memory]) -> list[tuple[int, int]]:
    """Return (older, newer) for each open conflict among these memories that may outdate the older one."""
    return _sides(store.alerts.between(list(found)), found)


def conflict_notes(found: Mapping[int, Memory], sides: Sequence[tuple[int, int]]) -> dict[int, str]:
    """Return a note for each of these memories that is in open conflict with another of them."""
    return notes_on(sides, _said(found))


def newer_sides(
    store: Store, memories: Sequence[Memory], memory_filter: Filter, known: Collection[int], own: bool = False
) -> dict[int, Memory]:
    """Return, by memory, the newest memory in open conflict with it that was said later or at an unknown time.

    Only memories that match the filter and are not in `known` are returned; with `own`, they must be the person's own
    words or validated, and safety facts have only those that deny them.
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
    brought = later_sides(_sides(pairs, found, all_safety=not own), _said(found), later)
    return {older: later[newer] for older, newer in brought.items()}


def replace_outdated(store: Store, memories: Sequence[Memory], memory_filter: Filter) -> list[Memory]:
    """Return standing memories, each replaced by the memory in open conflict with it that was said later.

    Only the person's own words and validated memories replace others. A validated memory is kept in addition to one
    that is not, and one that is replaced in part in addition to any. If the order in time is unknown, nothing is
    replaced.
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
            unsure = memory.review is Review.VALIDATED and newer.review is not Review.VALIDATED
            if unsure or parts_left(memory.text, newer.text):
                placed[memory.id] = memory
        given = list(placed.values())
    return given


def _said(found: Mapping[int, Memory | Outline]) -> dict[int, int | None]:
    return {number: memory.created_at for number, memory in found.items()}


def _sides(
    alerts: Sequence[Alert], found: Mapping[int, Memory | Outline], all_safety: bool = False
) -> list[tuple[int, int]]:
    """Return (older, newer) of each alert that may outdate the older memory; with `all_safety`, of any safety fact."""
    if not alerts:
        return []
    from curator.compare.relation import SIGNS
    from curator.curation.unique_statements import keeps_safety, loses_grave

    pairs = []
    for alert in alerts:
        if not alert.relation.is_opposed:
            continue
        older, newer = sorted((found[alert.a], found[alert.b]), key=attrgetter("said_order", "id"))
        only_signs = any(reason.startswith(SIGNS) for reason in alert.reasons[:1])
        stays = only_signs and safety.states(older.text)
        stays = stays or keeps_safety(older.text, newer.text) or loses_grave(newer.text, older.text)
        if all_safety or not stays:
            pairs.append((older.id, newer.id))
    return pairs
