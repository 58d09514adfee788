"""Batches of other devices, folded into this record as their commands."""

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from store.errors import Damaged
from store.record.changes import Delete, Insert, Value
from store.record.journal import Writer
from store.record.memories import EVIDENCE
from store.record.purge import IN_EVERY_WRITING
from store.record.repository import next_id
from store.record.sync import raw
from store.record.sync.absorb import (
    CHILDREN,
    absorb,
    alert_item,
    is_decision,
    memory_item,
    note_alert,
    note_memory,
    turned,
)
from store.record.sync.names import CONVERSATION, Names, Ref, field_of, note_seen, seen
from store.record.sync.outbox import Batch
from store.record.sync.values import Item, Stamp, Values
from store.record.text_redaction import MASK

_VERSIONS = ("id", "memory", "text", "content_key", "at", "merged_from")
_ALERTS = frozenset(
    "a b relation score reasons judge cosine a_key b_key at later_until former settled settled_by".split()
)
_FIXED = frozenset({"id", "device", "added_at", "owner", "seq"})  # columns of a memory that never change
_NAMED = re.compile(r"<(\d+):(\d+)>")
KEPT, PURGED, PURGED_ALL = 1, 2, 3
"""What is to be done with a memory: written again, or purged, also in every other spelling."""


def missing(connection: sqlite3.Connection, batch: Batch) -> list[str]:
    """Return the devices of which the writer of a batch had read more than this record has."""
    names = Names(connection)
    known = seen(connection)
    return [
        uid
        for place, at in batch.get("seen", {}).items()
        if known.get(names.device(uid := batch["devices"][int(place)]), 0) < at
    ]


def fold(connection: sqlite3.Connection, batch: Batch) -> None:
    """Fold a batch, in the caller's write transaction. What was folded before is skipped."""
    absorb(connection)
    names = Names(connection)
    folding = _Folding(connection, names, [names.device(uid) for uid in batch["devices"]])
    headers = {head["ref"]: head for head in batch["commands"]}
    for head in batch["commands"]:
        folding.command(head)
    if "messages" in batch:
        raw.fold_messages(connection, names, batch, {ref: folding.numbers[ref] for ref in headers})
    if "vectors" in batch:
        raw.fold_vectors(connection, batch["vectors"])
    told = {folding.devices[int(place)]: at for place, at in batch.get("seen", {}).items()}
    known = seen(connection)
    events = batch.get("events", [])
    start = 0
    while start < len(events):
        end = start
        while end < len(events) and events[end]["command"] == events[start]["command"]:
            end += 1
        head = headers[events[start]["command"]]
        device = folding.ref(head["ref"])[0]
        new = [event for event in events[start:end] if event["clock"] > known.get(device, 0)]
        if new:
            folding.fold(head, new, {number: at for number, at in told.items() if number != device})
            note_seen(connection, device, new[-1]["clock"])
        start = end


def take_out(writer: Writer, table: str, where: str, key: int) -> Insert | None:
    """Delete rows; return the change that brings them back. A memory's last event is no part of the journal."""
    rows = writer.connection.execute(f"SELECT * FROM {table} WHERE {where}", (key,)).fetchall()
    if not rows:
        return None
    columns = tuple(name for name in rows[0].keys() if (table, name) != ("memories", "seq"))  # noqa: SIM118
    values = tuple(tuple(row[name] for name in columns) for row in rows)
    writer.apply(Delete(table, columns, values))
    return Insert(table, columns, values)


def _name(change: dict[str, Any], row: Sequence[Any]) -> str:
    """Return the reference of the memory that a row is, or is of; of an alert those of both sides."""
    here = dict(zip(change["c"], row, strict=True))
    return f"{here['a']} {here['b']}" if change["t"] == "alerts" else str(here.get("id", here.get("memory")))


def _change_alert(writer: Writer, alert: sqlite3.Row, changed: dict[str, Value]) -> None:
    """Change columns of an alert; reasons as a delete and an insert, from which a purge can remove them."""
    if "reasons" in changed:
        writer.delete("alerts", "id = ?", (alert["id"],))
        row = dict(alert) | changed
        writer.insert("alerts", [*row], [tuple(row.values())])
    elif changed:
        writer.update("alerts", [alert["id"]], changed)


@dataclass(slots=True)
class _Folding:
    """State of the folding of one batch."""

    connection: sqlite3.Connection
    names: Names
    devices: Sequence[int]
    values: Values = field(init=False)
    numbers: dict[str, int] = field(default_factory=dict)  # of commands in this record
    purging: int = PURGED

    def __post_init__(self) -> None:
        self.values = Values(self.connection, self.names)

    def ref(self, text: str) -> Ref:
        place, _, number = text.partition(":")
        try:
            return self.devices[int(place)], int(number)
        except (ValueError, IndexError):
            raise Damaged(f"it names {text[:40]!r}, which is no memory or command") from None

    def memory(self, text: Any) -> int | None:
        return self.names.memory(self.ref(text)) if isinstance(text, str) else None

    def command(self, head: dict[str, Any]) -> int:
        """Return the number of a command in this record; a new one is added."""
        ref = self.ref(head["ref"])
        number = self.names.command(ref)
        if number is None:
            target = None if head["target"] is None else self.names.command(self.ref(head["target"]))
            columns = (head["at"], head["owner"], head["actor"], head["verb"], "", target, head["undoable"], ref[0])
            added = self.connection.execute(
                "INSERT INTO commands (at, owner, actor, verb, summary, target, undoable, device, manual)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*columns, head["manual"]),
            )
            number = int(added.lastrowid or 0)
            self.connection.execute("INSERT INTO sync_commands VALUES (?, ?, ?, 1)", (number, *ref))
            if target is not None and head["verb"] in ("undo", "redo"):
                self.connection.execute("UPDATE commands SET undone = NULL WHERE undone = ?", (target,))
                self.connection.execute("UPDATE commands SET undone = ? WHERE id = ?", (number, target))
        if self.connection.execute("SELECT 1 FROM sync_commands WHERE id = ? AND folded", (number,)).fetchone():
            summary = _NAMED.sub(lambda found: str(self.memory(f"{found[1]}:{found[2]}") or "?"), head["summary"])
            self.connection.execute("UPDATE commands SET summary = ? WHERE id = ?", (summary, number))
        self.numbers[head["ref"]] = number
        return number

    def fold(self, head: dict[str, Any], events: list[dict[str, Any]], told: dict[int, int]) -> None:
        """Fold events of one command."""
        device = self.ref(head["ref"])[0]
        person = is_decision(head["actor"], head["verb"])
        stamps = [Stamp(device, event["clock"], person, told) for event in events]
        writer = Writer.joined(self.connection, head["owner"], self.command(head), events[-1]["clock"])
        self.purging = PURGED_ALL if IN_EVERY_WRITING in head["summary"] else PURGED
        staying = self._staying(events, stamps)
        for event, stamp in zip(events, stamps, strict=True):
            for change in event["changes"]:
                self._change(writer, change, stamp, staying)
        writer.flush()
        if not writer.wrote:
            writer.note()

    def _staying(self, events: list[dict[str, Any]], stamps: list[Stamp]) -> set[str]:
        """Return the memories, and pairs of alerts, that the command deletes, but that stay here.

        It may write them again itself, or a person decided on a memory without its knowledge: then this device does.
        """
        told = [
            (change, stamp, _name(change, row))
            for event, stamp in zip(events, stamps, strict=True)
            for change in event["changes"]
            for row in change.get("i", change.get("d", ()))
            if change["t"] in ("memories", "alerts")
        ]
        staying = {name for change, _, name in told if "i" in change}
        for change, stamp, name in told:
            if change["t"] == "memories" and "d" in change and name not in staying:
                memory = self.memory(name)
                if memory is None or not self._exists(memory):
                    continue
                item = memory_item(self.connection, memory)
                if not stamp.knew(item.writer, item.clock):  # it was written again meanwhile
                    staying.add(name)
                elif not self.values.undecided(item, stamp):
                    staying.add(name)
                    self.connection.execute("INSERT OR REPLACE INTO sync_pending VALUES (?, ?)", (memory, KEPT))
        return staying

    def _is_purged(self, memory: int) -> bool:
        """Return True if a memory is purged here, or about to be: nothing is added to it any more."""
        return bool(
            self.connection.execute(
                "SELECT EXISTS (SELECT 1 FROM memories WHERE id = ?1 AND life = 'purged')"
                " OR EXISTS (SELECT 1 FROM sync_pending WHERE memory = ?1 AND kept >= ?2)",
                (memory, PURGED),
            ).fetchone()[0]
        )

    def _exists(self, memory: int) -> bool:
        return self.connection.execute("SELECT 1 FROM memories WHERE id = ?", (memory,)).fetchone() is not None

    def _pend(self, memory: int) -> None:
        self.connection.execute("INSERT OR IGNORE INTO sync_pending (memory) VALUES (?)", (memory,))

    def _change(self, writer: Writer, change: dict[str, Any], stamp: Stamp, staying: set[str]) -> None:
        table = change["t"]
        if "k" in change:
            after = dict(zip(change["c"], change["a"], strict=True))
            for key in change["k"]:
                if table == "memories":
                    self._update_memory(writer, self.memory(key), after, stamp)
                elif table == "alerts":
                    self._update_alert(writer, key, after, stamp)
            return
        added = "i" in change
        for given in change["i"] if added else change["d"]:
            row = dict(zip(change["c"], given, strict=True))
            if not added and _name(change, given) in staying:
                continue
            if table == "memories":
                self._put_memory(writer, row, stamp) if added else self._drop_memory(writer, row, stamp)
            elif table == "alerts":
                self._put_alert(writer, row, stamp) if added else self._drop_alert(writer, row, stamp)
            elif table == "segments":
                self._show(writer, row, stamp, added)
            elif table == "distilled":
                if added:
                    raw.distilled(writer, row, stamp.device)
            elif table in CHILDREN:
                self._child(writer, table, row, stamp, added)

    # Memories

    def _row(self, memory: int) -> sqlite3.Row | None:
        found: sqlite3.Row | None = self.connection.execute("SELECT * FROM memories WHERE id = ?", (memory,)).fetchone()
        return found

    def _here(self, after: dict[str, Value]) -> dict[str, Value]:
        """Return the columns of a memory with this record's numbers."""
        if after.get("superseded_by") is None:
            return after
        return after | {"superseded_by": self.memory(after["superseded_by"])}

    def _update_memory(self, writer: Writer, memory: int | None, after: dict[str, Value], stamp: Stamp) -> None:
        row = None if memory is None else self._row(memory)
        if memory is None:
            return
        if row is None:  # it was removed, but may be written again
            item = memory_item(self.connection, memory)
            for name, value in self._here(after).items():
                self.values.write(item, name, value, stamp, None)
            if stamp.person:
                self.values.decide(item, stamp)
            return
        if row["life"] == "purged":
            return
        if after.get("life") == "purged":  # its words are erased by a command of this device (`consequences`)
            self.connection.execute("INSERT OR REPLACE INTO sync_pending VALUES (?, ?)", (memory, self.purging))
            return
        self._write_memory(writer, memory, row, self._here(after), stamp)

    def _write_memory(
        self, writer: Writer, memory: int, row: sqlite3.Row, after: dict[str, Value], stamp: Stamp
    ) -> None:
        item = memory_item(self.connection, memory)
        new = {name: self.values.write(item, name, value, stamp, row[name]) for name, value in after.items()}
        if stamp.person:
            new |= self.values.decide(item, stamp)
        changed = {name: value for name, value in new.items() if row[name] != value}
        if changed:
            writer.update("memories", [memory], changed)
        self._pend(memory)

    def _put_memory(self, writer: Writer, row: dict[str, Value], stamp: Stamp) -> None:
        ref = self.ref(str(row["id"]))
        memory = self.names.memory(ref)
        after = self._here(row)
        present = None if memory is None else self._row(memory)
        if memory is not None and present is not None:
            if after["life"] == "purged" and present["life"] != "purged":
                self.connection.execute("INSERT OR REPLACE INTO sync_pending VALUES (?, ?)", (memory, self.purging))
            elif present["life"] != "purged":
                self._renew(writer, memory, present, after, stamp)
            return
        number = int(next_id(self.connection, "memories")) if memory is None else memory
        note_memory(self.connection, self.values, number, ref, stamp)
        values = after | {"id": number, "device": self.devices[int(row["device"] or 0)]}
        if values.get("external_id") is not None:
            values["external_id"] = self._free_id(writer, values, number)
        values.pop("seq", None)
        item = memory_item(self.connection, number)
        values |= self.values.renew(item, {name: values[name] for name in values if name not in _FIXED}, stamp, values)
        writer.insert("memories", [*values], [tuple(values.values())])
        for name, kept in self.values.take_kept(item):
            self._insert(writer, name.partition(" ")[0], kept)
        self._pend(number)

    def _renew(
        self, writer: Writer, memory: int, row: sqlite3.Row, after: dict[str, Value], stamp: Stamp
    ) -> None:
        item, present = memory_item(self.connection, memory), dict(row)
        columns = {name: value for name, value in after.items() if name not in _FIXED}
        new = self.values.renew(item, columns, stamp, present)
        if self.values.is_newer(item, stamp):
            self.connection.execute(
                "UPDATE sync_memories SET writer = ?, clock = ? WHERE id = ?", (stamp.device, stamp.clock, memory)
            )
        changed = {name: value for name, value in new.items() if present[name] != value}
        if changed:
            writer.update("memories", [memory], changed)
        self._pend(memory)

    def _free_id(self, writer: Writer, row: dict[str, Value], memory: int) -> Value:
        """Return the external id of a new memory; of two with the same, that which all devices put first keeps it."""
        found = self.connection.execute(
            "SELECT id FROM memories WHERE owner = ? AND external_id = ?", (row["owner"], row["external_id"])
        ).fetchone()
        if found is None:
            return row["external_id"]
        if self.names.order(int(found[0])) < self.names.order(memory):
            return None
        writer.update("memories", [found[0]], {"external_id": None})
        return row["external_id"]

    def _drop_memory(self, writer: Writer, row: dict[str, Value], stamp: Stamp) -> None:
        memory = self.memory(row["id"])
        if memory is None or not self._exists(memory) or self._is_purged(memory):
            return
        item = memory_item(self.connection, memory)
        self.values.forget(item, stamp)
        for table in CHILDREN:
            for kept in self.connection.execute(f"SELECT * FROM {table} WHERE memory = ?", (memory,)).fetchall():
                self.values.keep(item, field_of(table, dict(kept)), dict(kept))
            writer.delete(table, "memory = ?", (memory,))
        take_out(writer, "memories", "id = ?", memory)

    def _child(self, writer: Writer, table: str, row: dict[str, Any], stamp: Stamp, added: bool) -> None:
        memory = self.memory(row["memory"])
        if memory is None:
            return
        if self._is_purged(memory) and (table != "tombstones" or not added):
            return
        here = row | {"memory": memory}
        if table == "evidence" and row["message"] is not None:
            here["message"] = raw.message_of(self.connection, row["message"])
            if here["message"] is None:
                return
            here["quote"] = raw.legible(self.connection, here)
        if table == "versions" and isinstance(row.get("merged_from"), str):
            here["merged_from"] = self.memory(row["merged_from"])
            if added and here["merged_from"] is not None and self._is_purged(here["merged_from"]):
                return  # its words are gone for good
        if table == "versions" and self._says_purged(here):
            here["text"] = MASK * len(here["text"])
        item, name = memory_item(self.connection, memory), field_of(table, here)
        if added:
            self.values.add(item, name, stamp)
            if not self._exists(memory):
                self.values.keep(item, name, here)
            elif self._find(table, here) is None:
                self._insert(writer, table, here)
        elif self.values.remove(item, name, stamp) and (found := self._find(table, here)) is not None:
            writer.delete(table, *found)
        if stamp.person:
            changed = self.values.decide(item, stamp)
            if changed and self._exists(memory):
                writer.update("memories", [memory], changed)
        self._pend(memory)

    def _says_purged(self, version: dict[str, Any]) -> bool:
        """Return True if a former text says what was purged as another memory."""
        return bool(
            self.connection.execute(
                "SELECT EXISTS (SELECT 1 FROM tombstones t JOIN memories p ON p.id = t.memory AND p.life = 'purged'"
                " WHERE t.content_key = ?)",
                (version["content_key"],),
            ).fetchone()[0]
        )

    def _find(self, table: str, row: dict[str, Any]) -> tuple[str, tuple[Value, ...]] | None:
        """Return a condition that the same row fulfils; None if it is not there."""
        names: tuple[str, ...]
        if table == "tags":
            names = ("memory", "tag")
        elif table == "tombstones":
            names = ("owner", "content_key", "memory")
        elif table == "evidence":
            names = ("memory", "message", "start") + (("end",) if row["message"] is not None else ("reference", "quote"))
        else:
            names = ("memory", "text") + (("at",) if row.get("merged_from") is None else ("merged_from",))
        test = " AND ".join(f'"{name}" IS ?' for name in names)
        parameters = tuple(row[name] for name in names)
        if self.connection.execute(f"SELECT 1 FROM {table} WHERE {test}", parameters).fetchone() is None:
            return None
        return test, parameters

    def _insert(self, writer: Writer, table: str, row: dict[str, Any]) -> None:
        if table in ("evidence", "versions"):
            columns = EVIDENCE if table == "evidence" else _VERSIONS
            row = {name: row.get(name) for name in columns} | {"id": next_id(self.connection, table)}
        writer.insert(table, [*row], [tuple(row.values())])

    # Alerts

    def _sides(self, pair: Sequence[Any]) -> tuple[int, int] | None:
        a, b = self.memory(pair[0]), self.memory(pair[1])
        return None if a is None or b is None else (a, b)

    def _alert(self, a: int, b: int) -> sqlite3.Row | None:
        found: sqlite3.Row | None = self.connection.execute(
            "SELECT * FROM alerts WHERE (a = ?1 AND b = ?2) OR (a = ?2 AND b = ?1)", (a, b)
        ).fetchone()
        return found

    def _write_alert(
        self, writer: Writer, alert: sqlite3.Row, sides: tuple[int, int], after: dict[str, Value], stamp: Stamp
    ) -> None:
        """Write columns of an alert, given for its sides in the order of all devices."""
        item, other_way = alert_item(self.connection, alert["id"]), (alert["a"], alert["b"]) != sides
        present = turned(dict(alert)) if other_way else dict(alert)
        new = {
            name: self.values.write(item, name, value, stamp, present[name])
            for name, value in after.items()
            if name in _ALERTS - {"a", "b"}
        }
        if stamp.person:
            self.values.decide(item, stamp)
        changed = {name: value for name, value in new.items() if present[name] != value}
        _change_alert(writer, alert, turned(changed) if other_way else changed)

    def _settled(self, row: dict[str, Value]) -> dict[str, Value]:
        given = row.get("settled_by")
        return row | {"settled_by": self.names.command(self.ref(given))} if isinstance(given, str) else row

    def _update_alert(self, writer: Writer, pair: Sequence[Any], after: dict[str, Value], stamp: Stamp) -> None:
        sides = self._sides(pair)
        alert = None if sides is None else self._alert(*sides)
        if sides is not None and alert is not None:
            self._write_alert(writer, alert, sides, self._settled(after), stamp)

    def _put_alert(self, writer: Writer, row: dict[str, Value], stamp: Stamp) -> None:
        sides = self._sides([row["a"], row["b"]])
        if sides is None:
            return
        after = self._settled({name: value for name, value in row.items() if name in _ALERTS})
        present = self._alert(*sides)
        if present is not None:
            other_way = (present["a"], present["b"]) != sides
            here = turned(dict(present)) if other_way else dict(present)
            item = alert_item(self.connection, present["id"])
            columns = {name: after.get(name) for name in _ALERTS - {"a", "b"}}
            new = self.values.renew(item, columns, stamp, here)
            if self.values.is_newer(item, stamp):
                self.connection.execute(
                    "UPDATE sync_alerts SET writer = ?, clock = ? WHERE id = ?", (stamp.device, stamp.clock, item.id)
                )
            changed = {name: value for name, value in new.items() if here[name] != value}
            _change_alert(writer, present, turned(changed) if other_way else changed)
            return
        known = self.connection.execute(
            "SELECT id FROM sync_alerts WHERE (a = ?1 AND b = ?2) OR (a = ?2 AND b = ?1)", sides
        ).fetchone()
        number = int(next_id(self.connection, "alerts")) if known is None else int(known[0])
        note_alert(self.connection, self.values, number, sides, stamp)
        values = after | {"id": number, "a": sides[0], "b": sides[1]}
        writer.insert("alerts", [*values], [tuple(values.values())])

    def _drop_alert(self, writer: Writer, row: dict[str, Value], stamp: Stamp) -> None:
        sides = self._sides([row["a"], row["b"]])
        alert = None if sides is None else self._alert(*sides)
        if alert is not None:
            item = alert_item(self.connection, alert["id"])
            if not stamp.knew(item.writer, item.clock):  # it was found again meanwhile
                return
            if not self.values.undecided(item, stamp):
                self.connection.execute("INSERT OR IGNORE INTO sync_pending (memory) VALUES (?)", (-alert["id"],))
                return
            writer.delete("alerts", "id = ?", (alert["id"],))
            self.values.forget(item, stamp)

    # Conversations

    def _show(self, writer: Writer, row: dict[str, Any], stamp: Stamp, added: bool) -> None:
        """Show or hide the messages of an import in a conversation."""
        conversation = raw.conversation_of(self.connection, row["conversation"])
        batch = self.names.command(self.ref(row["batch"]))
        if conversation is None or batch is None:
            return
        place = {"conversation": conversation, "batch": batch}
        item, name = Item(CONVERSATION, conversation), field_of("segments", place)
        there = self.connection.execute(
            "SELECT 1 FROM segments WHERE conversation = ? AND batch = ?", (conversation, batch)
        ).fetchone()
        if added:
            self.values.add(item, name, stamp)
            if there is None:
                writer.insert("segments", ("conversation", "batch"), [(conversation, batch)])
        elif self.values.remove(item, name, stamp) and there is not None:
            writer.delete("segments", "conversation = ? AND batch = ?", (conversation, batch))
