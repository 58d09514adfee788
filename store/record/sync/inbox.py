"""Fold batches of other devices into this record, as commands of those devices."""

import re
import sqlite3
from collections import Counter
from collections.abc import Sequence
from typing import Any

import orjson

from store.errors import UPDATE, TooNew
from store.record import meta
from store.record.changes import CHILDREN, KEYS
from store.record.journal import Writer
from store.record.purge import IN_EVERY_WRITING, end_undo
from store.record.sync import raw
from store.record.sync.absorb import absorb, is_decision, memory_item
from store.record.sync.alert_changes import AlertChanges
from store.record.sync.context import KEPT, PURGED, PURGED_ALL
from store.record.sync.memory_changes import MemoryChanges
from store.record.sync.names import CONVERSATION, References, field_of, note_seen, pend_conversation, seen
from store.record.sync.outbox import Batch
from store.record.sync.requests import fold_requests, lacks_message
from store.record.sync.uses import fold_uses
from store.record.sync.values import Item, Stamp

PURGE_READ = "sync_purge_read"
"""Name in `meta` that marks that a purge of another device was read and must be acknowledged."""
_NAMED = re.compile(r"<(\d+):(\d+)>")


def missing(connection: sqlite3.Connection, batch: Batch) -> list[str]:
    """Return the devices whose events the writer of a batch had read but this record has not; "" for an unknown device.

    A writer may have read the messages of a device before the events that belong to them.
    """
    names = References(connection)
    known = seen(connection)
    found = [
        uid
        for place, at in batch.get("seen", {}).items()
        if known.get(names.device(uid := batch["devices"][int(place)]), 0) < at
    ]
    if found:
        return found
    if lacks_message(connection, batch):
        return [""]
    own = {head["ref"] for head in batch["commands"]}
    for table, name in cited_in(batch):
        if table == "commands":
            place, _, number = name.partition(":")
            there = name in own or names.command((names.device(batch["devices"][int(place)]), int(number))) is not None
        else:
            there = (raw.message_of if table == "messages" else raw.conversation_of)(connection, name) is not None
        if not there:
            return [""]
    return []


def cited_in(batch: Batch) -> set[tuple[str, str]]:
    """Return the messages, conversations and imports that a batch's added rows refer to, as (table, ident)."""
    found: set[tuple[str, str]] = set()
    for event in batch.get("events", ()):
        for change in event["changes"]:
            for table, column, cited in (
                ("evidence", "message", "messages"),
                ("segments", "conversation", "conversations"),
                ("segments", "batch", "commands"),
            ):
                if change["t"] == table and "i" in change and column in change["c"]:
                    place = change["c"].index(column)
                    found.update((cited, row[place]) for row in change["i"] if row[place] is not None)
    return found


def fold(connection: sqlite3.Connection, batch: Batch, writer: str) -> None:
    """Fold a batch of a device in the caller's write transaction, skipping events that were folded before."""
    absorb(connection)
    names = References(connection)
    folding = Folding(connection, names, [names.device(uid) for uid in batch["devices"]])
    headers = {head["ref"]: head for head in batch["commands"]}
    for head in batch["commands"]:
        folding.command(head)
    if "messages" in batch:
        raw.fold_messages(connection, names, batch, {ref: folding.numbers[ref] for ref in headers})
    if "vectors" in batch:
        raw.fold_vectors(connection, batch["vectors"])
    if "uses" in batch:
        fold_uses(connection, names, names.device(batch.get("of", writer)), batch["uses"], folding.ref)
    fold_requests(connection, batch.get("requests", ()))
    seen_there = {folding.devices[int(place)]: at for place, at in batch.get("seen", {}).items()}
    known = seen(connection)
    events = batch.get("events", [])
    start, before = 0, last_event(connection)
    while start < len(events):
        end = start
        while end < len(events) and events[end]["command"] == events[start]["command"]:
            end += 1
        head = headers[events[start]["command"]]
        device = folding.ref(head["ref"])[0]
        new = [event for event in events[start:end] if event["clock"] > known.get(device, 0)]
        if new and head["verb"] == "purge":
            meta.put(connection, PURGE_READ, b"1")
        written = last_event(connection)
        if new:
            folding.fold(head, new, {number: at for number, at in seen_there.items() if number != device})
            connection.execute(
                "INSERT INTO sync_clocks SELECT seq, ? FROM events WHERE seq > ?", (new[-1]["clock"], written)
            )
            note_seen(connection, device, new[-1]["clock"])
        start = end
    if last_event(connection) != before:  # needed if another device republishes them after the writer is gone
        clocks = orjson.dumps({str(device): at for device, at in seen_there.items()}).decode()
        connection.execute("INSERT INTO sync_marks VALUES (?, ?)", (last_event(connection), clocks))


def last_event(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT coalesce(max(seq), 0) FROM events").fetchone()[0])


def _name_of(change: dict[str, Any], row: Sequence[Any]) -> str:
    """Return the reference of the memory that a row is or belongs to."""
    here = dict(zip(change["c"], row, strict=True))
    return str(here.get("id", here.get("memory")))


def comparable(change: dict[str, Any], row: Sequence[Any]) -> frozenset[tuple[str, Any]]:
    """Return a row as a comparable value."""
    return frozenset({("table", change["t"]), *zip(change["c"], row, strict=True)})


class Folding(MemoryChanges, AlertChanges):
    """The folding of one batch."""

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

    def fold(self, head: dict[str, Any], events: list[dict[str, Any]], seen_there: dict[int, int]) -> None:
        """Fold events of one command, whose device had read the others up to the clocks in `seen_there`."""
        device = self.ref(head["ref"])[0]
        person = is_decision(head["actor"], head["verb"])
        stamps = [Stamp(device, event["clock"], person, seen_there) for event in events]
        self.merged = {
            name
            for event in events
            for change in event["changes"]
            if change["t"] == "versions" and "merged_from" in change["c"]
            for row in change.get("i", ())
            if isinstance(name := row[change["c"].index("merged_from")], str)
        }
        writer = Writer(self.connection, self.command(head), after=events[-1]["clock"])
        self.purging = PURGED_ALL if IN_EVERY_WRITING in head["summary"] else PURGED
        staying, self.ended, self.fresh = self.staying(events, stamps), False, set()
        for event, stamp in zip(events, stamps, strict=True):
            for change in event["changes"]:
                self.change(writer, change, stamp, staying)
        writer.flush()
        if not writer.wrote:
            writer.note()
        if self.ended:
            end_undo(self.connection, {writer.id})

    def staying(self, events: list[dict[str, Any]], stamps: list[Stamp]) -> set[str]:
        """Return the memories that the command deletes but that are kept here.

        A memory is kept if the command or a concurrent one adds it again. If the person concurrently decided on it, it
        is kept too, and this device writes it again.
        """
        rows = [
            (change, stamp, _name_of(change, row))
            for event, stamp in zip(events, stamps, strict=True)
            for change in event["changes"]
            for row in change.get("i", change.get("d", ()))
            if change["t"] == "memories"
        ]
        staying = {name for name, change in {name: change for change, _, name in rows}.items() if "i" in change}
        self.removed = {name for change, _, name in rows if "d" in change} - staying
        self.again = {name for change, _, name in rows if "d" in change and name in staying}
        self.net = Counter()
        for event in events if self.again else ():
            for change in event["changes"]:
                for row in change.get("i", change.get("d", ())) if change["t"] in CHILDREN else ():
                    self.net[comparable(change, row)] += 1 if "i" in change else -1
        for change, stamp, name in rows:
            if "d" in change and name not in staying:
                memory = self.memory(name)
                if memory is None or not self.exists(memory):
                    continue
                item = memory_item(self.connection, memory)
                if not self.values.knew_written(item, stamp):  # it was concurrently added again
                    staying.add(name)
                elif not self.values.undecided(item, stamp):
                    staying.add(name)
                    self.pend(memory, KEPT)
        return staying

    def check_columns(self, table: str, columns: Sequence[str]) -> None:
        """Raise TooNew for unknown tables or columns, since names are used as SQL."""
        if table not in self.columns:
            known = (
                {row[1] for row in self.connection.execute(f"PRAGMA table_info({table})")} if table in KEYS else set()
            )
            self.columns[table] = frozenset(known)
        if unknown := sorted({*columns} - self.columns[table]):
            raise TooNew(
                f"another device wrote {table[:40]}.{unknown[0][:40]}, which this Curator does not know; nothing was"
                f" changed. Update it with {UPDATE}, then sync again"
            )

    def change(self, writer: Writer, change: dict[str, Any], stamp: Stamp, staying: set[str]) -> None:
        table = change["t"]
        self.check_columns(table, change["c"])
        if "k" in change:
            after = dict(zip(change["c"], change["a"], strict=True))
            for key in change["k"]:
                if table == "memories" and key not in self.removed:
                    self.update_memory(writer, key, after, stamp)
                elif table == "alerts":
                    self.update_alert(writer, key, after, stamp)
            return
        added = "i" in change
        for given in change["i"] if added else change["d"]:
            row = dict(zip(change["c"], given, strict=True))
            name = _name_of(change, given)
            if not added and name in staying and (table not in CHILDREN or name not in self.again):
                if table == "memories" and name in self.removed:
                    self.keep_concurrent_writes(writer, self.memory(name), stamp)
                continue
            if name in self.removed and (added or table in CHILDREN):  # they are deleted with their memory
                continue
            if table in CHILDREN and name in self.again and name not in self.fresh:
                if self.net[row_key := comparable(change, given)] != (1 if added else -1):
                    continue  # no net effect on this row
                del self.net[row_key]
            if table == "memories":
                self.put_memory(writer, row, stamp) if added else self.drop_memory(writer, row, stamp)
            elif table == "alerts":
                self.put_alert(writer, row, stamp) if added else self.drop_alert(writer, row, stamp)
            elif table == "segments":
                self.show(writer, row, stamp, added)
            elif table == "distilled":
                if added:
                    raw.fold_distilled(writer, row, stamp.device)
            elif table in CHILDREN:
                self.change_child(writer, table, row, stamp, added)

    def show(self, writer: Writer, row: dict[str, Any], stamp: Stamp, added: bool) -> None:
        """Show or hide the messages of an import in a conversation."""
        conversation = raw.conversation_of(self.connection, row["conversation"])
        batch = self.names.command(self.ref(row["batch"]))
        if conversation is None or batch is None:
            return
        pend_conversation(self.connection, conversation)
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
