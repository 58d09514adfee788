"""What the list shows, read from the store in one go."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from store import Filter, Store
from store.analytics import Analytics
from store.model import Memory

AROUND = 120  # rows read with the ids, before and after the cursor: what a tall screen can show
FIRST = 256


@dataclass(frozen=True, slots=True)
class Listing:
    """The memories a filter means, in order, and where the cursor goes.

    `anchor` is where the cursor was when the reading began, None for a new list; `rows` are those around the new
    place; `unlisted` are marked memories that are not in the list; `whole` is False for the first screenful of a list
    that is still being read.
    """

    ids: "array[int]"
    cursor: int
    anchor: int | None
    rows: tuple[Memory, ...]
    alerted: frozenset[int]
    unlisted: frozenset[int]
    total: int
    seq: int
    whole: bool


def first(store: Store, filter: Filter) -> Listing:
    """The beginning of a list: quick for any number of memories."""
    ids = store.list_ids(filter, limit=FIRST)
    rows = tuple(store.get_many(ids[:AROUND]))
    return Listing(array("q", ids), 0, None, rows, frozenset(), frozenset(), 0, -1, whole=False)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a list stands before it is read again: the memory under the cursor, its row, those below it, the marks."""

    anchor: int | None
    index: int
    near: Sequence[int]
    marks: frozenset[int]


def whole(store: Store, analytics: Analytics, filter: Filter, place: Place) -> Listing:
    """All of a list. The cursor goes to the first of `place.near` that is in it, else to its index."""
    seq = store.seq()
    ids = _ids(store, analytics, filter)
    cursor = find(ids, place.near, place.index)
    rows = store.get_many(ids[max(cursor - AROUND, 0) : cursor + AROUND])
    alerted = frozenset(memory for alert in store.alerts() for memory in (alert.a, alert.b))
    unlisted = place.marks.difference(ids) if place.marks else frozenset()
    total = store.count(Filter()) if filter.text else len(ids)
    return Listing(ids, cursor, place.anchor, tuple(rows), alerted, unlisted, total, seq, whole=True)


def _ids(store: Store, analytics: Analytics, filter: Filter) -> "array[int]":
    """By age alone the record is quick; to look into every text DuckDB is, once it is filled."""
    if filter.text and analytics.filled:
        analytics.follow()
        return analytics.list_ids(filter)
    return array("q", store.list_ids(filter))


def find(ids: "array[int]", near: Sequence[int], index: int) -> int:
    """Where in `ids` the first of `near` stands; `index`, or the end, if none of them does."""
    wanted: dict[int, int] = {}
    for number, memory in enumerate(near):
        if number == 0:  # the usual case, at the speed of C
            try:
                return ids.index(memory)
            except ValueError:
                continue
        wanted[memory] = number
    found = {memory: row for row, memory in enumerate(ids) if memory in wanted} if wanted else {}
    if found:
        return found[min(found, key=wanted.__getitem__)]
    return max(min(index, len(ids) - 1), 0)
