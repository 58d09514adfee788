"""Connections to a record, shared by every `Store` of this process that has it open."""

import contextlib
import itertools
import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from store.errors import Damaged, Unusable
from store.record.database import APPLICATION, connect, filled_log

Inode = tuple[int, int]
SIDES = ("-wal", "-shm", "-journal")  # suffixes of SQLite's files beside a record

_pools: weakref.WeakValueDictionary[Path, "Pool"] = weakref.WeakValueDictionary()
_inherited: set[Inode] = set()  # records that the parent of this forked process had open
_watchers = itertools.count(1)  # each is unique
_lock = threading.RLock()


@dataclass(slots=True)
class Opened:
    """A thread's connection; `uses` counts the nested uses that have not ended."""

    connection: sqlite3.Connection
    uses: int = 0


class Pool:
    """Connections to one record, one per thread, which are closed when the last user leaves.

    Users are weakly referenced, so a garbage-collected user has left too.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.files = tuple(path.with_name(path.name + side) for side in ("", *SIDES))  # files that SQLite opens
        self.users: weakref.WeakSet[object] = weakref.WeakSet()
        self._process = os.getpid()
        self._inode: Inode | None = None  # of the record, once it has been opened
        self._all: dict[threading.Thread, Opened] = {}
        self._lock = threading.Lock()
        self._watcher: sqlite3.Connection | None = None  # never writes, so that it notices the commits of all others
        self._watched = 0  # number of the watcher, unique in this process

    @property
    def is_open(self) -> bool:
        """True if the pool has users, or threads that still use a connection after the last user left."""
        return bool(self.users or self._all)

    @contextlib.contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """Yield this thread's connection, opened if necessary; nobody closes it meanwhile. Raises Unusable."""
        self._check_usable()
        thread = threading.current_thread()
        with self._lock:
            own = self._all.get(thread)
            if own is not None:
                own.uses += 1
        if own is None:
            own = Opened(connect(self.path), 1)
            with self._lock:
                self._inode = self._inode or _inode(self.path)
                for ended in [one for one in self._all if not one.is_alive()]:
                    self._all.pop(ended).connection.close()
                self._all[thread] = own
        try:
            yield own.connection
        finally:
            with self._lock:
                own.uses -= 1
                if not (own.uses or self.users):
                    self._close(thread)

    def data_version(self) -> int:
        """Return a number that changes with every commit by anyone, and never repeats. Raises Unusable."""
        self._check_usable()
        with self._lock:
            if self._watcher is None:
                self._watcher, self._watched = connect(self.path), next(_watchers)
            (version,) = self._watcher.execute("PRAGMA data_version").fetchone()
            return self._watched << 32 | int(version)

    def leave(self, user: object) -> None:
        """Remove a user; the last one closes all connections that are not in use.

        A connection in use is closed by its thread afterwards, because SQLite crashes if a connection is closed during
        a statement. A forked child does not close its parent's connections.
        """
        with _lock:
            self.users.discard(user)
            if self.users or self._process != os.getpid():
                return
            with self._lock:
                for thread in [thread for thread, own in self._all.items() if not own.uses]:
                    self._close(thread)
                if self._watcher is not None:
                    self._watcher.close()
                    self._watcher = None
            if not self._all and _pools.get(self.path) is self:
                del _pools[self.path]

    def _close(self, thread: threading.Thread) -> None:
        self._all.pop(thread).connection.close()

    def leads_to(self, path: Path, inode: Inode | None) -> bool:
        """Return True if a path with this inode is the record of this pool."""
        return path == self.path if self._inode is None else inode == self._inode

    def _check_usable(self) -> None:
        inode = _inode(self.path)
        if self._process != os.getpid() or inode in _inherited:
            raise Unusable(
                f"{self.path} was open in the process that this one was forked from, and SQLite's locks do not survive "
                f"a fork; start a new process instead (in Python's multiprocessing: the start method 'spawn')"
            )
        if self._inode not in (None, inode):
            raise Unusable(f"{self.path} was moved, deleted or replaced while it was open; open the store again")


def shared_pool(path: Path, user: object) -> Pool:
    """Return this process's pool for a record, under any path; `Pool.leave` ends the use.

    A file that replaced an open record has a separate pool.
    """
    real = path.resolve()
    inode = _inode(real)
    with _lock:
        pool = next((pool for pool in _pools.values() if pool.is_open and pool.leads_to(real, inode)), None)
        if pool is None:
            pool = _pools[real] = Pool(real)
        pool.users.add(user)
        return pool


def is_open(file: Path) -> bool:
    """Return True if SQLite has a file, under any name, open for a store of this process."""
    inode = _inode(file)
    if inode is None:
        return False
    with _lock:
        opened = [one for pool in _pools.values() if pool.is_open for one in pool.files]
    return inode in map(_inode, opened)


def _inode(path: Path) -> Inode | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _after_fork() -> None:
    """Remember in a forked child the records it must not open: SQLite still believes it holds the parent's locks."""
    global _lock
    _lock = threading.RLock()
    _inherited.update(pool._inode for pool in _pools.values() if pool._inode is not None)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


RECORD = "record.sqlite"
_NAMES = frozenset(RECORD + side for side in ("", *SIDES))
OWN_FOLDERS = ("analytics", "backups", "index")  # the program's own folders beside a record


def is_record(file: Path) -> bool:
    """Return True if a file is part of a record by its resolved name, or is open as one under another name."""
    # only a link has another name than its target, and on Windows a file has two
    real = file.resolve() if os.name == "nt" or file.name in ("", "..") or file.is_symlink() else file
    return real.name.casefold() in _NAMES or is_open(file)


def is_record_header(head: bytes) -> bool:
    """Return True if a file's first 72 bytes are those of a record, whatever its name."""
    return head.startswith(b"SQLite format 3\0") and head[68:72] == APPLICATION.to_bytes(4, "big")


def check_no_record(file: Path) -> None:
    """Refuse a file that only SQLite may open. Raises ValueError."""
    if is_record(file):
        raise ValueError(f"{file} is part of a Curator store; name another file")


def check_not_lost(folder: Path) -> None:
    """Refuse to create a record over a lost one: missing or empty, while its projections or backups exist.

    A process killed while creating a record leaves an empty file with nothing beside it: SQLite writes the
    record's first page before it begins a log, and the program's folders come after that. Raises Damaged.
    """
    record = folder / RECORD
    remains = filled_log(record) is not None or any(_filled(folder / name) for name in OWN_FOLDERS)
    if not remains:  # checked first, since another process may be creating all of it
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
