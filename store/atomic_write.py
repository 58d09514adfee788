"""Write files atomically: temporary file, fsync, rename."""

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from store.errors import Unwritable


def check_target(file: Path, folder: Path) -> None:
    """Check that `file`, with links resolved, is a valid target outside the store's `folder`.

    Hard links to files of the store are invalid too. Raises ValueError for an invalid target, Unwritable if it cannot
    be examined.
    """
    try:
        linked = file.is_file() and file.stat().st_nlink > 1
        if linked and any(own.is_file() and own.samefile(file) for own in folder.rglob("*")):
            raise ValueError(f"{file} is a file of the store in {folder} under another name; name another")
        for path in (Path(os.path.realpath(file)), Path(os.path.realpath(file.parent))):
            if any(above.exists() and above.samefile(folder) for above in (path, *path.parents)):
                raise ValueError(f"{file} is inside the store's own folder {folder}; name a file somewhere else")
        if file.is_dir():
            raise ValueError(f"{file} is a folder; name a file in it")
        if file.exists() and not file.is_file():
            raise ValueError(f"{file} is not a file that can be replaced; name another")
    except OSError as error:
        raise _unwritable(file, error) from error


def check_not_among(file: Path, own: Iterable[Path]) -> None:
    """Check that `file` is not one of these files or inside one of these folders, with links resolved.

    Raises ValueError if it is, Unwritable if it cannot be examined.
    """
    try:
        wanted = Path(os.path.realpath(file))
        for path in own:
            same = path.exists() and any(above.exists() and above.samefile(path) for above in (file, *wanted.parents))
            if same or str(wanted).casefold() == os.path.realpath(path).casefold():  # case is ignored on some systems
                raise ValueError(f"{file} is one of Curator's own files ({path}); name another")
    except OSError as error:
        raise _unwritable(file, error) from error


@contextlib.contextmanager
def written_whole(file: Path, synced: bool = True) -> Iterator[Path]:
    """Yield a new empty file next to `file`, with mode 0600, that replaces `file` if the body raises nothing.

    The temporary name is unique, so several writers may run at once; the last one wins. With `synced`, the file is
    synced to disk first, which takes about 10 ms. On an error it is deleted, with any files that SQLite created next
    to it. Raises Unwritable.
    """
    try:
        descriptor, name = tempfile.mkstemp(".partial", f"{file.name[:100]}.", file.parent)
        os.close(descriptor)
    except OSError as error:
        raise _unwritable(file, error) from error
    partial = Path(name)
    try:
        yield partial
        if synced:
            _sync(partial, os.O_RDWR)  # after a power failure, either the old or the new file exists, complete
        partial.replace(file)
        if synced:
            sync_folder(file.parent)
    except OSError as error:
        raise _unwritable(file, error) from error
    finally:
        for suffix in ("", "-journal", "-wal", "-shm"):
            partial.with_name(partial.name + suffix).unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Sync the names in a folder to disk, where the system and the file system can. Raises OSError."""
    if os.name != "posix":  # a folder cannot be opened
        return
    try:
        _sync(folder, os.O_RDONLY)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise


def _sync(path: Path, mode: int) -> None:
    descriptor = os.open(path, mode)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _unwritable(file: Path, error: OSError) -> Unwritable:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    remedy = "free some space, or name a file on another disk" if full else "name a file that you may write"
    return Unwritable(f"cannot write {file}: {error.strerror or error}; {remedy}")
