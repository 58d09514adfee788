"""Backups of the record: consistent copies, verified before they replace an older one."""

import contextlib
import re
import shutil
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from store.atomic_write import written_whole
from store.errors import Damaged, Unwritable
from store.record import integrity, meta
from store.record.database import APPLICATION, Connection, error_code, file_of, translate

_KEPT = re.compile(r"curator-\d{8}-\d{6}\.sqlite")
_ROOM = 1.5  # free disk space required for a copy, as a multiple of the record's size


def kept(folder: Path) -> list[Path]:
    """Return the backups written by `keep` in a store's folder, oldest first."""
    inside = folder / "backups"
    found = [file for file in inside.iterdir() if _KEPT.fullmatch(file.name)] if inside.is_dir() else []
    return sorted(found, key=lambda file: (file.stat().st_mtime_ns, file.name))


def due(connection: sqlite3.Connection, folder: Path, now: int, every: int) -> bool:
    """Return True if the newest backup of `keep` is at least `every` microseconds old and lacks recent events."""
    written = [(file, file.stat().st_mtime_ns // 1000) for file in kept(folder)]
    past = [(file, at) for file, at in written if at <= now]  # ignore files written while the clock was ahead
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
    """Write a backup to `backups/` next to the record, and delete the oldest backups above `most`.

    The pages of the backup are verified. Its journal is not compared with its rows, which takes a minute for 100,000
    memories; `restore` does so. On an error no backup is deleted. Raises Unwritable, also for too little disk space,
    and Damaged.
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
    for damaged in inside.glob("curator-*.sqlite.damaged-*"):  # only the latest damaged copy is kept
        damaged.unlink(missing_ok=True)
    copy(connection, file, page_faults)
    former = [old for old in kept(record.parent) if old != file]
    for old in former[: max(len(former) + 1 - most, 0)]:
        old.unlink(missing_ok=True)
    return file


def _stamp() -> str:
    """Return the current UTC time for a file name."""
    return time.strftime("%Y%m%d-%H%M%S", time.gmtime())


def copy(connection: sqlite3.Connection, file: Path, faults: Callable[[Path], list[str]] = lambda copied: []) -> int:
    """Write a consistent copy of the record to `file` atomically; return its size in bytes.

    `faults` returns descriptions of a copy's faults (`page_faults`, `restore.faults`). If there are any, the copy is
    kept under another name, `file` is not changed, and Damaged is raised. Raises Unwritable.
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
            with written_whole(beside) as path:
                partial.replace(path)
            raise Damaged(
                f"the record is damaged ({problems[0]}), so {file} was left alone; a copy of the record as it is was"
                f" put into {beside}. `curator doctor` lists what is wrong; bring back a good backup with"
                f" `curator restore FILE`"
            )
        return partial.stat().st_size


def lacks_purge(file: Path, command: int) -> bool:
    """Return True if a copy is from before a command that erased words, or cannot be read."""
    try:
        with contextlib.closing(Connection(f"{file.as_uri()}?immutable=1", uri=True)) as copied:
            return meta.last_purge(copied) < command
    except (sqlite3.DatabaseError, ValueError):
        return True


def page_faults(copied: Path) -> list[str]:
    """Return descriptions of faults in the header and pages of a copy. Journal and rows are not compared."""
    try:
        with contextlib.closing(Connection(copied)) as copy:
            (application,) = copy.execute("PRAGMA application_id").fetchone()
            return integrity.damaged_pages(copy) if application == APPLICATION else ["its header names no store"]
    except sqlite3.DatabaseError as error:
        return [str(error)]
