"""Migrate an older record to the newest schema: only ever forward, after a verified copy has been put beside it."""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from store.errors import Busy, Unwritable
from store.record.backup import copy_verified, page_faults
from store.record.database import APPLICATION, connect, writing
from store.record.schema import MIGRATIONS

_WAIT = 600.0  # seconds for another process that leads the record on; it copies all of it first


def migrate(
    connection: sqlite3.Connection,
    path: Path,
    version: int,
    migrations: tuple[tuple[int, str], ...] = MIGRATIONS,
) -> Path | None:
    """Lead a record from `version` to the newest, whole or not at all; returns the copy made before.

    Safe when several processes try at once. An empty file is filled in one transaction. With more in it than that,
    copy and steps are made under a lock beside the record (`record.lock`), where the version is read again: the first
    process does it, and the others find it done. Nobody writes between copy and steps, not even a program that knows
    nothing of the lock: both are made while the transaction that writes is open. Raises Busy, Unwritable, TooNew, and
    Damaged where the copy is not sound; then nothing was changed.
    """
    target = migrations[-1][0]
    if version == 0:
        with writing(connection):
            version = _version(connection)  # another process may have filled it meanwhile
            if version == 0:
                _lead(connection, migrations)
                return None
    if version >= target:
        return None
    with _alone(path), writing(connection):
        version = _version(connection)
        if version >= target:
            return None
        with contextlib.closing(connect(path)) as reader:  # sees the record as it was before this transaction
            copy = copy_before(reader, path, version)
        _lead(connection, migrations)
    return copy


def upgrade(connection: sqlite3.Connection) -> None:
    """Migrate a scratch record, which nobody else has open, to the newest schema."""
    with writing(connection):
        _lead(connection, MIGRATIONS)


def copy_before(connection: sqlite3.Connection, path: Path, version: int) -> Path:
    """A verified copy of the record beside it, as it was at `version`; the caller holds the lock.

    Raises Damaged, with nothing changed, where its pages are not sound.
    """
    folder = path.parent / "backups"
    folder.mkdir(exist_ok=True)
    copy = folder / f"record-v{version}.sqlite"
    for left in folder.glob("record-v*.partial"):  # by one that was killed, since nobody else is at it now
        left.unlink()
    copy_verified(connection, copy, page_faults)
    return copy


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """See that one process at a time leads a record on."""
    from filelock import FileLock, Timeout

    lock = path.with_suffix(".lock")
    try:
        held = FileLock(lock, timeout=_WAIT).acquire()
    except Timeout:
        raise Busy(
            f"another process has been leading {path} to a newer version for over {_WAIT:.0f} s; wait for it, or end it"
        ) from None
    except OSError as error:
        raise Unwritable(f"cannot write {lock}: {error.strerror}; check the rights of the folder") from error
    with held:
        yield


def _lead(connection: sqlite3.Connection, migrations: tuple[tuple[int, str], ...]) -> None:
    """Take the steps that the record has not taken, in the open transaction."""
    version = _version(connection)
    for number, script in migrations:
        if number > version:
            _run(connection, script)
            if number == 1:
                connection.execute(f"PRAGMA application_id={APPLICATION}")
                connection.execute("INSERT INTO meta VALUES ('key', ?), ('id', ?)", _identity())
            connection.execute(f"PRAGMA user_version={number}")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _run(connection: sqlite3.Connection, script: str) -> None:
    """Run several statements inside the open transaction (`executescript` would commit it)."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""


def _identity() -> tuple[bytes, bytes]:
    """The store's secret key for hashes, and its public id."""
    return os.urandom(32), os.urandom(8).hex().encode()
