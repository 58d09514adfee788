"""SQLite databases in which programs keep their chats: read without blocking or changing their owner."""

import contextlib
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

from curator.importers.inputs import Item, Meter, Part, Problem, Skipped, Unreadable, readable
from curator.importers.json_stream import JsonObject, first_text
from curator.importers.log_format import Options
from curator.importers.pieces import unpacked
from store import is_record
from store.model import FileMark, NewConversation
from store.sanitize import storable

COPIED = 256 << 20  # bytes: a larger database is read where it is
WAIT = 5.0  # seconds that its owner may lock it
_LONGEST = 256 << 20  # bytes of a value
_MAGIC = b"SQLite format 3\0"


@contextlib.contextmanager
def database(part: Part) -> Iterator[sqlite3.Connection]:
    """Open a copy of a database as it is at this moment, with what its owner has not yet merged into the main file.

    One that is larger than `COPIED` is not copied: its owner can write between two statements, so that each should
    fetch its rows at once. Rows are `sqlite3.Row`; a text that is no UTF-8 has replacement characters. The copy is
    removed afterwards. Raises Unreadable; reading raises sqlite3.Error, or Unreadable inside of `readable`.
    """
    if part.path is not None and part.size > COPIED:
        with readable():
            connection = _read_only(part.path)
        with _reading(connection):
            yield connection
        return
    with tempfile.TemporaryDirectory(prefix="curator-") as folder:
        copy = Path(folder) / "copy.sqlite"
        with readable():
            if part.path is None:
                with part.open() as stream, copy.open("wb") as file:
                    while chunk := stream.read(1 << 20):
                        file.write(chunk)
            else:
                if part.path.stat().st_size > shutil.disk_usage(folder).free:
                    raise OSError(f"no room for a copy in {folder}")
                with (
                    contextlib.closing(_read_only(part.path)) as source,
                    contextlib.closing(sqlite3.connect(copy)) as target,
                ):
                    source.backup(target, pages=4096)  # its owner can write in between
            connection = sqlite3.connect(f"{copy.as_uri()}?mode=ro", uri=True)
        with _reading(connection):
            yield connection


def table_names(part: Part) -> frozenset[str]:
    """Return the names of the tables of a database. Raises Unreadable."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table'"
    if part.path is None:
        with database(part) as copy, readable():
            return frozenset(str(name) for (name,) in copy.execute(query))
    with readable(), contextlib.closing(_read_only(part.path)) as connection:
        return frozenset(str(name) for (name,) in connection.execute(query))


def is_database(part: Part) -> bool:
    """Return True for a SQLite database, by its first bytes. Raises Unreadable."""
    with part.open() as stream:
        return stream.read(len(_MAGIC)) == _MAGIC


def apart(parts: Sequence[Part]) -> tuple[list[Part], list[Part]]:
    """Return the databases and the other files; one that cannot be opened is among the others, which report it."""
    databases: list[Part] = []
    for part in parts:
        with contextlib.suppress(Unreadable):
            if is_database(part):
                databases.append(part)
    return databases, [part for part in parts if part not in databases]


def rows(connection: sqlite3.Connection, query: str, *values: object) -> list[JsonObject]:
    """Return the rows of a query by the names of their columns. Raises sqlite3.Error."""
    return [dict(row) for row in connection.execute(query, values).fetchall()]


def orphans(connection: sqlite3.Connection, part: Part, table: str, column: str, above: str) -> Iterator[Skipped]:
    """Count the rows of a table whose chat or message, the `id` of a row `above`, is missing: they are not read."""
    belongs = f"{column} IN (SELECT id FROM {above} WHERE id IS NOT NULL)"
    (count,) = connection.execute(f"SELECT count(*) FROM {table} WHERE {column} IS NULL OR NOT {belongs}").fetchone()
    if count:
        yield Skipped("not_a_message", part.name, count)


def damaged_text(row: JsonObject, column: str, place: str, packed: bool = False) -> Iterator[Problem]:
    """Yield a Problem for a row whose text is none, or with `packed` begins as JSON and is none."""
    value = row.get(column)
    if value is not None and not isinstance(value, str):
        yield Problem(f"{place}: message {first_text(row, 'id')}", f"{column} is not text")
    elif packed and value and value[0] in "{[" and unpacked(value) is value:
        yield Problem(f"{place}: message {first_text(row, 'id')}", "not valid JSON")


Read = Callable[[sqlite3.Connection, Part], Iterator[Item]]


def read_databases(parts: Sequence[Part], meter: Meter, options: Options, read: Read) -> Iterator[Item]:
    """Yield what `read` yields of each database, then its mark.

    A database whose mark is that of `options.resume` has not been written to since, and only its mark is yielded. One
    with damaged rows gets no mark: it is read each time, so that they are named each time.
    """
    for part in parts:
        start, count, damaged = meter.done, 0, False
        try:
            state = state_of(part, options.me)  # before it is read: what is written meanwhile is seen the next time
            known = options.resume(str(part.path)) if options.resume and state else None
            if known and (known.size, known.digest) == (part.size, state):
                yield known
            else:
                with database(part) as connection:
                    for item in read(connection, part):
                        damaged = damaged or isinstance(item, Problem)
                        if isinstance(item, NewConversation):
                            count += 1
                            said = sum(len(one.text) for one in item.messages)
                            meter.done = min(meter.done + said, start + part.size)
                        yield item
                if state and count and not damaged:
                    yield FileMark(str(part.path), part.size, state, count)
        except (Unreadable, sqlite3.Error, UnicodeDecodeError) as error:  # the last for a name of a column
            yield Problem(part.name, f"cannot be read any further: {error}")
        meter.done = start + part.size


def state_of(part: Part, me: Sequence[str] = ()) -> bytes:
    """Return a checksum of the sizes, times and headers of a database and of its log of changes, which is quick for a
    file of gigabytes; empty if it is in an archive, or has a path that cannot be stored. It differs for another person.
    """
    if part.path is None or storable(str(part.path)) != str(part.path):
        return b""
    sum_ = blake2b("\n".join(sorted(me)).encode("utf-8", "surrogatepass"), digest_size=32)
    if is_record(part.path):  # replaced since it was listed
        raise Unreadable("part of a Curator store, left alone")
    for path in (part.path, _log(part.path)):
        with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
            found = path.stat()
            sum_.update(f"{found.st_size} {found.st_mtime_ns}".encode() + file.read(100))
    return sum_.digest()


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


@contextlib.contextmanager
def _reading(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("PRAGMA trusted_schema = OFF")  # a table may compute its values
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    connection.row_factory = sqlite3.Row
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    try:
        yield
    finally:
        connection.close()


def _read_only(path: Path) -> sqlite3.Connection:
    """Open a database read-only; as a file nobody writes to where SQLite would have to make its files beside it."""
    if is_record(path):  # replaced since it was listed
        raise Unreadable("part of a Curator store, left alone")
    with path.open("rb") as file:
        logged = file.read(20)[18:] == b"\2\2"
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode=ro{'&immutable=1' if logged and not _log(path).exists() else ''}", uri=True, timeout=WAIT
    )
    try:
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        code = error.sqlite_errorcode
        if code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise Unreadable("its program is writing to it; import it again in a while") from error
        if code == sqlite3.SQLITE_READONLY_ROLLBACK:
            raise Unreadable("its program was interrupted while it wrote; start it once, then import again") from error
        if code & 0xFF not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
            raise
        connection = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)
    return connection
