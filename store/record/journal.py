"""Commands: what somebody did in one step, written with its events in one transaction, and taken back the same way."""

import contextlib
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

import orjson

from store import clock
from store.errors import Conflict, NotFound, StoreReplaced
from store.model import Actor
from store.record import compare_queue, device, meta
from store.record.changes import (
    KEYS,
    Change,
    Delete,
    Insert,
    Update,
    Value,
    apply,
    decode,
    encode,
    invert,
    memories_of,
    parts,
    sides_of,
)
from store.record.database import begin, roll_back
from store.record.succession import circle
from store.record.undo_dependencies import taken_along

_SAME = "id = ? AND at = ? AND verb = ? AND owner = ?"  # after a restore the number may be another command's
ROWS_PER_EVENT = 2_000  # an event stays small enough to be decoded in milliseconds


class Writer:
    """One command being written: applies changes at once and journals them in the same transaction.

    Opened by `Store.command`. A long command (an import) may `pause` between steps, which commits and lets others
    write; what was committed stays if the process dies, and belongs to the command.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        owner: str,
        verb: str,
        actor: Actor,
        summary: str,
        target: int | None,
        manual: bool = False,
    ) -> None:
        self.connection = connection
        self.owner = owner
        self._changes: list[Change] = []
        self._rows = 0
        self._touched: set[int] = set()
        self.wrote = False
        self.id = 0
        try:
            self._begin()
            self._epoch = meta.epoch(connection)
            self.device = device.current(connection)
            self._at, self._verb = clock.now(), verb
            cursor = connection.execute(
                "INSERT INTO commands (at, owner, actor, verb, summary, target, device, manual)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (self._at, owner, actor, verb, summary, target, self.device, manual),
            )
            self.id = int(cursor.lastrowid or 0)
        except BaseException:  # an interruption here must not leave the lock behind
            roll_back(connection)
            raise

    def _begin(self) -> None:
        begin(self.connection)
        last = self.connection.execute("SELECT seq, clock FROM events ORDER BY seq DESC LIMIT 1").fetchone()
        self.seq, self._clock = (1, 0) if last is None else (int(last["seq"]) + 1, int(last["clock"]))
        self.key = meta.get(self.connection, "key")

    def insert(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Value]]) -> None:
        """Add rows to a journaled table."""
        self.apply(Insert(table, tuple(columns), tuple(tuple(row) for row in rows)))

    def delete(self, table: str, where: str, parameters: Sequence[Value]) -> int:
        """Remove the rows of a journaled table that match; returns how many."""
        found = self.connection.execute(f"SELECT * FROM {table} WHERE {where}", parameters).fetchall()
        if found:
            self.apply(Delete(table, tuple(found[0].keys()), tuple(tuple(row) for row in found)))
        return len(found)

    def update(
        self, table: str, keys: Sequence[Value], after: dict[str, Value], why: Mapping[int, str] | None = None
    ) -> list[int]:
        """Set columns of rows named by a one-column key; rows that are so already stay out of the journal.

        Returns the keys that changed. Rows with the same former values share changes. `why` may give a reason for
        each, in the program's own words, which the journal keeps.
        """
        (key_column,) = KEYS[table]
        columns = tuple(after)
        groups: dict[tuple[Value, ...], list[int]] = {}
        rows = self.connection.execute(
            f"SELECT {key_column}, {', '.join(columns)} FROM {table} "
            f"WHERE {key_column} IN (SELECT value FROM json_each(?))",
            (orjson.dumps(list(keys)).decode(),),
        )
        new = tuple(after.values())
        for row in rows:
            before = tuple(row)[1:]
            if before != new:
                groups.setdefault(before, []).append(row[0])
        for before, members in groups.items():
            changed = tuple((member,) for member in members)
            self.apply(Update(table, changed, columns, before, new, _reasons(members, why or {})))
        return [member for members in groups.values() for member in members]

    def where(self, test: str, memories: Sequence[int]) -> list[int]:
        """Those of the memories for which an SQL test over their columns holds."""
        rows = self.connection.execute(
            f"SELECT id FROM memories WHERE {test} AND id IN (SELECT value FROM json_each(?))",
            (orjson.dumps(list(memories)).decode(),),
        )
        return [row[0] for row in rows]

    def apply(self, change: Change) -> None:
        """Carry out one change and remember it for the journal, in several events if it is of many rows."""
        if isinstance(change, Insert | Delete) and not change.rows:
            return
        for part in parts(change, ROWS_PER_EVENT):
            apply(self.connection, part)
            self._changes.append(part)
            self._rows += len(part.keys) if isinstance(part, Update) else len(part.rows)
            if self._rows >= ROWS_PER_EVENT:
                self._flush()

    def _flush(self) -> None:
        """Write what has gathered as one event."""
        if not self._changes:
            return
        self._put_event(encode(_gathered(self._changes)))
        memories = {memory for change in self._changes for memory in memories_of(change)}
        self.connection.executemany(
            "INSERT INTO touched (memory, seq) VALUES (?, ?)", ((memory, self.seq) for memory in memories)
        )
        self.connection.execute(
            "UPDATE memories SET seq = ? WHERE id IN (SELECT value FROM json_each(?)) AND seq <> ?",
            (self.seq, orjson.dumps(list(memories)).decode(), self.seq),
        )
        self._touched |= memories
        self.connection.execute("UPDATE commands SET memories = ? WHERE id = ?", (len(self._touched), self.id))
        self._changes, self._rows = [], 0
        self.seq += 1

    def _put_event(self, changes: bytes) -> None:
        """Write an event under the present number."""
        self._clock = device.advance(self._clock)
        self.connection.execute(
            "INSERT INTO events (seq, command, clock, changes) VALUES (?, ?, ?, ?)",
            (self.seq, self.id, self._clock, changes),
        )
        self.wrote = True

    def note(self) -> None:
        """Let the command stand in the history though it changed no journaled row."""
        self._flush()
        self._put_event(encode([]))
        self.seq += 1

    def pause(self) -> None:
        """Commit and let go of the write lock; `resume` takes it again."""
        self._flush()
        self.connection.execute("COMMIT")

    def resume(self) -> None:
        """Take the write lock again after `pause`.

        Raises Conflict if the command was taken back meanwhile, StoreReplaced if the record was.
        """
        self._begin()
        if meta.epoch(self.connection) != self._epoch:
            raise StoreReplaced
        row = self.connection.execute(f"SELECT undone FROM commands WHERE {_SAME}", self._identity).fetchone()
        if row is None or row[0] is not None:
            raise Conflict("what was being done was undone meanwhile; it has stopped")

    def summarise(self, summary: str) -> None:
        """Say what the command did; shown in the history. Never holds text of a memory."""
        self.connection.execute("UPDATE commands SET summary = ? WHERE id = ?", (summary, self.id))

    def commit(self) -> bool:
        """Write the rest and commit. A command that changed nothing leaves no trace; returns whether it did."""
        if not self.connection.in_transaction:
            self.resume()
        self._flush()
        if not self.wrote:
            self.connection.execute("DELETE FROM commands WHERE id = ?", (self.id,))
        self.connection.execute("COMMIT")
        return self.wrote

    def rollback(self) -> None:
        """Drop what has not been committed, and the command itself if nothing of it was."""
        roll_back(self.connection)
        if self.wrote:
            return
        self.connection.execute(
            f"DELETE FROM commands WHERE {_SAME} AND NOT EXISTS (SELECT 1 FROM events WHERE command = commands.id)",
            self._identity,
        )

    @property
    def _identity(self) -> tuple[Value, ...]:
        """The parameters of `_SAME`."""
        return self.id, self._at, self._verb, self.owner


@contextlib.contextmanager
def command(
    connection: sqlite3.Connection, owner: str, verb: str, actor: Actor, summary: str, *, manual: bool = False
) -> Iterator[Writer]:
    """Give the writer of a new command, which is committed, or rolled back on an error."""
    writer = Writer(connection, owner, verb, actor, summary, None, manual)
    try:
        yield writer
        writer.commit()
    except BaseException:
        writer.rollback()
        raise


def _reasons(members: Sequence[int], why: Mapping[int, str]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """The reasons that there are for some of these, each with those that it holds for."""
    found: dict[str, list[int]] = {}
    for member in members:
        if member in why:
            found.setdefault(why[member], []).append(member)
    return tuple((reason, tuple(those)) for reason, those in found.items())


def _gathered(changes: Sequence[Change]) -> list[Change]:
    """Inserts into one table that stand together become one, which halves what the journal takes."""
    out: list[Change] = []
    pending: dict[tuple[str, tuple[str, ...]], list[tuple[Value, ...]]] = {}

    def settle() -> None:
        out.extend(Insert(table, columns, tuple(rows)) for (table, columns), rows in pending.items())
        pending.clear()

    for change in changes:
        if isinstance(change, Insert):
            pending.setdefault((change.table, change.columns), []).extend(change.rows)
        else:
            settle()
            out.append(change)
    settle()
    return out


def last_to_undo(connection: sqlite3.Connection, owner: str) -> int | None:
    """The person's last command that stands, or the last of a run that they started by hand."""
    row = connection.execute(
        "SELECT id FROM commands WHERE owner = ? AND (actor = 'person' OR manual) AND undone IS NULL AND undoable"
        " AND verb NOT IN ('undo', 'redo') AND EXISTS (SELECT 1 FROM events WHERE command = commands.id)"
        " ORDER BY id DESC LIMIT 1",
        (owner,),
    ).fetchone()
    return None if row is None else int(row[0])


def final_step(connection: sqlite3.Connection, owner: str) -> int | None:
    """The person's newest command that stands, where it is one that cannot be taken back, as a purge."""
    row = connection.execute(
        "SELECT id, undoable FROM commands WHERE owner = ? AND (actor = 'person' OR manual) AND undone IS NULL"
        " AND verb NOT IN ('undo', 'redo')"
        " AND (NOT undoable OR EXISTS (SELECT 1 FROM events WHERE command = commands.id)) ORDER BY id DESC LIMIT 1",
        (owner,),
    ).fetchone()
    return None if row is None or row["undoable"] else int(row["id"])


def last_to_redo(connection: sqlite3.Connection, owner: str) -> int | None:
    """The person's last undo after which nothing new was done."""
    row = connection.execute(
        "SELECT id FROM commands AS taken WHERE owner = ? AND actor = 'person' AND verb = 'undo'"
        " AND undone IS NULL AND undoable AND NOT EXISTS (SELECT 1 FROM commands AS later WHERE later.id > taken.id"
        " AND later.owner = taken.owner AND (later.actor = 'person' OR later.manual)"
        " AND later.verb NOT IN ('undo', 'redo'))"
        " ORDER BY id DESC LIMIT 1",
        (owner,),
    ).fetchone()
    return None if row is None else int(row[0])


def take_back(open_writer: Callable[[str, int], Writer], target: int, verb: str) -> int:
    """Write a command that turns every event of `target` round, and of what sweeps made of it since; returns its id.

    Raises NotFound for an unknown command, Conflict where it was taken back already, is beyond undo, or later
    commands rest on it (their ids are named).
    """
    writer = open_writer(verb, target)
    try:
        connection = writer.connection
        row = connection.execute(
            "SELECT verb, undone, undoable, owner FROM commands WHERE id = ?", (target,)
        ).fetchone()
        if row is None or row["owner"] != writer.owner:
            raise NotFound(f"there is no command {target}; `curator log` lists them")
        if verb == "undo" and row["verb"] in ("undo", "redo"):
            raise Conflict(
                f"command {target} is itself an {row['verb']}; `curator redo` and `curator undo` go on from it"
            )
        if row["undone"] is not None:
            raise Conflict(f"command {target} ({row['verb']}) was taken back already, by command {row['undone']}")
        if not row["undoable"]:
            raise Conflict(f"command {target} ({row['verb']}) cannot be taken back: what it did was purged since")
        going, since = taken_along(connection, target, verb)
        chosen = orjson.dumps(going).decode()
        events = connection.execute(
            "SELECT command, changes FROM events WHERE command IN (SELECT value FROM json_each(?)) ORDER BY seq DESC",
            (chosen,),
        )
        touched: set[int] = set()
        replaced: set[int] = set()
        for event in events.fetchall():
            for change in reversed(decode(event["changes"])):
                writer.apply(invert(change))
                touched.update(memories_of(change))
                if isinstance(change, Update) and "superseded_by" in change.columns:
                    replaced.update(memories_of(change))
                if event["command"] != target:  # which nobody asked for, so it may be found again
                    compare_queue.unmark(connection, sides_of(change))
                if change.table == "segments":  # a file that was read to its end may have to be read again
                    connection.execute("DELETE FROM files WHERE owner = ?", (writer.owner,))
        refuse_twins(writer, sorted(touched), since)
        _refuse_circle(connection, replaced)
        connection.execute("UPDATE commands SET undone = NULL WHERE undone = ?", (target,))
        connection.execute(
            "UPDATE commands SET undone = ? WHERE id IN (SELECT value FROM json_each(?))", (writer.id, chosen)
        )
        if len(going) > 1:
            writer.summarise(f"with {len(going) - 1} of the sweeps that rested on it")
        writer.commit()
        return writer.id
    except BaseException:
        writer.rollback()
        raise


def _refuse_circle(connection: sqlite3.Connection, memories: Collection[int]) -> None:
    """Raise Conflict if memories would have taken each other's place."""
    found = circle(connection, memories)
    if found is not None:
        raise Conflict(
            f"memory {found[0]} would be superseded by memory {found[1]}, whose place it has taken since;"
            f" `curator restore {found[1]}` first"
        )


def refuse_twins(writer: Writer, memories: Sequence[int], since: Collection[int] | None = None) -> None:
    """Raise Conflict if one of these is live beside another that says the same, or beside a tombstone for it.

    With `since`, only where one of the two is among those: what stood side by side before may stand so again.
    """
    if since is not None and not since:
        return
    chosen = orjson.dumps(list(memories)).decode()
    rows = writer.connection.execute(
        "SELECT m.id, t.memory FROM memories m JOIN tombstones t ON t.owner = m.owner AND t.content_key = m.content_key"
        " WHERE m.id IN (SELECT value FROM json_each(?)) AND +m.life = 'live'",
        (chosen,),
    )
    pair = _first(rows, since)
    if pair is not None:
        raise Conflict(f"memory {pair[0]} would be live again, but memory {pair[1]} says the same and was forgotten")
    pair = twins(writer.connection, memories, since)
    if pair is not None:
        raise Conflict(f"memory {pair[0]} would be live again, but memory {pair[1]} says the same by now")


def twins(
    connection: sqlite3.Connection, memories: Sequence[int], since: Collection[int] | None = None
) -> tuple[int, int] | None:
    """One of these that is live beside another live one that says the same in its scope, and that other.

    Ready memories that an import gave ids of their own may say the same as others.
    """
    rows = connection.execute(
        "SELECT m.id, o.id FROM memories m JOIN memories o ON o.content_key = m.content_key AND o.id <> m.id"
        " AND +o.owner = m.owner AND o.scope = m.scope AND +o.life = 'live'"
        " WHERE m.id IN (SELECT value FROM json_each(?)) AND +m.life = 'live' AND m.external_id IS NULL"
        " AND o.external_id IS NULL",
        (orjson.dumps(list(memories)).decode(),),
    )
    return _first(rows, since)


def _first(rows: Iterable[sqlite3.Row], since: Collection[int] | None) -> tuple[int, int] | None:
    pairs = ((int(row[0]), int(row[1])) for row in rows)
    return next((pair for pair in pairs if since is None or not {*pair}.isdisjoint(since)), None)
