"""Connect to a record or a copy of one, check its identity, and translate SQLite's errors.

No other code may open these files. On POSIX systems, closing any descriptor of a file drops all locks that the process
holds on it; the next process that closes the record then assumes it is the last and deletes the log under a live
writer. Only SQLite knows when a descriptor may be closed, so only SQLite tests if a file is a database.
"""

import contextlib
import os
import shutil
import sqlite3
import sys
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from store.errors import UPDATE, Busy, Damaged, Foreign, StoreError, TooNew, Unusable, Unwritable
from store.record.schema import NEWEST
from store.sanitize import unaccented

APPLICATION = 0x43555241  # "CURA", in the header of every record
_LONGEST = 1 << 28  # bytes of a value in a foreign file
WAIT = 30.0  # seconds that a writer waits for another
_UNWRITABLE = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
_ROOM = 1 << 20  # bytes; with less free space a disk counts as full
_REMOTE = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afpfs", "fuse.sshfs", "fuse.rclone", "davfs"}


class Connection(sqlite3.Connection):
    """A connection registered with the fork guard."""

    def __init__(self, file: Path | str, **options: Any) -> None:
        super().__init__(file, **options)
        _connections.add(self)


_connections: weakref.WeakSet[Connection] = weakref.WeakSet()


def connect(path: Path) -> sqlite3.Connection:
    """Connect to a record in autocommit mode, with its pragmas; creates an empty file if there is none.

    WAL with synchronous=FULL: a committed transaction survives `kill -9` and loss of power. A foreign file is
    left unchanged. On a full or read-only medium the record is still readable if its log is empty. Raises
    Unusable: Damaged, Foreign, TooNew, Unwritable.
    """
    with translated(path):
        try:
            return _open(path)
        except sqlite3.OperationalError as error:
            if error_code(error) not in _UNWRITABLE:
                raise
            whole = path.exists() and path.stat().st_size > 0 and filled_log(path) is None
            if not whole:  # a writing or killed process leaves a non-empty log
                raise
        return _open(path, writes=False)


def _open(path: Path, writes: bool = True) -> sqlite3.Connection:
    file = str(path) if writes else f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    connection = Connection(file, uri=not writes, timeout=WAIT, isolation_level=None, check_same_thread=False)
    try:
        connection.row_factory = sqlite3.Row
        connection.create_function("unaccented", 1, unaccented, deterministic=True)
        for pragma in ("synchronous=FULL", "secure_delete=ON", "temp_store=MEMORY", "cache_size=-65536"):
            connection.execute(f"PRAGMA {pragma}")
        check_identity(connection, path)
        deadline = time.monotonic() + WAIT
        while writes:
            try:
                connection.execute("PRAGMA journal_mode=WAL")
                break
            except sqlite3.OperationalError as error:  # refused while two processes create one store at once
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
    except BaseException:
        connection.close()
        raise
    return connection


def filled_log(path: Path) -> Path | None:
    """Return the log beside a record or its copy if it contains part of the data."""
    log = path.with_name(path.name + "-wal")
    return log if log.exists() and log.stat().st_size else None


def schema_version(connection: sqlite3.Connection, schema: str = "main") -> int:
    """Return the schema version of a record, or of an attached one by name."""
    return int(connection.execute(f"PRAGMA {schema}.user_version").fetchone()[0])


def file_of(connection: sqlite3.Connection) -> Path | None:
    """Return the file of a connection, None for a scratch record."""
    (name,) = (row[2] for row in connection.execute("PRAGMA database_list") if row[1] == "main")
    return Path(name) if name else None


def begin(connection: sqlite3.Connection) -> None:
    """Begin a write transaction. Raises TooNew, with nothing begun, if a newer program migrated the record."""
    connection.execute("BEGIN IMMEDIATE")
    version = schema_version(connection)
    if version > NEWEST:
        connection.execute("ROLLBACK")
        raise TooNew(
            f"the store is newer than this program (schema {version}, this one knows {NEWEST}): a newer Curator has"
            f" migrated it. Nothing was written; close this program and start the newer one"
        )


def open_copy(file: Path) -> sqlite3.Connection:
    """Open a copy of a record read-only, creating no files beside it unless it has a log already.

    The caller translates SQLite's errors.
    """
    real = file.resolve()
    alone = "" if real.with_name(f"{real.name}-wal").exists() else "&immutable=1"
    return Connection(f"{real.as_uri()}?mode=ro{alone}", uri=True)


def attach_copy(connection: sqlite3.Connection, file: Path, name: str) -> None:
    """Attach an untrusted copy of a record under a name, read-only.

    The untrusted-schema pragma is not usable: SQLite 3.40 then refuses the record's own index over JSON. The caller
    reads tables only, which executes nothing from the file, and translates SQLite's errors.
    """
    connection.execute("PRAGMA cell_size_check=ON")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    connection.execute(f"ATTACH ? AS {name}", (f"{file.resolve().as_uri()}?mode=ro&immutable=1",))


def scratch() -> sqlite3.Connection:
    """Connect to a temporary database that is deleted when closed."""
    return Connection("", isolation_level=None, uri=True)


def _keep_inherited() -> None:
    """Leak the connections that a forked child inherits: closing them there would end the parent's transactions.

    A reference that is never released keeps them open until the process ends, even during interpreter shutdown.
    """
    import ctypes

    for connection in _connections:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_keep_inherited)


@contextlib.contextmanager
def waiting(connection: sqlite3.Connection, seconds: float) -> Iterator[None]:
    """Wait up to `seconds` for other writers instead of `WAIT`."""
    connection.execute(f"PRAGMA busy_timeout={seconds * 1000:.0f}")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA busy_timeout={WAIT * 1000:.0f}")


@contextlib.contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """Give several reads a consistent view of the record; inside a transaction, that transaction's view."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:  # an error may have ended it
            connection.execute("COMMIT")


@contextlib.contextmanager
def writing(connection: sqlite3.Connection) -> Iterator[None]:
    """Run a write transaction, committed unless there is an error."""
    begin(connection)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        roll_back(connection)
        raise


@contextlib.contextmanager
def writing_soon(connection: sqlite3.Connection, wait: float = 0.0) -> Iterator[bool]:
    """Run a write transaction; yield False, without one, if others were writing for `wait` seconds."""
    with contextlib.ExitStack() as stack:
        try:
            with waiting(connection, wait):
                stack.enter_context(writing(connection))
            free = True
        except sqlite3.OperationalError as error:
            if error_code(error) != sqlite3.SQLITE_BUSY:
                raise
            free = False
        yield free


def roll_back(connection: sqlite3.Connection) -> None:
    """Roll back, unless SQLite has ended the transaction itself, as it does on a full disk."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


@contextlib.contextmanager
def functions(connection: sqlite3.Connection, **named: Callable[[str], str | bool]) -> Iterator[None]:
    """Make functions of one text available to SQL by name; they return NULL for NULL.

    An exception that a function raises, including KeyboardInterrupt, is raised again in place of SQLite's own error.
    """
    raised: list[BaseException] = []

    def of_null_too(function: Callable[[str], str | bool]) -> Callable[[str | None], str | bool | None]:
        def call(text: str | None) -> str | bool | None:
            try:
                return None if text is None else function(text)
            except BaseException as error:
                raised.append(error)
                raise

        return call

    for name, function in named.items():
        connection.create_function(name, 1, of_null_too(function))
    try:
        yield
    except Exception:
        if raised:
            raise raised[0] from None
        raise
    finally:
        for name in named:
            connection.create_function(name, 1, None)


def prepare_folder(folder: Path) -> None:
    """Create the store's folder, private (0700). Raises Unwritable, also for a network drive."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.name == "posix" and folder.stat().st_uid == os.getuid() and folder.stat().st_mode & 0o077:
            folder.chmod(0o700)
    except OSError as error:
        raise Unwritable(f"cannot use the folder {folder}: {error.strerror}; set CURATOR_HOME to another") from error
    if is_remote(folder):
        raise Unwritable(
            f"{folder} is on a network drive, where file locks are not reliable; set CURATOR_HOME to a local folder"
        )


def is_remote(folder: Path) -> bool:
    """Return True if a folder is on a network drive; detected on Linux and Windows, False elsewhere."""
    if sys.platform == "win32":
        import ctypes

        return bool(ctypes.windll.kernel32.GetDriveTypeW(folder.resolve().drive + "\\") == 4)  # DRIVE_REMOTE
    mounts = Path("/proc/self/mounts")
    if not mounts.exists():
        return False
    resolved, lines = folder.resolve(), mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    mounted = [line.replace("\\040", "\0").split(" ")[1:3] for line in lines]
    inside = [
        (len(point), index, system)
        for index, (point, system) in enumerate(mounted)
        if resolved.is_relative_to(point.replace("\0", " "))
    ]
    return max(inside, default=(0, 0, ""))[2] in _REMOTE  # the innermost mount, and the last of several


def check_identity(
    connection: sqlite3.Connection, path: Path, schema: str = "main", remedy: str = "Set CURATOR_HOME to another folder"
) -> int:
    """Return the schema version of a record, 0 for an empty file. Raises Foreign with the remedy, Damaged or TooNew."""
    (objects,) = connection.execute(f"SELECT count(*) FROM {schema}.sqlite_master").fetchone()  # first: filling sets it
    (application,) = connection.execute(f"PRAGMA {schema}.application_id").fetchone()
    version = schema_version(connection, schema)
    if objects == 0 and application in (0, APPLICATION):
        return 0
    if application != APPLICATION:
        raise Foreign(f"{path} is another program's database; nothing was changed. {remedy}")
    if version < 1:
        raise Damaged(
            f"{path} is damaged: its schema is {version}, which no Curator wrote; nothing was changed. "
            "Use another copy of it"
        )
    if version > NEWEST:
        raise TooNew(
            f"{path} was written by a newer Curator (schema {version}, this one knows {NEWEST}); "
            f"nothing was changed. Update with {UPDATE}"
        )
    return version


@contextlib.contextmanager
def translated(path: Path) -> Iterator[None]:
    """Translate SQLite's errors to the store's."""
    try:
        yield
    except sqlite3.Error as error:
        raise translate(error, path) from error


def error_code(error: sqlite3.Error) -> int:
    """Return SQLite's primary code for an error, 0 for an error of Python's module."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _unwritable(path: Path, error: sqlite3.Error) -> str:
    """Return the reason why a record cannot be written or opened, and the remedy."""
    full = error_code(error) == sqlite3.SQLITE_FULL
    with contextlib.suppress(OSError):
        full = full or shutil.disk_usage(path.parent).free < _ROOM
    if full:
        return f"the disk of {path} is full; free some space, the last step was not saved"
    if error_code(error) == sqlite3.SQLITE_IOERR:
        return (
            f"cannot write {path} ({error}): the disk is failing, or files can no longer grow; check both and free"
            f" some space, the last step was not saved"
        )
    log = filled_log(path)
    if error_code(error) == sqlite3.SQLITE_CANTOPEN and log is not None:
        return (
            f"cannot open {path} ({error}): {log.name} beside it holds changes, which can be read only if the folder"
            f" is writable; check the permissions of the folder and both files, or copy the folder to another disk"
        )
    return f"cannot write {path}: {error}; check the permissions of the folder and file, and that the disk is writable"


def translate(error: sqlite3.Error, path: Path) -> StoreError:
    """Return the store's error for an SQLite error, with the file and the remedy."""
    text = str(error)
    if "locked" in text or "busy" in text:
        return Busy(f"another process has been writing to {path} for over {WAIT:.0f} s; wait for it, or stop it")
    if error_code(error) in _UNWRITABLE:
        return Unwritable(_unwritable(path, error))
    if "not a database" in text:
        return Damaged(
            f"{path} is not a database; nothing was changed. "
            f"Restore a backup with `curator restore FILE`, or move {path.parent} away to start over"
        )
    if isinstance(error, sqlite3.DatabaseError) and "malformed" in text:
        return Damaged(f"{path} is damaged ({text}); restore a backup with `curator restore FILE`")
    if isinstance(error, sqlite3.OperationalError):
        return Unusable(f"{path}: {text}")
    return StoreError(f"{path}: {text}")
