"""Pieces of SQL, and of parameters for it, that several repositories use."""

import sqlite3
from collections.abc import Iterable

import orjson

VISIBLE = "EXISTS (SELECT 1 FROM segments s WHERE s.conversation = m.conversation AND s.batch = m.batch)"
"""True for a message, called `m`, that no undo has hidden."""

LIKE = "LIKE ? ESCAPE '!'"
"""A comparison with a pattern whose literal part was made by `escape_like`."""

_WILDCARDS = str.maketrans({sign: f"!{sign}" for sign in "!%_"})


def json_list(values: Iterable[object]) -> str:
    """Return values as the JSON text that `json_each(?)` reads: one parameter, however many there are."""
    return orjson.dumps(list(values)).decode()


def escape_like(words: str) -> str:
    """Return a text that matches itself in a LIKE pattern (`LIKE`)."""
    return words.translate(_WILDCARDS)


def next_id(connection: sqlite3.Connection, table: str) -> int:
    """Return an id that no row of the table ever had, not even one that an undo removed."""
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
    return 1 if row is None else int(row[0]) + 1
