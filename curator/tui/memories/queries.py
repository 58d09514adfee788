"""What the list shows, read from the store in one go."""

import json
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from curator.tui.memories import duplicate_groups
from curator.tui.memories.duplicate_groups import Groups
from curator.tui.widgets.virtual_list import find
from store import Filter, Sort, Store
from store.analytics import Analytics
from store.filter import Dialect
from store.model import Life, Memory, Origin, Review

AROUND = 120  # rows read with the ids, before and after the cursor: what a tall screen can show
FIRST = 256


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked for: a filter and an order, or memories named one by one (`only`, in their order).

    Of those, the filter's words are not asked for. With `grouped`, several ways to say one thing stand under the first
    of them.
    """

    filter: Filter
    sort: Sort = Sort.CREATED
    descending: bool = True
    only: tuple[int, ...] | None = None
    grouped: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """The memories a query means, in order, and where the cursor goes.

    `anchor` is where the cursor was when the reading began, None for a new list; `rows` are those around the new
    place; `marked` were the marks then, `unlisted` those of them that are not in the list; `whole` is False for the
    first screenful of a list that is still being read. `groups` are what says the same; the others of those that are
    `unfolded` stand under their first, those of the rest have no line. Where nothing is listed, `gone` is how many
    memories are live no more, by what they are instead.
    """

    ids: "array[int]"
    cursor: int
    anchor: int | None
    rows: tuple[Memory, ...]
    alerted: frozenset[int]
    marked: frozenset[int]
    unlisted: frozenset[int]
    seq: int
    whole: bool
    groups: Groups = field(default_factory=dict)
    unfolded: frozenset[int] = frozenset()
    gone: Mapping[Life, int] = field(default_factory=dict)


def first(store: Store, analytics: Analytics, query: Query) -> Listing:
    """The beginning of a list: quick for any number of memories."""
    if query.only is not None or (analytics.filled and not _indexed(query)):
        ids = _ids(store, analytics, query)[:FIRST]
    else:
        ids = store.id_array(query.filter, query.sort, FIRST, query.descending)
    rows = tuple(store.get_many(ids[:AROUND]))
    return Listing(ids, 0, None, rows, frozenset(), frozenset(), frozenset(), -1, whole=False)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a list stands before it is read again: the memory under the cursor, its row, those below it, the marks.

    `unfolded` are memories of which a group that begins with one has a line for each. Where none of `near` is listed
    that is `touched` too, the cursor goes to the first memory of the list that is.
    """

    anchor: int | None
    index: int
    near: Sequence[int]
    marks: frozenset[int]
    unfolded: frozenset[int] = frozenset()
    touched: frozenset[int] = frozenset()


def whole(store: Store, analytics: Analytics, query: Query, place: Place) -> Listing:
    """All of a list. The cursor goes to the first of `place.touched` and `place.near` in it, else to its index."""
    seq = store.journal.seq()
    ids = _ids(store, analytics, query)
    groups = duplicate_groups.groups(store, ids) if query.grouped else {}
    ids = duplicate_groups.arranged(ids, groups, place.unfolded)
    cursor = find(ids, _sought(ids, place), place.index)
    rows = store.get_many(ids[max(cursor - AROUND, 0) : cursor + AROUND])
    alerted = _alerted(store, analytics)
    unlisted = place.marks.difference(ids) if place.marks else frozenset()
    shown = place.unfolded & groups.keys()
    gone = {} if ids else _gone(store)
    return Listing(
        ids, cursor, place.anchor, tuple(rows), alerted, place.marks, unlisted, seq, True, groups, shown, gone
    )


def _sought(ids: "array[int]", place: Place) -> Sequence[int]:
    """Where the cursor goes: to what was touched, be it where the cursor was; else to the first of that."""
    if not place.touched:
        return place.near
    listed = [memory for memory in ids if memory in place.touched]
    return [*(memory for memory in place.near if memory in place.touched), *listed[:1], *place.near]


def _gone(store: Store) -> Mapping[Life, int]:
    counts = {life: store.count(Filter(lives=(life,))) for life in (Life.FORGOTTEN, Life.SUPERSEDED, Life.EXPIRED)}
    return {life: count for life, count in counts.items() if count}


def _alerted(store: Store, analytics: Analytics) -> frozenset[int]:
    """The memories with open alerts: of 70,000 DuckDB knows them in 5 ms, the record in 120."""
    if not analytics.fresh:
        return store.alerts.memories()
    return frozenset(analytics.list_ids(Filter(lives=(), conflict=True)))


def still(store: Store, query: Query, memory: int) -> Memory | None:
    """A memory as it is by now; None if the query does not mean it any more."""
    return next(iter(store.get_many(list(meant(store, _terms(query), [memory])))), None)


def _terms(query: Query) -> Filter:
    """The filter that the list goes by: what is named one by one is there whatever its words."""
    return query.filter if query.only is None else replace(query.filter, text="")


def meant(store: Store, filter: Filter, memories: Sequence[int]) -> set[int]:
    """Those of the memories that a filter means."""
    with store.sqlite() as connection:
        rows = connection.execute(
            f"SELECT id FROM memories WHERE {filter.sql(Dialect.SQLITE)} AND id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(memories)),),
        )
        return {row[0] for row in rows}


def _ids(store: Store, analytics: Analytics, query: Query) -> "array[int]":
    """In the orders it has an index for the record is quick; for all else DuckDB is, once it is filled."""
    if query.only is not None:
        there = meant(store, _terms(query), query.only)
        return array("q", (memory for memory in query.only if memory in there))
    if analytics.filled and not _indexed(query):
        analytics.follow()
        return analytics.list_ids(query.filter, query.sort, query.descending)
    return store.id_array(query.filter, query.sort, descending=query.descending)


def _indexed(query: Query) -> bool:
    """Whether the record has an index for this: all live memories by age, and the inbox as it comes."""
    if query.sort is Sort.CREATED:
        return query.filter == Filter()
    return query.sort is Sort.MATTERS and query.descending and replace(query.filter, due_by=None) == INBOX


INBOX = Filter(reviews=(Review.OPEN,), origins=(Origin.RULES, Origin.MODEL, Origin.IMPORT))
"""What waits for the person, but for what was put off."""
