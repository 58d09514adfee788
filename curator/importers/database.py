"""SQLite databases in which programs keep their chats, read as a copy: their owner is neither blocked nor changed."""

import contextlib
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

from curator.importers.inputs import Part, Unreadable, readable
from store import is_record


@contextlib.contextmanager
def database(part: Part) -> Iterator[sqlite3.Connection]:
    """Open a copy of a database as it is at this moment, with what its owner has not yet merged into the main file.

    Rows are `sqlite3.Row`; a text that is no UTF-8 has replacement characters. The copy is removed afterwards. Raises
    Unreadable; so does reading inside of `readable`.
    """
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
        connection.row_factory = sqlite3.Row
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        try:
            yield connection
        finally:
            connection.close()


def table_names(part: Part) -> frozenset[str]:
    """Return the names of the tables of a database. Raises Unreadable."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table'"
    if part.path is None:
        with database(part) as copy, readable():
            return frozenset(str(name) for (name,) in copy.execute(query))
    with readable(), contextlib.closing(_read_only(part.path)) as connection:
        return frozenset(str(name) for (name,) in connection.execute(query))


def _read_only(path: Path) -> sqlite3.Connection:
    """Open a database read-only; as a file nobody writes to where SQLite may not make its files beside it."""
    if is_record(path):  # replaced since it was listed
        raise Unreadable("part of a Curator store, left alone")
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=5)
    try:
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        connection = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)
    return connection
