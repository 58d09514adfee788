"""The list of memories, read from the store in one go."""

import json
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from curator.tui.cursor import place_of
from store import Filter, Sort, Store
from store.analytics import Analytics
from store.filter import OPEN_ALERTS, Dialect
from store.model import Life, Memory, Origin, Review

AROUND = 120  # rows read with the ids, before and after the cursor: what a tall screen can show
FIRST = 256
MOST = 8  # memories of a group of duplicates
_ALERTS = 50_000  # strongest alerts that groups are made of

Groups = Mapping[int, tuple[int, ...]]
"""The others of a group of duplicates, by its first."""


@dataclass(frozen=True, slots=True)
class Query:
    """A filter and an order, or memories named one by one (`only`, in their order, whatever their words).

    With `grouped`, duplicates are listed under the first of them.
    """

    filter: Filter
    sort: Sort = Sort.CREATED
    descending: bool = True
    only: tuple[int, ...] | None = None
    grouped: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """The memories that a query finds, in order, and the place of the cursor.

    `anchor` is the memory under the cursor when the reading began, None for a new list; `rows` are those around the new
    place; `marked` were the marks then, `unlisted` those of them that are not in the list; `whole` is False for the
    first screenful of a list that is still being read. In `groups` that are `unfolded` each memory has a line. If
    nothing is listed, `gone` counts the memories that are not live.
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
    """Read the beginning of a list: quick for any number of memories."""
    if query.only is not None or (analytics.filled and not _indexed(query)):
        ids = _ids(store, analytics, query)[:FIRST]
    else:
        ids = store.id_array(query.filter, query.sort, FIRST, query.descending)
    rows = tuple(store.get_many(ids[:AROUND]))
    return Listing(ids, 0, None, rows, frozenset(), frozenset(), frozenset(), -1, whole=False)


@dataclass(frozen=True, slots=True)
class Place:
    """A list before it is read again: the memory under the cursor, its row, where the cursor may go, the marks.

    Groups whose first is `unfolded` have a line for each memory. If none of `near` is listed that is `touched` too, the
    cursor goes to the first memory of the list that is.
    """

    anchor: int | None
    index: int
    near: Sequence[int]
    marks: frozenset[int]
    unfolded: frozenset[int] = frozenset()
    touched: frozenset[int] = frozenset()


def whole(store: Store, analytics: Analytics, query: Query, place: Place) -> Listing:
    """Read all of a list. The cursor goes to the first of `place.touched` and `place.near` in it, else to its index."""
    seq = store.journal.seq()
    ids = _ids(store, analytics, query)
    groups = duplicate_groups(store, ids) if query.grouped else {}
    ids = arranged(ids, groups, place.unfolded)
    near = place.near
    if place.touched:
        listed = next(([memory] for memory in ids if memory in place.touched), [])
        near = [*(memory for memory in near if memory in place.touched), *listed, *near]
    cursor = place_of(ids, near, place.index)
    rows = store.get_many(ids[max(cursor - AROUND, 0) : cursor + AROUND])
    gone: dict[Life, int] = {}
    if not ids:
        counts = {life: store.count(Filter(lives=(life,))) for life in (Life.FORGOTTEN, Life.SUPERSEDED, Life.EXPIRED)}
        gone = {life: count for life, count in counts.items() if count}
    return Listing(
        ids,
        cursor,
        place.anchor,
        tuple(rows),
        _alerted(store, analytics),
        place.marks,
        unlisted=place.marks.difference(ids) if place.marks else frozenset(),
        seq=seq,
        whole=True,
        groups=groups,
        unfolded=place.unfolded & groups.keys(),
        gone=gone,
    )


def _alerted(store: Store, analytics: Analytics) -> frozenset[int]:
    """Return the memories with open alerts: of 70,000 DuckDB knows them in 5 ms, the record in 120."""
    if not analytics.fresh:
        return store.alerts.memories()
    return frozenset(analytics.list_ids(Filter(lives=(), conflict=True)))


def still(store: Store, query: Query, memory: int) -> Memory | None:
    """Return a memory as it is now; None if the query does not find it any more."""
    return next(iter(store.get_many(list(meant(store, _terms(query), [memory])))), None)


def _terms(query: Query) -> Filter:
    """Return the filter, without its words for memories named one by one."""
    return query.filter if query.only is None else replace(query.filter, text="")


def meant(store: Store, filter: Filter, memories: Sequence[int]) -> set[int]:
    """Return those of the memories that a filter finds."""
    with store.sqlite() as connection:
        rows = connection.execute(
            f"SELECT id FROM memories WHERE {filter.sql(Dialect.SQLITE)} AND id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(memories)),),
        )
        return {row[0] for row in rows}


def _ids(store: Store, analytics: Analytics, query: Query) -> "array[int]":
    """Read from the record in the orders it has an index for; else from DuckDB, once it is filled."""
    if query.only is not None:
        there = meant(store, _terms(query), query.only)
        return array("q", (memory for memory in query.only if memory in there))
    if analytics.filled and not _indexed(query):
        analytics.follow()
        return analytics.list_ids(query.filter, query.sort, query.descending)
    return store.id_array(query.filter, query.sort, descending=query.descending)


def _indexed(query: Query) -> bool:
    """Return whether the record has an index for this: all live memories by age, and the inbox in its order."""
    if query.sort is Sort.CREATED:
        return query.filter == Filter()
    return query.sort is Sort.MATTERS and query.descending and replace(query.filter, due_by=None) == INBOX


INBOX = Filter(reviews=(Review.OPEN,), origins=(Origin.RULES, Origin.MODEL, Origin.IMPORT))
"""What needs review, snoozed memories included."""


# Duplicates


def duplicate_groups(store: Store, ids: "array[int]") -> Groups:
    """Return groups of duplicates among listed memories, each in list order. Reads only the open alerts."""
    with store.sqlite() as connection:
        pairs = connection.execute(
            f"SELECT t.a, t.b FROM {OPEN_ALERTS} AND t.relation = 'duplicate' AND +x.owner = ? AND x.scope = y.scope"
            " AND x.review = 'open' AND y.review = 'open' AND x.flag IS NULL AND y.flag IS NULL"
            " ORDER BY t.score DESC, t.id LIMIT ?",
            (store.owner, _ALERTS),
        ).fetchall()
    if not pairs:
        return {}
    wanted = {memory for pair in pairs for memory in pair}
    places = {memory: place for place, memory in enumerate(ids) if memory in wanted}
    found: dict[int, list[int]] = {}
    for a, b in pairs:
        if a not in places or b not in places:
            continue
        ours, theirs = found.get(a, [a]), found.get(b, [b])
        if ours is not theirs and len(ours) + len(theirs) <= MOST:
            joined = ours + theirs
            found.update(dict.fromkeys(joined, joined))
    ordered = {id(group): sorted(group, key=places.__getitem__) for group in found.values() if len(group) > 1}
    return {group[0]: tuple(group[1:]) for group in ordered.values()}


def arranged(ids: "array[int]", groups: Groups, unfolded: Iterable[int]) -> "array[int]":
    """Return the list with the others of a group under the first if it is unfolded, and without them if it is not."""
    if not groups:
        return ids
    shown = set(unfolded) & groups.keys()
    moved = shown.union(*groups.values())
    out: array[int] = array("q")
    start = 0
    for place in [place for place, memory in enumerate(ids) if memory in moved]:
        out += ids[start:place]
        memory, start = ids[place], place + 1
        if memory in shown:
            out.extend((memory, *groups[memory]))
    return out + ids[start:]
