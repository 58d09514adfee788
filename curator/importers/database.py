"""Reading of programs' SQLite databases, without blocking the program or changing its data."""

import contextlib
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

from curator.importers.inputs import Item, LogFile, Problem, ReadProgress, Skipped, Unreadable, readable
from curator.importers.json_stream import JsonObject, first_text
from curator.importers.log_format import Options
from curator.importers.pieces import unpacked
from store import is_record
from store.model import FileMark, NewConversation
from store.sanitize import storable

COPIED = 256 << 20  # bytes; larger databases are read in place
WAIT = 5.0  # seconds to wait for a lock of its program
_MAX_VALUE = 256 << 20  # bytes of a value
_MAGIC = b"SQLite format 3\0"


@contextlib.contextmanager
def database(log: LogFile) -> Iterator[sqlite3.Connection]:
    """Open a copy of a database in its current state, including the write-ahead log.

    A database larger than `COPIED` is not copied: its program can write between two statements, so each should fetch
    all its rows at once. Rows are `sqlite3.Row`; invalid UTF-8 becomes replacement characters. The copy is removed
    afterwards. Raises Unreadable; reading raises sqlite3.Error, or Unreadable inside `readable`.
    """
    if log.path is not None and log.size > COPIED:
        with contextlib.ExitStack() as stack:
            with readable():
                connection = stack.enter_context(_read_only(log.path))
            stack.enter_context(_reading(connection))
            yield connection
        return
    with tempfile.TemporaryDirectory(prefix="curator-") as folder:
        copy = Path(folder) / "copy.sqlite"
        with readable():
            if log.path is None:
                with log.open() as stream, copy.open("wb") as target:
                    while chunk := stream.read(1 << 20):
                        target.write(chunk)
            else:
                if log.path.stat().st_size > shutil.disk_usage(folder).free:
                    raise OSError(f"no room for a copy in {folder}")
                with _read_only(log.path) as source, contextlib.closing(sqlite3.connect(copy)) as target:
                    source.backup(target, pages=4096)  # in steps, between which its program can write
            connection = sqlite3.connect(f"{copy.as_uri()}?mode=ro", uri=True)
        with _reading(connection):
            yield connection


def table_names(log: LogFile) -> frozenset[str]:
    """Return the names of the tables of a database. Raises Unreadable."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table'"
    if log.path is None:
        with database(log) as copy, readable():
            return frozenset(str(name) for (name,) in copy.execute(query))
    with readable(), _read_only(log.path) as connection:
        return frozenset(str(name) for (name,) in connection.execute(query))


def is_database(log: LogFile) -> bool:
    """Return True for a SQLite database, by its first bytes. Raises Unreadable."""
    with log.open() as stream:
        return stream.read(len(_MAGIC)) == _MAGIC


def split_databases(files: Sequence[LogFile]) -> tuple[list[LogFile], list[LogFile]]:
    """Return the databases and the other files; a file that cannot be opened is among the latter, to be reported."""
    databases: list[LogFile] = []
    for log in files:
        with contextlib.suppress(Unreadable):
            if is_database(log):
                databases.append(log)
    return databases, [log for log in files if log not in databases]


def rows(connection: sqlite3.Connection, query: str, *values: object) -> list[JsonObject]:
    """Return the rows of a query as objects by column name. Raises sqlite3.Error."""
    return [dict(row) for row in connection.execute(query, values).fetchall()]


def orphans(connection: sqlite3.Connection, log: LogFile, table: str, column: str, above: str) -> Iterator[Skipped]:
    """Count the rows that are skipped because their chat or message, a row of the table `above`, is missing."""
    belongs = f"{column} IN (SELECT id FROM {above} WHERE id IS NOT NULL)"
    (count,) = connection.execute(f"SELECT count(*) FROM {table} WHERE {column} IS NULL OR NOT {belongs}").fetchone()
    if count:
        yield Skipped("not_a_message", log.name, count)


def damaged_text(row: JsonObject, place: str, packed: bool = False) -> Iterator[Problem]:
    """Yield a Problem if the `content` is not text, or is invalid JSON (with `packed`, only if it begins like JSON)."""
    value = row.get("content")
    if value is not None and not isinstance(value, str):
        yield Problem(f"{place}: message {first_text(row, 'id')}", "content is not text")
    elif packed and value and value[0] in "{[" and unpacked(value) is value:
        yield Problem(f"{place}: message {first_text(row, 'id')}", "not valid JSON")


Read = Callable[[sqlite3.Connection, LogFile], Iterator[Item]]


def read_databases(files: Sequence[LogFile], progress: ReadProgress, options: Options, read: Read) -> Iterator[Item]:
    """Yield the items that `read` yields for each database, then its mark.

    A database with the mark of `options.resume` is unchanged, and only its mark is yielded. A database with damaged
    rows gets no mark, so that each import reads it and reports them again.
    """
    for log in files:
        start, count, damaged = progress.done, 0, False
        try:
            state = state_of(log, options.me)  # before reading: later writes are noticed the next time
            known = options.resume(str(log.path)) if options.resume and state else None
            if known and (known.size, known.digest) == (log.size, state):
                yield known
            else:
                with database(log) as connection:
                    for item in read(connection, log):
                        damaged = damaged or isinstance(item, Problem)
                        if isinstance(item, NewConversation):
                            count += 1
                            said = sum(len(one.text) for one in item.messages)
                            progress.done = min(progress.done + said, start + log.size)
                        yield item
                if state and count and not damaged:
                    yield FileMark(str(log.path), log.size, state, count)
        except (Unreadable, sqlite3.Error, UnicodeDecodeError) as error:  # the last for the name of a column
            yield Problem(log.name, f"cannot be read any further: {error}")
        progress.done = start + log.size


def read_databases_only(
    program: str, files: Sequence[LogFile], progress: ReadProgress, options: Options, read: Read
) -> Iterator[Item]:
    """Yield the items of `read_databases`, and a Problem for each file that is not a database."""
    databases, others = split_databases(files)
    yield from (Problem(log.name, f"not a database of {program}") for log in others)
    yield from read_databases(databases, progress, options, read)


def state_of(log: LogFile, me: Sequence[str] = ()) -> bytes:
    """Return a checksum of the sizes, times and headers of a database and its write-ahead log.

    It is fast even for gigabytes, and includes the person's names. It is empty for a database in an archive, or with a
    path that cannot be stored.
    """
    if log.path is None or storable(str(log.path)) != str(log.path):
        return b""
    sum_ = blake2b("\n".join(sorted(me)).encode("utf-8", "surrogatepass"), digest_size=32)
    if is_record(log.path):  # replaced after it was listed
        raise Unreadable("part of a Curator store, left alone")
    sum_.update(_stamp(log.path))
    return sum_.digest()


def _stamp(path: Path) -> bytes:
    """Return the sizes, times and headers of a database and of its log."""
    found = b""
    for file in (path, _log(path)):
        with contextlib.suppress(FileNotFoundError), file.open("rb") as stream:
            state = file.stat()
            found += f"{state.st_size} {state.st_mtime_ns}".encode() + stream.read(100)
    return found


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


@contextlib.contextmanager
def _reading(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("PRAGMA trusted_schema = OFF")  # a schema can contain code
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE)
    connection.row_factory = sqlite3.Row
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    try:
        yield
    finally:
        connection.close()


@contextlib.contextmanager
def _read_only(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database read-only.

    Where SQLite cannot create its files next to it, it is opened as immutable, or a copy if its log has changes.
    Raises Unreadable.
    """
    if is_record(path):  # replaced after it was listed
        raise Unreadable("part of a Curator store, left alone")
    with path.open("rb") as file:
        logged = file.read(20)[18:] == b"\2\2"
    immutable = f"{path.as_uri()}?mode=ro&immutable=1"  # without its log
    with contextlib.ExitStack() as stack:
        name = immutable if logged and not _log(path).exists() else f"{path.as_uri()}?mode=ro"
        connection = stack.enter_context(contextlib.closing(sqlite3.connect(name, uri=True, timeout=WAIT)))
        try:
            connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
        except sqlite3.OperationalError as error:
            code = error.sqlite_errorcode
            if code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise Unreadable("its program is writing to it; import it again in a while") from error
            if code == sqlite3.SQLITE_READONLY_ROLLBACK:
                raise Unreadable(
                    "its program was interrupted while it wrote; start it once, then import again"
                ) from error
            if code & 0xFF not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                raise
            if _log(path).exists() and _log(path).stat().st_size:
                name = stack.enter_context(_copied_with_log(path)).as_uri()
            else:
                name = immutable
            connection = stack.enter_context(contextlib.closing(sqlite3.connect(name, uri=True)))
        yield connection


@contextlib.contextmanager
def _copied_with_log(path: Path) -> Iterator[Path]:
    """Yield a temporary copy of a database and its log. Raises Unreadable if it is too large, or changes meanwhile."""
    log = _log(path)
    if path.stat().st_size + log.stat().st_size > COPIED:
        raise Unreadable(f"part of it is in {log.name}, whose folder cannot be written: copy both, and import the copy")
    with tempfile.TemporaryDirectory(prefix="curator-") as folder:
        copy, before = Path(folder) / "with-log.sqlite", _stamp(path)
        shutil.copyfile(path, copy)
        shutil.copyfile(log, _log(copy))
        if _stamp(path) != before:
            raise Unreadable("its program is writing to it; import it again in a while")
        yield copy
