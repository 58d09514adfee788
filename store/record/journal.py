"""Commands: undoable steps, written with their events in one transaction."""

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from itertools import groupby

from store import clock
from store.errors import Conflict, StoreReplaced
from store.model import Actor
from store.record import device, meta
from store.record.changes import (
    KEYS,
    Change,
    Delete,
    Insert,
    Update,
    Value,
    apply,
    encode,
    memories_of,
    parts,
)
from store.record.database import begin, roll_back
from store.record.repository import first_column, grouped, json_list

_SAME = "id = ? AND at = ? AND verb = ? AND owner = ?"  # after a restore the number may belong to another command
ROWS_PER_EVENT = 2_000  # keeps an event small enough to decode in milliseconds
_committed: ContextVar[list[int] | None] = ContextVar("_committed", default=None)


@contextlib.contextmanager
def committed() -> Iterator[list[int]]:
    """Yield a list of the ids of commands that this thread commits inside, even if a command fails later."""
    outer, ids = _committed.get(), list[int]()
    _committed.set(ids)
    try:
        yield ids
    finally:
        _committed.set(outer)


class Writer:
    """Writer of one command, which applies changes at once and journals them in the same transaction.

    `Store.command` creates it. A long command, like an import, may `pause` between steps, which commits and lets other
    processes write. Committed changes survive a crash and belong to the command.
    """

    def __init__(self, connection: sqlite3.Connection, command: int, after: int = 0) -> None:
        """Continue a command whose row exists, in an open transaction; its events get clocks greater than `after`."""
        self.connection, self.id, self.wrote = connection, command, False
        row = connection.execute("SELECT id, at, verb, owner, device FROM commands WHERE id = ?", (command,)).fetchone()
        self._identity = tuple(row[:4])  # the parameters of `_SAME`
        self.owner, self.device = str(row["owner"]), int(row["device"])
        self._epoch = meta.epoch(connection)
        self._changes: list[Change] = []
        self._rows = 0
        self._touched: set[int] = set()
        self._bare = False  # True if the command's row may be committed without an event
        if connection.execute("SELECT 1 FROM events WHERE command = ? LIMIT 1", (command,)).fetchone():
            touched = "SELECT DISTINCT t.memory FROM touched t JOIN events e ON e.seq = t.seq WHERE e.command = ?"
            self._touched.update(first_column(connection, touched, command))
        self._read_last(after)

    @classmethod
    def begin(
        cls,
        connection: sqlite3.Connection,
        owner: str,
        verb: str,
        actor: Actor,
        summary: str,
        target: int | None,
        manual: bool = False,
    ) -> "Writer":
        """Begin a transaction with a new command. Raises Busy."""
        try:
            begin(connection)
            cursor = connection.execute(
                "INSERT INTO commands (at, owner, actor, verb, summary, target, device, manual)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (clock.now(), owner, actor, verb, summary, target, device.current(connection), manual),
            )
            return cls(connection, int(cursor.lastrowid or 0))
        except BaseException:  # an interruption here must not leave the lock behind
            roll_back(connection)
            raise

    def _read_last(self, after: int = 0) -> None:
        last = self.connection.execute("SELECT seq, clock FROM events ORDER BY seq DESC LIMIT 1").fetchone()
        self.seq, newest = (1, 0) if last is None else (int(last["seq"]) + 1, int(last["clock"]))
        self._clock = max(newest, after)
        self.key = meta.get(self.connection, "key")

    def insert(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Value]]) -> None:
        """Add rows to a journaled table."""
        self.apply(Insert(table, tuple(columns), tuple(tuple(row) for row in rows)))

    def delete(self, table: str, where: str, parameters: Sequence[Value]) -> None:
        """Delete the matching rows of a journaled table."""
        found = self.connection.execute(f"SELECT * FROM {table} WHERE {where}", parameters).fetchall()
        if found:
            self.apply(Delete(table, tuple(found[0].keys()), tuple(tuple(row) for row in found)))

    def update(
        self, table: str, keys: Sequence[Value], after: dict[str, Value], why: Mapping[int, str] | None = None
    ) -> list[int]:
        """Set columns of rows, by their one-column keys; return the keys of the rows that changed.

        Rows that have these values already are not journaled. Rows with the same former values share a change. `why`
        gives a reason by key, in the program's own words, which is journaled.
        """
        (key_column,) = KEYS[table]
        columns, new = tuple(after), tuple(after.values())
        rows = self.connection.execute(
            f"SELECT {key_column}, {', '.join(columns)} FROM {table} "
            f"WHERE {key_column} IN (SELECT value FROM json_each(?))",
            (json_list(keys),),
        )
        groups = grouped((tuple(before), key) for key, *before in rows if tuple(before) != new)
        for before, members in groups.items():
            reasons = grouped((why[member], member) for member in members if member in why) if why else {}
            given = tuple((reason, tuple(those)) for reason, those in reasons.items())
            self.apply(Update(table, tuple((member,) for member in members), columns, before, new, given))
        return [member for members in groups.values() for member in members]

    def where(self, test: str, memories: Sequence[int]) -> list[int]:
        """Return those of the memories that match an SQL condition on their columns."""
        query = f"SELECT id FROM memories WHERE {test} AND id IN (SELECT value FROM json_each(?))"
        return first_column(self.connection, query, json_list(memories))

    def apply(self, change: Change) -> None:
        """Apply one change and journal it, in several events if it has many rows."""
        for part in parts(change, ROWS_PER_EVENT):
            apply(self.connection, part)
            self._changes.append(part)
            self._rows += len(part.keys) if isinstance(part, Update) else len(part.rows)
            if self._rows >= ROWS_PER_EVENT:
                self.flush()

    def flush(self) -> None:
        """Write the pending changes as one event."""
        if not self._changes:
            return
        seq = self._put_event(encode(self._merged()))
        memories = {memory for change in self._changes for memory in memories_of(change)}
        self.connection.executemany(
            "INSERT INTO touched (memory, seq) VALUES (?, ?)", ((memory, seq) for memory in memories)
        )
        self.connection.execute(
            "UPDATE memories SET seq = ? WHERE id IN (SELECT value FROM json_each(?)) AND seq <> ?",
            (seq, json_list(memories), seq),
        )
        self._touched |= memories
        self.connection.execute("UPDATE commands SET memories = ? WHERE id = ?", (len(self._touched), self.id))
        self._changes, self._rows = [], 0

    def _merged(self) -> list[Change]:
        """Return the pending changes, merging consecutive inserts into one table, which halves the journal."""
        out: list[Change] = []
        for inserts, changes in groupby(self._changes, lambda change: isinstance(change, Insert)):
            if not inserts:
                out += changes
                continue
            rows: dict[tuple[str, tuple[str, ...]], list[tuple[Value, ...]]] = {}
            for change in changes:
                assert isinstance(change, Insert)
                rows.setdefault((change.table, change.columns), []).extend(change.rows)
            out += [Insert(table, columns, tuple(values)) for (table, columns), values in rows.items()]
        return out

    def _put_event(self, changes: bytes) -> int:
        """Write an event; return its number."""
        self._clock, seq = device.advance(self._clock), self.seq
        self.connection.execute(
            "INSERT INTO events (seq, command, clock, changes) VALUES (?, ?, ?, ?)",
            (seq, self.id, self._clock, changes),
        )
        self.wrote, self.seq = True, seq + 1
        return seq

    def note(self) -> None:
        """Keep the command in the journal even if it changed no journaled row, by an empty event."""
        self.flush()
        self._put_event(encode([]))

    def pause(self) -> None:
        """Commit and release the write lock; `resume` takes it again."""
        self.flush()
        self._bare = not self.wrote
        self.connection.execute("COMMIT")
        self._tell_committed()

    def resume(self) -> None:
        """Take the write lock again after `pause`.

        Raises Conflict if the command was undone meanwhile, StoreReplaced if the record was replaced.
        """
        begin(self.connection)
        self._read_last()
        if meta.epoch(self.connection) != self._epoch:
            raise StoreReplaced
        row = self.connection.execute(f"SELECT undone FROM commands WHERE {_SAME}", self._identity).fetchone()
        if row is None or row[0] is not None:
            raise Conflict("this command was undone while it ran; it has stopped")

    def summarise(self, summary: str) -> None:
        """Set the summary shown in the history. It must never contain text of a memory."""
        self.connection.execute("UPDATE commands SET summary = ? WHERE id = ?", (summary, self.id))

    def commit(self) -> bool:
        """Write the pending changes and commit. Return False if nothing changed: the command then leaves no trace."""
        if not self.connection.in_transaction:
            self.resume()
        self.flush()
        if not self.wrote:
            self.connection.execute("DELETE FROM commands WHERE id = ?", (self.id,))
        self.connection.execute("COMMIT")
        self._tell_committed()
        return self.wrote

    def _tell_committed(self) -> None:
        ids = _committed.get()
        if ids is not None and self.wrote and self.id not in ids[-1:]:
            ids.append(self.id)

    def rollback(self) -> None:
        """Discard uncommitted changes, and the command itself if nothing was committed."""
        roll_back(self.connection)
        if self._bare:
            with contextlib.suppress(sqlite3.OperationalError):  # if locked, the first error is the one to report
                self.connection.execute(
                    f"DELETE FROM commands WHERE {_SAME}"
                    " AND NOT EXISTS (SELECT 1 FROM events WHERE command = commands.id)",
                    self._identity,
                )


@contextlib.contextmanager
def command(
    using: AbstractContextManager[sqlite3.Connection],
    owner: str,
    verb: str,
    actor: Actor,
    summary: str = "",
    *,
    target: int | None = None,
    manual: bool = False,
) -> Iterator[Writer]:
    """Yield the writer of a new command, which is committed, or rolled back on an error."""
    with (
        using as connection,
        _committing(Writer.begin(connection, owner, verb, actor, summary, target, manual)) as writer,
    ):
        yield writer


@contextlib.contextmanager
def continued(using: AbstractContextManager[sqlite3.Connection], number: int) -> Iterator[Writer]:
    """Yield a writer that adds to a command with events, as if it had been paused. Raises Conflict if it was undone."""
    with using as connection:
        try:
            begin(connection)
            row = connection.execute("SELECT undone FROM commands WHERE id = ?", (number,)).fetchone()
            if row is None or row[0] is not None:
                raise Conflict(f"command {number} was undone; nothing can be added to it")
            writer = Writer(connection, number)
            writer.wrote = True
        except BaseException:
            roll_back(connection)
            raise
        with _committing(writer):
            yield writer


@contextlib.contextmanager
def _committing(writer: Writer) -> Iterator[Writer]:
    try:
        yield writer
        writer.commit()
    except BaseException:
        writer.rollback()
        raise
