"""Copies of the record: a consistent file at any moment, and the way back."""

import contextlib
import sqlite3
from pathlib import Path

from store.errors import Damaged, Foreign, NotFound
from store.record import device
from store.record.connect import check_header, check_identity, translated
from store.record.schema import NEWEST
from store.target import check_target, written_whole


def backup(connection: sqlite3.Connection, file: Path) -> None:
    """Write a copy for the person (`copy`). Raises ValueError for a file in the record's own folder, Unwritable."""
    (record,) = (row["file"] for row in connection.execute("PRAGMA database_list") if row["name"] == "main")
    check_target(file, Path(record).parent)
    copy(connection, file)


def copy(connection: sqlite3.Connection, file: Path) -> None:
    """Write a consistent copy of the record to `file`, whole or not at all. Raises Unwritable."""
    with (
        written_whole(file) as partial,
        translated(partial),
        contextlib.closing(sqlite3.connect(partial)) as target,
    ):
        connection.backup(target)


def check_copy(file: Path) -> None:
    """Raise unless `file` is a sound record that this program can read."""
    if not file.is_file():
        raise NotFound(f"there is no file {file}")
    try:
        check_header(file)
    except Damaged as error:
        raise Damaged(f"{file} is not a copy of a store; nothing was changed. Name a file made by backup") from error
    with (
        translated(file),
        contextlib.closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as copy,
    ):
        if check_identity(copy, file, NEWEST) == 0:
            raise Foreign(f"{file} is an empty database, not a copy of a store")
        problems = [row[0] for row in copy.execute("PRAGMA quick_check(1)") if row[0] != "ok"]
    if problems:
        raise Damaged(f"{file} is damaged: {problems[0]}")


def restore(connection: sqlite3.Connection, file: Path) -> None:
    """Put a checked copy in the place of everything in the record, in one transaction that others wait for."""
    with (
        translated(file),
        contextlib.closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as copy,
    ):
        copy.backup(connection)
        device.leave(connection)
