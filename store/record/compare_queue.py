"""Queue of memories to compare with the others: those whose text, or the rules, changed since they were.

Derived and not journaled: undoing the result of a comparison does not repeat it.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from store.model import Fingerprint
from store.record.repository import Repository
from store.record.sql import json_list
from store.record.vectors import space

_WORDS = " by words"  # what was compared without a vector
_PENDING = (
    "memories m LEFT JOIN compared c ON c.memory = m.id WHERE m.owner = ?1 AND m.life = 'live'"
    " AND (c.memory IS NULL OR c.key <> m.content_key OR (c.rules <> ?2 AND (c.rules <> ?3 OR EXISTS"
    " (SELECT 1 FROM vectors v WHERE v.space = ?4 AND v.memory = m.id))))"
)


@dataclass(frozen=True, slots=True)
class Compared:
    """A memory that was compared: the content key of its text, whether by a vector too, and marks of what it states."""

    memory: int
    key: str
    embedded: bool
    marks: tuple[int, ...]


class CompareQueue(Repository):
    """Reached as `Store.compare_queue`."""

    def pending(self, rules: str, fingerprint: Fingerprint | None, limit: int) -> list[int]:
        """Return live memories to compare by these rules and vectors, lowest id first. Reads every live memory's row.

        One that was compared without a vector comes again when it has one.
        """
        parameters = self._parameters(rules, fingerprint)
        return self._ids(f"SELECT m.id FROM {_PENDING} ORDER BY m.id LIMIT ?5", *parameters, limit)

    def count(self, rules: str, fingerprint: Fingerprint | None) -> int:
        """Count the memories that `pending` returns."""
        return self._number(f"SELECT count(*) FROM {_PENDING}", *self._parameters(rules, fingerprint))

    def _parameters(self, rules: str, fingerprint: Fingerprint | None) -> tuple[object, ...]:
        with self._connect() as connection:
            number = None if fingerprint is None else space(connection, fingerprint)
        return self.owner, rules, rules + _WORDS, number

    def stating(self, marks: Sequence[int], first: int, last: int) -> dict[int, list[int]]:
        """Return the compared live memories that state the same, by mark: the `first` and the `last` of them."""
        query = (
            "SELECT s.memory FROM stated s JOIN memories m ON m.id = s.memory AND m.life = 'live' AND +m.owner = ?2"
            " WHERE s.mark = ?1 ORDER BY s.memory {} LIMIT ?3"
        )
        found: dict[int, list[int]] = {}
        for mark in marks:
            ids = self._ids(query.format("DESC"), mark, self.owner, last)
            if len(ids) == last:
                ids += self._ids(query.format("ASC"), mark, self.owner, first)
            found[mark] = list(dict.fromkeys(ids))
        return found

    @staticmethod
    def mark(connection: sqlite3.Connection, rows: Sequence[Compared], rules: str) -> None:
        """Note in the open transaction that memories were compared; those that were purged meanwhile are skipped."""
        query = "SELECT id FROM memories WHERE life = 'purged' AND id IN (SELECT value FROM json_each(?))"
        purged = {memory for (memory,) in connection.execute(query, (json_list(row.memory for row in rows),))}
        rows = [row for row in rows if row.memory not in purged]
        connection.executemany(
            "INSERT OR REPLACE INTO compared (memory, key, rules) VALUES (?, ?, ?)",
            ((row.memory, row.key, rules if row.embedded else rules + _WORDS) for row in rows),
        )
        connection.executemany("DELETE FROM stated WHERE memory = ?", ((row.memory,) for row in rows))
        connection.executemany(
            "INSERT OR IGNORE INTO stated (memory, mark) VALUES (?, ?)",
            ((row.memory, mark) for row in rows for mark in row.marks),
        )

    @staticmethod
    def unmark(connection: sqlite3.Connection, memories: Sequence[int]) -> None:
        """Queue memories again, in the open transaction."""
        connection.execute(
            "DELETE FROM compared WHERE memory IN (SELECT value FROM json_each(?))", (json_list(memories),)
        )

    def unmark_all(self) -> None:
        """Queue all memories again."""
        self._rows("DELETE FROM compared WHERE memory IN (SELECT id FROM memories WHERE owner = ?)", self.owner)
