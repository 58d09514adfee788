"""Copies of the record: consistent at any moment, and verified before they replace another."""

import contextlib
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from store.atomic_write import written_whole
from store.errors import Damaged
from store.record import integrity
from store.record.database import APPLICATION, Connection, error_code, file_of, translate


def copy(connection: sqlite3.Connection, file: Path, faults: Callable[[Path], list[str]] = lambda copied: []) -> int:
    """Write a consistent copy of the record to `file`, completely or not at all; returns its size in bytes.

    `faults` returns the faults of a copy as text (`page_faults`, `restore.faults`). A faulty copy is kept beside
    `file`, an existing `file` is left unchanged, and Damaged is raised. Raises Unwritable.
    """
    with written_whole(file) as partial:
        try:
            with contextlib.closing(Connection(partial)) as target:
                connection.backup(target)
        except sqlite3.DatabaseError as error:
            of_record = error_code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
            raise translate(error, (of_record and file_of(connection)) or file) from error
        if problems := faults(partial):
            beside = file.with_name(f"{file.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}")
            with written_whole(beside) as place:
                partial.replace(place)
            raise Damaged(
                f"the record is damaged ({problems[0]}), so {file} was left alone; a copy of the record as it is was"
                f" put into {beside}. `curator doctor` lists what is wrong; bring back a good backup with"
                f" `curator restore FILE`"
            )
        return partial.stat().st_size


def page_faults(copied: Path) -> list[str]:
    """Return the faults in header and pages of a copy of a record, as text.

    Journal and rows are not compared: they may have disagreed for long, and the record must still open.
    """
    try:
        with contextlib.closing(Connection(copied)) as copy:
            (application,) = copy.execute("PRAGMA application_id").fetchone()
            return integrity.damaged_pages(copy) if application == APPLICATION else ["its header names no store"]
    except sqlite3.DatabaseError as error:
        return [str(error)]
