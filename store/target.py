"""Files that are written for the person: never into the store's own folder, and whole or not at all."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from store.errors import Unwritable


def check_target(file: Path, folder: Path) -> None:
    """See that `file`, links followed, is a place for a file outside of the store's `folder`.

    Raises ValueError for one that is not, Unwritable where it cannot be looked at.
    """
    try:
        for place in (Path(os.path.realpath(file)), Path(os.path.realpath(file.parent))):
            if any(above.exists() and above.samefile(folder) for above in (place, *place.parents)):
                raise ValueError(f"{file} is inside the store's own folder {folder}; name a file somewhere else")
        if file.is_dir():
            raise ValueError(f"{file} is a folder; name a file in it")
        if file.exists() and not file.is_file():
            raise ValueError(f"{file} is not a file that can be replaced; name another")
    except OSError as error:
        raise _unwritable(file, error) from error


@contextlib.contextmanager
def written_whole(file: Path) -> Iterator[Path]:
    """A new empty file beside `file`, closed to others (0600), that takes its place if nothing is raised.

    On any error it is gone again, with what SQLite may have put beside it. Raises Unwritable.
    """
    partial = file.with_name(file.name + ".partial")
    try:
        partial.unlink(missing_ok=True)
        os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as error:
        raise _unwritable(file, error) from error
    try:
        yield partial
        partial.replace(file)
    except OSError as error:
        raise _unwritable(file, error) from error
    finally:
        for suffix in ("", "-journal", "-wal", "-shm"):
            partial.with_name(partial.name + suffix).unlink(missing_ok=True)


def _unwritable(file: Path, error: OSError) -> Unwritable:
    return Unwritable(f"cannot write {file}: {error.strerror or error}; name a file that you may write")
