"""Schema 2: an index over the inbox, most important first, which older records get when opened."""

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from older_schemas import lead_back

from curator import curation
from factories import put
from store import Filter, Sort, Store, clock
from store.filter import Dialect
from store.model import Kind, Origin, Review, Surprise, Tier
from store.record import schema
from store.record.database import connect

MADE = (Origin.RULES, Origin.MODEL, Origin.IMPORT)


def inbox(**more: object) -> Filter:
    return Filter(reviews=(Review.OPEN,), origins=MADE, due_by=clock.now(), **more)  # type: ignore[arg-type]


def plan(store: Store, ask: str) -> str:
    """Return SQLite's query plan of a store's method for the inbox, named by `ask`."""
    asked: list[str] = []
    with store.sqlite() as connection:
        connection.set_trace_callback(asked.append)
        store.count(inbox()) if ask == "count" else store.list_ids(inbox(), Sort.MATTERS, 256, ask == "descending")
        connection.set_trace_callback(None)
        return " | ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {asked[-1]}"))


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Return the folder of a store that version 1 wrote."""
    folder = tmp_path / "old"
    folder.mkdir()
    with contextlib.closing(Store.open(folder)) as store:
        ids = put(store, "I like tea", "I like trains", surprise=Surprise(0.1, 0.7, 0.3, 0.0, 0.0))
        ids += put(store, "It rains", tier=Tier.CORE, kind=Kind.CONTEXT)
        curation.validate(store, ids[:1])
        curation.forget(store, ids[1:2])
        store.undo()
    lead_back(folder, 1)
    return folder


def texts(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
    """Return the memories, with the columns that version 1 knows."""
    query = "SELECT id, owner, text, content_key, kind, review, life, created_at, added_at FROM memories ORDER BY id"
    return [tuple(row) for row in connection.execute(query)]


def version(file: Path) -> int:
    with contextlib.closing(sqlite3.connect(file)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def test_a_record_of_version_one_is_led_on_with_nothing_lost(old: Path) -> None:
    assert version(old / "record.sqlite") == 1
    connection = connect(old / "record.sqlite")
    before = texts(connection)
    assert not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'memories_inbox'").fetchall()
    connection.close()
    with contextlib.closing(Store.open(old)) as store:
        with store.sqlite() as now:
            assert texts(now) == before
        assert store.differences() == []
        assert "memories_inbox" in plan(store, "descending")
        assert [store.get(memory).text for memory in store.list_ids(inbox(), Sort.MATTERS)] == [
            "I like trains",
            "It rains",
        ]
        store.undo()
        assert store.count(inbox()) == 3
        assert store.differences() == []
    assert version(old / "record.sqlite") == schema.NEWEST
    copy = old / "backups" / "record-v1.sqlite"
    assert version(copy) == 1
    kept = connect(copy)
    assert texts(kept) == before
    kept.close()
    with contextlib.closing(Store.open(old)) as store:
        assert store.journal.seq() > 0, "it opens again, with nothing left to do"


@pytest.mark.parametrize("ask", ["descending", "ascending", "count"])
def test_the_inbox_is_read_from_its_index_alone(store: Store, ask: str) -> None:
    put(store, "I like tea")
    how = plan(store, ask)
    assert "memories_inbox" in how
    assert "TEMP B-TREE" not in how, "nothing is sorted"
    assert "SCAN memories" not in how


def test_the_index_agrees_with_a_plain_reading(store: Store) -> None:
    ids = []
    for number in range(60):
        ids += put(
            store,
            f"fact {number}",
            importance=1 + number % 10,
            tier=list(Tier)[number % 3],
            surprise=None if number % 4 == 0 else Surprise(number / 60, (number * 7 % 60) / 60, 0.0, 0.0, 0.0),
            origin=list(Origin)[number % 4],
            created_at=number % 5,
        )
    curation.validate(store, ids[::7])
    curation.forget(store, ids[::11])
    with store.command("later") as writer:
        writer.update("memories", ids[::3], {"later_until": clock.now() + clock.DAY})
        writer.update("memories", ids[1::3], {"later_until": clock.now() - clock.DAY})
    for wanted in (
        inbox(),
        inbox(tiers=(Tier.CORE,)),
        inbox(words=("fact 1",)),
        Filter(),
        Filter(reviews=(Review.OPEN,)),
    ):
        for descending in (True, False):
            found = store.list_ids(wanted, Sort.MATTERS, descending=descending)
            assert found == list_without_index(store, wanted, descending)
            assert store.list_ids(wanted, Sort.MATTERS, 7, descending) == found[:7]
            assert store.count(wanted) == len(found)


def list_without_index(store: Store, filter: Filter, descending: bool) -> list[int]:
    """Return the same list without any index."""
    from store.filter import MATTERS

    with store.sqlite() as connection:
        rows = connection.execute(
            f"SELECT id, {MATTERS} AS matters, created_at FROM memories NOT INDEXED WHERE {filter.sql(Dialect.SQLITE)}"
        ).fetchall()
    return [
        row["id"]
        for row in sorted(rows, key=lambda row: (row["matters"], row["created_at"], row["id"]), reverse=descending)
    ]


def test_what_matters_is_the_sum_that_is_promised(store: Store) -> None:
    cases: dict[str, tuple[dict[str, Any], float]] = {
        "plain": ({"importance": 5}, 5.0),
        "core": ({"importance": 10, "tier": Tier.CORE}, 13.0),
        "low": ({"importance": 1, "tier": Tier.LOW}, -1.0),
        "surprising": ({"importance": 4, "surprise": Surprise(0.5, 0.2, 0.9, 0.9, 0.9)}, 6.0),
    }
    for text, (fields, _) in cases.items():
        put(store, text, **fields)
    from store.filter import MATTERS

    with store.sqlite() as connection:
        found = dict(connection.execute(f"SELECT text, {MATTERS} FROM memories").fetchall())
    assert found == {text: pytest.approx(value) for text, (_, value) in cases.items()}
