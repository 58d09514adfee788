"""The journal as a person reads it: which commands there are, found by what they did and to what."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from store.model import Actor, Command
from store.record.changes import Change, Delete, Value, decode, keys_of, reason_for, updates
from store.sanitize import storable

LONGEST = 1_000  # characters of a word that is looked for; SQLite takes 50,000 bytes
_LITERAL = str.maketrans({sign: f"!{sign}" for sign in "!%_"})


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Which commands are meant; of one sort any will do, of different sorts all must hold."""

    verbs: tuple[str, ...] = ()
    actors: tuple[Actor, ...] = ()
    memories: tuple[int, ...] = ()  # it touched one of them
    undone: bool | None = None  # taken back
    words: tuple[str, ...] = ()  # each is its id, begins its verb, or stands in its summary or in a memory it touched

    def sql(self, owner: str) -> tuple[str, list[Value]]:
        """A condition on commands, called `c`, with its parameters."""
        parts, parameters = ["c.owner = ?"], [owner]
        for column, values in (("verb", self.verbs), ("actor", self.actors)):
            if values:
                parts.append(f"c.{column} IN (SELECT value FROM json_each(?))")
                parameters.append(_json(list(values)))
        if self.memories:
            parts.append(f"c.id IN ({_TOUCHING} WHERE t.memory IN (SELECT value FROM json_each(?)))")
            parameters.append(_json(self.memories))
        if self.undone is not None:
            parts.append(f"c.undone IS {'NOT ' if self.undone else ''}NULL")
        for word in map(storable, self.words):
            literal = word[:LONGEST].translate(_LITERAL)
            parts.append(
                "(CAST(c.id AS TEXT) = ? OR c.verb LIKE ? ESCAPE '!' OR c.summary LIKE ? ESCAPE '!' OR c.id IN"
                f" ({_TOUCHING} JOIN memories m ON m.id = t.memory WHERE m.owner = ? AND m.text LIKE ? ESCAPE '!'))"
            )
            parameters += [word, f"{literal}%", f"%{literal}%", owner, f"%{literal}%"]
        return " AND ".join(parts), [*parameters]


@dataclass(frozen=True, slots=True)
class Reasoned:
    """A column of a memory that a sweep has changed, and why."""

    command: Command
    column: str
    before: Value
    after: Value
    why: str


_DEVICE = "(SELECT uid FROM devices d WHERE d.id = c.device) AS device_uid"
_TOUCHING = "SELECT e.command FROM touched t JOIN events e ON e.seq = t.seq"


def command_ids(connection: sqlite3.Connection, owner: str, filter: LogFilter, limit: int | None) -> list[int]:
    """The commands a filter means that changed something, newest first."""
    where, parameters = filter.sql(owner)
    rows = connection.execute(
        f"SELECT c.id FROM commands c WHERE {where} AND EXISTS (SELECT 1 FROM events e WHERE e.command = c.id)"
        " ORDER BY c.id DESC LIMIT ?",
        (*parameters, -1 if limit is None else limit),
    )
    return [row[0] for row in rows]


def commands(connection: sqlite3.Connection, owner: str, ids: Sequence[int]) -> list[Command]:
    """The owner's among these commands, in the order asked."""
    rows = connection.execute(
        f"SELECT c.*, {_DEVICE} FROM json_each(?) w CROSS JOIN commands c ON c.id = w.value"
        " WHERE c.owner = ? ORDER BY w.key",
        (_json(ids), owner),
    )
    return [_command(row) for row in rows]


def verbs(connection: sqlite3.Connection, owner: str) -> list[str]:
    """Every verb that was ever done, from A. Reads all commands."""
    rows = connection.execute("SELECT DISTINCT verb FROM commands WHERE owner = ? ORDER BY verb", (owner,))
    return [row[0] for row in rows]


def log(connection: sqlite3.Connection, owner: str, filter: LogFilter, limit: int) -> list[Command]:
    """The newest commands that a filter means."""
    return commands(connection, owner, command_ids(connection, owner, filter, limit))


def fate(connection: sqlite3.Connection, owner: str, memory: int) -> Command | None:
    """The standing command that made a memory's life what it is: forgot it, brought it back, or wrote it down."""
    rows = connection.execute(
        f"SELECT c.*, {_DEVICE}, e.changes FROM touched t"
        " JOIN events e ON e.seq = t.seq JOIN commands c ON c.id = e.command"
        " WHERE t.memory = ? AND +c.owner = ? AND c.undone IS NULL AND c.verb NOT IN ('undo', 'redo')"
        " ORDER BY t.seq DESC",
        (memory, owner),
    )
    for row in rows:
        if any(_gives_life(change, memory) for change in decode(row["changes"])):
            return _command(row)
    return None


def reasoned(connection: sqlite3.Connection, owner: str, memory: int) -> list[Reasoned]:
    """What was done to a memory for a reason that was kept, the last first, as far as it stands."""
    rows = connection.execute(
        f"SELECT c.*, {_DEVICE}, e.changes FROM touched t"
        " JOIN events e ON e.seq = t.seq JOIN commands c ON c.id = e.command"
        " WHERE t.memory = ? AND +c.owner = ? AND c.undone IS NULL AND c.actor <> 'person' ORDER BY t.seq DESC",
        (memory, owner),
    )
    return [
        Reasoned(_command(row), column, before, after, why)
        for row in rows
        for change in updates(row["changes"])
        if (why := reason_for(change, memory))
        for column, before, after in zip(change.columns, change.before, change.after, strict=True)
    ]


def _gives_life(change: Change, memory: int) -> bool:
    concerned = change.table == "memories" and "life" in change.columns and not isinstance(change, Delete)
    return concerned and (memory,) in keys_of(change)


def _command(row: sqlite3.Row) -> Command:
    return Command(
        row["id"],
        row["at"],
        Actor(row["actor"]),
        row["verb"],
        row["memories"],
        row["summary"],
        row["undone"],
        bool(row["undoable"]),
        row["target"],
        row["device_uid"],
    )


def _json(values: Sequence[Value]) -> str:
    return orjson.dumps(list(values)).decode()
