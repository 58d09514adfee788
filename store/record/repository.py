"""Base of the classes that hold the SQL of a family of tables."""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Self

from store.errors import Forbidden, NotFound
from store.record import database, meta
from store.record.sql import json_list

Connect = Callable[[], AbstractContextManager[sqlite3.Connection]]


class Repository:
    """SQL of one family of tables, for one owner. Safe from any thread.

    A call takes part in the transaction that its thread has open, and has one of its own otherwise. What changes
    journaled tables takes the `Writer` of a command; where it needs nothing else it is static.
    """

    def __init__(self, connect: Connect, owner: str) -> None:
        self._connect = connect
        self.owner = owner

    @classmethod
    def on(cls, connection: sqlite3.Connection, owner: str) -> Self:
        """Return the repository over a connection that the caller has open."""
        return cls(lambda: contextlib.nullcontext(connection), owner)

    def check_owned(self, memories: Sequence[int]) -> None:
        """Raise NotFound or Forbidden unless all of these memories are the owner's."""
        rows = self._rows(
            "SELECT id, owner FROM memories WHERE id IN (SELECT value FROM json_each(?))", json_list(memories)
        )
        owners = {row["id"]: row["owner"] for row in rows}
        for memory in memories:
            if memory not in owners:
                raise NotFound(f"there is no memory {memory}; `curator list` shows those there are")
            if owners[memory] != self.owner:
                raise Forbidden(f"memory {memory} belongs to another owner")

    def _rows(self, query: str, *parameters: object) -> list[sqlite3.Row]:
        with self._connect() as connection:
            return connection.execute(query, parameters).fetchall()

    def _row(self, query: str, *parameters: object) -> sqlite3.Row | None:
        """Return the only row of a query, None where it has none."""
        return next(iter(self._rows(query, *parameters)), None)

    def _number(self, query: str, *parameters: object) -> int:
        """Return the number that a query gives, 0 where it has no row."""
        row = self._row(query, *parameters)
        return 0 if row is None else int(row[0])

    def _key(self) -> bytes:
        """Return the key of the record's hashes."""
        with self._connect() as connection:
            return meta.get(connection, "key")

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Hold a transaction that writes, outside of any command."""
        with self._connect() as connection, database.writing(connection):
            yield connection
