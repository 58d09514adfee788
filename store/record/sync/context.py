"""Shared state for folding one batch: references and rows."""

import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from store.errors import Damaged
from store.record.changes import Delete, Insert
from store.record.journal import Writer
from store.record.sync.names import Ref, References, pend
from store.record.sync.pairs import Pairs
from store.record.sync.values import Values

ELSEWHERE = "on another device"
"""Prefix of the summary of a purge that follows a purge on another device."""
PURGED, PURGED_ALL, FREED, KEPT = 2, 3, 4, 8
"""Flags of pending work on a memory: purge it, purge it in every spelling, restore it, or write it again."""


def take_out(writer: Writer, table: str, where: str, key: int) -> Insert | None:
    """Delete rows; return the change that restores them."""
    rows = writer.connection.execute(f"SELECT * FROM {table} WHERE {where}", (key,)).fetchall()
    if not rows:
        return None
    columns = tuple(name for name in rows[0].keys() if (table, name) != ("memories", "seq"))  # noqa: SIM118
    values = tuple(tuple(row[name] for name in columns) for row in rows)
    writer.apply(Delete(table, columns, values))
    return Insert(table, columns, values)


@dataclass
class Context:
    """State of folding a batch: the record, and the references of the batch.

    `purging` are the flags for memories that the current command purges.
    """

    connection: sqlite3.Connection
    names: References
    devices: Sequence[int]
    values: Values = field(init=False)
    pairs: Pairs = field(init=False)
    numbers: dict[str, int] = field(default_factory=dict)  # of commands in this record
    purging: int = PURGED
    again: set[str] = field(default_factory=set)  # memories that the present command removes and writes again
    net: Counter[frozenset[tuple[str, Any]]] = field(default_factory=Counter)  # of the rows of those, what is left
    merged: set[str] = field(default_factory=set)  # memories that it merges into others
    removed: set[str] = field(default_factory=set)  # memories that it removes for good
    fresh: set[str] = field(default_factory=set)  # memories that it wrote here
    ended: bool = False  # the present command is about a purged memory, so it cannot be undone
    columns: dict[str, frozenset[str]] = field(default_factory=dict)  # of tables that were written to

    def __post_init__(self) -> None:
        self.values = Values(self.connection, self.names)
        self.pairs = Pairs(self.connection, self.values)

    def ref(self, text: str) -> Ref:
        """Parse a reference. Raises Damaged."""
        place, _, number = text.partition(":")
        try:
            return self.devices[int(place)], int(number)
        except (ValueError, IndexError):
            raise Damaged(f"it names {text[:40]!r}, which is no memory or command") from None

    def memory(self, text: Any) -> int | None:
        """Return the memory of a reference; None if it is unknown or the reference is null."""
        return self.names.memory(self.ref(text)) if isinstance(text, str) else None

    def is_purged(self, memory: int) -> bool:
        """Return True if a memory is purged or about to be, so that nothing may be added to it."""
        gone = bool(
            self.connection.execute(
                "SELECT EXISTS (SELECT 1 FROM memories WHERE id = ?1 AND life = 'purged')"
                " OR EXISTS (SELECT 1 FROM sync_pending WHERE memory = ?1 AND kept & ?2)",
                (memory, PURGED),
            ).fetchone()[0]
        )
        self.ended |= gone
        return gone

    def exists(self, memory: int) -> bool:
        """Return True if a memory exists and was not removed."""
        return self.connection.execute("SELECT 1 FROM memories WHERE id = ?", (memory,)).fetchone() is not None

    def pend(self, memory: int, flags: int = 0) -> None:
        """Queue a memory for `consequences`; flags request specific work."""
        pend(self.connection, memory, flags)
