"""Fold changes of memories and their child rows: quotes, tags, versions and tombstones."""

import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from store.record.changes import CHILDREN, Delete, Value, decode, rows_of
from store.record.journal import Writer
from store.record.memories import EVIDENCE, VERSIONS
from store.record.repository import first_column, next_id
from store.record.sync import raw
from store.record.sync.absorb import memory_item, note_memory
from store.record.sync.context import PURGED, take_out
from store.record.sync.merges import Merges
from store.record.sync.names import References, field_of
from store.record.sync.values import UNKNOWN, Item, Stamp
from store.record.text_redaction import MASK

_FIXED = frozenset({"id", "device", "added_at", "owner", "seq"})  # columns of a memory that never change
_DEFAULTS: dict[str, Value] = {"superseded_by": None, "given": "relevant"}  # of columns that events may omit

Row = tuple[str, dict[str, Value]]
"""A table and a row of it."""


@dataclass(frozen=True, slots=True)
class Removal:
    """The row and the child rows that the removal of a memory deleted."""

    row: dict[str, Value]
    children: list[Row]


class Removals:
    """Reads the removals of memories from the journal."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._seq = 0
        self._removals: dict[int, Removal] = {}  # of the event `_seq`, by memory

    def of(self, memory: int) -> Removal | None:
        """Return the last removal of a memory."""
        rows = self._connection.execute("SELECT seq FROM touched WHERE memory = ? ORDER BY seq DESC", (memory,))
        return next(filter(None, (self._removals_in(seq).get(memory) for (seq,) in rows)), None)

    def _removals_in(self, seq: int) -> dict[int, Removal]:
        if seq != self._seq:
            (changes,) = self._connection.execute("SELECT changes FROM events WHERE seq = ?", (seq,)).fetchone()
            deleted = [change for change in decode(changes) if isinstance(change, Delete)]
            rows = [(change.table, row) for change in deleted for row in rows_of(change)]
            children: defaultdict[Value, list[Row]] = defaultdict(list)
            for table, row in rows:
                if table in CHILDREN:
                    children[row["memory"]].append((table, row))
            memories = [(int(row["id"] or 0), row) for table, row in rows if table == "memories"]
            self._seq, self._removals = seq, {number: Removal(row, children[number]) for number, row in memories}
        return self._removals


def apply_unseen(connection: sqlite3.Connection, writer: Writer, memories: Sequence[int]) -> None:
    """Apply the writes of other devices to memories that were removed here at the time and have been restored."""
    changes = MemoryChanges(connection, References(connection), ())
    for memory in memories:
        columns, rows = changes.values.take_unseen(memory_item(connection, memory))
        present = changes.row(memory)
        if present is None:
            continue
        if present["life"] == "purged" or columns.get("life") == "purged":  # only its tombstones remain
            columns, rows = {}, [(table, row) for table, row in rows if table == "tombstones"]
        changed = {name: value for name, value in columns.items() if present[name] != value}
        if changed:
            changes.set_columns(writer, memory, changed)
        for table, row in rows:
            if changes.find_row(table, row) is None:
                changes.insert(writer, table, row)


class MemoryChanges(Merges):
    """Folds the changes of memories in a batch."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.removals = Removals(self.connection)

    def row(self, memory: int) -> sqlite3.Row | None:
        found: sqlite3.Row | None = self.connection.execute("SELECT * FROM memories WHERE id = ?", (memory,)).fetchone()
        return found

    def with_local_ids(self, after: dict[str, Value]) -> dict[str, Value]:
        """Return columns of a memory with references replaced by ids of this record."""
        if after.get("superseded_by") is None:
            return after
        return after | {"superseded_by": self.memory(after["superseded_by"])}

    def update_memory(self, writer: Writer, key: str, after: dict[str, Value], stamp: Stamp) -> None:
        memory = self.memory(key)
        row = None if memory is None else self.row(memory)
        if memory is None:
            return
        if row is None:  # removed here, but it may be restored
            item = memory_item(self.connection, memory)
            self.pend_purged(writer.owner, after)
            for name, value in self.with_local_ids(after).items():
                self.values.write(item, name, value, stamp, UNKNOWN)
            if stamp.person:
                self.values.decide(item, stamp)
            return
        if row["life"] == "purged":
            self.ended = True
            return
        if after.get("life") == "purged":  # its words are erased by a command of this device (`consequences`)
            self.part(writer, memory, stamp, purged=True)
            self.pend(memory, self.purging)
            return
        if self.is_purged(memory):
            return
        here = self.with_local_ids(after)
        if here.get("life") == "forgotten":
            self.part(writer, memory, stamp, purged=False)
        self.write_memory(writer, memory, row, here, stamp)
        if key in self.merged and here.get("superseded_by") is not None:
            self.free_into(memory, int(here["superseded_by"] or 0))

    def set_columns(self, writer: Writer, memory: int, changed: dict[str, Value]) -> None:
        """Update columns of a memory. Text and content key are journaled together, so that a purge finds the text.

        A purge is not applied but queued for a command of this device (`consequences`), which also erases the words.
        """
        if changed.get("life") == "purged":
            self.pend(memory, PURGED)
            return
        row = self.row(memory)
        if row is not None and not {"text", "content_key"}.isdisjoint(changed):
            changed = {"text": row["text"], "content_key": row["content_key"]} | changed
        writer.update("memories", [memory], changed)

    def write_memory(
        self, writer: Writer, memory: int, row: sqlite3.Row, after: dict[str, Value], stamp: Stamp
    ) -> None:
        item = memory_item(self.connection, memory)
        self.pend_purged(writer.owner, after)
        new = {name: self.values.write(item, name, value, stamp, row[name]) for name, value in after.items()}
        if stamp.person:
            new |= self.values.decide(item, stamp)
        changed = {name: value for name, value in new.items() if row[name] != value}
        if changed:
            self.set_columns(writer, memory, changed)
        self.pend(memory)

    def put_memory(self, writer: Writer, row: dict[str, Value], stamp: Stamp) -> None:
        ref = self.ref(str(row["id"]))
        memory = self.names.memory(ref)
        after = _DEFAULTS | self.with_local_ids(row)
        self.pend_purged(writer.owner, after)
        present = None if memory is None else self.row(memory)
        if memory is not None and present is not None:
            if str(row["id"]) in self.again:
                self.values.note_again(memory_item(self.connection, memory), stamp.device, stamp.clock)
            if after["life"] == "purged" and present["life"] != "purged":
                self.pend(memory, self.purging)
            elif present["life"] != "purged" and str(row["id"]) not in self.again:  # `again`: its values are known
                self.renew(writer, memory, present, after, stamp)
            return
        number = int(next_id(self.connection, "memories")) if memory is None else memory
        values = after | {"id": number, "device": self.devices[int(row["device"] or 0)]}
        values.pop("seq", None)
        again = str(row["id"]) in self.again
        if memory is not None and row["life"] != "purged":
            self.restore_removed(writer, memory, values, stamp, again)
            return
        self.fresh.add(str(row["id"]))
        item = memory_item(self.connection, number)
        stored = [] if memory is None else self.take_stored_rows(item, self.removals.of(memory))
        tombstones = [row for table, row in stored if table == "tombstones"]  # a purged memory keeps nothing else
        note_memory(self.connection, number, ref, None if again else stamp)
        if again:
            self.values.note_again(memory_item(self.connection, number), stamp.device, stamp.clock)
        else:
            self.values.forget(memory_item(self.connection, number), stamp)
        if values.get("external_id") is not None:
            values["external_id"] = self.claim_external_id(writer, values, number)
        writer.insert("memories", [*values], [tuple(values.values())])
        for tombstone in tombstones:
            if self.find_row("tombstones", tombstone) is None:
                self.insert(writer, "tombstones", tombstone)
        self.pend(number)

    def take_stored_rows(self, item: Item, removed: Removal | None) -> list[Row]:
        """Return the child rows that a removed memory had or got since, except removed ones; drop the stored ones."""
        rows = [(name.partition(" ")[0], row) for name, row in self.values.take_kept(item)]
        rows += [] if removed is None else removed.children
        return [(table, row) for table, row in rows if not self.values.is_missing(item, field_of(table, row))]

    def restore_removed(self, writer: Writer, memory: int, values: dict[str, Value], stamp: Stamp, again: bool) -> None:
        """Restore a memory that was removed here to the state that it would have if it had not been removed.

        The row and its child rows come from the journal; writes that were stored before and since are applied to them.
        """
        item, removed = memory_item(self.connection, memory), self.removals.of(memory)
        columns = {name: value for name, value in values.items() if name not in _FIXED}
        removed_row = {} if removed is None else _DEFAULTS | removed.row
        former = {name: value for name, value in removed_row.items() if name in columns}
        columns |= former | self.values.held(item, former)
        self.values.add_base(item, former)
        children = self.take_stored_rows(item, removed)
        if again:
            self.values.note_again(item, stamp.device, stamp.clock)
        else:
            children = self.remaining_rows(item, children, stamp)
            columns = self.values.renew(item, {name: values[name] for name in columns}, stamp, columns)
            self.values.forget(item, stamp, columns=False)
            self.note_readded(item, children, stamp)
        if columns["life"] == "purged":  # purged while it was removed here: a purge of this device erases its words
            columns["life"] = values["life"]
            self.pend(memory, PURGED)
        values = values | columns
        if values.get("external_id") is not None:
            values["external_id"] = self.claim_external_id(writer, values, memory)
        writer.insert("memories", [*values], [tuple(values.values())])
        for table, child in children if not self.is_purged(memory) else ():
            if self.find_row(table, child) is None:
                self.insert(writer, table, child)
        self.pend(memory)

    def remaining_rows(self, item: Item, children: Sequence[Row], stamp: Stamp) -> list[Row]:
        """Return the child rows that stay when a memory is added again: those that the addition did not know of."""
        gone = {name: self.values.remove(item, name, stamp) for name in {field_of(*row) for row in children}}
        return [row for row in children if not gone[field_of(*row)]]

    def note_readded(self, item: Item, children: Sequence[Row], stamp: Stamp) -> None:
        """Record that an item was added again; child rows from its other addition stay."""
        if not self.values.is_newer(item, stamp):
            self.values.note_again(item, stamp.device, stamp.clock)
            return
        if not stamp.knew(item.writer, item.clock):
            self.values.note_again(item, item.writer, item.clock)
            for table, child in children:
                self.values.add_first(item, field_of(table, child))
        self.connection.execute(
            "UPDATE sync_memories SET writer = ?, clock = ? WHERE id = ?", (stamp.device, stamp.clock, item.id)
        )

    def renew(self, writer: Writer, memory: int, row: sqlite3.Row, after: dict[str, Value], stamp: Stamp) -> None:
        item, present = memory_item(self.connection, memory), dict(row)
        columns = {name: value for name, value in after.items() if name not in _FIXED}
        new = self.values.renew(item, columns, stamp, present)
        children = self.children(memory)
        staying = self.remaining_rows(item, children, stamp)
        for table, child in children:
            if (table, child) not in staying and (found := self.find_row(table, child)) is not None:
                writer.delete(table, *found)
        self.note_readded(item, staying, stamp)
        changed = {name: value for name, value in new.items() if present[name] != value}
        if changed:
            self.set_columns(writer, memory, changed)
        self.pend(memory)

    def children(self, memory: int) -> list[Row]:
        """Return the child rows of a memory."""
        return [
            (table, dict(row))
            for table in CHILDREN
            for row in self.connection.execute(f"SELECT * FROM {table} WHERE memory = ?", (memory,)).fetchall()
        ]

    def claim_external_id(self, writer: Writer, row: dict[str, Value], memory: int) -> Value:
        """Return the external id for a new memory, or None if another keeps it.

        Of two memories with the same id, the first in the order common to all devices keeps it.
        """
        found = self.connection.execute(
            "SELECT id FROM memories WHERE owner = ? AND external_id = ?", (row["owner"], row["external_id"])
        ).fetchone()
        if found is None:
            return row["external_id"]
        if self.names.order(int(found[0])) < self.names.order(memory):
            return None
        writer.update("memories", [found[0]], {"external_id": None})
        return row["external_id"]

    def drop_memory(self, writer: Writer, row: dict[str, Value], stamp: Stamp) -> None:
        memory = self.memory(row["id"])
        if memory is None or self.is_purged(memory):
            return
        item = memory_item(self.connection, memory)
        self.values.note_removal(item, stamp)
        if not self.exists(memory):
            return
        for table, kept in self.children(memory):
            self.values.keep(item, field_of(table, kept), kept)
        for table in CHILDREN:
            writer.delete(table, "memory = ?", (memory,))
        take_out(writer, "memories", "id = ?", memory)
        for (former,) in self.connection.execute(
            "SELECT id FROM memories WHERE superseded_by = ?", (memory,)
        ).fetchall():
            self.pend(former)

    def keep_concurrent_writes(self, writer: Writer, memory: int | None, stamp: Stamp) -> None:
        """Keep a memory that another device removed; writes that this device did not know of win over older ones."""
        row = None if memory is None else self.row(memory)
        if memory is None or row is None or row["life"] == "purged":
            return
        item = memory_item(self.connection, memory)
        self.values.note_removal(item, stamp)
        if changed := self.values.held(item, dict(row)):
            self.set_columns(writer, memory, changed)
        self.pend(memory)

    def change_child(self, writer: Writer, table: str, row: dict[str, Any], stamp: Stamp, added: bool) -> None:
        memory = self.memory(row["memory"])
        if memory is None:
            return
        here = row | {"memory": memory}
        purged = self.is_purged(memory)
        if purged and (table != "tombstones" or not (added or self.is_undone(memory, here))):
            return
        if table == "evidence" and row["message"] is not None:
            here["message"] = raw.message_of(self.connection, row["message"])
            if here["message"] is None:
                return
        if table == "versions" and isinstance(row.get("merged_from"), str):
            here["merged_from"] = self.memory(row["merged_from"])
        if added:
            left = self.without_purged(writer.owner, table, here)
            if left is None:
                return
            here = left
        item, name = memory_item(self.connection, memory), field_of(table, here)
        if added:
            again = str(row["memory"]) in self.again
            if not again or str(row["memory"]) not in self.fresh:
                if self.had_row(item, table, here):
                    self.values.add_first(item, name)
                self.values.add(item, name, stamp)
            if not self.exists(memory):
                self.values.keep(item, name, here)
            elif self.find_row(table, here) is None and not (again and self.values.is_missed(item, name, stamp)):
                self.insert(writer, table, here)
        else:
            gone = self.values.remove(item, name, stamp)
            if gone and not self.exists(memory):
                self.values.miss(item, name, stamp)
            elif gone and (found := self.find_row(table, here)) is not None:
                writer.delete(table, *found)
        if stamp.person:
            changed = self.values.decide(item, stamp)
            if changed and self.exists(memory):
                self.set_columns(writer, memory, changed)
        self.pend(memory)

    def is_undone(self, memory: int, tombstone: dict[str, Any]) -> bool:
        """Return True if a tombstone of a purged memory may be removed: it is for a text from another device."""
        added = self.values.is_added(memory_item(self.connection, memory), field_of("tombstones", tombstone))
        return added and not self.has_text_of(memory, tombstone)

    def has_text_of(self, memory: int, tombstone: dict[str, Any]) -> bool:
        """Return True if a tombstone is for the text of a memory or one of its versions."""
        keys = "SELECT content_key FROM memories WHERE id = ?1 UNION SELECT content_key FROM versions WHERE memory = ?1"
        return tombstone["content_key"] in first_column(self.connection, keys, memory)

    def had_row(self, item: Item, table: str, row: dict[str, Value]) -> bool:
        """Return True if a memory has a child row, or had it when it was removed."""
        if self.exists(item.id):
            return self.find_row(table, row) is not None
        removed, name = self.removals.of(item.id), field_of(table, row)
        there = removed is not None and any(field_of(*one) == name for one in removed.children)
        return there and not self.values.is_missing(item, name)

    def purged_with_text(self, owner: str, row: dict[str, Any]) -> list[int]:
        """Return the purged memories of an owner that had the text of a row."""
        return first_column(
            self.connection,
            "SELECT p.id FROM tombstones t JOIN memories p ON p.id = t.memory AND p.life = 'purged'"
            " WHERE t.owner = ? AND t.content_key = ?",
            owner,
            row.get("content_key"),
        )

    def pend_purged(self, owner: str, after: dict[str, Any]) -> None:
        """Queue the purged memories whose text a new value contains, so that it is erased again."""
        for memory in self.purged_with_text(owner, after):
            self.pend(memory)

    def find_row(self, table: str, row: dict[str, Any]) -> tuple[str, tuple[Value, ...]] | None:
        """Return an SQL condition with parameters that selects an equal row; None if there is none."""
        names: tuple[str, ...]
        if table == "tags":
            names = ("memory", "tag")
        elif table == "tombstones":
            names = ("owner", "content_key", "memory")
        elif table == "evidence":
            names = ("memory", "message", "start") + (
                ("end",) if row["message"] is not None else ("reference", "quote")
            )
        else:
            words = "text" if row.get("content_key") is None else "content_key"  # the text may be masked by now
            names = ("memory", words) + (("at",) if row.get("merged_from") is None else ("merged_from",))
        test = " AND ".join(f'"{name}" IS ?' for name in names)
        parameters = tuple(row[name] for name in names)
        if self.connection.execute(f"SELECT 1 FROM {table} WHERE {test}", parameters).fetchone() is None:
            return None
        return test, parameters

    def without_purged(self, owner: str, table: str, row: dict[str, Any]) -> dict[str, Any] | None:
        """Return a row with purged words masked; None for a version that was merged from a purged memory."""
        if table == "evidence" and row["message"] is not None:
            return row | {"quote": raw.visible_quote(self.connection, row)}
        if table != "versions":
            return row
        if row.get("merged_from") is not None and self.is_purged(row["merged_from"]):
            return None
        return row | {"text": MASK * len(row["text"])} if self.purged_with_text(owner, row) else row

    def insert(self, writer: Writer, table: str, given: dict[str, Any]) -> None:
        """Add a child row; words that were purged since it was stored are masked."""
        row = self.without_purged(writer.owner, table, given)
        if row is None:
            return
        if table in ("evidence", "versions"):
            columns = EVIDENCE if table == "evidence" else VERSIONS
            row = {name: row.get(name) for name in columns} | {"id": next_id(self.connection, table)}
        writer.insert(table, [*row], [tuple(row.values())])
