"""Repositories of background sweeps: leases, progress, marks, failures, model replies and wordings. Not journaled."""

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from store import clock
from store.errors import LeaseLost
from store.model import Failure, SweepProgress, Wording
from store.record import meta
from store.record.journal import Writer
from store.record.repository import VISIBLE, Repository, first_column, json_list
from store.sanitize import storable

REPLY_KEPT = 50_000
"""Maximum characters stored of a failed reply; valid replies are shorter, but a broken server may send megabytes."""

_PAUSE = "paused "  # prefix of a paused sweep's name among the marks


@dataclass(frozen=True, slots=True)
class Lease:
    """An item leased to a holder. It is valid in one epoch: after a restore, its number may be another item's."""

    item: str
    holder: str
    epoch: str


class Sweeps(Repository):
    """Leases, progress, marks, pauses and failures of sweeps (`Store.sweeps`)."""

    # Leases

    def take(self, item: str, holder: str, seconds: float) -> Lease | None:
        """Lease an item for `seconds`; return None if another holder has it. A holder may take its own again."""
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
        """Extend a lease to `seconds` from now; return False if another holder has taken the item."""
        with self._connect() as connection:
            renewed = connection.execute(
                "UPDATE leases SET until = ? WHERE item = ? AND holder = ?",
                (clock.now() + clock.from_seconds(seconds), lease.item, lease.holder),
            )
            return renewed.rowcount == 1

    def release(self, lease: Lease) -> None:
        """End a lease."""
        self._rows("DELETE FROM leases WHERE item = ? AND holder = ?", lease.item, lease.holder)

    def held(self, prefix: str, holder: str) -> set[str]:
        """Return the items beginning with `prefix` that holders other than `holder` have leased."""
        rows = self._rows(
            "SELECT item FROM leases WHERE item >= ?1 AND item < ?1 || char(0x10ffff) AND holder <> ?2 AND until > ?3",
            prefix,
            holder,
            clock.now(),
        )
        return {item for (item,) in rows}

    @contextlib.contextmanager
    def holding(self, lease: Lease) -> Iterator[sqlite3.Connection]:
        """Run a transaction in which the lease is confirmed. Raises LeaseLost, with nothing written."""
        with self._writing() as connection:
            self.confirm(connection, lease)
            yield connection

    @staticmethod
    def confirm(connection: sqlite3.Connection, lease: Lease) -> None:
        """Raise LeaseLost unless the lease is held in the open transaction, and in the same epoch.

        An expired lease that nobody took is still held: nobody can take it before this transaction ends.
        """
        if meta.epoch(connection) != lease.epoch:
            raise LeaseLost(f"the store was restored while this one was at {lease.item}; it is done again")
        if not first_column(connection, "SELECT 1 FROM leases WHERE item = ? AND holder = ?", lease.item, lease.holder):
            raise LeaseLost(f"another process has taken over {lease.item}")

    # Progress of runs, for other processes

    def put_progress(self, rows: Sequence[SweepProgress]) -> None:
        """Write the progress of this process's runs, and delete that of processes killed a day ago or earlier."""
        with self._writing() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO progress (sweep, holder, process, host, since, seen, done, total, failed)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                ((r.sweep, r.holder, r.process, r.host, r.since, r.seen, r.done, r.total, r.failed) for r in rows),
            )
            connection.execute("DELETE FROM progress WHERE seen < ?", (clock.now() - clock.DAY,))

    def drop_progress(self, holder: str, sweeps: Sequence[str]) -> None:
        """Delete the progress of a holder's ended runs."""
        self._rows(
            "DELETE FROM progress WHERE holder = ? AND sweep IN (SELECT value FROM json_each(?))",
            holder,
            json_list(sweeps),
        )

    def progress(self) -> list[SweepProgress]:
        """Return the progress of the runs of all processes, including killed ones, latest first."""
        return self._all(lambda row: SweepProgress(**dict(row)), "SELECT * FROM progress ORDER BY since DESC, holder")

    # Marks

    def unswept(self, sweep: str, shortest: int = 0) -> list[int]:
        """Return the conversations with visible messages beyond a sweep's mark, oldest first.

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
        """Return the last message of a conversation that a sweep has read, or 0; for item 0, its last run's time."""
        return self._number("SELECT upto FROM swept WHERE sweep = ? AND item = ?", sweep, item)

    def mark(self, sweep: str, item: int, upto: int) -> None:
        """Store the last message that a sweep has read; it may be set back."""
        self._rows("INSERT OR REPLACE INTO swept (sweep, item, upto) VALUES (?, ?, ?)", sweep, item, upto)

    def unmark(self, sweep: str) -> None:
        """Delete the marks and failures of a sweep, so that it rereads every conversation."""
        self._rows(
            "DELETE FROM swept WHERE sweep = ? AND item IN (SELECT id FROM conversations WHERE owner = ?)",
            sweep,
            self.owner,
        )
        self._rows("DELETE FROM failures WHERE sweep = ? AND owner = ?", sweep, self.owner)

    # Pauses, which hold in every process

    def pause(self, sweep: str) -> None:
        """Pause a sweep until `resume`."""
        self.mark(_PAUSE + sweep, 0, clock.now())

    def resume(self, sweep: str) -> None:
        """Resume a paused sweep."""
        self._rows("DELETE FROM swept WHERE sweep = ? AND item = 0", _PAUSE + sweep)

    def paused(self) -> set[str]:
        """Return the paused sweeps."""
        rows = self._rows("SELECT sweep FROM swept WHERE sweep >= ? AND sweep < ? AND item = 0", _PAUSE, _PAUSE + "~")
        return {row[0].removeprefix(_PAUSE) for row in rows}

    # Failures

    def put_failure(self, failure: Failure) -> None:
        """Store a failure; an existing one gets one more try.

        The store sets `id`, `tries` and `at`.
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
        """Delete failures that were resolved or have become moot."""
        self._rows("DELETE FROM failures WHERE id IN (SELECT value FROM json_each(?))", json_list(ids))

    def failures(self, sweep: str, limit: int | None = None) -> list[Failure]:
        """Return a sweep's failures, latest first."""
        return self._all(
            lambda row: Failure(**dict(row)),
            "SELECT id, sweep, item, first, last, reason, reply, model, tries, at FROM failures"
            " WHERE owner = ? AND sweep = ? ORDER BY at DESC, id DESC LIMIT ?",
            self.owner,
            sweep,
            -1 if limit is None else limit,
        )

    def count_failures(self, sweep: str) -> int:
        """Count a sweep's failures."""
        return self._number("SELECT count(*) FROM failures WHERE owner = ? AND sweep = ?", self.owner, sweep)


class Replies(Repository):
    """Replies of models, by a key of the question (`Store.replies`)."""

    def secret(self) -> bytes:
        """Return a constant key for hashes in prompts that does not reveal the store's own key."""
        with self._connect() as connection:
            key = meta.first_key(connection)
        return blake2b(b"prompts", key=key, digest_size=32).digest()

    def get(self, key: bytes) -> str | None:
        """Return the stored reply, or None."""
        row = self._row("SELECT reply FROM replies WHERE key = ?", key)
        return None if row is None else str(row[0])

    @staticmethod
    def put(connection: sqlite3.Connection, rows: Sequence[tuple[bytes, str, str, str]]) -> None:
        """Store replies (key, task, model, reply) in the open transaction, together with their results."""
        connection.executemany(
            "INSERT OR REPLACE INTO replies (key, task, model, reply, at) VALUES (?, ?, ?, ?, ?)",
            ((key, task, storable(model), storable(reply), clock.now()) for key, task, model, reply in rows),
        )


class Wordings(Repository):
    """Wordings that distillers propose for a memory, until the person decides on it (`Store.wordings`)."""

    def of(self, memory: int) -> list[Wording]:
        """Return other wordings of a memory, latest first, while it is live and undecided.

        Its present and former texts are left out. Raises NotFound, Forbidden.
        """
        self.check_owned([memory])
        return self._all(
            lambda row: Wording(**dict(row)),
            "SELECT w.memory, w.distiller, w.text, w.at FROM wordings w JOIN memories m ON m.id = w.memory"
            " WHERE w.memory = ? AND m.life = 'live' AND m.review = 'open' AND NOT m.pinned AND w.text <> m.text"
            " AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.memory = m.id AND v.text = w.text)"
            " AND NOT EXISTS (SELECT 1 FROM commands c WHERE c.id = w.command AND c.undone IS NOT NULL)"
            " ORDER BY w.at DESC, w.distiller",
            memory,
        )

    @staticmethod
    def put(writer: Writer, memory: int, distiller: str, text: str) -> None:
        """Store a distiller's wording of a memory; one that it has already is kept unless its command was undone."""
        writer.connection.execute(
            "INSERT INTO wordings (memory, distiller, text, command, at) VALUES (?1, ?2, ?3, ?4, ?5)"
            " ON CONFLICT (memory, distiller) DO UPDATE SET text = ?3, command = ?4, at = ?5"
            " WHERE EXISTS (SELECT 1 FROM commands c WHERE c.id = wordings.command AND c.undone IS NOT NULL)",
            (memory, storable(distiller), storable(text), writer.id, clock.now()),
        )

    def drop(self, memory: int) -> None:
        """Discard the wordings of a memory; its distillers propose no others. Raises NotFound, Forbidden.

        The rows stay but get the memory's current text, which is not shown as a wording.
        """
        self.check_owned([memory])
        self._rows("UPDATE wordings SET text = (SELECT text FROM memories WHERE id = ?1) WHERE memory = ?1", memory)
