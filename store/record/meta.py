"""Values that a record keeps about itself, by name: its id, the key of its hashes, its epoch."""

import secrets
import sqlite3

_EPOCH = "restored"


def find(connection: sqlite3.Connection, name: str) -> bytes | None:
    """Return a value, None if there is none."""
    row = connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    return None if row is None else bytes(row[0])


def get(connection: sqlite3.Connection, name: str) -> bytes:
    """Return a value that every record has: who it is (`id`), the key of its hashes (`key`)."""
    (value,) = connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    return bytes(value)


def put(connection: sqlite3.Connection, name: str, value: bytes) -> None:
    """Write a value down in the place of a former one."""
    connection.execute("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", (name, value))


def epoch(connection: sqlite3.Connection) -> str:
    """Return the record's id and the restore it goes back to; what was made in another epoch does not fit it."""
    own, restored = get(connection, "id").decode(), find(connection, _EPOCH)
    return own if restored is None else f"{own}:{restored.decode(errors='replace')}"


def begin_epoch(connection: sqlite3.Connection) -> None:
    """Begin a new epoch of the record."""
    put(connection, _EPOCH, secrets.token_hex(8).encode())
