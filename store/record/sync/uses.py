"""Replication of recall counts: each device publishes its own count per memory, and all devices add them up."""

import sqlite3
from collections.abc import Sequence
from typing import Any

from store.record.sync.names import References

_MOST = 5_000  # memories in one batch
_OWN = (  # memories with recalls on this device that are not published
    "SELECT * FROM (SELECT u.memory, u.times - coalesce((SELECT sum(s.times) FROM sync_uses s WHERE s.memory = u.memory"
    " AND s.device <> ?1), 0) AS own, u.last_at, coalesce(p.times, 0) AS published FROM uses u"
    " LEFT JOIN sync_uses p ON p.memory = u.memory AND p.device = ?1) WHERE own > published ORDER BY memory LIMIT ?2"
)
_PUT = "INSERT INTO sync_uses VALUES (?1, ?2, ?3) ON CONFLICT (memory, device) DO UPDATE SET times = max(times, ?3)"


def own_uses(connection: sqlite3.Connection, device: int) -> list[tuple[int, int, int]]:
    """Return memories with unpublished recalls on this device: (memory, count of all its recalls here, last time)."""
    return [(row[0], row[1], row[2]) for row in connection.execute(_OWN, (device, _MOST)).fetchall()]


def note_published(connection: sqlite3.Connection, device: int, memory: int, times: int) -> None:
    """Record the published count of recalls of a memory on a device."""
    connection.execute(_PUT, (memory, device, times))


def fold_uses(connection: sqlite3.Connection, names: References, device: int, rows: Sequence[Any], refs: Any) -> None:
    """Add the recalls of another device, except those that were added before."""
    for ref, times, last_at in rows:
        memory = names.memory(refs(ref))
        if memory is None or not 0 <= times < 1 << 53:
            continue
        known = connection.execute(
            "SELECT times FROM sync_uses WHERE memory = ? AND device = ?", (memory, device)
        ).fetchone()
        more = times - (0 if known is None else int(known[0]))
        if more > 0:
            note_published(connection, device, memory, times)
            connection.execute(
                "INSERT INTO uses (memory, times, last_at) VALUES (?, ?, ?) ON CONFLICT (memory) DO UPDATE"
                " SET times = times + excluded.times, last_at = max(last_at, excluded.last_at)",
                (memory, more, last_at),
            )
