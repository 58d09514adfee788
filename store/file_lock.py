"""Locks between processes, by lock files."""

from contextlib import AbstractContextManager
from pathlib import Path


def locked(path: Path, wait: float, busy: Exception) -> AbstractContextManager[object]:
    """Acquire the lock of a file, which is created with its folder; the returned context manager releases it.

    Raises `busy` if another process or thread holds the lock for `wait` seconds, OSError if the file cannot be
    created.
    """
    from filelock import FileLock, Timeout  # the import takes 20 ms

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        return FileLock(path).acquire(timeout=wait)
    except Timeout:
        raise busy from None
