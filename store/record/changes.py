"""Changes to rows, as the journal keeps them: what was there, what is there now, for which keys.

A change is applied to the live record, to a scratch record when the journal is folded, and turned round for undo, by
the same three functions. Applying is strict: a row that is not as the change says it was raises Conflict.

Encoding: JSON, deflated where that pays, with one letter a field. Rows stand once as a list under their columns, so
that one change over 100,000 rows costs their ids and not their images.
"""

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from store.errors import Conflict, Damaged

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
"""The journaled tables, with their primary keys."""

_UNPACKED = 1 << 28  # bytes of one event: a few thousand rows
_MEMORY_COLUMN = {"memories": "id", "evidence": "memory", "versions": "memory", "tags": "memory"}


@dataclass(frozen=True, slots=True)
class Insert:
    """Rows that came to be."""

    table: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]


@dataclass(frozen=True, slots=True)
class Delete:
    """Rows that went, whole, so that they can come back."""

    table: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]


@dataclass(frozen=True, slots=True)
class Update:
    """Rows of `table` with these keys (one column), whose `columns` all went from `before` to `after`.

    `why` gives reasons, each with the keys it holds for: the program's own words, never those of a memory.
    """

    table: str
    keys: tuple[tuple[Value, ...], ...]
    columns: tuple[str, ...]
    before: tuple[Value, ...]
    after: tuple[Value, ...]
    why: tuple[tuple[str, tuple[int, ...]], ...] = ()


Change = Insert | Delete | Update


def invert(change: Change) -> Change:
    """The change that takes this one back."""
    if isinstance(change, Insert):
        return Delete(change.table, change.columns, change.rows)
    if isinstance(change, Delete):
        return Insert(change.table, change.columns, change.rows)
    return replace(change, before=change.after, after=change.before, why=())


def keys_of(change: Change) -> list[tuple[Value, ...]]:
    """The primary keys of the rows a change speaks of."""
    if isinstance(change, Update):
        return list(change.keys)
    places = [change.columns.index(column) for column in KEYS[change.table]]
    return [tuple(row[place] for place in places) for row in change.rows]


def memories_of(change: Change) -> list[int]:
    """The memories a change touches: their own rows, evidence, versions and tags."""
    column = _MEMORY_COLUMN.get(change.table)
    if column is None:
        return []
    if isinstance(change, Update):
        if column not in KEYS[change.table]:
            return []
        place = KEYS[change.table].index(column)
        return [int(key[place] or 0) for key in change.keys]
    place = change.columns.index(column)
    return [int(row[place] or 0) for row in change.rows]


def parts(change: Change, most: int) -> Iterator[Change]:
    """The change in parts of at most so many rows each, in their order."""
    count = len(change.keys) if isinstance(change, Update) else len(change.rows)
    if count <= most:
        yield change
        return
    for first in range(0, count, most):
        if isinstance(change, Update):
            yield narrowed(change, change.keys[first : first + most])
        else:
            yield replace(change, rows=change.rows[first : first + most])


def narrowed(change: Update, keys: Iterable[tuple[Value, ...]]) -> Update:
    """The change as far as it concerns some of its keys, with their reasons."""
    chosen = tuple(keys)
    there = {key[0] for key in chosen}
    why = ((reason, tuple(key for key in those if key in there)) for reason, those in change.why)
    return replace(change, keys=chosen, why=tuple((reason, those) for reason, those in why if those))


def reason_for(change: Change, memory: int) -> str:
    """Why a memory was changed, where a sweep has said so."""
    whys = change.why if isinstance(change, Update) and change.table == "memories" else ()
    return next((reason for reason, memories in whys if memory in memories), "")


def values_of(change: Change) -> Sequence[tuple[Value, ...]]:
    """Return the values of the rows in a change; of an update those before and after."""
    return (change.before, change.after) if isinstance(change, Update) else change.rows


def rows_of(change: Change) -> list[dict[str, Value]]:
    """Return the rows of a change by column; of an update the former and the new values."""
    return [dict(zip(change.columns, values, strict=True)) for values in values_of(change)]


def sides_of(change: Change) -> list[int]:
    """The memories between which alerts came or went."""
    if change.table != "alerts" or isinstance(change, Update):
        return []
    a, b = change.columns.index("a"), change.columns.index("b")
    return [int(row[side] or 0) for row in change.rows for side in (a, b)]


def touched_since(connection: sqlite3.Connection, seq: int) -> set[int]:
    """Memories that events after `seq` touched, those gone since included.

    An alert touches both its sides where it changes, and while it is open also where life or text of one of them do.
    """
    found: set[int] = set()
    alerts: list[Value] = []
    turned: set[int] = set()  # memories that came, went, or whose life or text changed
    for row in connection.execute("SELECT changes FROM events WHERE seq > ?", (seq,)):
        for change in decode(row[0]):
            found.update(memories_of(change))
            if change.table == "alerts":
                alerts += [key[0] for key in keys_of(change)]
                found.update(sides_of(change))
            elif change.table == "memories" and not _STANDING.isdisjoint(change.columns):
                turned.update(memories_of(change))
    for query, ids in (
        ("SELECT a, b FROM alerts WHERE id IN (SELECT value FROM json_each(?1))", alerts),
        (_BETWEEN, sorted(turned)),
    ):
        for row in connection.execute(query, (orjson.dumps(ids).decode(),)):
            found.update((row[0], row[1]))
    return found


_STANDING = frozenset({"life", "content_key"})  # of these it depends whether an alert is open
_BETWEEN = " UNION ALL ".join(
    f"SELECT a, b FROM alerts WHERE settled IS NULL AND {side} IN (SELECT value FROM json_each(?1))" for side in "ab"
)


def apply(connection: sqlite3.Connection, change: Change) -> None:
    """Carry a change out. Raises Conflict where a row is not as it should be; the transaction is the caller's."""
    if isinstance(change, Insert):
        names = ", ".join(change.columns)
        marks = ", ".join("?" * len(change.columns))
        try:
            connection.executemany(f"INSERT INTO {change.table} ({names}) VALUES ({marks})", change.rows)
        except sqlite3.IntegrityError as error:
            raise Conflict(f"a row of {change.table} is there already: {error}") from error
    elif isinstance(change, Delete):
        test = " AND ".join(f"{column} IS ?" for column in change.columns)
        _exactly(connection, f"DELETE FROM {change.table} WHERE {test}", change.rows, change.table)
    else:
        _update(connection, change)
    if change.table == "memories":
        _follow_texts(connection, change)
        _follow_standing(connection, change)


def _update(connection: sqlite3.Connection, change: Update) -> None:
    """One statement for all rows: their keys go in as one list."""
    (key,) = KEYS[change.table]
    setting = ", ".join(f"{column} = ?" for column in change.columns)
    former = "".join(f" AND {column} IS ?" for column in change.columns)
    keys = orjson.dumps([row[0] for row in change.keys]).decode()
    done = connection.execute(
        f"UPDATE {change.table} SET {setting} WHERE {key} IN (SELECT value FROM json_each(?)){former}",
        (*change.after, keys, *change.before),
    )
    if done.rowcount != len(change.keys):
        raise Conflict(f"a row of {change.table} has been changed meanwhile")


def _exactly(connection: sqlite3.Connection, statement: str, rows: Iterable[tuple[Value, ...]], table: str) -> None:
    wanted = list(rows)
    if connection.executemany(statement, wanted).rowcount != len(wanted):
        raise Conflict(f"a row of {table} has been changed meanwhile")


def _follow_texts(connection: sqlite3.Connection, change: Change) -> None:
    """A vector belongs to a text: it goes with it, and a new text has none yet in any space."""
    if isinstance(change, Update) and "text" not in change.columns:
        return
    memories = orjson.dumps(memories_of(change)).decode()
    if not isinstance(change, Insert):
        for table in ("vectors", "unembedded"):  # by space first, as their indexes are
            connection.execute(
                f"DELETE FROM {table} WHERE space IN (SELECT id FROM spaces)"
                " AND memory IN (SELECT value FROM json_each(?))",
                (memories,),
            )
    if not isinstance(change, Delete):
        connection.execute(
            "INSERT OR IGNORE INTO unembedded (space, memory) SELECT s.id, j.value FROM spaces s, json_each(?) j",
            (memories,),
        )


def _follow_standing(connection: sqlite3.Connection, change: Change) -> None:
    """What comes back, or holds elsewhere now, was not compared with what came meanwhile, or holds there."""
    if isinstance(change, Update) and not {"life", "scope"}.isdisjoint(change.columns):
        keys = orjson.dumps([key[0] for key in change.keys]).decode()
        connection.execute("DELETE FROM compared WHERE memory IN (SELECT value FROM json_each(?))", (keys,))


def encode(changes: Sequence[Change]) -> bytes:
    """The changes of one event as bytes."""
    plain = orjson.dumps([_to_json(change) for change in changes])
    packed = zlib.compress(plain, 1)
    return packed if len(packed) < len(plain) else plain


def decode(data: bytes) -> list[Change]:
    """Return the changes that `encode` was given. Raises Damaged for anything else: names in it become SQL."""
    try:
        return [_from_json(item) for item in orjson.loads(_plain(data))]
    except (zlib.error, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged(f"it is not as the program writes it ({error})") from error


def updates(data: bytes) -> list[Update]:
    """The updates of memories in one event; an event without any, as imports have them, is unpacked and not read.

    What is looked for stands in no text: there its quotes would be escaped.
    """
    plain = _plain(data)
    if b'{"t":"memories","k":[' not in plain:
        return []
    read = (_from_json(item) for item in orjson.loads(plain) if "k" in item and item["t"] == "memories")
    return [change for change in read if isinstance(change, Update)]


def _plain(data: bytes) -> bytes:
    if data[:1] == b"[":
        return data
    unpacking = zlib.decompressobj()
    plain = unpacking.decompress(data, _UNPACKED)
    if not unpacking.eof:
        raise ValueError("cut off, or far too long")
    return plain


def _to_json(change: Change) -> dict[str, object]:
    if isinstance(change, Update):
        keys: object = [key[0] for key in change.keys] if len(KEYS[change.table]) == 1 else change.keys
        row = {"t": change.table, "k": keys, "c": change.columns, "b": change.before, "a": change.after}
        return {**row, "w": change.why} if change.why else row
    return {"t": change.table, "c": change.columns, "i" if isinstance(change, Insert) else "d": change.rows}


def _from_json(item: dict[str, list[list[Value]]]) -> Change:
    table = str(item["t"])
    columns = tuple(str(column) for column in item["c"])
    if table not in KEYS or not columns or not all(column.isascii() and column.isidentifier() for column in columns):
        raise ValueError("of no table that is journaled")
    if "k" in item and len(KEYS[table]) != 1:
        raise ValueError(f"an update of {table}, which there is none of")
    if "k" in item:
        keys = tuple(tuple(key) if isinstance(key, list) else (key,) for key in item["k"])
        return Update(table, keys, columns, _values(item["b"]), _values(item["a"]), _whys(item.get("w", ())))
    kind, rows = (Insert, item["i"]) if "i" in item else (Delete, item["d"])
    return kind(table, columns, tuple(tuple(row) for row in rows))


def _whys(items: Sequence[Any]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    return tuple((str(reason), tuple(memories)) for reason, memories in items)


def _values(items: Sequence[object]) -> tuple[Value, ...]:
    return tuple(item for item in items if item is None or isinstance(item, str | int | float))
