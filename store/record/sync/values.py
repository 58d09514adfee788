"""Concurrent writes of columns and rows, and the rules that select the winner.

Of two concurrent writes of a column, a person's write wins over a machine's, then the later one wins. A machine's
write to a column that the person decides on is dropped if a person concurrently decided anything about that memory.
Rows such as tags and quotes are merged as an add-wins set: a row is removed only if the remover knew of all writes that
added it.

Removing a memory does not delete its writes, because another device may keep the memory; only the remover's knowledge
is recorded, and writes unknown to all removers win. Adding the memory again replaces all writes known to the device
that adds it.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial

import orjson

from store.record.changes import Value
from store.record.sync.names import MEMORY, REMOVED, References, Seen, seen

RANKED = frozenset({"rank", "confidence", "surprise", "flag"})
"""Columns of memories that a machine may change regardless of a person's decisions."""
_WEIGHTS: dict[tuple[str, Value], int] = {
    ("life", "purged"): 3,
    ("life", "forgotten"): 2,
    ("review", "rejected"): 1,
    ("review", "open"): -1,  # only written by undo and restore, which take back a review of their own device
}
_REMOVED = "removed "  # before the field of a row
_AGAIN = "written again"  # field for what wrote an item that was there
_UNSEEN = "unseen "  # before the name of a column, or the field of a row
_NOTHING: dict[str, Value] = {"life": "live", "superseded_by": None}
_DECIDED = (
    "INSERT INTO sync_decided VALUES (?, ?, ?, ?)"
    " ON CONFLICT (sort, item, device) DO UPDATE SET clock = max(clock, excluded.clock)"
)


class Unknown(Enum):
    """Placeholder for the value of a column of a memory that this record does not have."""

    VALUE = 0


UNKNOWN = Unknown.VALUE


@dataclass(frozen=True, slots=True)
class Stamp:
    """The device, author and clock of a write, and what its device had read (None: all that this record has)."""

    device: int
    clock: int
    person: bool
    seen: Seen | None = None

    def knew(self, device: int, at: int) -> bool:
        """Return True if the device had read the event at clock `at` of another device, or wrote it itself before."""
        return self.seen is None or device == self.device or self.seen.get(device, 0) >= at


@dataclass(frozen=True, slots=True)
class Item:
    """A memory, alert or conversation, with the stamp of its first values."""

    sort: int
    id: int
    writer: int = 0
    clock: int = 0


@dataclass(frozen=True, slots=True)
class _Write:
    device: int
    clock: int
    person: bool
    value: Value


def _first(value: Value) -> _Write:
    """Return the initial value of a column as a write that all devices knew of."""
    return _Write(0, 0, True, value)


class Values:
    """Repository of the writes of columns and rows, valid within a transaction."""

    def __init__(self, connection: sqlite3.Connection, names: References) -> None:
        self.connection = connection
        self.names = names

    def write(self, item: Item, field: str, value: Value, stamp: Stamp, present: Value | Unknown) -> Value:
        """Add a write of a column whose value is `present`; return the winning value."""
        known = self._of(item, field) or ([] if present is UNKNOWN else [_first(present)])
        layered = item.sort == MEMORY and field not in RANKED
        if stamp.person:
            kept = [one for one in known if one.person and not stamp.knew(one.device, one.clock)]
            if known and not known[0].device and self._known_to_removers(item):  # the item may be added again
                kept.insert(0, known[0])
        elif self._overruled(item, known, layered, stamp):
            return None if present is UNKNOWN else present
        else:
            kept = [one for one in known if layered or one.person or not stamp.knew(one.device, one.clock)]
        kept = [one for one in kept if (one.device, one.clock) != (stamp.device, stamp.clock)]
        kept.append(_Write(stamp.device, stamp.clock, stamp.person, value))
        self._replace(item, field, kept)
        return self._holding(item, field, kept)

    def renew(
        self, item: Item, after: Mapping[str, Value], stamp: Stamp, present: Mapping[str, Value]
    ) -> dict[str, Value]:
        """Merge the initial values of an item that another device added too; return the winning values.

        Of two initial values the one that knew of the other, or the later one, wins. Other writes that its device did
        not know of win over both.
        """
        newer = self.is_newer(item, stamp)
        new: dict[str, Value] = {}
        for field, value in after.items():
            known = self._of(item, field)
            kept = [one for one in known if one.device and not stamp.knew(one.device, one.clock)]
            if newer:
                first = _first(value)
            else:
                first = _first(next((one.value for one in known if not one.device), present[field]))
            if known:
                self._replace(item, field, [first, *kept] if kept else [])
            new[field] = self._holding(item, field, [first, *kept])
        return new

    def note_removal(self, item: Item, stamp: Stamp) -> None:
        """Record what the remover of a memory knew of."""
        known = seen(self.connection) if stamp.seen is None else stamp.seen
        self.connection.executemany(
            _DECIDED, [(REMOVED, item.id, *one) for one in {**known, stamp.device: stamp.clock}.items()]
        )

    def held(self, item: Item, row: Mapping[str, Value]) -> dict[str, Value]:
        """Return the columns of a memory whose winning write differs from its row."""
        fields = self.connection.execute(
            "SELECT DISTINCT field FROM sync_values WHERE sort = ? AND item = ? AND NOT instr(field, ' ')",
            (item.sort, item.id),
        ).fetchall()
        held = {field: self._holding(item, field, self._of(item, field)) for (field,) in fields}
        return {field: value for field, value in held.items() if row.get(field) != value}

    def is_newer(self, item: Item, stamp: Stamp) -> bool:
        """Return True if initial values were written with knowledge of an item's own ones, or later."""
        later = (stamp.clock, self.names.uid(stamp.device)) > (item.clock, self.names.uid(item.writer))
        return stamp.knew(item.writer, item.clock) or later

    def note(self, item: Item, field: str, value: Value, stamp: Stamp, base: Value) -> None:
        """Add a write of an alert's column, replacing those its device knew of; `base` is the value when found."""
        known = self._of(item, field) or [_Write(item.writer, item.clock, False, base)]
        kept = [one for one in known if not stamp.knew(one.device, one.clock)]
        self._replace(item, field, [*kept, _Write(stamp.device, stamp.clock, stamp.person, value)])

    def noted(self, item: Item, field: str, base: Value) -> Value:
        """Return the winning value of an alert's column."""
        known = self._of(item, field)
        if not known:
            return base
        return max(known, key=lambda one: (bool(one.device), one.person, one.clock, self.names.uid(one.device))).value

    def put_one(self, item: Item, field: str, value: Value) -> None:
        """Store a value of an item that belongs to no device."""
        self._replace(item, field, [_first(value)])

    def knew_all(self, item: Item, stamp: Stamp) -> bool:
        """Return True if a write was made with knowledge of all writes of an item."""
        rows = self.connection.execute(
            "SELECT device, clock FROM sync_values WHERE sort = ? AND item = ?", (item.sort, item.id)
        )
        return all(stamp.knew(device, at) for device, at in rows)

    def clear(self, item: Item) -> None:
        """Drop all writes of an item."""
        self.connection.execute("DELETE FROM sync_values WHERE sort = ? AND item = ?", (item.sort, item.id))

    def _replace(self, item: Item, field: str, writes: Sequence[_Write]) -> None:
        self.connection.execute(
            "DELETE FROM sync_values WHERE sort = ? AND item = ? AND field = ?", (item.sort, item.id, field)
        )
        self.connection.executemany(
            "INSERT INTO sync_values VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                (item.sort, item.id, field, one.device, one.clock, one.person, orjson.dumps(one.value).decode())
                for one in writes
            ),
        )

    def decide(self, item: Item, stamp: Stamp) -> dict[str, Value]:
        """Record that a person decided something about an item; return the columns whose value changes.

        Concurrent writes of machines are dropped.
        """
        self.connection.execute(_DECIDED, (item.sort, item.id, stamp.device, stamp.clock))
        if stamp.seen is None or item.sort != MEMORY:
            return {}
        rows = self.connection.execute(
            "SELECT field, device, clock FROM sync_values WHERE sort = ? AND item = ? AND NOT person"
            " AND NOT instr(field, ' ')",
            (item.sort, item.id),
        ).fetchall()
        lost = [row for row in rows if row[0] not in RANKED and not stamp.knew(row[1], row[2])]
        self._drop(item, lost)
        fields = sorted({row[0] for row in lost})
        return {field: self._holding(item, field, self._of(item, field)) for field in fields}

    def undecided(self, item: Item, stamp: Stamp) -> bool:
        """Return True unless a person concurrently decided something about an item."""
        rows = self.connection.execute(
            "SELECT device, clock FROM sync_decided WHERE sort = ? AND item = ?", (item.sort, item.id)
        )
        return all(stamp.knew(device, at) for device, at in rows)

    def is_news(self, item: Item, field: str, stamp: Stamp) -> bool:
        """Return True if a column or row has a write that the device of `stamp` did not know of."""
        return any(one.device and not stamp.knew(one.device, one.clock) for one in self._of(item, field))

    def note_again(self, item: Item, device: int, at: int) -> None:
        """Record that an item was added concurrently, or again with the same initial values."""
        self._put(item, _AGAIN, device, at, person=False)

    def knew_written(self, item: Item, stamp: Stamp) -> bool:
        """Return True if a removal knew of all additions of an item that earlier removals did not know of."""
        gone = self._known_to_removers(item)
        writers = [(item.writer, item.clock), *((one.device, one.clock) for one in self._of(item, _AGAIN))]
        return all(stamp.knew(device, at) or at <= gone.get(device, 0) for device, at in writers)

    def add_first(self, item: Item, field: str) -> None:
        """Record that a row came with the initial values of an item, unless it is recorded already."""
        if not self.is_added(item, field):
            self._put(item, field, item.writer, item.clock, person=False)

    def add(self, item: Item, field: str, stamp: Stamp) -> None:
        """Record that a row was added after the initial values of its item."""
        if (stamp.device, stamp.clock) != (item.writer, item.clock) or self.is_added(item, field):
            self._put(item, field, stamp.device, stamp.clock, stamp.person)

    def remove(self, item: Item, field: str, stamp: Stamp) -> bool:
        """Record that a row was removed; return False if it stays because it was concurrently added."""
        added = self._of(item, field)
        if not added:
            return stamp.knew(item.writer, item.clock)
        kept = [one for one in added if not stamp.knew(one.device, one.clock)]
        self._drop(item, ((field, one.device, one.clock) for one in added if one not in kept))
        return not kept

    def miss(self, item: Item, field: str, stamp: Stamp) -> None:
        """Record that a row was removed while this record does not have its item, which may be added again with it."""
        self._put(item, _REMOVED + field, stamp.device, stamp.clock, stamp.person)

    def is_missed(self, item: Item, field: str, stamp: Stamp) -> bool:
        """Return True if a row that is added again was concurrently removed."""
        return self.is_news(item, _REMOVED + field, stamp)

    def is_added(self, item: Item, field: str) -> bool:
        """Return True if it is recorded that a row was added."""
        return bool(self._of(item, field))

    def is_missing(self, item: Item, field: str) -> bool:
        """Return True if a row was removed while this record did not have its item, and not added again."""
        return self.is_added(item, _REMOVED + field) and not self.is_added(item, field)

    def forget(self, item: Item, stamp: Stamp, *, columns: bool = True) -> None:
        """Drop the writes of an item that a new addition knew of; with `columns` False, only those of rows."""
        rows = self.connection.execute(
            "SELECT field, device, clock FROM sync_values WHERE sort = ? AND item = ?"
            f" AND substr(field, 1, {len(_UNSEEN)}) <> '{_UNSEEN}' AND (? OR instr(field, ' '))",
            (item.sort, item.id, columns),
        ).fetchall()
        self._drop(item, (row for row in rows if not row[1] or stamp.knew(row[1], row[2])))

    def keep(self, item: Item, field: str, row: Mapping[str, Value]) -> None:
        """Store a row that was added concurrently with the removal of its item, until the item is added again."""
        gone, value = self._known_to_removers(item), orjson.dumps(dict(row)).decode()
        self.connection.executemany(
            "UPDATE sync_values SET value = ? WHERE sort = ? AND item = ? AND field = ? AND device = ? AND clock = ?",
            [
                (value, item.sort, item.id, field, one.device, one.clock)
                for one in self._of(item, field)
                if one.clock > gone.get(one.device, 0)
            ],
        )

    def add_base(self, item: Item, row: Mapping[str, Value]) -> None:
        """Store the initial values of columns that were written while this record did not have the item."""
        rows = self.connection.execute(
            "SELECT field FROM sync_values WHERE sort = ? AND item = ? AND NOT instr(field, ' ')"
            " GROUP BY field HAVING min(device)",
            (item.sort, item.id),
        ).fetchall()
        for (field,) in rows:
            if field in row:
                self._replace(item, field, [_first(row[field]), *self._of(item, field)])

    def take_kept(self, item: Item) -> list[tuple[str, dict[str, Value]]]:
        """Return the rows stored by `keep`, each with its field, and delete them."""
        test = f"sort = ? AND item = ? AND instr(field, ' ') AND substr(field, 1, {len(_UNSEEN)}) <> '{_UNSEEN}'"
        rows = self.connection.execute(
            f"SELECT DISTINCT field, value FROM sync_values WHERE {test} AND value NOT NULL", (item.sort, item.id)
        ).fetchall()
        self.connection.execute(f"UPDATE sync_values SET value = NULL WHERE {test}", (item.sort, item.id))
        return [(row[0], orjson.loads(row[1])) for row in rows]

    def bring_back(self, item: Item, stamp: Stamp) -> dict[str, Value] | None:
        """Set aside the writes to an item made while it was removed, which the device that restores it has not seen.

        Return their columns, or None if there are none; `take_unseen` returns all of them.
        """
        test = "SELECT 1 FROM sync_values WHERE sort = ? AND item = ?"
        if self.connection.execute(test, (item.sort, item.id)).fetchone() is None:
            return None
        columns, unseen_rows = self._unseen(item)
        rows = [*unseen_rows, *self.take_kept(item)]
        gone = self._known_to_removers(item)
        fields = self.connection.execute(
            "SELECT DISTINCT field FROM sync_values WHERE sort = ? AND item = ? AND NOT instr(field, ' ') AND device",
            (item.sort, item.id),
        ).fetchall()
        for (field,) in fields:
            writes = self._of(item, field)
            value = self._holding(item, field, writes)
            if value == "purged" or any(one.device and one.clock > gone.get(one.device, 0) for one in writes):
                columns[field] = "purged" if columns.get(field) == "purged" else value
        self.forget(item, stamp)
        self.set_aside(item, columns, rows)
        return columns if rows or columns else None

    def set_aside(
        self, item: Item, columns: Mapping[str, Value], rows: Sequence[tuple[str, Mapping[str, Value]]]
    ) -> None:
        """Store columns and rows, each with its field, that are to be written to an item later."""
        encoded = ((field, orjson.dumps(dict(row)).decode()) for field, row in rows)
        for field, value in [*columns.items(), *encoded]:
            self._replace(item, _UNSEEN + field, [_first(value)])

    def take_unseen(self, item: Item) -> tuple[dict[str, Value], list[tuple[str, dict[str, Value]]]]:
        """Return the columns and rows that were set aside, each row with its table, and delete them."""
        columns, rows = self._unseen(item)
        for field in [*columns, *(field for field, _ in rows)]:
            self._replace(item, _UNSEEN + field, [])
        return columns, [(field.partition(" ")[0], row) for field, row in rows]

    def _unseen(self, item: Item) -> tuple[dict[str, Value], list[tuple[str, dict[str, Value]]]]:
        """Return the columns and rows that are set aside, each row with its field."""
        found = self.connection.execute(
            "SELECT substr(field, ?3), value FROM sync_values"
            " WHERE sort = ?1 AND item = ?2 AND substr(field, 1, ?3 - 1) = ?4",
            (item.sort, item.id, len(_UNSEEN) + 1, _UNSEEN),
        ).fetchall()
        values = [(field, orjson.loads(value)) for field, value in found]
        columns = {field: value for field, value in values if " " not in field}
        return columns, [(field, orjson.loads(row)) for field, row in values if " " in field]

    def winning(self, item: Item, field: str, writes: Sequence[tuple[int, int]]) -> Value:
        """Return the winning value of the writes of a column, each given as (device, clock)."""
        return self._holding(item, field, [one for one in self._of(item, field) if (one.device, one.clock) in writes])

    def rivals(self, memory: int, field: str) -> list[tuple[int, int, str]]:
        """Return the concurrent writes of persons to a column as (device, clock, value), the winning one last."""
        item = Item(MEMORY, memory)
        found = [one for one in self._of(item, field) if one.person and one.device]
        if len(found) > 1:
            gone = self._known_to_removers(item)
            found = [one for one in found if one.clock > gone.get(one.device, 0)] or found
            found.sort(key=partial(self._rank, field, gone))
        return [(one.device, one.clock, str(one.value)) for one in found]

    def decision(self, memory: int, field: str) -> tuple[int, str, Value] | None:
        """Return the last write of a person to a column as (clock, uid of the device, value); None if there is none."""
        made = [one for one in self._of(Item(MEMORY, memory), field) if one.person and one.device]
        found = [(one.clock, self.names.uid(one.device), one.value) for one in made]
        return max(found, key=lambda one: one[:2], default=None)

    def _of(self, item: Item, field: str) -> list[_Write]:
        rows = self.connection.execute(
            "SELECT device, clock, person, value FROM sync_values WHERE sort = ? AND item = ? AND field = ?",
            (item.sort, item.id, field),
        )
        return [
            _Write(device, at, bool(person), None if value is None else orjson.loads(value))
            for device, at, person, value in rows
        ]

    def _put(self, item: Item, field: str, device: int, at: int, person: bool) -> None:
        """Store a write without a value, replacing an equal one."""
        self.connection.execute(
            "INSERT OR REPLACE INTO sync_values VALUES (?, ?, ?, ?, ?, ?, NULL)",
            (item.sort, item.id, field, device, at, person),
        )

    def _drop(self, item: Item, writes: Iterable[Sequence[object]]) -> None:
        """Drop writes, each given as (field, device, clock)."""
        self.connection.executemany(
            "DELETE FROM sync_values WHERE sort = ? AND item = ? AND field = ? AND device = ? AND clock = ?",
            ((item.sort, item.id, *one) for one in writes),
        )

    def _overruled(self, item: Item, known: list[_Write], layered: bool, stamp: Stamp) -> bool:
        """Return True if a machine's write loses against a concurrent write of a person."""
        if any(one.person and not stamp.knew(one.device, one.clock) for one in known):
            return True
        return layered and not self.undecided(item, stamp)

    def _known_to_removers(self, item: Item) -> dict[int, int]:
        """Return, by device, the clock of the last event that a remover of a memory knew of."""
        if item.sort != MEMORY:
            return {}
        query = "SELECT device, clock FROM sync_decided WHERE sort = ? AND item = ?"
        return dict(self.connection.execute(query, (REMOVED, item.id)).fetchall())

    def _holding(self, item: Item, field: str, writes: Sequence[_Write]) -> Value:
        if not writes:
            return _NOTHING.get(field)
        machines = [one for one in writes if not one.person]
        writes = [one for one in writes if one.device] or writes
        ranked = machines or writes
        if len(ranked) == 1:
            return ranked[0].value
        return max(ranked, key=partial(self._rank, field, self._known_to_removers(item))).value

    def _rank(self, field: str, gone: Mapping[int, int], one: _Write) -> tuple[int, bool, int, str]:
        weight, uid = _WEIGHTS.get((field, one.value), 0), self.names.uid(one.device) if one.device else ""
        return weight, one.clock > gone.get(one.device, 0), one.clock, uid
