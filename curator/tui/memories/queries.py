"""Queries of memory lists: the list, its duplicate groups, and the facets."""

import json
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from curator import safety
from curator.curation import given_once_validated, unless_said
from curator.filters import BadFilter, among_topics, parse_filter
from curator.topics import Topics
from curator.tui.cursor import cursor_index
from curator.tui.labels import REVIEWS
from store import Filter, Sort, Store
from store.analytics import FACETS, Analytics
from store.filter import OPEN_ALERTS, Dialect, format_term, parse_terms, split_terms
from store.model import Given, Life, Memory, Origin, Review

AROUND = 120  # rows read with the IDs before and after the cursor, which fill a tall screen
FIRST = 256
MOST = 8  # memories per duplicate group
_READ = 5_000  # most important memories of an inbox that are read; takes 20 ms
_CACHED = 20_000  # memories of which it is known whether they will always be given
_ALERTS = 50_000  # strongest alerts considered for groups

Groups = Mapping[int, tuple[int, ...]]
"""The other members of duplicate groups, by first member."""


@dataclass(frozen=True, slots=True)
class Query:
    """A filter and a sort order, or memories by ID (`only`, in that order, ignoring the filter's words).

    `title` describes these memories. With `grouped`, duplicates are listed under the first of their group.
    """

    filter: Filter
    sort: Sort = Sort.CREATED
    descending: bool = True
    only: tuple[int, ...] | None = None
    title: str = ""
    grouped: bool = False

    def sorted_by(self, sort: Sort) -> "Query":
        """Return the query in another order; the current order is reversed."""
        again = sort is self.sort
        return replace(self, sort=sort, descending=not self.descending if again else sort is not Sort.TEXT)


@dataclass(frozen=True, slots=True)
class ListState:
    """State of a list before it is read again: the memory under the cursor, its row, cursor candidates, and marks.

    `anchor` is None for a new list. Groups whose first member is in `unfolded` have a line for each memory. The cursor
    goes to the first of `near` that is listed and in `touched`, else to the first listed memory in `touched`.
    """

    anchor: int | None = None
    index: int = 0
    near: Sequence[int] = ()
    marks: frozenset[int] = frozenset()
    unfolded: frozenset[int] = frozenset()
    touched: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Listing:
    """Memories found by a query, in order, with the index of the cursor.

    `rows` are those around the cursor. `former` is the state of the list when reading began, and `unlisted` are its
    marks that are not in this list. `urgent` memories are always given, now or once validated. `full` is False for the
    first screenful of a list that is still being read. If nothing is listed, `not_live` counts what the filter finds
    among memories that are not live. `snoozed` is the number of memories that the inbox will list once they are due.
    """

    ids: "array[int]"
    cursor: int
    rows: Sequence[Memory]
    former: ListState = ListState()
    alerted: frozenset[int] = frozenset()
    unlisted: frozenset[int] = frozenset()
    seq: int = -1
    full: bool = False
    groups: Groups = field(default_factory=dict)
    not_live: Mapping[Life, int] = field(default_factory=dict)
    store_is_empty: bool = False
    snoozed: int = 0
    urgent: frozenset[int] = frozenset()


class ListReader:
    """Reads the lists of a view.

    Whether a memory will always be given once validated is kept by epoch, memory and event. Texts are not kept, since
    they may be purged.
    """

    def __init__(self, store: Store, analytics: Analytics) -> None:
        self._store, self._analytics = store, analytics
        self._given_once_validated: dict[tuple[str, int, int], bool] = {}

    def first_page(self, query: Query) -> Listing:
        """Read the beginning of a list; fast for any number of memories."""
        store, analytics = self._store, self._analytics
        if query.only is not None or (analytics.filled and not _indexed(query)):
            ids = _ids(store, analytics, query)[:FIRST]
        else:
            ids = store.id_array(query.filter, query.sort, FIRST, query.descending)
        urgent = self.always_given_ids(query, ids)
        ids = _urgent_first(query, ids, urgent)
        return Listing(ids, 0, store.get_many(ids[:AROUND]), urgent=frozenset(urgent))

    def full_list(self, query: Query, state: ListState) -> Listing:
        """Read the full list. The cursor goes to the first of `state.touched` and `state.near` in it, else to
        `state.index`.
        """
        store, analytics = self._store, self._analytics
        seq = store.journal.seq()
        ids = _ids(store, analytics, query)
        urgent = self.always_given_ids(query, ids)
        ids = _urgent_first(query, ids, urgent)
        groups = duplicate_groups(store, ids) if query.grouped else {}
        ids = fold_groups(ids, groups, state.unfolded)
        near = state.near
        if state.touched:
            listed = next(([memory_id] for memory_id in ids if memory_id in state.touched), [])
            near = [*(memory_id for memory_id in near if memory_id in state.touched), *listed, *near]
        cursor = cursor_index(ids, near, state.index)
        if analytics.fresh:  # memories with alerts among 70,000: 5 ms in DuckDB, 120 ms in the record
            alerted = frozenset(analytics.list_ids(Filter(lives=(), conflict=True)))
        else:
            alerted = store.alerts.memories()
        among_live = not ids and query.filter.lives == (Life.LIVE,)
        lives = (Life.FORGOTTEN, Life.SUPERSEDED, Life.EXPIRED) if among_live else ()
        counts = {life: store.count(replace(query.filter, lives=(life,))) for life in lives}
        due_by = query.filter.due_by
        plain_inbox = due_by is not None and query.only is None and replace(query.filter, due_by=None) == INBOX
        return Listing(
            ids,
            cursor,
            store.get_many(ids[max(cursor - AROUND, 0) : cursor + AROUND]),
            state,
            alerted,
            state.marks.difference(ids) if state.marks else frozenset(),
            seq,
            full=True,
            groups=groups,
            not_live={life: count for life, count in counts.items() if count},
            store_is_empty=not ids and is_empty(store),
            snoozed=store.count(replace(INBOX, deferred_at=due_by)) if plain_inbox else 0,
            urgent=frozenset(urgent),
        )

    def always_given_ids(self, query: Query, ids: "array[int]") -> Sequence[int]:
        """Return the memories of an inbox that are always given, or will be once validated.

        For the latter, only the first `_READ` of the list are read, and each only once until it changes.
        """
        if not query.grouped:
            return ()
        store, cache = self._store, self._given_once_validated
        source = "FROM memories WHERE id IN (SELECT value FROM json_each(?))"
        with store.sqlite() as connection:
            rows = connection.execute(f"SELECT id, seq {source}", (json.dumps([*ids[:_READ]]),)).fetchall()
            epoch = store.epoch
            keys = {memory_id: (epoch, memory_id, seq) for memory_id, seq in rows}
            new = [memory_id for memory_id, key in keys.items() if key not in cache]
            texts = connection.execute(f"SELECT id, text {source}", (json.dumps(new),)).fetchall() if new else ()
        always = {key: cache[key] for key in keys.values() if key in cache}
        given = given_once_validated(store, [text for _, text in texts])
        always |= {keys[memory_id]: when is Given.ALWAYS for (memory_id, _), when in zip(texts, given, strict=True)}
        if len(cache) > _CACHED:
            cache.clear()
        cache.update(always)
        to_check = [memory_id for memory_id, key in keys.items() if always.get(key)]
        listed = not query.filter.given or Given.ALWAYS in query.filter.given
        standing = store.list_ids(replace(query.filter, given=(Given.ALWAYS,)), Sort.MATTERS) if listed else ()
        relevant = [memory.id for memory in store.get_many(to_check) if memory.given is Given.RELEVANT]
        return (*standing, *unless_said(store, relevant))


def is_empty(store: Store) -> bool:
    """Return True if there are no memories in any state."""
    return not store.count(Filter(lives=()))


def _urgent_first(query: Query, ids: "array[int]", urgent: Sequence[int]) -> "array[int]":
    """Return the list, or the beginning of one, with the urgent memories first if it is sorted by importance."""
    if not urgent or query.sort is not Sort.MATTERS or not query.descending or query.only is not None:
        return ids
    among, listed = frozenset(urgent), frozenset(ids)
    first = array("q", (memory_id for memory_id in ids if memory_id in among))
    first.extend(memory_id for memory_id in urgent if memory_id not in listed)
    return first + array("q", (memory_id for memory_id in ids if memory_id not in among))


def nearest(store: Store, words: str, memory_filter: Filter) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return the memories in a filter that `curator search` finds, best first.

    The second value has the corrected words that were searched in addition to misspelt ones.
    """
    from curator.services.recall import search_options, search_with_fallback
    from curator.services.search_session import open_search

    result = search_with_fallback(store, open_search(store), words, memory_filter, search_options()).result
    return tuple(hit.memory.id for hit in result.hits), result.also


def refetch_if_listed(store: Store, query: Query, memory_id: int) -> Memory | None:
    """Return a memory as it is now; None if the query no longer finds it."""
    return next(iter(store.get_many(list(matching_ids(store, _terms(query), [memory_id])))), None)


def _terms(query: Query) -> Filter:
    """Return the filter, without its words if the query is a list of IDs."""
    return query.filter if query.only is None else replace(query.filter, words=())


def matching_ids(store: Store, filter: Filter, among: Sequence[int]) -> set[int]:
    """Return which of these memories match a filter."""
    with store.sqlite() as connection:
        rows = connection.execute(
            f"SELECT id FROM memories WHERE {filter.sql(Dialect.SQLITE)} AND id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(among)),),
        )
        return {row[0] for row in rows}


def _ids(store: Store, analytics: Analytics, query: Query) -> "array[int]":
    """Read IDs from the record if it has an index for the order, else from DuckDB if that is filled."""
    if query.only is not None:
        listed = matching_ids(store, _terms(query), query.only)
        return array("q", (memory_id for memory_id in query.only if memory_id in listed))
    if analytics.filled and not _indexed(query):
        analytics.follow()
        return analytics.list_ids(query.filter, query.sort, query.descending)
    return store.id_array(query.filter, query.sort, descending=query.descending)


def _indexed(query: Query) -> bool:
    """Return True if the record has an index for the query: all live memories by age, or the inbox in its order."""
    if query.sort is Sort.CREATED:
        return query.filter == Filter()
    return query.sort is Sort.MATTERS and query.descending and replace(query.filter, due_by=None) == INBOX


INBOX = Filter(reviews=(Review.OPEN,), origins=tuple(origin for origin in Origin if origin is not Origin.PERSON))
"""Memories that need review, including snoozed ones."""


# Duplicates


def duplicate_groups(store: Store, ids: "array[int]") -> Groups:
    """Return duplicate groups among listed memories, each in list order. Reads only the open alerts.

    A safety fact that may cost a life is never grouped with milder ones, which could supersede it unseen.
    """
    with store.sqlite() as connection:
        pairs = connection.execute(
            f"SELECT t.a, t.b, x.text, y.text FROM {OPEN_ALERTS} AND t.relation = 'duplicate' AND +x.owner = ?"
            " AND x.scope = y.scope AND x.review = 'open' AND y.review = 'open' AND x.flag IS NULL AND y.flag IS NULL"
            " ORDER BY t.score DESC, t.id LIMIT ?",
            (store.owner, _ALERTS),
        ).fetchall()
    pairs = [(a, b) for a, b, *texts in pairs if len({*map(safety.is_grave, texts)}) == 1]
    if not pairs:
        return {}
    members = {memory for pair in pairs for memory in pair}
    indices = {memory: index for index, memory in enumerate(ids) if memory in members}
    group_of: dict[int, list[int]] = {}
    for a, b in pairs:
        if a not in indices or b not in indices:
            continue
        group_a, group_b = group_of.get(a, [a]), group_of.get(b, [b])
        if group_a is not group_b and len(group_a) + len(group_b) <= MOST:
            joined = group_a + group_b
            group_of.update(dict.fromkeys(joined, joined))
    ordered = {id(group): sorted(group, key=indices.__getitem__) for group in group_of.values() if len(group) > 1}
    return {group[0]: tuple(group[1:]) for group in ordered.values()}


def fold_groups(ids: "array[int]", groups: Groups, unfolded: Iterable[int]) -> "array[int]":
    """Return the list with the other members of unfolded groups below the first, and without those of folded groups."""
    if not groups:
        return ids
    shown = set(unfolded) & groups.keys()
    moved = shown.union(*groups.values())
    out: array[int] = array("q")
    start = 0
    for index in [index for index, memory in enumerate(ids) if memory in moved]:
        out += ids[start:index]
        memory, start = ids[index], index + 1
        if memory in shown:
            out.extend((memory, *groups[memory]))
    return out + ids[start:]


# Facets


SHOWN = 12  # values per facet until it is unfolded


@dataclass(frozen=True, slots=True)
class FacetRow:
    """A line of the facets: a heading, or a value with its count and the filter `term` for it.

    The last line of a facet with more values has `unfolds`, the facet to list in full.
    """

    label: str
    count: int
    term: str = ""
    chosen: bool = False
    unfolds: str = ""


def topic_counts(
    topics: Topics, analytics: Analytics, filter: Filter, only: Sequence[int] | None
) -> list[tuple[str, int]]:
    """Count the memories of each topic that match a filter, most first."""
    names = topics.by_memory()
    ids: Iterable[int] = analytics.list_ids(filter)
    ids = ids if only is None else set(only).intersection(ids)
    counts = Counter(names[memory] for memory in ids if memory in names)
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def facets(
    analytics: Analytics,
    topics: Topics | None,
    base: str,
    text: str,
    now: int,
    only: Sequence[int] | None = None,
    unfolded: Collection[str] = (),
    finding: bool = True,
) -> list[FacetRow]:
    """Count the facets of a filter; with `only`, of these memories, ignoring the filter's words.

    Terms of a facet do not restrict the values of that facet, so that others can be added. Without `topics`, a line
    says that they are being found, unless `finding` is False.
    """
    rows: list[FacetRow] = []
    chosen = {(name, value.casefold()) for name, value in parse_terms(text) if name}
    if topics is None and finding:
        rows += [FacetRow("topic", 1), FacetRow("finding topics …", 0)]
    filters: dict[str, Filter] = {}
    for name in FACETS if topics is None else ("topic", *FACETS):
        others = " ".join(part for part in split_terms(text) if not part.casefold().startswith(f"{name}:"))
        try:
            facet_filter = parse_filter(f"{base} {others}", now=now)
            facet_filter = facet_filter if only is None else replace(facet_filter, words=())
            if topics is not None:
                facet_filter = among_topics(topics, facet_filter)
            elif facet_filter.topics:
                return rows
        except BadFilter:
            return []
        filters[name] = facet_filter
    counted: dict[str, list[tuple[str, int]]] = {}
    for facet_filter in dict.fromkeys(filters.values()):
        if same := [name for name in FACETS if filters[name] == facet_filter]:
            counted |= analytics.facets(same, facet_filter, only)
    for name, facet_filter in filters.items():
        counts = topic_counts(topics, analytics, facet_filter, only) if name == "topic" and topics else counted[name]
        chosen_values = {value for own, value in chosen if own == name}
        counts = [(value, count) for value, count in counts if value]
        counts += [(value, 0) for value in chosen_values if value not in {other.casefold() for other, _ in counts}]
        if len(counts) + len(chosen_values) < 2:
            continue  # a facet with a single value is useless
        rows.append(FacetRow(name, len(counts)))
        shown = len(counts) if name in unfolded else max(SHOWN, len(chosen_values))
        first = sorted(counts, key=lambda item: item[0].casefold() not in chosen_values)[:shown]
        for value, count in sorted(first, key=lambda item: (-item[1], item[0])):
            label = REVIEWS.get(value, value) if name == "review" else value
            rows.append(FacetRow(label, count, format_term(name, value), value.casefold() in chosen_values))
        if len(counts) > len(first):
            rows.append(FacetRow(f"and {len(counts) - len(first):,} more", 0, unfolds=name))
    return rows
