"""Read commands from the journal, by filter or by memory. `Store.command` writes them."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace

from store import clock
from store.model import Actor, Command
from store.record import device
from store.record.changes import Delete, Insert, Value, decode, memories_of, reason_for, updates
from store.record.command_effects import Effects
from store.record.repository import LIKE, escape_like, grouped, json_list
from store.sanitize import storable

LONGEST = 1_000  # characters of a search word; SQLite accepts 50,000 bytes
_TOUCHING = "SELECT e.command FROM touched t JOIN events e ON e.seq = t.seq"
_COMMANDS = (
    "c.*, (SELECT uid FROM devices d WHERE d.id = c.device) AS device_uid,"
    " (SELECT number FROM sync_commands s WHERE s.id = c.id) AS number,"
    " (SELECT name FROM devices d JOIN sync_commands s ON s.device = d.id WHERE s.id = c.id) AS elsewhere"
)
_HERE = "NOT EXISTS (SELECT 1 FROM sync_commands s WHERE s.id = commands.id)"  # commands of this device
_IN_FORCE = (  # commands that touched a memory, latest first
    f"SELECT {_COMMANDS}, e.changes FROM touched t"
    " JOIN events e ON e.seq = t.seq JOIN commands c ON c.id = e.command"
    " WHERE t.memory = ? AND +c.owner = ? AND c.undone IS NULL AND {} ORDER BY t.seq DESC"
)


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Selects commands; several values of one field mean any of them, several fields mean all of them."""

    verbs: tuple[str, ...] = ()
    actors: tuple[Actor, ...] = ()
    memories: tuple[int, ...] = ()  # touched one of them
    undone: bool | None = None  # reverted by an undo
    words: tuple[str, ...] = ()  # each is its id, starts its verb, or occurs in its summary or in a memory it touched

    def sql(self, owner: str) -> tuple[str, list[Value]]:
        """Return a condition on commands, aliased `c`, with its parameters."""
        parts, parameters = ["c.owner = ?"], [owner]
        for column, values in (("verb", self.verbs), ("actor", self.actors)):
            if values:
                parts.append(f"c.{column} IN (SELECT value FROM json_each(?))")
                parameters.append(json_list(values))
        if self.memories:
            parts.append(f"c.id IN ({_TOUCHING} WHERE t.memory IN (SELECT value FROM json_each(?)))")
            parameters.append(json_list(self.memories))
        if self.undone is not None:
            parts.append(f"c.undone IS {'NOT ' if self.undone else ''}NULL")
        for word in map(storable, self.words):
            literal = escape_like(word[:LONGEST])
            parts.append(
                f"(CAST(c.id AS TEXT) = ? OR c.verb {LIKE} OR c.summary {LIKE} OR c.id IN"
                f" ({_TOUCHING} JOIN memories m ON m.id = t.memory WHERE m.owner = ? AND m.text {LIKE}))"
            )
            parameters += [word, f"{literal}%", f"%{literal}%", owner, f"%{literal}%"]
        return " AND ".join(parts), [*parameters]


@dataclass(frozen=True, slots=True)
class ReasonedChange:
    """A column of a memory that a sweep changed, and the reason."""

    command: Command
    column: str
    before: Value
    after: Value
    why: str


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
        row["number"],
        row["elsewhere"] or "",
    )


class Journal(Effects):
    """Commands, their events and effects (`Store.journal`)."""

    def seq(self) -> int:
        """Return the number of the last event."""
        return self._number("SELECT coalesce(max(seq), 0) FROM events")

    def days_ahead(self) -> int:
        """Return the number of whole days that the journal's clock is ahead of this machine's, or 0."""
        return max(device.ahead(self._number("SELECT clock FROM events ORDER BY seq DESC LIMIT 1")), 0) // clock.DAY

    # Commands

    def count(self, verb: str, since: int) -> int:
        """Return the number of commands with a verb since a time (microseconds)."""
        return self._number(
            "SELECT count(*) FROM commands WHERE owner = ? AND verb = ? AND at >= ?", self.owner, verb, since
        )

    def log(self, limit: int = 50, memory: int | None = None, filter: LogFilter | None = None) -> list[Command]:
        """Return the commands that match a filter, newest first; with `memory`, those that touched it."""
        log_filter = filter or LogFilter()
        if memory is not None:
            log_filter = replace(log_filter, memories=(*log_filter.memories, memory))
        return self.commands(self.command_ids(log_filter, limit))

    def command_ids(self, filter: LogFilter | None = None, limit: int | None = None) -> list[int]:
        """Return the ids of the commands that match a filter and changed something, newest first."""
        where, parameters = (filter or LogFilter()).sql(self.owner)
        return self._ids(
            f"SELECT c.id FROM commands c WHERE {where} AND EXISTS (SELECT 1 FROM events e WHERE e.command = c.id)"
            " ORDER BY c.id DESC LIMIT ?",
            *parameters,
            -1 if limit is None else limit,
        )

    def commands(self, ids: Sequence[int]) -> list[Command]:
        """Return the owner's commands among these, in the order of `ids`; missing ones are left out."""
        return self._all(
            _command,
            f"SELECT {_COMMANDS} FROM json_each(?) w CROSS JOIN commands c ON c.id = w.value"
            " WHERE c.owner = ? ORDER BY w.key",
            json_list(ids),
            self.owner,
        )

    def events_since(self, seq: int, limit: int) -> list[tuple[int, Command]]:
        """Return the numbers of the events after `seq` of the owner's commands, oldest first, each with its command."""
        rows = self._pairs(
            "SELECT e.seq, e.command FROM events e JOIN commands c ON c.id = e.command"
            " WHERE e.seq > ? AND c.owner = ? ORDER BY e.seq LIMIT ?",
            seq,
            self.owner,
            limit,
        )
        found = {command.id: command for command in self.commands(sorted({command for _, command in rows}))}
        return [(number, found[command]) for number, command in rows if command in found]

    def verbs(self) -> list[str]:
        """Return every verb ever used, sorted. Reads all commands."""
        query = "SELECT DISTINCT verb FROM commands WHERE owner = ? ORDER BY verb"
        return self._all(lambda row: str(row["verb"]), query, self.owner)

    # Undo

    def next_to_undo(self) -> Command | None:
        """Return the command that an undo reverts: the person's last one, or their last manually started run."""
        return self._first_command(
            "SELECT id FROM commands WHERE owner = ? AND (actor = 'person' OR manual) AND undone IS NULL AND undoable"
            " AND verb NOT IN ('undo', 'redo') AND EXISTS (SELECT 1 FROM events WHERE command = commands.id)"
            f" AND {_HERE} ORDER BY id DESC LIMIT 1"
        )

    def undo_summary(self, undone: Command) -> str:
        """Return the summary of the undo of a command: what it took along, and what it left."""
        by = self.commands([undone.undone]) if undone.undone else []
        return by[0].summary if by else ""

    def is_followed(self, command: int) -> bool:
        """Return True if commands that an undo of this one does not include have written since its last event.

        If it then wrote more, it and they could depend on each other, and none of them could be undone.
        """
        followed = self._number(
            "SELECT EXISTS (SELECT 1 FROM events e JOIN commands c ON c.id = e.command"
            " WHERE e.seq > (SELECT max(seq) FROM events WHERE command = ?1)"
            " AND c.id <> ?1 AND c.owner = ?2 AND c.undone IS NULL AND c.verb NOT IN ('undo', 'redo')"
            " AND NOT (c.actor IN ('model', 'sweep') AND c.verb <> 'import' AND c.undoable))",
            command,
            self.owner,
        )
        return bool(followed)

    def final_command(self) -> Command | None:
        """Return the person's newest command if it cannot be undone, like a purge: undo skips it."""
        newest = self._first_command(
            "SELECT id FROM commands WHERE owner = ? AND (actor = 'person' OR manual) AND undone IS NULL"
            " AND verb NOT IN ('undo', 'redo')"
            " AND (NOT undoable OR EXISTS (SELECT 1 FROM events WHERE command = commands.id))"
            f" AND {_HERE} ORDER BY id DESC LIMIT 1"
        )
        return None if newest is None or newest.undoable else newest

    def last_undo(self) -> Command | None:
        """Return the undo that a redo reverts: the person's last one, if nothing new was done since."""
        return self._first_command(
            "SELECT id FROM commands AS taken WHERE owner = ? AND actor = 'person' AND verb = 'undo'"
            " AND undone IS NULL AND undoable AND NOT EXISTS (SELECT 1 FROM commands AS later WHERE later.id > taken.id"
            " AND later.owner = taken.owner AND (later.actor = 'person' OR later.manual)"
            " AND later.verb NOT IN ('undo', 'redo')"
            " AND NOT EXISTS (SELECT 1 FROM sync_commands s WHERE s.id = later.id))"
            " AND NOT EXISTS (SELECT 1 FROM sync_commands s WHERE s.id = taken.id) ORDER BY id DESC LIMIT 1"
        )

    def next_to_redo(self) -> Command | None:
        """Return the command that a redo restores."""
        undo = self.last_undo()
        return None if undo is None or undo.target is None else next(iter(self.commands([undo.target])), None)

    def _first_command(self, query: str) -> Command | None:
        return next(iter(self.commands(self._ids(query, self.owner))), None)

    # By memory

    def changed_since(self, seq: int) -> list[int]:
        """Return the memories that events after `seq` touched, including deleted ones."""
        with self._connect() as connection:
            rows = connection.execute("SELECT changes FROM events WHERE seq > ?", (seq,))
            return sorted({memory for row in rows for change in decode(row[0]) for memory in memories_of(change)})

    def touched_by(self, seq: int) -> list[int]:
        """Return the memories that an event touched, including deleted ones."""
        rows = self._rows("SELECT changes FROM events WHERE seq = ?", seq)
        return sorted({memory for row in rows for change in decode(row[0]) for memory in memories_of(change)})

    def added_by(self, commands: Sequence[int]) -> set[int]:
        """Return the memories that these commands added. Reads all their events."""
        rows = self._rows(
            "SELECT changes FROM events WHERE command IN (SELECT value FROM json_each(?))", json_list(commands)
        )
        inserts = (one for row in rows for one in decode(row[0]) if isinstance(one, Insert) and one.table == "memories")
        return {memory for one in inserts for memory in memories_of(one)}

    def last_life_change(self, memory: int) -> Command | None:
        """Return the command that set a memory's current life, as by admitting, forgetting or restoring it."""
        for row in self._rows(_IN_FORCE.format("c.verb NOT IN ('undo', 'redo')"), memory, self.owner):
            if any(
                memory in memories_of(change)
                for change in decode(row["changes"])
                if "life" in change.columns and not isinstance(change, Delete)
            ):
                return _command(row)
        return None

    def reasoned_changes(self, memory: int) -> list[ReasonedChange]:
        """Return the changes of sweeps to a memory with their reasons, latest first, except undone ones."""
        return [
            ReasonedChange(_command(row), column, before, after, why)
            for row in self._rows(_IN_FORCE.format("c.actor <> 'person'"), memory, self.owner)
            for change in updates(row["changes"])
            if (why := reason_for(change, memory))
            for column, before, after in zip(change.columns, change.before, change.after, strict=True)
        ]

    def person_verbs(self, ids: Sequence[int], apart_from: Sequence[str] = ()) -> dict[int, list[str]]:
        """Return the person's verbs on each of these memories, except undone commands and those in `apart_from`."""
        verbs = self._pairs(
            "SELECT DISTINCT t.memory, c.verb FROM touched t JOIN events e ON e.seq = t.seq"
            " JOIN commands c ON c.id = e.command WHERE t.memory IN (SELECT value FROM json_each(?1)) AND +c.owner = ?2"
            " AND c.actor = 'person' AND c.undone IS NULL AND c.verb NOT IN (SELECT value FROM json_each(?3))",
            json_list(ids),
            self.owner,
            json_list(apart_from),
        )
        return grouped(verbs)

    def last_verbs(self, ids: Sequence[int], verbs: Sequence[str]) -> dict[int, int]:
        """Return when the person last used one of these verbs on each of these memories, except undone commands."""
        return dict(
            self._pairs(
                "SELECT t.memory, max(c.at) FROM touched t JOIN events e ON e.seq = t.seq"
                " JOIN commands c ON c.id = e.command WHERE t.memory IN (SELECT value FROM json_each(?1))"
                " AND +c.owner = ?2 AND c.actor = 'person' AND c.undone IS NULL"
                " AND c.verb IN (SELECT value FROM json_each(?3)) GROUP BY t.memory",
                json_list(ids),
                self.owner,
                json_list(verbs),
            )
        )

    def undone_sweeps(self, verb: str, ids: Sequence[int], since: int) -> set[int]:
        """Return those of these memories for which a sweep's command of this verb was undone at `since` or later."""
        return set(
            self._ids(
                "SELECT DISTINCT t.memory FROM touched t JOIN events e ON e.seq = t.seq"
                " JOIN commands c ON c.id = e.command JOIN commands b ON b.id = c.undone"
                " WHERE t.memory IN (SELECT value FROM json_each(?)) AND +c.owner = ?"
                " AND c.verb = ? AND c.actor = 'sweep' AND b.at >= ?",
                json_list(ids),
                self.owner,
                verb,
                since,
            )
        )
