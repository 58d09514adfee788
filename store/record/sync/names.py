"""Global references of devices, memories and commands, equal in the records of all devices."""

import hashlib
import sqlite3
from collections.abc import Mapping

import orjson

from store import clock
from store.record.changes import Value

Ref = tuple[int, int]
"""(number of the device in this record, number that the device assigned to a memory or command)."""
Seen = Mapping[int, int]
"""The clock of the last known event of each device."""
MEMORY, REMOVED, ALERT, CONVERSATION = 0, 1, 2, 3
"""Types of items in the sync tables; `REMOVED` items hold what the removers of memories knew."""
READ = 16
"""Flag of a queued memory that `consequences` is handling, until it is queued again."""


class References:
    """References in a record; an instance is valid for a single transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self._uids: dict[int, str] = dict(connection.execute("SELECT id, uid FROM devices").fetchall())
        self._devices = {uid: number for number, uid in self._uids.items()}

    def uid(self, device: int) -> str:
        """Return the UUID of a device."""
        return self._uids.get(device, "")

    def known(self, uid: str) -> int:
        """Return the number of a device in this record, 0 if there is none."""
        return self._devices.get(uid, 0)

    def device(self, uid: str) -> int:
        """Return the number of a device in this record; a new one is added."""
        if uid not in self._devices:
            added = self.connection.execute("INSERT INTO devices (uid, at) VALUES (?, ?)", (uid, clock.now()))
            self._devices[uid] = int(added.lastrowid or 0)
            self._uids[self._devices[uid]] = uid
        return self._devices[uid]

    def of_memory(self, memory: int) -> Ref | None:
        """Return the reference of a memory, also of one that was deleted; None if it was never known."""
        row = self.connection.execute("SELECT device, number FROM sync_memories WHERE id = ?", (memory,)).fetchone()
        return None if row is None else (row[0], row[1])

    def memory(self, ref: Ref) -> int | None:
        """Return the memory of a reference, also a deleted one; None if it is not known."""
        return self._first("SELECT id FROM sync_memories WHERE device = ? AND number = ?", *ref)

    def of_command(self, command: int) -> Ref | None:
        """Return the reference of a command."""
        row = self.connection.execute(
            "SELECT device, number FROM sync_commands WHERE id = ?1"
            " UNION ALL SELECT device, id FROM commands WHERE id = ?1",
            (command,),
        ).fetchone()
        return None if row is None else (row[0], row[1])

    def command(self, ref: Ref) -> int | None:
        """Return the command of a reference; None if it is not known."""
        return self._first(
            "SELECT id FROM sync_commands WHERE device = ?1 AND number = ?2 UNION ALL SELECT id FROM commands c"
            " WHERE device = ?1 AND id = ?2 AND NOT EXISTS (SELECT 1 FROM sync_commands s WHERE s.id = c.id)",
            *ref,
        )

    def order(self, memory: int) -> tuple[str, int]:
        """Return a sort key for memories that is the same on all devices."""
        device, number = self.of_memory(memory) or (1, memory)
        return self._uids.get(device, ""), number

    def _first(self, query: str, *parameters: object) -> int | None:
        row = self.connection.execute(query, parameters).fetchone()
        return None if row is None else int(row[0])


def pend(connection: sqlite3.Connection, memory: int, flags: int = 0) -> None:
    """Queue a memory for `consequences`, adding to flags that are set already."""
    connection.execute(
        "INSERT INTO sync_pending VALUES (?, ?) ON CONFLICT (memory) DO UPDATE SET kept = (kept | excluded.kept) & ~?",
        (memory, flags, READ),
    )


def pend_conversation(connection: sqlite3.Connection, conversation: int) -> None:
    """Queue a conversation whose visible imports changed for `consequences`, stored as a negative id."""
    pend(connection, -conversation)


def seen(connection: sqlite3.Connection) -> dict[int, int]:
    """Return the clock of the last known event of each device."""
    return dict(connection.execute("SELECT device, clock FROM sync_seen").fetchall())


def note_seen(connection: sqlite3.Connection, device: int, at: int) -> None:
    """Record that the events of a device up to a clock are known."""
    connection.execute(
        "INSERT INTO sync_seen VALUES (?, ?) ON CONFLICT (device) DO UPDATE SET clock = max(clock, excluded.clock)",
        (device, at),
    )


def field_of(table: str, row: Mapping[str, Value]) -> str:
    """Return the field name that identifies a row of a memory or conversation; equal rows have equal names."""
    if table == "tombstones":
        return f"tombstones {row['content_key']}"
    key: list[Value]
    if table == "tags":
        key = [row["tag"]]
    elif table == "evidence":
        here = row["message"] is not None
        key = [row["message"], row["start"], row["end"]] if here else [row["reference"], row["start"], row["quote"]]
    elif table == "versions":
        merged, said = row.get("merged_from"), row.get("content_key") or row["text"]
        key = [said, row["at"]] if merged is None else [said, None, merged]
    else:
        key = [row["batch"]]
    return f"{table} {hashlib.blake2b(orjson.dumps(key), digest_size=12).hexdigest()}"
