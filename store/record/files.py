"""The files of a record, told from others without opening them."""

from pathlib import Path

from store.record.connect import APPLICATION
from store.record.pool import SIDES, is_open

NAME = "record.sqlite"
OWN_FOLDERS = ("analytics", "backups", "index")  # folders of the program's own beside a record


def is_record(file: Path) -> bool:
    """Tell whether a file is part of a record by its name, links followed, or is open as one under another name."""
    name = file.resolve().name.casefold()
    return name in {NAME + side for side in ("", *SIDES)} or is_open(file)


def is_record_header(head: bytes) -> bool:
    """Tell whether a file that begins so is a record, whatever it is called. Needs 72 bytes."""
    return head.startswith(b"SQLite format 3\0") and head[68:72] == APPLICATION.to_bytes(4, "big")


def check_no_record(file: Path) -> None:
    """Refuse a file that only SQLite may open. Raises ValueError."""
    if is_record(file):
        raise ValueError(f"{file} is part of a Curator store; name another file")
