"""Copies of one migrated record for tests that open new stores.

A migration takes 12 ms, and the tests open several thousand stores.
"""

import contextlib
import os
import sqlite3
import threading
from pathlib import Path

from store.record import database
from store.record.migrations import apply_migrations, migrate
from store.record.schema import MIGRATIONS

make = migrate
"""Create or migrate a record as the program does outside of tests."""

_ONE = threading.Lock()
_UID = "substr(?1, 1, 8) || '-' || substr(?1, 9, 4) || '-8' || substr(?1, 13, 3) || '-8000-000000000000'"  # like v7.sql

with contextlib.closing(database.scratch()) as _made:
    _made.execute("BEGIN")
    apply_migrations(_made, MIGRATIONS)
    _made.execute("COMMIT")
    _PAGES = _made.serialize()


def copy(
    connection: sqlite3.Connection,
    path: Path,
    version: int,
    migrations: tuple[tuple[int, str], ...] = MIGRATIONS,
) -> Path | None:
    """Fill an empty record with a copy that has its own id and key; migrate any other record."""
    if version == 0 and migrations is MIGRATIONS:
        secret, public = os.urandom(32), os.urandom(8).hex()
        with _ONE, contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
            made.deserialize(_PAGES)
            made.execute("UPDATE meta SET value = ? WHERE name = 'key'", (secret,))
            made.execute("UPDATE meta SET value = ? WHERE name = 'id'", (public.encode(),))
            made.execute(f"UPDATE devices SET uid = {_UID}", (public,))
            if database.schema_version(connection) == 0:
                made.backup(connection)
                return None
    return make(connection, path, version, migrations)
