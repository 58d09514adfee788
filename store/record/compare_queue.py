"""Which memories wait to be compared with the others: those whose text, or the rules, are not as when that was done.

Derived and not journaled: undoing what came of comparing does not make it come again.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

import orjson

_WORDS = " by words"  # what was compared without a vector
_PENDING = (
    "memories m LEFT JOIN compared c ON c.memory = m.id WHERE m.owner = ?1 AND m.life = 'live'"
    " AND (c.memory IS NULL OR c.key <> m.content_key OR (c.rules <> ?2 AND (c.rules <> ?3 OR EXISTS"
    " (SELECT 1 FROM vectors v WHERE v.space = ?4 AND v.memory = m.id))))"
)


@dataclass(frozen=True, slots=True)
class Compared:
    """A memory that was compared: the content key of its text, whether by a vector too, and what it states."""

    memory: int
    key: str
    embedded: bool
    marks: tuple[int, ...]


def pending(connection: sqlite3.Connection, owner: str, rules: str, space: int | None, limit: int) -> list[int]:
    """Live memories that wait, the first first. Reads every live memory's row."""
    rows = connection.execute(
        f"SELECT m.id FROM {_PENDING} ORDER BY m.id LIMIT ?5", (owner, rules, rules + _WORDS, space, limit)
    )
    return [row[0] for row in rows]


def count_pending(connection: sqlite3.Connection, owner: str, rules: str, space: int | None) -> int:
    """How many of them there are."""
    row = connection.execute(f"SELECT count(*) FROM {_PENDING}", (owner, rules, rules + _WORDS, space)).fetchone()
    return int(row[0])


def mark(connection: sqlite3.Connection, rows: Sequence[Compared], rules: str) -> None:
    """Note that memories were compared, and what they state; of one that was purged meanwhile, nothing."""
    gone = connection.execute(
        "SELECT id FROM memories WHERE life = 'purged' AND id IN (SELECT value FROM json_each(?))",
        (orjson.dumps([row.memory for row in rows]).decode(),),
    )
    purged = {row[0] for row in gone}
    rows = [row for row in rows if row.memory not in purged]
    connection.executemany(
        "INSERT OR REPLACE INTO compared (memory, key, rules) VALUES (?, ?, ?)",
        ((row.memory, row.key, rules if row.embedded else rules + _WORDS) for row in rows),
    )
    connection.executemany("DELETE FROM stated WHERE memory = ?", ((row.memory,) for row in rows))
    connection.executemany(
        "INSERT OR IGNORE INTO stated (memory, mark) VALUES (?, ?)",
        ((row.memory, mark) for row in rows for mark in row.marks),
    )


def stating(
    connection: sqlite3.Connection, owner: str, marks: Sequence[int], first: int, last: int
) -> dict[int, list[int]]:
    """The live memories that state the same, by mark: the first and the last of them."""
    query = (
        "SELECT s.memory FROM stated s JOIN memories m ON m.id = s.memory AND m.life = 'live' AND +m.owner = ?2"
        " WHERE s.mark = ?1 ORDER BY s.memory {} LIMIT ?3"
    )
    found: dict[int, list[int]] = {}
    for mark in marks:
        rows = [row[0] for row in connection.execute(query.format("DESC"), (mark, owner, last))]
        if len(rows) == last:
            rows += [row[0] for row in connection.execute(query.format("ASC"), (mark, owner, first))]
        found[mark] = list(dict.fromkeys(rows))
    return found


def unmark(connection: sqlite3.Connection, memories: Sequence[int]) -> None:
    """Let memories be compared again."""
    connection.execute(
        "DELETE FROM compared WHERE memory IN (SELECT value FROM json_each(?))",
        (orjson.dumps(list(memories)).decode(),),
    )


def unmark_all(connection: sqlite3.Connection, owner: str) -> None:
    """Let all memories of an owner be compared again."""
    connection.execute("DELETE FROM compared WHERE memory IN (SELECT id FROM memories WHERE owner = ?)", (owner,))
