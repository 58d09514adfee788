"""Rehash a record with the hash key of its sync space.

Texts that the record holds are hashed again with the new key, in rows and journal, so that all devices have equal
hashes. The texts of purged memories are gone, so their hashes remain, and all devices keep the former key
(`meta.keys`) to recognise these texts when they occur again (`recognition`).
"""

import sqlite3
from collections.abc import Callable, Collection, Mapping

import orjson

from store.record import meta
from store.record.changes import Change, Value, rows_of, with_rows
from store.record.database import functions
from store.record.meta import hashed
from store.record.purge import events, rewrite_events
from store.record.repository import first_column

KeyOf = Callable[[str], str]
"""Returns the content key of a text."""
_COLUMNS = {"memories": ("content_key",), "versions": ("content_key",), "tombstones": ("content_key",)}
_OF_ALERTS = ("a_key", "b_key")
_WITH_TEXT = frozenset({"memories", "versions"})


def rekey(connection: sqlite3.Connection, key: bytes, key_of: KeyOf) -> None:
    """Replace the hash key and keep the current one as a former key, in the caller's write transaction."""
    present, *former = meta.keys(connection)
    if key == present:
        return
    new = {
        hashed(present, content_key): hashed(key, content_key)
        for content_key in {key_of(text) for text in all_texts(connection)}
    }
    rekey_rows(connection, new)
    for owner in first_column(connection, "SELECT DISTINCT owner FROM commands"):
        for _ in rewrite_events(connection, owner, lambda change: [rekeyed(change, new)]):
            pass
    kept = [one for one in dict.fromkeys((present, *former)) if one != key]
    if meta.find(connection, meta.FIRST_KEY) is None:
        meta.put(connection, meta.FIRST_KEY, present)
    meta.put(connection, "key", key)
    meta.put(connection, meta.FORMER_KEYS, b"".join(kept))
    connection.execute("DELETE FROM meta WHERE name = 'burials'")  # the index of tombstones has the former key
    connection.execute("DELETE FROM files")  # progress in log files, by hash; they are read again


def keep_former_keys(connection: sqlite3.Connection, keys: Collection[bytes]) -> None:
    """Store the former keys of another device beside those of this record."""
    known = meta.keys(connection)
    if new := [key for key in dict.fromkeys(keys) if key not in known]:
        meta.put(connection, meta.FORMER_KEYS, b"".join([*known[1:], *new]))


def all_texts(connection: sqlite3.Connection) -> set[str]:
    """Return the texts of all memories and versions, including those that only the journal has."""
    found = set(first_column(connection, "SELECT text FROM memories UNION SELECT text FROM versions"))
    for owner in first_column(connection, "SELECT DISTINCT owner FROM commands"):
        for _, _, changes in events(connection, owner):
            for change in changes:
                if change.table in _WITH_TEXT:
                    found.update(str(row["text"]) for row in rows_of(change) if row.get("text"))
    return found


def rekey_rows(connection: sqlite3.Connection, new: Mapping[str, str]) -> None:
    with functions(
        connection, rekeyed=lambda key: new.get(key, key), rekeyed_former=lambda text: _rekeyed_list(text, new)
    ):
        for table, columns in (*_COLUMNS.items(), ("alerts", _OF_ALERTS)):
            for column in columns:
                connection.execute(
                    f"UPDATE {table} SET {column} = rekeyed({column}) WHERE {column} <> rekeyed({column})"
                )
        connection.execute("UPDATE alerts SET former = rekeyed_former(former) WHERE former IS NOT NULL")


def rekeyed(change: Change, new: Mapping[str, str]) -> Change:
    """Return a change with its hashes replaced; `new` maps old hashes to new ones."""
    if change.table not in (*_COLUMNS, "alerts"):
        return change
    return with_rows(
        change, ([value_of(column, value, new) for column, value in row.items()] for row in rows_of(change))
    )


def value_of(column: str, value: Value, new: Mapping[str, str]) -> Value:
    if not isinstance(value, str):
        return value
    if column in ("content_key", *_OF_ALERTS):
        return new.get(value, value)
    return _rekeyed_list(value, new) if column == "former" else value


def _rekeyed_list(text: str, new: Mapping[str, str]) -> str:
    former = [[how, *(new.get(key, key) for key in keys)] for how, *keys in orjson.loads(text)]
    return orjson.dumps(former).decode()
