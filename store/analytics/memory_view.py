"""DuckDB copy of the memories for lists and counts, filled from the record once and then updated from its events."""

import contextlib
import logging
import sqlite3
import threading
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from store.analytics import reader, snapshot, state_history
from store.analytics.reader import CopyPosition
from store.errors import Unwritable
from store.filter import SCORE, SOURCE, Dialect, Filter, Sort
from store.record.changes import touched_since
from store.record.database import roll_back
from store.store import Store

if TYPE_CHECKING:
    import duckdb
    import pyarrow

_log = logging.getLogger(__name__)

_AT_ONCE = 50  # Arrow tables inserted into DuckDB at once
_LAG = 20_000  # changed rows since the snapshot from which it is rewritten
_GROUP = 122_880  # rows of a row group in the snapshot, as in DuckDB
_ORDER = {
    Sort.CREATED: ("created_at",),
    Sort.ADDED: ("added_at",),
    Sort.CONFIDENCE: (SCORE,),
    Sort.IMPORTANCE: ("importance",),
    Sort.TEXT: ("lower(text)",),
    Sort.MATTERS: ("matters", "created_at"),
    Sort.USED: ("used", "created_at"),
}


class Stopped(Exception):
    """`Analytics.stop` ended a `follow`, or was called before it."""


FACETS = {
    "kind": "kind",
    "tier": "tier",
    "state": "CASE life WHEN 'live' THEN rank ELSE life END",
    "review": "review",
    "given": "given",
    "project": "project",
    "source": SOURCE,
    "origin": "origin",
    "tag": "unnest(tags)",
}
"""SQL of the fields by which memories are counted, by name in the filter language."""
_FACETED = "kind, tier, life, rank, review, given, project, source, origin, tags"  # columns that `FACETS` read


class Analytics:
    """A copy of the memories for lists and counts. Methods may be called from any thread; one runs at a time.

    Call `follow` before queries: the first call fills the copy, later ones update it. A large copy is saved
    as a file for the next process (`store.analytics.snapshot`).
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._mark: CopyPosition | None = None
        self._version = 0  # data version of the record at the mark
        self._lag = 0  # rows that changed since the snapshot
        self._past = threading.Lock()  # guards reading of the journal
        self._moved = 0  # the last event whose state changes are in the copy

    @staticmethod
    def drop(store: Store, wait: float = 60.0) -> None:
        """Delete the snapshots of a store, after a purge. Raises Busy if they are in use for over `wait` seconds."""
        snapshot.drop(store.folder, wait)

    @property
    def filled(self) -> bool:
        """True after the first `follow`; later ones are fast."""
        return self._mark is not None

    @property
    def fresh(self) -> bool:
        """True if nothing was committed since the last `follow`."""
        return self._mark is not None and self._store.data_version() == self._version

    def stop(self) -> None:
        """End a `follow` in another thread, within about a second. It raises Stopped, as do later ones."""
        self._stopping.set()

    def close(self) -> None:
        """Stop, and discard the copy."""
        self.stop()
        with self._lock:
            self._discard()

    def follow(self) -> int:
        """Update the copy from the record; return the number of the last event applied. Raises Stopped.

        If nothing was committed since the last call, only the version is checked.
        """
        if self._stopping.is_set():
            raise Stopped
        with self._lock, self._store.sqlite() as record:
            version = self._store.data_version()  # read before the snapshot: later commits are then checked again
            if self._mark is not None and version == self._version:
                return self._mark.seq
            record.execute("BEGIN")  # one snapshot for rows and marks
            try:
                present = reader.mark(self._store, record)
                if self._mark is not None and not reader.is_past(self._store, record, self._mark):
                    self._discard()  # a backup was restored over the record
                if self._mark is None:
                    self._mark = self._open(record, present)
                if self._mark != present:
                    self._update(record, self._mark, present)
                    self._mark = present
                self._version = version
            finally:
                roll_back(record)
        if self._lag > _LAG:
            self._save()
        return present.seq

    def list_ids(self, filter: Filter, sort: Sort = Sort.CREATED, descending: bool = True) -> "array[int]":
        """Return the ids of the memories that match a filter, in order; ties by id in the same direction."""
        direction = "DESC NULLS LAST" if descending else "ASC NULLS FIRST"  # as in SQLite
        order = ", ".join(f"{column} {direction}" for column in (*_ORDER[sort], "id"))
        found = self.ask(f"SELECT id FROM memories WHERE {filter.sql(Dialect.DUCKDB)} ORDER BY {order}")
        return array("q", found.column(0).to_numpy().astype("int64").tobytes())

    def count(self, filter: Filter) -> int:
        """Return the number of memories that match a filter."""
        return int(self.rows(f"SELECT count(*) FROM memories WHERE {filter.sql(Dialect.DUCKDB)}")[0][0])

    def facet(self, by: str, filter: Filter, among: Sequence[int] | None = None) -> list[tuple[str, int]]:
        """Return the values of one of `FACETS` among the memories that match a filter, with counts, highest first.

        With `among`, count only memories with these ids.
        """
        named = "" if among is None else f" AND list_contains({list(among)}::BIGINT[], id)"
        return self.rows(
            f"SELECT value, count(*) AS n FROM (SELECT {FACETS[by]} AS value FROM memories WHERE"
            f" {filter.sql(Dialect.DUCKDB)}{named}) WHERE value IS NOT NULL GROUP BY value ORDER BY n DESC, value"
        )

    def facets(
        self, names: Sequence[str], filter: Filter, among: Sequence[int] | None = None
    ) -> dict[str, list[tuple[str, int]]]:
        """Return `facet` for several fields with one search: 0.1 s instead of 0.9 s for a million memories."""
        if not filter.words:
            return {by: self.facet(by, filter, among) for by in names}
        named = "" if among is None else f" AND list_contains({list(among)}::BIGINT[], id)"
        counts = (
            f"SELECT '{by}', value, count(*) FROM (SELECT {FACETS[by]} AS value FROM found) WHERE value IS NOT NULL"
            " GROUP BY value"
            for by in names
        )
        rows = self.rows(
            f"WITH found AS MATERIALIZED (SELECT {_FACETED} FROM memories WHERE {filter.sql(Dialect.DUCKDB)}{named})"
            f" {' UNION ALL '.join(counts)} ORDER BY 3 DESC, 2"
        )
        return {by: [(value, count) for name, value, count in rows if name == by] for by in names}

    def ask(self, sql: str) -> "pyarrow.Table":
        """Run one internal SELECT over the table `memories`; columns as in `reader.schema`."""
        with self._lock:
            return self._filled()[0].sql(sql).to_arrow_table()

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of an internal SELECT as tuples."""
        with self._lock:
            return self._filled()[0].sql(sql).fetchall()

    def _filled(self) -> "tuple[duckdb.DuckDBPyConnection, CopyPosition]":
        if self._connection is None or self._mark is None:
            raise RuntimeError("call Analytics.follow first")
        return self._connection, self._mark

    def ask_past(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of one SELECT over `memories`, and `moves` and `undone` (`store.analytics.state_history`).

        The first call reads the journal, which takes seconds for a million memories, later calls only new events; other
        queries are not blocked. Raises Stopped.
        """
        with self._past, self._store.sqlite() as record:
            while True:
                with self._lock:
                    if self._stopping.is_set():
                        raise Stopped
                    connection, mark = self._filled()
                    after, upto = self._moved, mark.seq
                added = list(self._until_stopped(state_history.state_changes(self._store, record, after, upto)))
                with self._lock:
                    if self._connection is not connection:  # the copy was replaced after a restore
                        continue
                    for table in added:
                        self._run("INSERT INTO moves SELECT * FROM batch", table)
                    self._moved, cursor = upto, connection.cursor()
                with contextlib.closing(cursor):  # a separate cursor, so that other threads can query meanwhile
                    cursor.register("undone", state_history.undone(self._store, record))
                    return cursor.sql(sql).fetchall()

    def _discard(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = self._mark = None

    def _open(self, record: sqlite3.Connection, present: CopyPosition) -> CopyPosition:
        """Fill a new copy from the snapshot, or from the record; return its mark."""
        self._discard()
        self._connection = new_database()
        self._make_tables()
        folder, owner = self._store.folder, self._store.owner
        mark = snapshot.load(folder, owner, self._is_clean, lambda table: self._add([table]))
        if mark is not None:
            self._lag = 0
            if (present.uses, present.used_at) != (mark.uses, mark.used_at):
                self._take_uses(record, 0)  # all, since restoring a backup may have removed some
            return replace(mark, uses=present.uses, used_at=present.used_at)
        self._make_tables()
        self._lag = self._add(reader.everything(self._store, record))
        return present

    def _make_tables(self) -> None:
        for name, schema in (("memories", reader.schema()), ("moves", state_history.schema())):
            self._run(f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM batch", schema.empty_table())
        self._moved = 0

    def _update(self, record: sqlite3.Connection, past: CopyPosition, present: CopyPosition) -> None:
        """Update the copy from one mark to another, completely or not at all."""
        assert self._connection is not None
        self._connection.begin()
        try:
            ids = sorted(touched_since(record, past.seq)) if present.seq != past.seq else []
            if ids:
                self._run("DELETE FROM memories WHERE id IN (SELECT id FROM batch)", reader.numbers(ids))
                self._add(reader.some(self._store, record, ids))
            if (present.uses, present.used_at) != (past.uses, past.used_at):
                self._take_uses(
                    record, past.used_at if present.uses > past.uses and present.used_at > past.used_at else 0
                )
            self._connection.commit()
        except BaseException:
            self._connection.rollback()
            raise
        self._lag += len(ids)
        if reader.erased_since(record, past):  # the snapshot was deleted
            self._lag += int(self._connection.sql("SELECT count(*) FROM memories").fetchall()[0][0])

    def _take_uses(self, record: sqlite3.Connection, since: int) -> None:
        """Copy the uses since a moment; all uses if counts may have fallen."""
        uses = reader.uses(record, since)
        if not since:
            self._run("UPDATE memories SET used = 0, last_used = NULL WHERE used > 0", uses)
        self._run(
            "UPDATE memories SET used = batch.used, last_used = batch.last_used FROM batch WHERE id = memory", uses
        )

    def _add(self, tables: "Iterable[pyarrow.Table]") -> int:
        """Add rows to the copy; return their number. Raises Stopped between two tables."""
        import pyarrow

        count, rest = 0, iter(tables)
        while some := list(self._until_stopped(islice(rest, _AT_ONCE))):
            batch = pyarrow.concat_tables(some)
            self._run("INSERT INTO memories SELECT * FROM batch", batch)
            count += len(batch)
        return count

    def _run(self, sql: str, batch: "pyarrow.Table") -> None:
        """Run a statement over an Arrow table, available as `batch`."""
        assert self._connection is not None
        self._connection.register("batch", batch)
        try:
            self._connection.execute(sql).fetchall()
        finally:
            self._connection.unregister("batch")

    def _save(self) -> None:
        """Write the snapshot with a separate cursor, so that other threads can query meanwhile."""
        import pyarrow

        with self._lock:
            if self._connection is None or self._mark is None:
                return
            mark, cursor = self._mark, self._connection.cursor()
            cursor.begin()
            cursor.execute("SELECT 1 FROM memories LIMIT 1").fetchall()  # pins the snapshot of this transaction
            self._lag = 0
        try:
            batches = cursor.sql("SELECT * FROM memories").to_arrow_reader(_GROUP)
            tables = (pyarrow.Table.from_batches([batch]) for batch in batches)
            snapshot.save(self._store.folder, mark, self._until_stopped(tables), self._is_clean)
        except (Unwritable, OSError):
            _log.warning("no snapshot could be written: the next start reads the record again", exc_info=True)
        finally:
            cursor.close()

    def _is_clean(self, mark: CopyPosition) -> bool:
        with self._store.sqlite() as record:
            return reader.is_clean(self._store, record, mark)

    def _until_stopped(self, tables: "Iterable[pyarrow.Table]") -> "Iterator[pyarrow.Table]":
        for table in tables:
            if self._stopping.is_set():
                raise Stopped
            yield table


def new_database() -> "duckdb.DuckDBPyConnection":
    """Return an empty database in memory."""
    import duckdb

    connection = duckdb.connect(":memory:")
    for setting in ("threads = 2", "temp_directory = ''"):  # no text may be spilled into the working directory
        connection.execute(f"SET {setting}").fetchall()
    return connection
