"""State of background sweeps: leases, progress of runs, marks, failures. Not journaled."""

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from store import clock
from store.errors import LeaseLost
from store.model import Failure, Fingerprint, SweepProgress
from store.record import meta
from store.record.repository import VISIBLE, Repository, json_list
from store.record.vectors import Vectors
from store.sanitize import storable

REPLY_KEPT = 50_000
"""Characters of a failed reply: no reply that is asked for is longer, and a broken server may send megabytes."""


@dataclass(frozen=True, slots=True)
class Lease:
    """An item that a holder works on, in one epoch of the record: after a restore it may be another item."""

    item: str
    holder: str
    epoch: str


class Sweeps(Repository):
    """Reached as `Store.sweeps`."""

    # Leases

    def take(self, item: str, holder: str, seconds: float) -> Lease | None:
        """Lease an item for a time; None if somebody else has it. A holder may take what it holds."""
        now = clock.now()
        with self._connect() as connection:
            epoch = meta.epoch(connection)
            taken = connection.execute(
                "INSERT INTO leases (item, holder, until) VALUES (?1, ?2, ?3) ON CONFLICT (item) DO UPDATE"
                " SET holder = excluded.holder, until = excluded.until WHERE holder = ?2 OR until <= ?4",
                (item, holder, now + clock.from_seconds(seconds), now),
            )
        return Lease(item, holder, epoch) if taken.rowcount == 1 else None

    def renew(self, lease: Lease, seconds: float) -> bool:
        """Extend a lease to a time from now; False if somebody else has taken the item over."""
        until = clock.now() + clock.from_seconds(seconds)
        query = "UPDATE leases SET until = ? WHERE item = ? AND holder = ?"
        with self._connect() as connection:
            return connection.execute(query, (until, lease.item, lease.holder)).rowcount == 1

    def release(self, lease: Lease) -> None:
        """End a lease."""
        self._rows("DELETE FROM leases WHERE item = ? AND holder = ?", lease.item, lease.holder)

    def held(self, prefix: str, holder: str) -> set[str]:
        """Return the items beginning with `prefix` that others than `holder` have leased."""
        query = (
            "SELECT item FROM leases WHERE item >= ?1 AND item < ?1 || char(0x10ffff) AND holder <> ?2 AND until > ?3"
        )
        return {row[0] for row in self._rows(query, prefix, holder, clock.now())}

    @contextlib.contextmanager
    def holding(self, lease: Lease) -> Iterator[sqlite3.Connection]:
        """Hold a transaction in which the lease is confirmed. Raises LeaseLost, and then nothing was written."""
        with self._writing() as connection:
            self.confirm(connection, lease)
            yield connection

    @staticmethod
    def confirm(connection: sqlite3.Connection, lease: Lease) -> None:
        """Raise LeaseLost unless the lease is held in the open transaction, and in the same epoch.

        A lease that ran out and that nobody took is held still: nobody can take it before this transaction ends.
        """
        if meta.epoch(connection) != lease.epoch:
            raise LeaseLost(f"the store was restored while this one was at {lease.item}; it is done again")
        query = "SELECT 1 FROM leases WHERE item = ? AND holder = ?"
        if connection.execute(query, (lease.item, lease.holder)).fetchone() is None:
            raise LeaseLost(f"another process has taken over {lease.item}")

    # Progress of runs, for other processes to see

    def put_progress(self, rows: Sequence[SweepProgress]) -> None:
        """Write the progress of this process's runs, and drop that of processes which were killed a day ago."""
        with self._writing() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO progress (sweep, holder, process, host, since, seen, done, total, failed)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                ((r.sweep, r.holder, r.process, r.host, r.since, r.seen, r.done, r.total, r.failed) for r in rows),
            )
            connection.execute("DELETE FROM progress WHERE seen < ?", (clock.now() - clock.DAY,))

    def drop_progress(self, holder: str, sweeps: Sequence[str]) -> None:
        """Drop the progress of a holder's runs that have ended."""
        query = "DELETE FROM progress WHERE holder = ? AND sweep IN (SELECT value FROM json_each(?))"
        self._rows(query, holder, json_list(sweeps))

    def progress(self) -> list[SweepProgress]:
        """Return the progress of the runs of all processes, killed ones included, the last begun first."""
        rows = self._rows("SELECT * FROM progress ORDER BY since DESC, holder")
        return [SweepProgress(**dict(row)) for row in rows]

    # Marks

    def unswept(self, sweep: str, shortest: int = 0) -> list[int]:
        """Return the conversations with visible messages beyond a sweep's mark, the oldest first.

        A coding agent's session with fewer than `shortest` messages is left out until it has grown.
        """
        return self._ids(
            "SELECT c.id FROM conversations c LEFT JOIN swept s ON s.sweep = ? AND s.item = c.id"
            " WHERE c.owner = ? AND EXISTS (SELECT 1 FROM messages m WHERE m.conversation = c.id"
            f" AND m.id > coalesce(s.upto, 0) AND {VISIBLE})"
            f" AND (NOT c.agent OR (SELECT count(*) FROM messages m WHERE m.conversation = c.id AND {VISIBLE}) >= ?)"
            " ORDER BY c.created_at, c.id",
            sweep,
            self.owner,
            shortest,
        )

    def upto(self, sweep: str, item: int = 0) -> int:
        """Return the last message of a conversation that a sweep has read, 0 for none; for item 0, when it ran last."""
        return self._number("SELECT upto FROM swept WHERE sweep = ? AND item = ?", sweep, item)

    def mark(self, sweep: str, item: int, upto: int) -> None:
        """Note the last message that a sweep has read; it may be set back."""
        self._rows("INSERT OR REPLACE INTO swept (sweep, item, upto) VALUES (?, ?, ?)", sweep, item, upto)

    def unmark(self, sweep: str) -> None:
        """Let a sweep read every conversation anew, and drop its failures."""
        own = "item IN (SELECT id FROM conversations WHERE owner = ?)"
        self._rows(f"DELETE FROM swept WHERE sweep = ? AND {own}", sweep, self.owner)
        self._rows("DELETE FROM failures WHERE sweep = ? AND owner = ?", sweep, self.owner)

    def put_vectors(self, lease: Lease, fingerprint: Fingerprint, rows: Sequence[tuple[int, str, bytes]]) -> None:
        """Keep vectors (`Vectors.put`). Raises LeaseLost."""
        with self.holding(lease) as connection:
            Vectors.put(connection, fingerprint, rows)

    # Failures

    def put_failure(self, failure: Failure) -> None:
        """Keep what could not be done; one that is there already has one try more.

        `id`, `tries` and `at` are given by the store.
        """
        self._rows(
            "INSERT INTO failures (owner, sweep, item, first, last, reason, reply, model, tries, at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, ?) ON CONFLICT (sweep, item, first) DO UPDATE SET"
            " last = max(last, excluded.last), reason = excluded.reason, reply = excluded.reply,"
            " model = excluded.model, tries = tries + 1, at = excluded.at",
            self.owner,
            failure.sweep,
            failure.item,
            failure.first,
            failure.last,
            storable(failure.reason),
            storable(failure.reply[:REPLY_KEPT]),
            storable(failure.model),
            clock.now(),
        )

    def drop_failures(self, ids: Sequence[int]) -> None:
        """Drop failures: it was done since, or there is nothing left to do."""
        self._rows("DELETE FROM failures WHERE id IN (SELECT value FROM json_each(?))", json_list(ids))

    def failures(self, sweep: str, limit: int | None = None) -> list[Failure]:
        """Return what a sweep could not do, the last first."""
        rows = self._rows(
            "SELECT id, sweep, item, first, last, reason, reply, model, tries, at FROM failures"
            " WHERE owner = ? AND sweep = ? ORDER BY at DESC, id DESC LIMIT ?",
            self.owner,
            sweep,
            -1 if limit is None else limit,
        )
        return [Failure(**dict(row)) for row in rows]

    def count_failures(self, sweep: str) -> int:
        """Count what a sweep could not do."""
        return self._number("SELECT count(*) FROM failures WHERE owner = ? AND sweep = ?", self.owner, sweep)
