"""Which memories, in what order, and how many of each sort: filled from the record once, then led after its events."""

import sqlite3
import threading
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from store.filter import SCORE, Dialect, Filter, Sort
from store.record.changes import decode, memories_of
from store.store import Store

if TYPE_CHECKING:
    import duckdb
    import pyarrow

_BATCH = 50_000
_COLUMNS = (
    "id text kind tier rank review life origin project source scope pinned flag confidence user_score importance"
    " created_at added_at"
).split()
_ROWS = f"""SELECT {", ".join(_COLUMNS)},
    (SELECT group_concat(tag, ' ') FROM tags t WHERE t.memory = memories.id) AS tags,
    EXISTS (SELECT 1 FROM alerts a WHERE a.settled IS NULL AND a.a = memories.id)
    OR EXISTS (SELECT 1 FROM alerts a WHERE a.settled IS NULL AND a.b = memories.id) AS conflict
    FROM memories WHERE life <> 'purged'"""
_ORDER = {
    Sort.CREATED: "created_at",
    Sort.ADDED: "added_at",
    Sort.CONFIDENCE: SCORE,
    Sort.IMPORTANCE: "importance",
    Sort.TEXT: "lower(text)",
}


class Facet:
    """What memories can be counted by; the names are those of the filter language."""

    KIND = "kind"
    TIER = "tier"
    STATE = "CASE life WHEN 'live' THEN rank ELSE life END"
    REVIEW = "review"
    PROJECT = "project"
    SOURCE = "source"
    TAG = "unnest(tags)"


@dataclass(frozen=True, slots=True)
class _Mark:
    """How far the copy has followed the record."""

    seq: int
    alerts: int


class Analytics:
    """A copy of what browsing asks for. Methods may be called from any thread, one at a time runs.

    Call `follow` before asking: the first call fills the copy (about 1.3 s per 100,000 memories), later ones take in
    what changed.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._mark = _Mark(0, 0)

    @property
    def filled(self) -> bool:
        """Whether the first `follow` is done, so that the next is quick."""
        return self._mark.seq > 0

    def close(self) -> None:
        """Let go of the copy."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def follow(self) -> int:
        """Bring the copy up to the record; returns the number of the last event it has seen."""
        with self._lock, self._store.sqlite() as record:
            record.execute("BEGIN")  # one snapshot for rows and marks
            try:
                mark = _Mark(
                    record.execute("SELECT coalesce(max(seq), 0) FROM events").fetchone()[0],
                    record.execute("SELECT count(*) FROM alerts WHERE settled IS NULL").fetchone()[0],
                )
                if self._connection is None:
                    self._fill(record)
                elif mark != self._mark:
                    self._take_in(record, _changed(record, self._mark.seq))
            finally:
                record.execute("ROLLBACK")
            self._mark = mark
            return mark.seq

    def list_ids(self, filter: Filter, sort: Sort = Sort.CREATED, descending: bool = True) -> "array[int]":
        """Ids of the memories a filter means, in order; ties by id in the same direction."""
        direction = "DESC" if descending else "ASC"
        order = f"{_ORDER[sort]} {direction}, id {direction}"
        found = self._ask(f"SELECT id FROM memories WHERE {filter.sql(Dialect.DUCKDB)} ORDER BY {order}")
        ids: array[int] = array("q")
        ids.frombytes(found.column(0).combine_chunks().to_numpy(zero_copy_only=False).astype("int64").tobytes())
        return ids

    def count(self, filter: Filter) -> int:
        """How many memories a filter means."""
        return int(self._ask(f"SELECT count(*) FROM memories WHERE {filter.sql(Dialect.DUCKDB)}").column(0)[0].as_py())

    def facet(self, by: str, filter: Filter) -> list[tuple[str, int]]:
        """The values of a facet among the memories a filter means, with how many have each, most first."""
        rows = self._ask(
            f"SELECT value, count(*) AS n FROM (SELECT {by} AS value FROM memories WHERE"
            f" {filter.sql(Dialect.DUCKDB)}) WHERE value IS NOT NULL GROUP BY value ORDER BY n DESC, value"
        )
        return list(zip(rows.column(0).to_pylist(), rows.column(1).to_pylist(), strict=True))

    def _ask(self, sql: str) -> "pyarrow.Table":
        with self._lock:
            if self._connection is None:
                raise RuntimeError("ask Analytics to follow first")
            return self._connection.sql(sql).to_arrow_table()

    def _fill(self, record: sqlite3.Connection) -> None:
        import duckdb

        self._connection = duckdb.connect(":memory:")
        self._connection.execute("SET threads = 2").fetchall()
        self._connection.register("batch", _table([]))
        self._connection.execute("CREATE TABLE memories AS SELECT * FROM batch").fetchall()
        self._connection.unregister("batch")
        self._add(_read(record, f"{_ROWS} AND owner = ?", (self._store.owner,)))

    def _take_in(self, record: sqlite3.Connection, changed: Sequence[int]) -> None:
        assert self._connection is not None
        named = orjson.dumps(list(changed)).decode()
        self._connection.execute(
            "DELETE FROM memories WHERE id IN (SELECT unnest(from_json(?, '[\"BIGINT\"]')))", [named]
        ).fetchall()
        wanted = f"{_ROWS} AND +owner = ? AND id IN (SELECT value FROM json_each(?))"
        self._add(_read(record, wanted, (self._store.owner, named)))

    def _add(self, batches: "Iterable[pyarrow.Table]") -> None:
        assert self._connection is not None
        for batch in batches:
            self._connection.register("batch", batch)
            self._connection.execute("INSERT INTO memories SELECT * FROM batch").fetchall()
            self._connection.unregister("batch")


def _changed(record: sqlite3.Connection, seq: int) -> list[int]:
    """Memories that events after `seq` touched, those whose alerts did included."""
    found: set[int] = set()
    alerts = False
    for row in record.execute("SELECT changes FROM events WHERE seq > ?", (seq,)):
        for change in decode(row[0]):
            found.update(memories_of(change))
            alerts |= change.table == "alerts"
    if alerts:
        for row in record.execute("SELECT a, b FROM alerts"):
            found.update(row)
    return sorted(found)


def _read(record: sqlite3.Connection, sql: str, parameters: tuple[str, ...]) -> "Iterator[pyarrow.Table]":
    cursor = record.execute(sql, parameters)
    while rows := cursor.fetchmany(_BATCH):
        yield _table(rows)


def _table(rows: Sequence[sqlite3.Row]) -> "pyarrow.Table":
    import pyarrow

    words, whole, truth = pyarrow.string(), pyarrow.int64(), pyarrow.bool_()
    types = {
        **dict.fromkeys(_COLUMNS, words),
        **dict.fromkeys(("id", "user_score", "importance", "created_at", "added_at"), whole),
        "pinned": truth,
        "confidence": pyarrow.float64(),
    }
    columns = list(zip(*rows, strict=True)) or [()] * (len(_COLUMNS) + 2)
    arrays = [
        pyarrow.array(map(bool, values) if types[name] is truth else values, type=types[name])
        for name, values in zip(_COLUMNS, columns, strict=False)
    ]
    tags, conflict = columns[-2:]
    arrays.append(pyarrow.array([value.split() if value else [] for value in tags], type=pyarrow.list_(words)))
    arrays.append(pyarrow.array(map(bool, conflict), type=truth))
    return pyarrow.table(arrays, names=[*_COLUMNS, "tags", "conflict"])
