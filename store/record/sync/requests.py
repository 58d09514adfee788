"""Replication of requests to forget: the passages, and whether the person saw the memories that match.

Both only ever come true, so all devices have the union of what any of them knows, in whatever order it arrives. The
words are in the messages alone, where a purge masks them.
"""

import sqlite3
from collections.abc import Sequence
from typing import Any

from store.record.sync.outbox import Batch
from store.record.sync.raw import message_of

_MOST = 5_000  # requests in one batch
_UNPUBLISHED = (
    "SELECT lower(hex(m.ident)), a.start, a.end, a.seen FROM asked a JOIN messages m ON m.id = a.message"
    " WHERE a.told <= a.seen ORDER BY a.message, a.start, a.end LIMIT ?"
)
PUBLISH_AGAIN = "UPDATE asked SET told = 0"
"""SQL statement after which this device publishes all requests that it knows, also those of other devices."""


def unpublished(connection: sqlite3.Connection) -> Batch | None:
    """Return the requests of which no segment holds all that is known, or None."""
    rows = [list(row) for row in connection.execute(_UNPUBLISHED, (_MOST,)).fetchall()]
    return {"requests": rows, "devices": [], "commands": []} if rows else None


def lacks_message(connection: sqlite3.Connection, batch: Batch) -> bool:
    """Return True if this record lacks the message of a request in a batch."""
    return any(message_of(connection, row[0]) is None for row in batch.get("requests", ()))


def fold_requests(connection: sqlite3.Connection, rows: Sequence[Any]) -> None:
    """Add what a segment holds of requests, also of this device itself."""
    for ident, start, end, seen in rows:
        connection.execute(
            "INSERT INTO asked (message, start, end, seen, told) VALUES (?1, ?2, ?3, ?4, 1 + ?4)"
            " ON CONFLICT DO UPDATE SET seen = max(seen, excluded.seen), told = max(told, excluded.told)",
            (message_of(connection, ident), start, end, seen),
        )
