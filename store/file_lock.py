"""Files that one process at a time holds."""

from contextlib import AbstractContextManager
from pathlib import Path


def locked(path: Path, wait: float, busy: Exception) -> AbstractContextManager[object]:
    """Take the lock that a file stands for, made with its folder; the returned context releases it.

    Raises `busy` if another process or thread has it for `wait` seconds, OSError if the file cannot be made.
    """
    from filelock import FileLock, Timeout  # imported here, since it takes 20 ms

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        return FileLock(path).acquire(timeout=wait)
    except Timeout:
        raise busy from None
