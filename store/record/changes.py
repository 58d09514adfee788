"""Journaled changes to rows: keys, columns, and values before and after.

The same functions apply a change to the record, to a scratch record when the journal is replayed, and, inverted, for
undo. Applying is strict: it raises Conflict if a row differs from the change's former values.

A change is encoded as JSON with one-letter keys, deflated if that is smaller. Column names and equal values are stored
once per change, so that an update of 100,000 rows needs little more than their ids.
"""

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from store.errors import Conflict, Damaged
from store.record.repository import json_list

Value = str | int | float | None

KEYS: dict[str, tuple[str, ...]] = {
    "memories": ("id",),
    "evidence": ("id",),
    "versions": ("id",),
    "tags": ("memory", "tag"),
    "tombstones": ("owner", "content_key", "memory"),
    "alerts": ("id",),
    "segments": ("conversation", "batch"),
    "distilled": ("conversation", "distiller"),
}
"""Journaled tables and their primary keys."""

CHILDREN = ("tags", "evidence", "versions", "tombstones")
"""Journaled tables whose rows belong to a memory and are deleted with it."""

_UNPACKED = 1 << 28  # maximum bytes of a decompressed event
_MEMORY_COLUMN = {"memories": "id", "evidence": "memory", "versions": "memory", "tags": "memory"}


@dataclass(frozen=True, slots=True)
class _Rows:
    table: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]

    @property
    def keys(self) -> list[tuple[Value, ...]]:
        """The primary keys of the rows."""
        return list(zip(*map(self.column, KEYS[self.table]), strict=True))

    def column(self, name: str) -> list[Value]:
        """Return the values of a column; none if the rows lack it."""
        return [row[self.columns.index(name)] for row in self.rows] if name in self.columns else []


class Insert(_Rows):
    """Rows that were added."""


class Delete(_Rows):
    """Rows that were deleted, with all columns, so that they can be restored."""


@dataclass(frozen=True, slots=True)
class Update:
    """Rows of `table` with these one-column keys, whose `columns` changed from `before` to `after`.

    `why` has reasons with the keys they apply to. A reason never contains words of a memory.
    """

    table: str
    keys: tuple[tuple[Value, ...], ...]
    columns: tuple[str, ...]
    before: tuple[Value, ...]
    after: tuple[Value, ...]
    why: tuple[tuple[str, tuple[int, ...]], ...] = ()

    def column(self, name: str) -> list[Value]:
        """Return the values of the key column; none for another column."""
        return [key[0] for key in self.keys] if KEYS[self.table] == (name,) else []


Change = Insert | Delete | Update
JUDGMENTS = frozenset(
    ("review", "flag", "kind", "tier", "given", "pinned", "rank", "user_score", "importance", "later_until")
)
"""Columns of memories that a command changes for each memory by itself."""


def invert(change: Change) -> Change:
    """Return the change that undoes this one."""
    if isinstance(change, Update):
        return replace(change, before=change.after, after=change.before, why=())
    return (Delete if isinstance(change, Insert) else Insert)(change.table, change.columns, change.rows)


def numbers(values: Iterable[Value]) -> list[int]:
    """Return id values as integers."""
    return [int(value or 0) for value in values]


def memories_of(change: Change) -> list[int]:
    """Return the memories that a change affects, by their own rows, evidence, versions, tags and tombstones."""
    return numbers(change.column(_MEMORY_COLUMN.get(change.table, "")))


def parts(change: Change, most: int) -> Iterator[Change]:
    """Yield the change in parts of at most `most` rows each, in order."""
    for first in range(0, len(change.keys if isinstance(change, Update) else change.rows), most):
        some = slice(first, first + most)
        yield (
            narrowed(change, change.keys[some])
            if isinstance(change, Update)
            else replace(change, rows=change.rows[some])
        )


def narrowed(change: Update, keys: Iterable[tuple[Value, ...]]) -> Update:
    """Return the change restricted to some of its keys."""
    chosen = tuple(keys)
    there = {key[0] for key in chosen}
    why = ((reason, tuple(key for key in those if key in there)) for reason, those in change.why)
    return replace(change, keys=chosen, why=tuple((reason, those) for reason, those in why if those))


def is_judgment(change: Change) -> bool:
    """Return True for a change of what a person thinks of memories, which says nothing of their words or life."""
    return isinstance(change, Update) and change.table == "memories" and JUDGMENTS.issuperset(change.columns)


def reason_for(change: Change, memory: int) -> str:
    """Return a sweep's reason for changing a memory, or ""."""
    whys = change.why if isinstance(change, Update) and change.table == "memories" else ()
    return next((reason for reason, memories in whys if memory in memories), "")


def values_of(change: Change) -> Sequence[tuple[Value, ...]]:
    """Return the values of the rows in a change; for an update, those before and after."""
    return (change.before, change.after) if isinstance(change, Update) else change.rows


def rows_of(change: Change) -> list[dict[str, Value]]:
    """Return the rows of a change by column; for an update, the former and new values."""
    return [dict(zip(change.columns, values, strict=True)) for values in values_of(change)]


def with_rows(change: Change, rows: Iterable[Iterable[Value]]) -> Change:
    """Return the change with other values of its rows, given as `values_of` returns them."""
    values = tuple(tuple(row) for row in rows)
    if isinstance(change, Update):
        return replace(change, before=values[0], after=values[1])
    return replace(change, rows=values)


def sides_of(change: Change) -> list[int]:
    """Return the memories of the alerts that a change adds or deletes."""
    return numbers(value for side in "ab" for value in change.column(side)) if change.table == "alerts" else []


def touched_since(connection: sqlite3.Connection, seq: int) -> set[int]:
    """Return the memories affected by events after `seq`, including deleted ones.

    A changed alert affects both of its memories, and so does an open alert if the life, quarantine or text of one of
    them changes.
    """
    found: set[int] = set()
    alerts: list[Value] = []
    moved: set[int] = set()  # memories that were added, deleted, or whose life, quarantine or text changed
    for row in connection.execute("SELECT changes FROM events WHERE seq > ?", (seq,)):
        for change in decode(row[0]):
            found.update(memories_of(change))
            if change.table == "alerts":
                alerts += change.column("id")
                found.update(sides_of(change))
            elif change.table == "memories" and not _DECISIVE.isdisjoint(change.columns):
                moved.update(memories_of(change))
    return found.union(*connection.execute(_SIDES, (json_list(alerts), json_list(sorted(moved)))))


_DECISIVE = frozenset({"life", "flag", "review", "content_key"})  # columns that determine whether an alert is open
_SIDES = " UNION ALL ".join(
    f"SELECT a, b FROM alerts WHERE {which}"
    for which in (
        "id IN (SELECT value FROM json_each(?1))",
        "settled IS NULL AND a IN (SELECT value FROM json_each(?2))",
        "settled IS NULL AND b IN (SELECT value FROM json_each(?2))",
    )
)


def apply(connection: sqlite3.Connection, change: Change) -> None:
    """Apply a change in the open transaction. Raises Conflict if a row differs from the change's former values."""
    if isinstance(change, Insert):
        names, marks = ", ".join(change.columns), ", ".join("?" * len(change.columns))
        try:
            connection.executemany(f"INSERT INTO {change.table} ({names}) VALUES ({marks})", change.rows)
        except sqlite3.IntegrityError as error:
            raise Conflict(f"a row of {change.table} is there already: {error}") from error
    elif isinstance(change, Delete):
        test = " AND ".join(f"{column} IS ?" for column in change.columns)
        deleted = connection.executemany(f"DELETE FROM {change.table} WHERE {test}", change.rows).rowcount
        if deleted != len(change.rows):
            raise Conflict(f"a row of {change.table} has been changed meanwhile")
    else:
        (key,) = KEYS[change.table]
        setting = ", ".join(f"{column} = ?" for column in change.columns)
        former = "".join(f" AND {column} IS ?" for column in change.columns)
        updated = connection.execute(  # one statement for all rows, with their keys as one list
            f"UPDATE {change.table} SET {setting} WHERE {key} IN (SELECT value FROM json_each(?)){former}",
            (*change.after, json_list(row[0] for row in change.keys), *change.before),
        ).rowcount
        if updated != len(change.keys):
            raise Conflict(f"a row of {change.table} has been changed meanwhile")
    if change.table == "memories":
        _update_derived(connection, change)


def _update_derived(connection: sqlite3.Connection, change: Change) -> None:
    """Delete data derived from memories that a change affects.

    The vector of a changed or deleted text is deleted. A memory that is added, reworded, restored or moved to another
    scope is queued to be compared.
    """
    columns = change.columns if isinstance(change, Update) else ("text",)
    memories = json_list(memories_of(change))
    if "text" in columns and not isinstance(change, Insert):
        for table in ("vectors", "unembedded"):  # space is the first column of their indexes
            connection.execute(
                f"DELETE FROM {table} WHERE space IN (SELECT id FROM spaces)"
                " AND memory IN (SELECT value FROM json_each(?))",
                (memories,),
            )
    if "text" in columns and not isinstance(change, Delete):
        connection.execute(
            "INSERT OR IGNORE INTO unembedded (space, memory) SELECT s.id, j.value FROM spaces s, json_each(?) j",
            (memories,),
        )
    if not {"text", "life", "scope"}.isdisjoint(columns):
        queue_comparison(connection, memories)


def queue_comparison(connection: sqlite3.Connection, memories: str) -> None:
    """Queue the live ones of these memories (JSON) to be compared with others, and no longer the others."""
    connection.execute("DELETE FROM compared WHERE memory IN (SELECT value FROM json_each(?))", (memories,))
    connection.execute(
        "INSERT INTO compared (memory, key, rules) SELECT id, '', '' FROM memories WHERE life = 'live'"
        " AND id IN (SELECT value FROM json_each(?))",
        (memories,),
    )


def encode(changes: Sequence[Change]) -> bytes:
    """Return the changes of one event as bytes."""
    rows: list[dict[str, object]] = []
    for change in changes:
        row: dict[str, object] = {"t": change.table}
        if isinstance(change, Update):
            keys = [key[0] for key in change.keys] if len(KEYS[change.table]) == 1 else change.keys
            row |= {"k": keys, "c": change.columns, "b": change.before, "a": change.after}
            row |= {"w": change.why} if change.why else {}
        else:
            row |= {"c": change.columns, "i" if isinstance(change, Insert) else "d": change.rows}
        rows.append(row)
    return packed(orjson.dumps(rows))


def packed(plain: bytes) -> bytes:
    """Return the JSON of an event's changes as it is stored."""
    small = zlib.compress(plain, 1)
    return small if len(small) < len(plain) else plain


def decode(data: bytes) -> list[Change]:
    """Return the changes encoded by `encode`. Raises Damaged for unknown names, since names are used as SQL."""
    try:
        return [_decoded(item) for item in orjson.loads(unpacked(data))]
    except (zlib.error, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged(f"it is not as the program writes it ({error})") from error


def updates(data: bytes) -> list[Update]:
    """Return the updates of memories in an event. Events without any, such as imports, are not parsed.

    They are recognised by a substring with quotes, which would be escaped inside a text.
    """
    plain = unpacked(data)
    if b'{"t":"memories","k":[' not in plain:
        return []
    read = (_decoded(item) for item in orjson.loads(plain) if "k" in item and item["t"] == "memories")
    return [change for change in read if isinstance(change, Update)]


def unpacked(data: bytes) -> bytes:
    """Return the JSON of a stored event. Raises ValueError, zlib.error."""
    if data[:1] == b"[":
        return data
    unpacking = zlib.decompressobj()
    plain = unpacking.decompress(data, _UNPACKED)
    if not unpacking.eof:
        raise ValueError("cut off, or far too long")
    return plain


def _decoded(item: dict[str, list[Any]]) -> Change:
    table = str(item["t"])
    columns = tuple(str(column) for column in item["c"])
    if table not in KEYS or not columns or not all(column.isascii() and column.isidentifier() for column in columns):
        raise ValueError("of no table that is journaled")
    if "k" in item:
        if len(KEYS[table]) != 1:
            raise ValueError(f"an update of {table}, which there is none of")
        keys = tuple(tuple(key) if isinstance(key, list) else (key,) for key in item["k"])
        why = tuple((str(reason), tuple(memories)) for reason, memories in item.get("w", ()))
        return Update(table, keys, columns, _values(item["b"]), _values(item["a"]), why)
    kind, rows = (Insert, item["i"]) if "i" in item else (Delete, item["d"])
    return kind(table, columns, tuple(tuple(row) for row in rows))


def _values(items: Sequence[object]) -> tuple[Value, ...]:
    return tuple(item for item in items if item is None or isinstance(item, str | int | float))
