"""Read rows of the record for the DuckDB copy, as Arrow tables of bounded size."""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from store.filter import MATTERS, OPEN_ALERTS
from store.record.repository import grouped, json_list
from store.store import Store

if TYPE_CHECKING:
    import pyarrow

_BATCH = 2_000  # rows converted at once: few enough for the processor's cache, and to let others run
_OWN = (
    "id text kind tier rank review life origin project source scope pinned given flag confidence user_score importance"
    " created_at added_at later_until expires_at"
).split()
ROWS = f"SELECT {', '.join(_OWN)}, {MATTERS} AS matters FROM memories WHERE +owner = ?"
"""SQL of the columns of the table `memories`; + keeps SQLite from random access through the index over owner."""


@dataclass(frozen=True, slots=True)
class CopyPosition:
    """Position of a copy: the identity of its record, and the last event and uses that it contains."""

    store: str  # identity of the record
    owner: str
    seq: int  # of the last event
    event: str  # command and time of that event, which differ after a restore and new events
    uses: int  # total uses counted so far; they are not journaled
    used_at: int


def mark(store: Store, record: sqlite3.Connection) -> CopyPosition:
    """Return the mark of a copy of the record as it is now."""
    (seq,) = record.execute("SELECT coalesce(max(seq), 0) FROM events").fetchone()
    uses, used_at = record.execute("SELECT coalesce(sum(times), 0), coalesce(max(last_at), 0) FROM uses").fetchone()
    return CopyPosition(store.identity, store.owner, seq, _event(record, seq), uses, used_at)


def is_past(store: Store, record: sqlite3.Connection, mark: CopyPosition) -> bool:
    """Return True if the record was once at this mark, so that later events apply to the copy."""
    return (mark.store, mark.owner, mark.event) == (store.identity, store.owner, _event(record, mark.seq))


def is_clean(store: Store, record: sqlite3.Connection, mark: CopyPosition) -> bool:
    """Return True if the record was once at this mark, and no words were erased since."""
    return is_past(store, record, mark) and not erased_since(record, mark)


def erased_since(record: sqlite3.Connection, mark: CopyPosition) -> bool:
    """Return True if a purge or a redaction came after a mark, so that an older copy may contain its words."""
    query = "SELECT 1 FROM commands WHERE id > ? AND verb IN ('purge', 'redact') LIMIT 1"
    return record.execute(query, (int(mark.event.partition(" ")[0] or 0),)).fetchone() is not None


def _event(record: sqlite3.Connection, seq: int) -> str:
    row = record.execute(
        "SELECT c.id, c.at FROM events e JOIN commands c ON c.id = e.command WHERE e.seq = ?", (seq,)
    ).fetchone()
    return "" if row is None else f"{row['id']} {row['at']}"


def schema() -> "pyarrow.Schema":
    """Return the columns of the copy: those of `ROWS`, then those from other tables."""
    import pyarrow

    words, whole, real, truth = pyarrow.string(), pyarrow.int64(), pyarrow.float64(), pyarrow.bool_()
    types = {
        **dict.fromkeys(
            ("id", "user_score", "importance", "created_at", "added_at", "later_until", "expires_at"), whole
        ),
        **dict.fromkeys(("confidence", "matters"), real),
        "pinned": truth,
    }
    own = [(name, types.get(name, words)) for name in (*_OWN, "matters")]
    others = [("tags", pyarrow.list_(words)), ("conflict", truth), ("used", whole), ("last_used", whole)]
    return pyarrow.schema([*own, *others])


def everything(store: Store, record: sqlite3.Connection) -> "Iterator[pyarrow.Table]":
    """Yield all memories of the owner."""
    cursor = _rows(record, f"{ROWS} ORDER BY id", store.owner)
    while rows := cursor.fetchmany(_BATCH):
        yield _table(record, rows, "BETWEEN ?1 AND ?2", (rows[0][0], rows[-1][0]))


def some(store: Store, record: sqlite3.Connection, ids: Sequence[int]) -> "Iterator[pyarrow.Table]":
    """Yield the memories with these ids that belong to the owner."""
    for start in range(0, len(ids), _BATCH):
        named = json_list(ids[start : start + _BATCH])
        rows = _rows(record, f"{ROWS} AND id IN (SELECT value FROM json_each(?))", store.owner, named).fetchall()
        yield _table(record, rows, "IN (SELECT value FROM json_each(?1))", (named,))


def numbers(ids: Sequence[int]) -> "pyarrow.Table":
    """Return ids as a table of one column, `id`."""
    import pyarrow

    return pyarrow.table({"id": pyarrow.array(ids, pyarrow.int64())})


def uses(record: sqlite3.Connection, since: int) -> "pyarrow.Table":
    """Return the uses of memories that were used at `since` or later: memory, used, last_used."""
    import pyarrow

    shape = pyarrow.schema([(name, pyarrow.int64()) for name in ("memory", "used", "last_used")])
    cursor = _rows(record, "SELECT memory, times, last_at FROM uses WHERE last_at >= ?", since)
    tables = [shape.empty_table()]
    while rows := cursor.fetchmany(_BATCH):
        tables.append(pyarrow.table([pyarrow.array(values) for values in zip(*rows, strict=True)], schema=shape))
    return pyarrow.concat_tables(tables)


def _rows(record: sqlite3.Connection, query: str, *parameters: str | int) -> sqlite3.Cursor:
    """Run a query that returns plain tuples, which are faster than rows."""
    cursor = record.cursor()
    cursor.row_factory = None
    return cursor.execute(query, parameters)


def _table(
    record: sqlite3.Connection, rows: Sequence[tuple[object, ...]], named: str, parameters: tuple[str | int, ...]
) -> "pyarrow.Table":
    """Return rows as columns, joined with those of other tables; `named` is an SQL condition on their ids."""
    import pyarrow

    columns = list(zip(*rows, strict=True)) or [()] * (len(_OWN) + 1)
    ids = columns[0]
    tags = grouped(_rows(record, f"SELECT memory, tag FROM tags WHERE memory {named}", *parameters))
    found = _rows(record, f"SELECT memory, times, last_at FROM uses WHERE memory {named}", *parameters)
    uses = {memory: (times, last) for memory, times, last in found}
    sides = " UNION ".join(f"SELECT t.{side} FROM {OPEN_ALERTS} AND t.{side} {named}" for side in "ab")
    conflicts = {row[0] for row in _rows(record, sides, *parameters)}
    columns += [
        tuple(tags.get(memory, ()) for memory in ids),
        tuple(memory in conflicts for memory in ids),
        tuple(uses.get(memory, (0, None))[0] for memory in ids),
        tuple(uses.get(memory, (0, None))[1] for memory in ids),
    ]
    arrays = [
        pyarrow.array(map(bool, values) if field.name == "pinned" else values, field.type)
        for field, values in zip(schema(), columns, strict=True)
    ]
    return pyarrow.table(arrays, schema=schema())
