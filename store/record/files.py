"""Recognition of the files of a record without opening them."""

from pathlib import Path

from store.errors import Damaged
from store.record.database import APPLICATION, filled_log
from store.record.pool import SIDES, is_open

NAME = "record.sqlite"
OWN_FOLDERS = ("analytics", "backups", "index")  # folders of the program's own beside a record


def is_record(file: Path) -> bool:
    """Return whether a file is part of a record by its name, links followed, or is open as one under another name."""
    name = file.resolve().name.casefold()
    return name in {NAME + side for side in ("", *SIDES)} or is_open(file)


def is_record_header(head: bytes) -> bool:
    """Return whether a file that begins so is a record, whatever it is called. Needs 72 bytes."""
    return head.startswith(b"SQLite format 3\0") and head[68:72] == APPLICATION.to_bytes(4, "big")


def check_no_record(file: Path) -> None:
    """Refuse a file that only SQLite may open. Raises ValueError."""
    if is_record(file):
        raise ValueError(f"{file} is part of a Curator store; name another file")


def check_not_lost(folder: Path) -> None:
    """Refuse to make a new record where one was: it is missing or empty, and its projections or backups are there.

    A process that was killed while it made a record leaves an empty file with nothing beside it: SQLite writes the
    record's first page before it begins a log, and the program's folders come after that. Raises Damaged.
    """
    record = folder / NAME
    remains = filled_log(record) is not None or any(_filled(folder / name) for name in OWN_FOLDERS)
    if not remains:  # looked at first, since another process may just be making all of it
        return
    there = record.exists()
    if there and record.stat().st_size:
        return
    copies = folder / "backups"
    known = f"; copies are in {copies}" if _filled(copies) else ""
    raise Damaged(
        f"{record} is {'empty' if there else 'missing'}, but what was made of it is still there; nothing was changed."
        f" Bring back a copy with `curator restore FILE`{known}. To start anew, move {folder} away"
    )


def _filled(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())
