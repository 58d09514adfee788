"""Replication of requests to forget: the passages, and whether the person saw the memories that match.

Both only ever come true, so all devices have the union of what any of them knows, in whatever order it arrives. The
words are in the messages alone, where a purge masks them.

The first batch that is folded after a matching notes what was known before it. The note is deleted together with the
next matching, so that a pass killed in between leaves nothing unmatched.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from store.record import meta
from store.record.distillation import ForgetRequests, Place
from store.record.sync.outbox import Batch
from store.record.sync.raw import message_of

_MOST = 5_000  # requests in one batch
_UNPUBLISHED = (
    "SELECT lower(hex(m.ident)), a.start, a.end, a.seen FROM asked a JOIN messages m ON m.id = a.message"
    " WHERE a.told <= a.seen ORDER BY a.message, a.start, a.end LIMIT ?"
)
PUBLISH_AGAIN = "UPDATE asked SET told = 0"
"""SQL statement after which this device publishes all requests that it knows, also those of other devices."""
_ARRIVALS = "sync_arrivals"  # in meta
FORGET_ARRIVALS = f"DELETE FROM meta WHERE name = '{_ARRIVALS}'"
"""SQL statement after which all that has arrived counts as matched."""


@dataclass(frozen=True, slots=True)
class Arrivals:
    """State before batches that are not matched yet: events up to `since`, and places of unseen requests."""

    since: int
    known: frozenset[Place]


def note_arrivals(connection: sqlite3.Connection, owner: str, since: int) -> None:
    """Store what is known before a batch is folded, in the same transaction, unless earlier ones are not matched."""
    if meta.find(connection, _ARRIVALS) is None:
        requests = ForgetRequests.on(connection, owner).page(-1)
        meta.put(connection, _ARRIVALS, orjson.dumps([since, [one.place for one in requests if not one.seen]]))


def read_arrivals(connection: sqlite3.Connection) -> Arrivals | None:
    """Return the arrivals that are not matched yet, or None. Raises ValueError, TypeError for foreign values."""
    value = meta.find(connection, _ARRIVALS)
    if value is None:
        return None
    since, known = orjson.loads(value)
    return Arrivals(int(since), frozenset((int(message), int(start), int(end)) for message, start, end in known))


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
