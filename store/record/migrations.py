"""Migration of an older record to the newest schema, after writing a verified copy beside it."""

import contextlib
import os
import sqlite3
from pathlib import Path

from store.errors import Busy, Unwritable
from store.file_lock import locked
from store.record.backup import copy, page_faults
from store.record.database import APPLICATION, connect, schema_version, writing
from store.record.schema import MIGRATIONS

_WAIT = 600.0  # seconds to wait for another migrating process, which first copies the whole record


def migrate(
    connection: sqlite3.Connection,
    path: Path,
    version: int,
    migrations: tuple[tuple[int, str], ...] = MIGRATIONS,
) -> Path | None:
    """Migrate a record from `version` to the newest, completely or not at all; return the copy made before.

    Safe when several processes try at once. An empty file is filled in one transaction. For a non-empty record, copy
    and steps are made under a lock beside the record (`record.lock`), where the version is read again: the first
    process migrates, and the others find it done. Nobody writes between copy and steps, not even a program without
    knowledge of the lock: both happen within an open write transaction. Raises Busy, Unwritable, TooNew, and Damaged if
    the copy is not sound; then nothing was changed.
    """
    target = migrations[-1][0]
    if version == 0:
        with writing(connection):
            version = schema_version(connection)  # another process may have filled it meanwhile
            if version == 0:
                apply_migrations(connection, migrations)
                return None
    if version >= target:
        return None
    lock = path.with_suffix(".lock")
    busy = Busy(f"another process has been migrating {path} for over {_WAIT:.0f} s; wait for it, or stop it")
    try:
        held = locked(lock, _WAIT, busy)
    except OSError as error:
        raise Unwritable(f"cannot write {lock}: {error.strerror}; check the rights of the folder") from error
    with held, writing(connection):
        version = schema_version(connection)
        if version >= target:
            return None
        folder = path.parent / "backups"
        folder.mkdir(exist_ok=True)
        for abandoned in folder.glob("record-v*.partial"):  # left by a killed process, since this one holds the lock
            abandoned.unlink()
        copied = folder / f"record-v{version}.sqlite"
        with contextlib.closing(connect(path)) as reader:  # sees the record as before this transaction
            copy(reader, copied, page_faults)
        apply_migrations(connection, migrations)
    return copied


def apply_migrations(connection: sqlite3.Connection, migrations: tuple[tuple[int, str], ...]) -> None:
    """Run the pending migrations in the open transaction (`executescript` would commit it)."""
    version = schema_version(connection)
    for number, script in migrations:
        if number <= version:
            continue
        statement = ""
        for line in script.splitlines(keepends=True):
            statement += line
            if sqlite3.complete_statement(statement):
                connection.execute(statement)
                statement = ""
        if number == 1:
            connection.execute(f"PRAGMA application_id={APPLICATION}")
            secret, public = os.urandom(32), os.urandom(8).hex().encode()
            connection.execute("INSERT INTO meta VALUES ('key', ?), ('id', ?)", (secret, public))
        connection.execute(f"PRAGMA user_version={number}")
