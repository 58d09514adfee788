"""Register this device's new events as writes that other devices have not seen yet."""

import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

import orjson

from store.model import Actor
from store.record import meta
from store.record.changes import CHILDREN, Change, Delete, Insert, Update, Value, decode, memories_of, numbers, rows_of
from store.record.sync.context import PURGED
from store.record.sync.names import CONVERSATION, MEMORY, References, field_of, note_seen, pend, pend_conversation, seen
from store.record.sync.pairs import Pairs, columns_of, turned
from store.record.sync.values import Item, Stamp, Values

_UPTO = "sync_absorbed"  # name in meta: the last event registered


def is_decision(actor: str, verb: str) -> bool:
    """Return True if a command is a decision of the person about the memories it changes.

    An undo is one: the person chose the former values, which win over what a machine writes on another device.
    """
    return actor == Actor.PERSON and verb not in ("import", "distil")


def absorb(connection: sqlite3.Connection) -> None:
    """Register own events since the last call, in the caller's write transaction."""
    last = absorbed(connection)
    rows = connection.execute(
        "SELECT e.seq, coalesce(k.clock, e.clock) AS clock, e.changes, c.actor, c.verb, c.device,"
        " EXISTS (SELECT 1 FROM sync_commands s WHERE s.id = c.id AND s.folded) AS folded"
        " FROM events e JOIN commands c ON c.id = e.command LEFT JOIN sync_clocks k ON k.seq = e.seq"
        " WHERE e.seq > ? ORDER BY e.seq",
        (last,),
    )
    names = References(connection)
    values = Values(connection, names)
    run: tuple[int, int, int] | None = None  # (device, last event, clock) of consecutive events of one device
    upto = last
    for row in rows.fetchall():
        upto = row["seq"]
        if row["folded"]:
            continue
        if run is not None and run[0] != row["device"]:
            _mark(connection, *run)
        run = (row["device"], row["seq"], row["clock"])
        stamp = Stamp(row["device"], row["clock"], is_decision(row["actor"], row["verb"]))
        changes = memories_first(decode(row["changes"]))
        again, removed = written_again(changes)
        left = rows_left(changes, again)
        changes, brought = brought_back(changes, again)
        for change in changes:
            note_change(connection, values, without(change, removed), stamp, again, brought, left)
    if run is not None:
        _mark(connection, *run)
    if upto != last:
        meta.put(connection, _UPTO, str(upto).encode())


def memories_first(changes: Sequence[Change]) -> list[Change]:
    """Return changes reordered so that added memories precede their quotes; undo and redo may journal them after."""
    return [
        change
        for inserts, run in groupby(changes, lambda change: isinstance(change, Insert))
        for change in (sorted(run, key=lambda change: change.table != "memories") if inserts else run)
    ]


def written_again(changes: Sequence[Change]) -> tuple[set[int], set[int]]:
    """Return the memories that an event both removes and adds again, and those that it only removes."""
    removed: set[int] = set()
    again: set[int] = set()
    for change in changes:
        if change.table == "memories" and isinstance(change, Delete):
            removed.update(memories_of(change))
            again.difference_update(memories_of(change))
        elif change.table == "memories" and isinstance(change, Insert):
            again |= removed.intersection(memories_of(change))
    return again, removed - again


def brought_back(changes: Sequence[Change], again: Collection[int]) -> tuple[list[Change], set[int]]:
    """Return changes that add each restored memory only once, and these memories.

    A redo of an undo of several commands may add, remove and add the same memory.
    """
    known: set[int] = set()
    brought: set[int] = set()
    found: list[Change] = []
    for change in changes:
        if again and change.table == "memories" and not isinstance(change, Update):
            rows = []
            for memory, row in zip(memories_of(change), change.rows, strict=True):
                if memory not in brought:
                    rows.append(row)
                if isinstance(change, Insert) and memory in again and memory not in known:
                    brought.add(memory)
                known.add(memory)
            change = replace(change, rows=tuple(rows))
        found.append(change)
    return found, brought


def without(change: Change, removed: Collection[int]) -> Change:
    """Return a change without its effects on memories that the same event removes."""
    if not removed:
        return change
    if isinstance(change, Update):
        of_memories = change.table == "memories"
        return replace(change, keys=tuple(key for key in change.keys if not (of_memories and key[0] in removed)))
    if change.table not in CHILDREN and (change.table != "memories" or isinstance(change, Delete)):
        return change
    place = change.columns.index("id" if change.table == "memories" else "memory")
    return replace(change, rows=tuple(row for row in change.rows if row[place] not in removed))


def rows_left(changes: Sequence[Change], again: Collection[int]) -> Counter[tuple[Value, ...]]:
    """Return the net effect on rows of memories that are removed and added again: 1 if added, -1 if removed."""
    left: Counter[tuple[Value, ...]] = Counter()
    for change in changes if again else ():
        if change.table in CHILDREN and not isinstance(change, Update):
            for row in rows_of(change):
                if row["memory"] in again:
                    left[comparable(change.table, row)] += 1 if isinstance(change, Insert) else -1
    return left


def comparable(table: str, row: Mapping[str, Value]) -> tuple[Value, ...]:
    """Return a row without its id, as a comparable value."""
    return (table, *(value for name, value in sorted(row.items()) if name != "id"))


def absorbed(connection: sqlite3.Connection) -> int:
    """Return the last event that was registered."""
    return int(meta.find(connection, _UPTO) or b"0")


def _mark(connection: sqlite3.Connection, device: int, seq: int, at: int) -> None:
    """Record what this device knew when it wrote a run of events."""
    known = orjson.dumps({str(number): last for number, last in seen(connection).items()}).decode()
    connection.execute("INSERT OR REPLACE INTO sync_marks VALUES (?, ?)", (seq, known))
    note_seen(connection, device, at)


def memory_item(connection: sqlite3.Connection, memory: int) -> Item:
    """Return a memory as an item, with the stamp of its first values."""
    row = connection.execute("SELECT writer, clock FROM sync_memories WHERE id = ?", (memory,)).fetchone()
    return Item(MEMORY, memory) if row is None else Item(MEMORY, memory, row[0], row[1])


def note_memory(connection: sqlite3.Connection, memory: int, ref: tuple[int, int], by: Stamp | None) -> None:
    """Register that a memory was added, for the first time or again."""
    connection.execute(
        "INSERT INTO sync_memories VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET writer = excluded.writer, clock = excluded.clock",
        (memory, *ref, *((0, 0) if by is None else (by.device, by.clock))),
    )


def note_change(
    connection: sqlite3.Connection,
    values: Values,
    change: Change,
    stamp: Stamp,
    again: Collection[int],
    brought: Collection[int],
    left: Counter[tuple[Value, ...]],
) -> None:
    if isinstance(change, Update):
        if change.before == change.after:  # it only names rows that a redaction has cleaned
            return
        before, after = (dict(zip(change.columns, some, strict=True)) for some in (change.before, change.after))
        for number in numbers(key for (key,) in change.keys):
            if change.table == "alerts":
                note_alert_write(Pairs(connection, values), number, before, after, stamp)
                continue
            item = memory_item(connection, number)
            for column, value in after.items():
                values.write(item, column, value, stamp, before[column])
            if stamp.person:
                values.decide(item, stamp)
        return
    for row in rows_of(change):
        memory = row["id"] if change.table == "memories" else row.get("memory")
        if memory not in again or (change.table == "memories" and memory in brought):
            _note_row(connection, values, change, row, stamp)
        elif change.table == "memories" and isinstance(change, Insert):  # its values are registered already
            values.note_again(memory_item(connection, int(memory or 0)), stamp.device, stamp.clock)
        elif change.table in CHILDREN:
            row_key = comparable(change.table, row)
            if left[row_key] == (1 if isinstance(change, Insert) else -1):
                del left[row_key]
                _note_row(connection, values, change, row, stamp)


def note_alert_write(
    pairs: Pairs, number: int, before: dict[str, Value], after: dict[str, Value], stamp: Stamp
) -> None:
    if (found := pairs.numbered(number)) is not None:
        item, other_way = found
        pairs.write(item, turned(after) if other_way else after, stamp, turned(before) if other_way else before)


def note_alert_row(pairs: Pairs, row: dict[str, Value], stamp: Stamp, added: bool) -> None:
    number, a, b = numbers(row[name] for name in ("id", "a", "b"))
    there = turned(row) if pairs.is_turned(a, b) else row
    if added:
        pairs.find(number, (a, b), columns_of(there), stamp)
    elif (item := pairs.item(a, b)) is not None:
        pairs.remove(item, stamp)
        pairs.keep(item, there)


def _note_row(
    connection: sqlite3.Connection, values: Values, change: Insert | Delete, row: dict[str, Value], stamp: Stamp
) -> None:
    added = isinstance(change, Insert)
    if change.table == "memories":
        number = int(row["id"] or 0)
        if added:
            unseen = values.bring_back(Item(MEMORY, number), stamp)
            if unseen is not None:
                pend(connection, number, PURGED if unseen.get("life") == "purged" else 0)
            note_memory(connection, number, (stamp.device, number), stamp)
        else:
            values.note_removal(Item(MEMORY, number), stamp)
    elif change.table == "alerts":
        note_alert_row(Pairs(connection, values), row, stamp, added)
    elif change.table in CHILDREN:
        item = memory_item(connection, int(row["memory"] or 0))
        (values.add if added else values.remove)(item, field_of(change.table, row), stamp)
        if stamp.person:
            values.decide(item, stamp)
    elif change.table == "segments":
        item = Item(CONVERSATION, int(row["conversation"] or 0))
        pend_conversation(connection, item.id)
        (values.add if added else values.remove)(item, field_of(change.table, row), stamp)
