"""Memories of unknown date: they have none anywhere, and count neither as new nor as old."""

import contextlib
import json

import pytest
from index_helpers import SPACE

from curator import curation
from curator.cli.output import memory_line
from curator.export.serializers import memory_row
from curator.filters import parse_filter
from curator.lifecycle import expiry_of
from curator.recall import features
from curator.recall.block import Detail
from curator.recall.project_block import project_context
from factories import memory, put
from store import Filter, Sort, Store, clock
from store.analytics import Analytics
from store.analytics.stats import stats
from store.filter import Dialect
from store.index import Index
from store.model import Kind, Origin

NOW = clock.now()


@pytest.fixture
def ids(store: Store) -> list[int]:
    """Store a memory of today, one without a date, and one of a year ago."""
    made = put(store, "I like tea", created_at=NOW)
    made += put(store, "I like rivers", created_at=None)
    return made + put(store, "I like trains", created_at=NOW - 365 * clock.DAY)


def test_it_is_stored_without_a_date_and_with_when_it_came(store: Store, ids: list[int]) -> None:
    found = store.get(ids[1])
    assert found.created_at is None
    assert found.added_at >= NOW
    assert memory_row(found)["created_at"] is None
    assert "–" in memory_line(found)
    assert store.differences() == []


def test_what_is_typed_is_said_now(store: Store) -> None:
    assert (curation.add(store, "I keep bees").created_at or 0) >= NOW


@pytest.mark.parametrize("descending", [True, False])
def test_it_sorts_as_the_oldest_in_both_engines(store: Store, ids: list[int], descending: bool) -> None:
    wanted = [ids[0], ids[2], ids[1]] if descending else [ids[1], ids[2], ids[0]]
    assert store.list_ids(Filter(), Sort.CREATED, descending=descending) == wanted
    with contextlib.closing(Analytics(store)) as analytics:
        analytics.follow()
        for sort in (Sort.CREATED, Sort.MATTERS, Sort.USED):
            assert analytics.list_ids(Filter(), sort, descending).tolist() == wanted
            assert store.list_ids(Filter(), sort, descending=descending) == wanted
        assert analytics.count(Filter()) == 3


def test_no_span_of_time_holds_it(store: Store, ids: list[int]) -> None:
    for words, wanted in (("age:<9000d", {ids[0], ids[2]}), ("age:>100d", {ids[2]})):
        which = parse_filter(words, Filter())
        assert set(store.list_ids(which)) == wanted
        assert which.sql(Dialect.LANCE)


def test_it_is_in_no_month_and_counted_all_the_same(store: Store, ids: list[int]) -> None:
    found = stats(store)
    assert found.memories.total == 3
    assert found.memories.groups["month"]["unknown"] == 1
    assert sum(bar.count for bar in found.insights.growth) == 2
    assert ids[1] not in [item.memory for item in found.insights.oldest_open]


def test_its_age_says_nothing_in_recall(store: Store, ids: list[int]) -> None:
    found = Index(store, SPACE).record.outlines(ids)
    sheet = features.Sheet.__new__(features.Sheet)
    object.__setattr__(sheet, "memories", [found[one] for one in ids])
    object.__setattr__(sheet, "now", NOW)
    object.__setattr__(sheet, "decay", True)
    today, undated, old = features.days(sheet)
    assert today < undated < old


def test_project_context_says_that_there_is_no_date(store: Store) -> None:
    put(store, "The harbour project runs on SQLite", created_at=None, project="harbour", scope="project:harbour")
    assert "(no date)" in project_context(store, "harbour", detail=Detail.COMPACT).text


def test_a_kind_that_ends_counts_from_when_it_came(store: Store) -> None:
    (task,) = put(store, "I must call the plumber", kind=Kind.TASK, created_at=None)
    (aging,) = store.aging([task])
    assert aging.created_at is None
    end = expiry_of(aging.kind, aging.said_by, aging.expires_at)
    assert end is not None
    assert end > NOW + 29 * clock.DAY


def test_which_of_two_is_newer_is_not_decided_by_rule(store: Store) -> None:
    a, b = put(store, "I live in Lisbon", created_at=None) + put(store, "I live in Porto", created_at=NOW)
    with store.command("compare") as writer:
        from store.model import Relation

        store.alerts.put(writer, a, b, Relation.CONTRADICTION, 0.9, ["why"], judge="rules/2")
    (alert,) = store.alerts.open()
    pair = curation.pair(store, alert.id)
    assert (pair.a.id, pair.b.id) == (a, b)
    from curator.curation.resolve import Rule, _winner

    assert curation.dated(pair) == ("I live in Lisbon", "I live in Porto")
    assert _winner(pair, Rule.NEWEST, None) == (None, "with unknown dates")


def test_it_leaves_and_comes_back_without_a_date(store: Store, ids: list[int]) -> None:
    row = json.loads(json.dumps(memory_row(store.get(ids[1]))))
    assert row["created_at"] is None
    curation.forget(store, [ids[1]])
    store.undo()
    assert store.get(ids[1]).created_at is None
    with store.command("import") as writer:
        admitted = store.admit(writer, memory("I like lakes", created_at=None, origin=Origin.IMPORT))
    assert store.get(admitted.added or 0).created_at is None
