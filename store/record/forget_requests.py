"""What the person asked in a chat to be forgotten: the places where they did, no words; those stand in the messages."""

import sqlite3
from collections.abc import Sequence

from store.model import Asked
from store.record.raw_messages import VISIBLE
from store.record.word_variants import BLOT

_ROWS = (
    " FROM asked a JOIN messages m ON m.id = a.message JOIN conversations c ON c.id = m.conversation"
    f" WHERE c.owner = ? AND {VISIBLE}"
)
_WORDS = "substr(m.text, a.start + 1, a.end - a.start)"
_LEGIBLE = f" AND trim({_WORDS}) <> '' AND instr({_WORDS}, '{BLOT}') = 0"  # not purged since


def put(connection: sqlite3.Connection, places: Sequence[tuple[int, int, int]]) -> None:
    """Keep places (message, start, end) where something was asked to be forgotten; one that is known stays as it is."""
    connection.executemany("INSERT OR IGNORE INTO asked (message, start, end) VALUES (?, ?, ?)", places)


def waiting(connection: sqlite3.Connection, owner: str) -> int:
    """How many the person was not shown yet."""
    row = connection.execute(f"SELECT count(*){_ROWS}{_LEGIBLE} AND NOT a.seen", (owner,)).fetchone()
    return int(row[0])


def asked(connection: sqlite3.Connection, owner: str, limit: int) -> list[Asked]:
    """Those that were not shown yet first, then the last asked first."""
    rows = connection.execute(
        f"SELECT a.message, a.start, a.end, a.seen, {_WORDS} AS words, m.conversation, c.title, c.source,"
        f" coalesce(m.created_at, c.created_at) AS said_at{_ROWS}{_LEGIBLE}"
        " ORDER BY a.seen, a.message DESC, a.start LIMIT ?",
        (owner, limit),
    )
    return [
        Asked(
            row["message"],
            row["start"],
            row["end"],
            " ".join(row["words"].split()).rstrip(".!"),
            bool(row["seen"]),
            row["conversation"],
            row["title"],
            row["source"],
            row["said_at"],
        )
        for row in rows
    ]


def see(connection: sqlite3.Connection, places: Sequence[tuple[int, int, int]]) -> None:
    """Note that the person was shown what these may mean."""
    connection.executemany("UPDATE asked SET seen = 1 WHERE message = ? AND start = ? AND end = ?", places)
