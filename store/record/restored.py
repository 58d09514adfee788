"""What a record says of its having been restored: another epoch, which nothing made before fits."""

import secrets
import sqlite3

from store.record.connect import meta

_NAME = "restored"


def epoch(connection: sqlite3.Connection) -> str:
    """The record's identity, and which restore it goes back to."""
    row = connection.execute("SELECT value FROM meta WHERE name = ?", (_NAME,)).fetchone()
    own = meta(connection, "id").decode()
    return own if row is None else f"{own}:{bytes(row[0]).decode(errors='replace')}"


def begin_epoch(connection: sqlite3.Connection) -> None:
    """Have the record begin a new epoch."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_NAME, secrets.token_hex(8).encode()))
