"""What sweeps leave in the record: leases on items, how far they have come, and what failed. None of it is state."""

import sqlite3
from collections.abc import Sequence

from store import clock
from store.errors import LeaseLost
from store.model import Failure, SweepProgress
from store.record.raw_messages import VISIBLE
from store.sanitize import storable

REPLY_KEPT = 50_000
"""Characters of a failed reply: no answer that is asked for is longer, and a broken server may send megabytes."""


def take(connection: sqlite3.Connection, item: str, holder: str, until: int, now: int) -> bool:
    """Take an item unless somebody holds it; whether that was done."""
    taken = connection.execute(
        "INSERT INTO leases (item, holder, until) VALUES (?1, ?2, ?3) ON CONFLICT (item) DO UPDATE"
        " SET holder = excluded.holder, until = excluded.until WHERE holder = ?2 OR until <= ?4",
        (item, holder, until, now),
    )
    return taken.rowcount == 1


def renew(connection: sqlite3.Connection, item: str, holder: str, until: int) -> bool:
    """Hold an item for longer; False if somebody else has taken it over."""
    renewed = connection.execute("UPDATE leases SET until = ? WHERE item = ? AND holder = ?", (until, item, holder))
    return renewed.rowcount == 1


def release(connection: sqlite3.Connection, item: str, holder: str) -> None:
    """Let go of an item."""
    connection.execute("DELETE FROM leases WHERE item = ? AND holder = ?", (item, holder))


def held(connection: sqlite3.Connection, prefix: str, holder: str, now: int) -> list[str]:
    """The items that begin so and are held by others."""
    rows = connection.execute(
        "SELECT item FROM leases WHERE item >= ?1 AND item < ?1 || char(0x10ffff) AND holder <> ?2 AND until > ?3",
        (prefix, holder, now),
    )
    return [row[0] for row in rows]


def confirm(connection: sqlite3.Connection, item: str, holder: str) -> None:
    """Raise LeaseLost unless the holder holds the item, in the transaction that is open.

    A lease that ran out and that nobody took is held still: nobody can take it before this transaction ends.
    """
    row = connection.execute("SELECT 1 FROM leases WHERE item = ? AND holder = ?", (item, holder)).fetchone()
    if row is None:
        raise LeaseLost(f"another process has taken over {item}")


def put_progress(connection: sqlite3.Connection, rows: Sequence[SweepProgress]) -> None:
    """Write the progress of runs, and drop that of processes which were killed a day ago."""
    connection.executemany(
        "INSERT OR REPLACE INTO progress (sweep, holder, process, host, since, seen, done, total, failed)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ((r.sweep, r.holder, r.process, r.host, r.since, r.seen, r.done, r.total, r.failed) for r in rows),
    )
    connection.execute("DELETE FROM progress WHERE seen < ?", (clock.now() - clock.DAY,))


def drop_progress(connection: sqlite3.Connection, holder: str, sweeps: Sequence[str]) -> None:
    """Drop the progress of a holder's runs that have ended."""
    connection.executemany("DELETE FROM progress WHERE holder = ? AND sweep = ?", ((holder, one) for one in sweeps))


def progress(connection: sqlite3.Connection) -> list[SweepProgress]:
    """Return the progress of the runs of all processes, the last begun first."""
    rows = connection.execute("SELECT * FROM progress ORDER BY since DESC, holder")
    return [SweepProgress(**dict(row)) for row in rows]


def upto(connection: sqlite3.Connection, sweep: str, item: int) -> int:
    """How far a sweep has come with an item, 0 for not at all."""
    row = connection.execute("SELECT upto FROM swept WHERE sweep = ? AND item = ?", (sweep, item)).fetchone()
    return 0 if row is None else int(row[0])


def mark(connection: sqlite3.Connection, sweep: str, item: int, upto: int) -> None:
    """Note how far a sweep has come with an item; it may be set back."""
    connection.execute("INSERT OR REPLACE INTO swept (sweep, item, upto) VALUES (?, ?, ?)", (sweep, item, upto))


def unmark(connection: sqlite3.Connection, owner: str, sweep: str) -> None:
    """Let a sweep over conversations read everything of an owner anew; what failed before is forgotten."""
    own = "item IN (SELECT id FROM conversations WHERE owner = ?)"
    connection.execute(f"DELETE FROM swept WHERE sweep = ? AND {own}", (sweep, owner))
    connection.execute("DELETE FROM failures WHERE sweep = ? AND owner = ?", (sweep, owner))


def unswept(connection: sqlite3.Connection, owner: str, sweep: str, shortest: int) -> list[int]:
    """Conversations with visible messages beyond a sweep's mark, the oldest first.

    A coding agent's session is left out as long as it has fewer than `shortest` messages.
    """
    rows = connection.execute(
        "SELECT c.id FROM conversations c LEFT JOIN swept s ON s.sweep = ? AND s.item = c.id"
        " WHERE c.owner = ? AND EXISTS (SELECT 1 FROM messages m WHERE m.conversation = c.id"
        f" AND m.id > coalesce(s.upto, 0) AND {VISIBLE})"
        f" AND (NOT c.agent OR (SELECT count(*) FROM messages m WHERE m.conversation = c.id AND {VISIBLE}) >= ?)"
        " ORDER BY c.created_at, c.id",
        (sweep, owner, shortest),
    )
    return [row[0] for row in rows]


def fail(connection: sqlite3.Connection, owner: str, failure: Failure) -> None:
    """Keep what could not be done; if it is there already, with one try more."""
    connection.execute(
        "INSERT INTO failures (owner, sweep, item, first, last, reason, reply, model, tries, at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, ?) ON CONFLICT (sweep, item, first) DO UPDATE SET"
        " last = max(last, excluded.last), reason = excluded.reason, reply = excluded.reply, model = excluded.model,"
        " tries = tries + 1, at = excluded.at",
        (
            owner,
            failure.sweep,
            failure.item,
            failure.first,
            failure.last,
            storable(failure.reason),
            storable(failure.reply[:REPLY_KEPT]),
            storable(failure.model),
            clock.now(),
        ),
    )


def forgive(connection: sqlite3.Connection, ids: Sequence[int]) -> None:
    """Forget failures: it was done since."""
    connection.executemany("DELETE FROM failures WHERE id = ?", ((number,) for number in ids))


def failed(connection: sqlite3.Connection, owner: str, sweep: str) -> int:
    """How many things a sweep could not do."""
    row = connection.execute("SELECT count(*) FROM failures WHERE owner = ? AND sweep = ?", (owner, sweep)).fetchone()
    return int(row[0])


def failures(connection: sqlite3.Connection, owner: str, sweep: str, limit: int) -> list[Failure]:
    """What a sweep could not do, the last first."""
    rows = connection.execute(
        "SELECT id, sweep, item, first, last, reason, reply, model, tries, at FROM failures"
        " WHERE owner = ? AND sweep = ? ORDER BY at DESC, id DESC LIMIT ?",
        (owner, sweep, limit),
    )
    return [Failure(**dict(row)) for row in rows]
