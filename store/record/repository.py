"""Base class of the repositories, each with the SQL of one table family, and shared SQL helpers."""

import contextlib
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Self, TypeVar

import orjson

from store.errors import Forbidden, NotFound
from store.record import database, meta

Connect = Callable[[], AbstractContextManager[sqlite3.Connection]]
T = TypeVar("T")
Key = TypeVar("Key")


def grouped(pairs: Iterable[tuple[Key, T]]) -> dict[Key, list[T]]:
    """Group the second values of pairs by the first, in their order."""
    found: defaultdict[Key, list[T]] = defaultdict(list)
    for key, value in pairs:
        found[key].append(value)
    return dict(found)


def first_or_not_found(found: Iterable[T], missing: str) -> T:
    """Return the first item. Raises NotFound with the text `missing`."""
    for item in found:
        return item
    raise NotFound(missing)


class Repository:
    """SQL of one family of tables, for one owner. Safe from any thread.

    A call joins the transaction that its thread has open, or runs in its own. Methods that change journaled tables take
    the `Writer` of a command, and are static if they need nothing else.
    """

    def __init__(self, connect: Connect, owner: str) -> None:
        self._connect = connect
        self.owner = owner

    @classmethod
    def on(cls, connection: sqlite3.Connection, owner: str) -> Self:
        """Return the repository over an open connection of the caller."""
        return cls(lambda: contextlib.nullcontext(connection), owner)

    def check_owned(self, memories: Sequence[int]) -> None:
        """Raise NotFound or Forbidden unless all of these memories are the owner's."""
        owners = dict(
            self._pairs(
                "SELECT id, owner FROM memories WHERE id IN (SELECT value FROM json_each(?))", json_list(memories)
            )
        )
        for memory in memories:
            if memory not in owners:
                raise NotFound(f"there is no memory {memory}; `curator list` lists them")
            if owners[memory] != self.owner:
                raise Forbidden(f"memory {memory} belongs to another owner")

    def _rows(self, query: str, *parameters: object) -> list[sqlite3.Row]:
        with self._connect() as connection:
            return connection.execute(query, parameters).fetchall()

    def _row(self, query: str, *parameters: object) -> sqlite3.Row | None:
        """Return the first row of a query, or None."""
        return next(iter(self._rows(query, *parameters)), None)

    def _all(self, make: Callable[[sqlite3.Row], T], query: str, *parameters: object) -> list[T]:
        """Return the results of `make` for each row of a query."""
        return [make(row) for row in self._rows(query, *parameters)]

    def _ids(self, query: str, *parameters: object) -> list[int]:
        """Return the first column of a query as ids."""
        with self._connect() as connection:
            return first_column(connection, query, *parameters)

    def _id(self, query: str, *parameters: object) -> int | None:
        """Return the first value of a query as an id, or None without rows."""
        return next(iter(self._ids(query, *parameters)), None)

    def _number(self, query: str, *parameters: object) -> int:
        """Return the first value of a query as a number, or 0 without rows."""
        return self._id(query, *parameters) or 0

    def _pairs(self, query: str, *parameters: object) -> list[tuple[Any, Any]]:
        """Return the two columns of a query."""
        return [(row[0], row[1]) for row in self._rows(query, *parameters)]

    def _key(self) -> bytes:
        """Return the key of the record's hashes."""
        with self._connect() as connection:
            return meta.get(connection, "key")

    def _keys(self) -> list[bytes]:
        """Return the key of the record's hashes, and then its former ones."""
        with self._connect() as connection:
            return meta.keys(connection)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Run a write transaction, outside any command."""
        with self._connect() as connection, database.writing(connection):
            yield connection


VISIBLE = "EXISTS (SELECT 1 FROM segments s WHERE s.conversation = m.conversation AND s.batch = m.batch)"
"""True for a message, aliased `m`, that no undo has hidden."""

LIKE = "LIKE ? ESCAPE '!'"
"""A comparison with a pattern whose literal part comes from `escape_like`."""

_WILDCARDS = str.maketrans({sign: f"!{sign}" for sign in "!%_"})


def first_column(connection: sqlite3.Connection, query: str, *parameters: object) -> list[Any]:
    """Return the first column of a query."""
    return [row[0] for row in connection.execute(query, parameters).fetchall()]


def json_list(values: Iterable[object]) -> str:
    """Return values as JSON text for `json_each(?)`: one parameter for any number of values."""
    return orjson.dumps(list(values)).decode()


def escape_like(words: str) -> str:
    """Return a text escaped to match literally in a LIKE pattern (`LIKE`)."""
    return words.translate(_WILDCARDS)


def next_id(connection: sqlite3.Connection, table: str) -> int:
    """Return an id that no row of the table ever had, not even one removed by an undo."""
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
    return 1 if row is None else int(row[0]) + 1
