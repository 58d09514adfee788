"""Undo and redo: inverting the events of a command, unless later commands depend on it."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field

from store.errors import Conflict, NotFound, ReliedOn
from store.model import Actor
from store.record.changes import (
    CHILDREN,
    Change,
    Insert,
    Update,
    Value,
    decode,
    invert,
    is_judgment,
    memories_of,
    narrowed,
    numbers,
    sides_of,
)
from store.record.journal import command
from store.record.memories import Memories
from store.record.repository import first_column, json_list
from store.record.sync.independent_decisions import keep_independent
from store.record.vectors import CompareQueue

_DECISIVE = frozenset({"life", "content_key", "scope"})  # columns that determine which memories may be live together
_WHOLE = frozenset({"*"})  # all columns of a row
_RETURNED = "(SELECT value FROM json_each(?1))"
_DOUBLES = {
    "alerts": (
        "conflict",
        f"SELECT 1 FROM alerts r JOIN alerts o ON o.a = r.b AND o.b = r.a WHERE r.id IN {_RETURNED}"
        f" AND o.id NOT IN {_RETURNED}",
    ),
    "evidence": (
        "quote",
        f"SELECT 1 FROM evidence WHERE memory IN (SELECT memory FROM evidence WHERE id IN {_RETURNED})"
        " GROUP BY memory, message, reference, start, end, quote"
        f" HAVING sum(id IN {_RETURNED}) BETWEEN 1 AND count(*) - 1",
    ),
}
"""Tables whose rows may be created again with another id: a name for the row, and a query for restored duplicates."""


def revert(connection: sqlite3.Connection, owner: str, target: int, verb: str) -> None:
    """Write a command ("undo" or "redo") that inverts all events of `target`, and of later sweeps that depend on it.

    Raises NotFound for an unknown command, ReliedOn if later commands depend on it, and Conflict if it is undone
    already, cannot be undone, or would restore rows that were created again or memories with the same text as live
    ones.
    """
    with command(nullcontext(connection), owner, verb, Actor.PERSON, target=target) as writer:
        check_revertible(connection, owner, target, verb)
        dependents = Dependents(connection, target)
        dependents.follow(verb)
        chosen = json_list(sorted(dependents.commands))
        events = connection.execute(
            "SELECT command, changes FROM events WHERE command IN (SELECT value FROM json_each(?)) ORDER BY seq DESC",
            (chosen,),
        )
        inverted = _Inverted()
        for event in events.fetchall():
            for change in dependents.to_invert(reversed(decode(event["changes"]))):
                inverse = invert(change)
                writer.apply(inverse)
                inverted.note(change, inverse)
                if event["command"] != target:  # the person did not undo this sweep: it may have the same result again
                    CompareQueue.unmark(connection, sides_of(change))
                if change.table == "segments":  # files may have to be read again from the start
                    connection.execute("DELETE FROM files WHERE owner = ?", (owner,))
        for table in CHILDREN if inverted.removed else ():  # including rows restored by a redo on another device
            orphan = "memory IN (SELECT value FROM json_each(?)) AND memory NOT IN (SELECT id FROM memories)"
            writer.delete(table, orphan, (json_list(sorted(inverted.removed)),))
        for table, rows in inverted.returned.items():
            name, doubles = _DOUBLES[table]
            if connection.execute(doubles, (json_list(rows),)).fetchone() is not None:
                raise Conflict(f"cannot {verb} command {target}: the same {name} was found again since")
        standing = keep_independent(writer, target) if verb == "undo" else ""
        memories = Memories.on(connection, owner)
        # what a sync added since, for an edit on another device
        live = writer.where("life = 'live'", sorted(inverted.touched))
        writer.delete("tombstones", "memory IN (SELECT value FROM json_each(?))", (json_list(live),))
        memories.refuse_twins(sorted(inverted.touched), dependents.moved)
        circle = memories.circle(inverted.superseded)
        if circle is not None:
            raise Conflict(
                f"memory {circle[0]} would be superseded by memory {circle[1]}, which it superseded since;"
                f" `curator restore {circle[1]}` first"
            )
        connection.execute("UPDATE commands SET undone = NULL WHERE undone = ?", (target,))
        connection.execute(
            "UPDATE commands SET undone = ? WHERE id IN (SELECT value FROM json_each(?))", (writer.id, chosen)
        )
        said = [standing] if standing else []
        if others := len(dependents.commands) - 1:
            which = "a sweep's command" if others == 1 else f"{others} commands of sweeps"
            said.append(f"with {which} that depended on it")
        if said:
            writer.summarise("; ".join(said))


@dataclass(slots=True)
class _Inverted:
    """Subjects of the inverted changes: ids of memories, and of rows created again in the tables of `_DOUBLES`."""

    touched: set[int] = field(default_factory=set)
    removed: set[int] = field(default_factory=set)  # memories added or purged
    superseded: set[int] = field(default_factory=set)
    returned: dict[str, list[Value]] = field(default_factory=dict)

    def note(self, change: Change, inverse: Change) -> None:
        """Note a change and its inverse."""
        memories = memories_of(change)
        self.touched.update(memories)
        if isinstance(inverse, Insert) and inverse.table in _DOUBLES:
            self.returned.setdefault(inverse.table, []).extend(inverse.column("id"))
        if isinstance(change, Update) and "superseded_by" in change.columns:
            self.superseded.update(memories)
        if change.table == "memories" and not isinstance(change, Update):
            self.removed.update(memories)


def check_revertible(connection: sqlite3.Connection, owner: str, target: int, verb: str) -> None:
    """Raise NotFound if a command does not exist, Conflict if it is already reverted or cannot be."""
    row = connection.execute("SELECT verb, undone, undoable, owner FROM commands WHERE id = ?", (target,)).fetchone()
    if row is None or row["owner"] != owner:
        raise NotFound(f"there is no command {target}; `curator log` lists them")
    if verb == "undo" and row["verb"] in ("undo", "redo"):
        raise Conflict(f"command {target} is itself an {row['verb']}; use `curator redo` or `curator undo`")
    if row["undone"] is not None:
        raise Conflict(f"command {target} ({row['verb']}) was already undone by command {row['undone']}")
    if not row["undoable"]:
        raise Conflict(f"command {target} ({row['verb']}) cannot be undone: its memories were purged since")


class Dependents:
    """A set of commands to undo together, and the changes made since the first of them."""

    def __init__(self, connection: sqlite3.Connection, target: int) -> None:
        self.commands = {target}
        self.moved: set[int] = set()  # memories added, removed, or with changed life, text or scope
        self._connection = connection
        self._target = target
        self._places: dict[tuple[str, tuple[Value, ...]], frozenset[str]] = {}  # table and key: columns they changed

    def to_invert(self, changes: Iterable[Change]) -> Iterator[Change]:
        """Yield the changes without what they judged of memories that were purged since."""
        for change in changes:
            if not (isinstance(change, Update) and is_judgment(change)):
                yield change
                continue
            purged = first_column(
                self._connection,
                "SELECT id FROM memories WHERE life = 'purged' AND id IN (SELECT value FROM json_each(?))",
                json_list(memories_of(change)),
            )
            if keys := [key for key in change.keys if key[0] not in purged]:
                yield narrowed(change, keys)

    def follow(self, verb: str) -> None:
        """Add the later sweeps that depend on these commands, so that they are undone together.

        For the person, an import and the results of models and sweeps from it are a single step. Commands of the person
        and imports are never added: ReliedOn is raised if such a command changed the same columns or depends on the
        rows.
        """
        while True:
            later = self._later()
            machines = first_column(
                self._connection,
                "SELECT id FROM commands WHERE actor IN ('model', 'sweep') AND verb <> 'import' AND undoable"
                " AND ? = 'undo' AND id IN (SELECT value FROM json_each(?))",
                verb,
                json_list(sorted(later)),
            )
            if relying := later.difference(machines):
                raise ReliedOn(self._target, tuple(sorted(relying)))
            if not machines:
                return
            self.commands.update(machines)

    def _later(self) -> set[int]:
        """Return the later commands that depend on these."""
        chosen = json_list(sorted(self.commands))
        self._places, self.moved = {}, set()
        for (changes,) in self._connection.execute(  # event by event, since there may be a million changes
            "SELECT changes FROM events WHERE command IN (SELECT value FROM json_each(?))", (chosen,)
        ):
            for change in self.to_invert(decode(changes)):
                for place in ((change.table, key) for key in change.keys):
                    self._places[place] = self._places.get(place, frozenset()) | _columns(change)
        rows = self._connection.execute(  # `turned`: an earlier command that this one undid
            "SELECT e.command, e.changes, t.id AS turned FROM events e JOIN commands c ON c.id = e.command"
            " LEFT JOIN commands t ON t.id = c.target AND t.undone = c.id"
            " WHERE e.seq > (SELECT min(seq) FROM events WHERE command = ?1) AND c.undone IS NULL"
            " AND e.command NOT IN (SELECT value FROM json_each(?2)) AND coalesce(t.id, 0) < ?1 ORDER BY e.seq",
            (min(self.commands), chosen),
        )
        later: set[int] = set()
        for row in rows:
            for change in decode(row["changes"]):
                if isinstance(change, Update) and change.before == change.after:
                    continue  # this change only refers to rows cleaned by a redaction
                self.moved.update(_moved(change))
                if row["turned"] is None and self._overlaps(change):
                    later.add(row["command"])
        return later | (self._citing() - self.commands)

    def _overlaps(self, change: Change) -> bool:
        """Return True if a change affects columns that the commands changed, or depends on a row they added."""
        for key in change.keys:
            own, columns = self._places.get((change.table, key)), _columns(change)
            if own is not None and (own & columns or "*" in own or "*" in columns):
                return True
        needed: list[Value] = []
        if isinstance(change, Update) and "superseded_by" in change.columns:
            needed = [change.after[change.columns.index("superseded_by")]]
        elif isinstance(change, Insert):  # new tags, evidence or versions of a memory that would be removed
            needed = [*memories_of(change)]
        return any("*" in self._places.get(("memories", (memory,)), ()) for memory in needed)

    def _citing(self) -> set[int]:
        """Return the commands whose quotes cite messages that would be hidden."""
        found: set[int] = set()
        for place in [key for table, key in self._places if table == "segments"]:
            rows = self._connection.execute(
                "SELECT v.id, v.memory FROM messages m JOIN evidence v ON v.message = m.id"
                " JOIN memories n ON n.id = v.memory AND n.life <> 'purged' WHERE m.conversation = ? AND m.batch = ?",
                place,
            )
            for evidence, memory in rows.fetchall():
                if ("evidence", (evidence,)) in self._places:
                    continue
                events = self._connection.execute(
                    "SELECT e.command, e.changes FROM touched t JOIN events e ON e.seq = t.seq WHERE t.memory = ?",
                    (memory,),
                )
                found |= {
                    int(event["command"])
                    for event in events
                    for change in decode(event["changes"])
                    if isinstance(change, Insert) and change.table == "evidence" and (evidence,) in change.keys
                }
        return found


def _columns(change: Change) -> frozenset[str]:
    return frozenset(change.columns) if isinstance(change, Update) else _WHOLE


def _moved(change: Change) -> list[int]:
    """Return the memories whose life, text or scope a change affects."""
    if change.table == "tombstones":
        return numbers(change.column("memory"))
    if change.table != "memories" or (isinstance(change, Update) and _DECISIVE.isdisjoint(change.columns)):
        return []
    return memories_of(change)
