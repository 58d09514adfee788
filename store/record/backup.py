"""Copies of the record: consistent at any moment, and verified before they replace another."""

import contextlib
import re
import shutil
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from store.atomic_write import written_whole
from store.errors import Damaged, Unwritable
from store.record import integrity
from store.record.database import APPLICATION, Connection, error_code, file_of, translate

_KEPT = re.compile(r"curator-\d{8}-\d{6}\.sqlite")
_ROOM = 1.5  # free space that a copy needs, in sizes of the record


def kept(folder: Path) -> list[Path]:
    """Return the backups that `keep` wrote into a store's folder, oldest first."""
    inside = folder / "backups"
    found = [file for file in inside.iterdir() if _KEPT.fullmatch(file.name)] if inside.is_dir() else []
    return sorted(found, key=lambda file: (file.stat().st_mtime_ns, file.name))


def due(connection: sqlite3.Connection, folder: Path, now: int, every: int) -> bool:
    """Return whether the newest backup that `keep` wrote is `every` old, and lacks events of the record.

    Times are in microseconds.
    """
    written = [(file, file.stat().st_mtime_ns // 1000) for file in kept(folder)]
    past = [(file, at) for file, at in written if at <= now]  # one from the future is of a clock that was ahead
    if not past:
        return _last_event(connection) is not None
    file, at = past[-1]
    if now - at < every:
        return False
    try:
        with contextlib.closing(Connection(f"{file.as_uri()}?immutable=1", uri=True)) as copied:
            return _last_event(connection) != _last_event(copied)
    except sqlite3.DatabaseError:  # damaged since
        return True


def _last_event(connection: sqlite3.Connection) -> tuple[int, int] | None:
    row = connection.execute("SELECT seq, clock FROM events ORDER BY seq DESC LIMIT 1").fetchone()
    return None if row is None else (row[0], row[1])


def keep(connection: sqlite3.Connection, most: int) -> Path:
    """Write a copy into `backups/` beside the record, and delete the oldest ones above `most`.

    Its pages are verified. To compare its journal with its rows, too, takes a minute of computing for 100,000 memories:
    too much beside other work, and `restore` does it.

    Raises Unwritable, also where there is too little space for it, and Damaged, with no other copy deleted.
    """
    record = Path(file_of(connection) or "")
    inside, room = record.parent / "backups", round(record.stat().st_size * _ROOM)
    try:
        inside.mkdir(mode=0o700, exist_ok=True)
        free = shutil.disk_usage(inside).free
    except OSError as error:
        raise Unwritable(f"cannot make {inside}: {error.strerror}; make {record.parent} writable") from error
    if free < room:
        raise Unwritable(
            f"{inside} has {free / 1e6:,.0f} MB free, and a backup needs {room / 1e6:,.0f}: free some space"
        )
    file = inside / f"curator-{_stamp()}.sqlite"
    for damaged in inside.glob("curator-*.sqlite.damaged-*"):  # the one that follows is enough
        damaged.unlink(missing_ok=True)
    copy(connection, file, page_faults)
    former = [old for old in kept(record.parent) if old != file]
    for old in former[: max(len(former) + 1 - most, 0)]:
        old.unlink(missing_ok=True)
    return file


def _stamp() -> str:
    """Return the time in UTC, for a name."""
    return time.strftime("%Y%m%d-%H%M%S", time.gmtime())


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
            beside = file.with_name(f"{file.name}.damaged-{_stamp()}")
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
