"""Which memories wait to be compared with the others: those whose text, or the rules, are not as when that was done.

Derived and not journaled: undoing what came of comparing does not make it come again.
"""

import sqlite3
from collections.abc import Iterable, Sequence

import orjson

_PENDING = (
    "memories m LEFT JOIN compared c ON c.memory = m.id WHERE m.owner = ? AND m.life = 'live'"
    " AND (c.memory IS NULL OR c.key <> m.content_key OR c.rules <> ?)"
)


def pending(connection: sqlite3.Connection, owner: str, rules: str, limit: int) -> list[int]:
    """Live memories that wait, the oldest first. Reads every live memory's row."""
    rows = connection.execute(f"SELECT m.id FROM {_PENDING} ORDER BY m.id LIMIT ?", (owner, rules, limit))
    return [row[0] for row in rows]


def count_pending(connection: sqlite3.Connection, owner: str, rules: str) -> int:
    """How many of them there are."""
    return int(connection.execute(f"SELECT count(*) FROM {_PENDING}", (owner, rules)).fetchone()[0])


def mark(connection: sqlite3.Connection, rows: Iterable[tuple[int, str]], rules: str) -> None:
    """Note that memories were compared, with the content keys of the texts that were."""
    connection.executemany(
        "INSERT OR REPLACE INTO compared (memory, key, rules) VALUES (?, ?, ?)",
        ((memory, key, rules) for memory, key in rows),
    )


def unmark(connection: sqlite3.Connection, memories: Sequence[int]) -> None:
    """Let memories be compared again."""
    connection.execute(
        "DELETE FROM compared WHERE memory IN (SELECT value FROM json_each(?))",
        (orjson.dumps(list(memories)).decode(),),
    )


def unmark_all(connection: sqlite3.Connection, owner: str) -> None:
    """Let all memories of an owner be compared again."""
    connection.execute("DELETE FROM compared WHERE memory IN (SELECT id FROM memories WHERE owner = ?)", (owner,))
