"""Encode own events, messages and vectors as batches for other devices."""

import sqlite3
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson

from store.record.changes import Change, Insert, Update, Value, decode, rows_of
from store.record.repository import first_column
from store.record.sync.absorb import absorbed, memories_first
from store.record.sync.names import References
from store.record.sync.pairs import turned
from store.record.sync.uses import own_uses
from store.record.text_redaction import MASK

Batch = dict[str, Any]
"""The content of a segment, as JSON; `curator.sync` encrypts it."""
_EVENTS = 1_000
_MESSAGES = 2_000
_VECTORS = 1_000
_SIZE = 4 << 20  # characters of text, about


@dataclass(frozen=True, slots=True)
class Cursor:
    """The last event, message and vector in this device's segments."""

    seq: int = 0
    message: int = 0
    vector: int = 0


START = Cursor()


@dataclass(slots=True)
class _Encoder:
    """Encodes references, with devices as indexes into a list of the batch."""

    names: References
    devices: list[str] = field(default_factory=list)
    commands: dict[int, dict[str, Any]] = field(default_factory=dict)

    def device(self, number: int) -> int:
        uid = self.names.uid(number)
        if uid not in self.devices:
            self.devices.append(uid)
        return self.devices.index(uid)

    def memory(self, memory: Value) -> str | None:
        ref = self.names.of_memory(int(memory or 0))
        return None if ref is None else f"{self.device(ref[0])}:{ref[1]}"

    def command(self, command: Value) -> str | None:
        ref = None if command is None else self.names.of_command(int(command or 0))
        return None if ref is None else f"{self.device(ref[0])}:{ref[1]}"

    def header(self, command: int) -> str:
        """Add the header of a command; return its reference."""
        if command not in self.commands:
            row = self.names.connection.execute(
                "SELECT at, owner, actor, verb, summary, target, undoable, manual FROM commands WHERE id = ?",
                (command,),
            ).fetchone()
            head = dict(row) | {"ref": self.command(command), "target": self.command(row["target"])}
            self.commands[command] = head | {"summary": in_summary(row["summary"], self.memory)}
        return str(self.commands[command]["ref"])

    def ident(self, table: str, number: Value) -> str | None:
        row = self.names.connection.execute(f"SELECT ident FROM {table} WHERE id = ?", (number,)).fetchone()
        return None if row is None else bytes(row[0]).hex()

    def change(self, change: Change) -> Iterator[dict[str, Any]]:
        """Yield a change in a form that other devices can read."""
        if isinstance(change, Update):
            if change.before != change.after:
                yield from self._update(change)
            return
        sign = "i" if isinstance(change, Insert) else "d"
        rows = [row for row in (self._row(change.table, one) for one in rows_of(change)) if row is not None]
        if rows:
            columns = [*rows[0]]
            yield {"t": change.table, "c": columns, sign: [[row[name] for name in columns] for row in rows]}

    def _update(self, change: Update) -> Iterator[dict[str, Any]]:
        if change.table == "memories":
            after = dict(zip(change.columns, change.after, strict=True))
            if after.get("superseded_by") is not None:
                after["superseded_by"] = self.memory(after["superseded_by"])
            keys = [self.memory(key[0]) for key in change.keys]
            yield {"t": "memories", "k": keys, "c": [*after], "a": [*after.values()]}
            return
        for (key,) in change.keys:
            sides = self.names.connection.execute("SELECT a, b FROM sync_alerts WHERE id = ?", (key,)).fetchone()
            if sides is not None:
                row = self._alert(dict(zip(change.columns, change.after, strict=True)), *sides)
                pair = [row.pop("a"), row.pop("b")]
                yield {"t": "alerts", "k": [pair], "c": [*row], "a": [*row.values()]}

    def _row(self, table: str, row: dict[str, Value]) -> dict[str, Value] | None:
        if table == "memories":
            out = {**row, "id": self.memory(row["id"]), "device": self.device(int(row.get("device") or 1))}
            return out | {"superseded_by": row.get("superseded_by") and self.memory(row["superseded_by"])}
        if table == "alerts":
            a, b = int(row["a"] or 0), int(row["b"] or 0)
            return self._alert({name: value for name, value in row.items() if name != "id"}, a, b)
        if table == "segments":
            return {
                "conversation": self.ident("conversations", row["conversation"]),
                "batch": self.command(row["batch"]),
            }
        if table == "distilled":
            upto = self.ident("messages", row["upto"])
            return row | {"conversation": self.ident("conversations", row["conversation"]), "upto": upto}
        out = {name: value for name, value in row.items() if name != "id"} | {"memory": self.memory(row["memory"])}
        if table == "evidence" and row["message"] is not None:
            out["message"] = self.ident("messages", row["message"])
        if table == "versions" and row.get("merged_from") is not None:
            out["merged_from"] = self.memory(row["merged_from"])
        return None if out["memory"] is None else out

    def _alert(self, row: dict[str, Value], a: int, b: int) -> dict[str, Value]:
        """Return an alert with its memories in the order common to all devices."""
        out = dict(row)
        if self.names.order(a) > self.names.order(b):
            a, b = b, a
            out = turned(out)
        if out.get("settled_by") is not None:
            out["settled_by"] = self.command(out["settled_by"])
        return out | {"a": self.memory(a), "b": self.memory(b)}


def in_summary(summary: str, name: Any) -> str:
    """Return a command's summary with `memory NUMBER` replaced by what `name` returns for the number, if anything."""
    words = summary.split(" ")
    for place, word in enumerate(words[1:], 1):
        plain = word.rstrip(",")
        if words[place - 1] == "memory" and plain.isdecimal() and (named := name(int(plain))) is not None:
            words[place] = f"<{named}>{word[len(plain) :]}"
    return " ".join(words)


def batches(connection: sqlite3.Connection, cursor: Cursor) -> Iterator[tuple[Batch, Cursor]]:
    """Yield batches of everything written since a cursor, each with the next cursor, in the caller's snapshot."""
    upto = absorbed(connection)
    (message,) = connection.execute("SELECT coalesce(max(id), 0) FROM messages").fetchone()
    while cursor.message < message:
        batch, last = messages(connection, cursor.message)
        cursor = Cursor(cursor.seq, last or message, cursor.vector)
        if batch is not None:
            yield batch, cursor
    while cursor.seq < upto:
        batch, last = events(connection, cursor.seq, upto)
        cursor = Cursor(last, cursor.message, cursor.vector)
        if batch is not None:
            yield batch, cursor
    while (found := vectors(connection, cursor.vector)) is not None:
        batch, last = found
        cursor = Cursor(cursor.seq, cursor.message, last)
        if batch is not None:
            yield batch, cursor


def uses(connection: sqlite3.Connection, device: int) -> Batch | None:
    """Return the recalls on this device that have not been published, or None."""
    encoder = _Encoder(References(connection))
    rows = [(encoder.memory(memory), *more) for memory, *more in own_uses(connection, device)]
    listed = [row for row in rows if row[0] is not None]
    return {"uses": listed, "devices": encoder.devices, "commands": []} if listed else None


def ends_at(batch: Batch) -> Cursor:
    """Return the cursor at the end of a batch, as stored in it."""
    return Cursor(*batch["end"])


def messages(connection: sqlite3.Connection, after: int) -> tuple[Batch | None, int]:
    """Return messages that this record imported, and the id of the last message examined."""
    rows = connection.execute(
        "SELECT m.*, k.batch AS claim, EXISTS (SELECT 1 FROM sync_commands s WHERE s.id = m.batch AND s.folded)"
        " AS folded FROM messages m LEFT JOIN sync_claims k ON k.message = m.id WHERE m.id > ? ORDER BY m.id LIMIT ?",
        (after, _MESSAGES),
    ).fetchall()
    encoder, size, last = _Encoder(References(connection)), 0, after
    conversations: dict[int, int] = {}
    listed: list[list[Any]] = []
    messages: list[list[Any]] = []
    for row in rows:
        last = row["id"]
        batches = [batch for batch in (row["claim"], None if row["folded"] else row["batch"]) if batch is not None]
        if not batches and row["text"] and MASK not in row["text"]:
            continue  # erased text is published for the messages of all devices
        if row["conversation"] not in conversations:
            conversations[row["conversation"]] = len(listed)
            listed.append(conversation_row(connection, row["conversation"]))
        said = (row["ordinal"], row["role"], row["channel"], row["text"], row["external_id"], row["created_at"])
        place = conversations[row["conversation"]]
        for batch in batches or [row["batch"]]:  # an own import, and that of a device that is gone
            claim = encoder.header(batch)
            messages.append([bytes(row["ident"]).hex(), place, claim, *said, row["active"], row["hidden"]])
        size += len(row["text"])
        if size > _SIZE:
            break
    if not messages:
        return None, last
    content = {"conversations": listed, "messages": messages}
    return {**content, "devices": encoder.devices, "commands": [*encoder.commands.values()]}, last


def conversation_row(connection: sqlite3.Connection, number: int) -> list[Any]:
    row = connection.execute(
        "SELECT ident, owner, source, external_id, title, created_at, project, agent FROM conversations WHERE id = ?",
        (number,),
    ).fetchone()
    return [bytes(row[0]).hex(), *row[1:]]


def events(connection: sqlite3.Connection, after: int, upto: int) -> tuple[Batch | None, int]:
    """Return events written with the same knowledge of other devices, and the number of the last event examined."""
    own = "NOT EXISTS (SELECT 1 FROM sync_commands s WHERE s.id = e.command AND s.folded)"
    mark = connection.execute(
        "SELECT upto, seen FROM sync_marks WHERE upto >="
        f" (SELECT e.seq FROM events e WHERE e.seq > ? AND e.seq <= ? AND {own} ORDER BY e.seq LIMIT 1)"
        " ORDER BY upto LIMIT 1",
        (after, upto),
    ).fetchone()
    if mark is None:  # only what was folded
        return None, upto
    rows = connection.execute(
        "SELECT e.seq, e.command, coalesce(k.clock, e.clock) AS clock, e.changes FROM events e"
        " LEFT JOIN sync_clocks k ON k.seq = e.seq"
        f" WHERE e.seq > ? AND e.seq <= ? AND {own} ORDER BY e.seq",
        (after, min(upto, mark["upto"])),
    )
    encoder, size, last = _Encoder(References(connection)), 0, min(upto, int(mark["upto"]))
    events: list[dict[str, Any]] = []
    known: dict[int, int] = {int(device): at for device, at in orjson.loads(mark["seen"]).items()}
    before, clock = after, -1
    for row in rows:
        if row["clock"] != clock and (len(events) >= _EVENTS or size > _SIZE):
            last = before
            break
        before, clock = row["seq"], row["clock"]
        changes = [part for change in memories_first(decode(row["changes"])) for part in encoder.change(change)]
        events.append({"command": encoder.header(row["command"]), "clock": row["clock"], "changes": changes})
        size += len(row["changes"])
    content = {"events": events, "seen": {str(encoder.device(device)): at for device, at in known.items()}}
    return {**content, "devices": encoder.devices, "commands": [*encoder.commands.values()]}, last


def vectors(connection: sqlite3.Connection, after: int) -> tuple[Batch | None, int] | None:
    """Return vectors by the content keys of their texts, and the last vector examined; None at the end."""
    rows = connection.execute(
        "SELECT v.id, s.label, m.content_key, v.vector, m.device FROM vectors v JOIN spaces s ON s.id = v.space"
        " JOIN memories m ON m.id = v.memory WHERE v.id > ? ORDER BY v.id LIMIT ?",
        (after, _VECTORS),
    ).fetchall()
    if not rows:
        return None
    own = set(
        first_column(
            connection,
            "SELECT DISTINCT device FROM commands c WHERE NOT EXISTS"
            " (SELECT 1 FROM sync_commands s WHERE s.id = c.id AND s.folded)",
        )
    )  # the others are sent by who added the memory
    vectors = [[label, key, b64encode(vector).decode()] for _, label, key, vector, device in rows if device in own]
    return ({"vectors": vectors, "devices": [], "commands": []} if vectors else None), rows[-1][0]
