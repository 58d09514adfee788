"""Copies of the record: a consistent file at any moment, verified before it takes the place of another."""

import contextlib
import sqlite3
import time
from pathlib import Path

from store.errors import Damaged
from store.record import check
from store.record.connect import APPLICATION, create_copy, error_code, file_of, translate
from store.target import check_target, written_whole


def backup(connection: sqlite3.Connection, file: Path) -> int:
    """Write a verified copy for the person (`copy_verified`); returns its size in bytes.

    Raises ValueError for a file in the record's own folder, Unwritable, Damaged.
    """
    check_target(file, _place(connection).parent)
    return copy_verified(connection, file)


def copy(connection: sqlite3.Connection, file: Path) -> None:
    """Write a consistent copy of the record to `file` as it is, whole or not at all. Raises Unwritable."""
    with written_whole(file) as partial:
        _fill(connection, partial, file)


def copy_verified(connection: sqlite3.Connection, file: Path, *, journal: bool = True) -> int:
    """Write a consistent copy of the record to `file` once it is known to be sound; returns its size in bytes.

    Without `journal` only its pages and header are looked at: journal and rows may disagree for long before a record is
    led to a newer version, and it must open all the same. A copy that is not sound is kept beside `file`, whatever
    stands there stays as it is, and Damaged says so. Raises Unwritable.
    """
    with written_whole(file) as partial:
        _fill(connection, partial, file)
        problems = _problems(partial, journal)
        if problems:
            beside = file.with_name(f"{file.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}")
            with written_whole(beside) as place:
                partial.replace(place)
            raise Damaged(
                f"the record is damaged ({problems[0]}), so {file} was left alone; a copy of the record as it is was"
                f" put into {beside}. `curator doctor` lists what is wrong; bring back a good backup with"
                f" `curator restore FILE`"
            )
        return partial.stat().st_size


def _fill(connection: sqlite3.Connection, partial: Path, file: Path) -> None:
    """Copy the record into a new file that is to become `file`."""
    try:
        with contextlib.closing(create_copy(partial)) as target:
            connection.backup(target)
    except sqlite3.DatabaseError as error:
        of_record = error_code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
        raise translate(error, _place(connection) if of_record else file) from error


def _place(connection: sqlite3.Connection) -> Path:
    file = file_of(connection)
    assert file is not None  # a record that is copied is not a scratch record
    return file


def _problems(copied: Path, journal: bool) -> list[str]:
    """Return the faults of a copy of the record, in words."""
    try:
        with contextlib.closing(create_copy(copied)) as copy:
            (application,) = copy.execute("PRAGMA application_id").fetchone()
            if application != APPLICATION:
                return ["its header names no store"]
            return check.differences(copy) if journal else check.damaged_pages(copy)
    except sqlite3.DatabaseError as error:
        return [str(error)]
