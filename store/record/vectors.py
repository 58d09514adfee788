"""Repositories of vectors, kept for rebuilds of the index, and of the queue of memories to compare.

Both are derived data and not journaled: undoing the result of a comparison does not queue the memory again.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from store.model import Fingerprint, Life
from store.record.changes import queue_comparison
from store.record.repository import Repository, first_column, json_list

_BLOCK = 20_000  # vectors read at once


def space(connection: sqlite3.Connection, fingerprint: Fingerprint) -> int | None:
    """Return the number under which vectors of a fingerprint are stored, or None."""
    return next(iter(first_column(connection, "SELECT id FROM spaces WHERE label = ?", fingerprint.label)), None)


class Vectors(Repository):
    """Vectors by the fingerprint of their embedder (`Store.vectors`).

    A vector belongs to a text: a memory whose text changes has none until it is embedded again.
    """

    def missing(self, fingerprint: Fingerprint, limit: int, life: Life = Life.LIVE) -> list[tuple[int, str]]:
        """Return memories (id, text) of a life without a vector, in time independent of the number of vectors."""
        return self._pairs(
            f"SELECT m.id, m.text FROM {self._without_vector(fingerprint)} AND +m.life = ? LIMIT ?",
            self.owner,
            life.value,
            limit,
        )

    def count_missing(self, fingerprint: Fingerprint) -> int:
        """Count the live and the forgotten memories without a vector of this fingerprint."""
        source = f"{self._without_vector(fingerprint)} AND +m.life IN ('live', 'forgotten')"
        return self._number(f"SELECT count(*) FROM {source}", self.owner)

    def _without_vector(self, fingerprint: Fingerprint) -> str:
        with self._connect() as connection:
            number = space(connection, fingerprint)
        if number is None:
            return "memories m WHERE +m.owner = ?"
        return f"unembedded u JOIN memories m ON m.id = u.memory WHERE u.space = {number} AND +m.owner = ?"

    def blocks(self, fingerprint: Fingerprint, life: Life = Life.LIVE) -> Iterator[tuple[list[int], bytes]]:
        """Yield the vectors of memories of a life, by id, in blocks: ids, and their float32 rows concatenated."""
        with self._connect() as connection:
            cursor = connection.execute(
                "SELECT v.memory, v.vector FROM vectors v"
                f" JOIN memories m ON m.id = v.memory AND m.life = '{life.value}'"
                " WHERE v.space = ? AND m.owner = ? ORDER BY v.memory",
                (space(connection, fingerprint), self.owner),
            )
            while rows := cursor.fetchmany(_BLOCK):
                yield [row[0] for row in rows], b"".join(row[1] for row in rows)

    def of(self, memory: int, fingerprint: Fingerprint) -> bytes | None:
        """Return the vector of a memory's present text, little-endian float32, or None."""
        row = self._row(
            "SELECT v.vector FROM vectors v JOIN memories m ON m.id = v.memory AND +m.owner = ?"
            " WHERE v.space = (SELECT id FROM spaces WHERE label = ?) AND v.memory = ?",
            self.owner,
            fingerprint.label,
            memory,
        )
        return None if row is None else bytes(row[0])

    def spaces(self) -> list[Fingerprint]:
        """Return every fingerprint with vectors, oldest first."""
        return self._all(
            lambda row: Fingerprint.parse(row["label"]),
            "SELECT label FROM spaces s WHERE EXISTS (SELECT 1 FROM vectors v WHERE v.space = s.id) ORDER BY id",
        )

    def embedded_by(self) -> Fingerprint | None:
        """Return the fingerprint with vectors of the most memories, or None without vectors.

        Counts missing vectors, which is quick if they are few.
        """
        row = self._row(
            "SELECT s.label FROM spaces s WHERE EXISTS (SELECT 1 FROM vectors v WHERE v.space = s.id)"
            " ORDER BY (SELECT count(*) FROM unembedded u WHERE u.space = s.id), s.id DESC LIMIT 1"
        )
        return None if row is None else Fingerprint.parse(row[0])

    def add(self, fingerprint: Fingerprint, rows: Sequence[tuple[int, str, bytes]]) -> None:
        """Store vectors in a separate transaction (`put`)."""
        with self._writing() as connection:
            self.put(connection, fingerprint, rows)

    @staticmethod
    def put(connection: sqlite3.Connection, fingerprint: Fingerprint, rows: Sequence[tuple[int, str, bytes]]) -> None:
        """Store vectors (memory, embedded text, little-endian float32) in the open transaction.

        Memories whose text has changed meanwhile are skipped.
        """
        number = space(connection, fingerprint)
        if number is None:  # a new space has no vectors yet
            number = connection.execute("INSERT INTO spaces (label) VALUES (?)", (fingerprint.label,)).lastrowid
            connection.execute("INSERT INTO unembedded (space, memory) SELECT ?, id FROM memories", (number,))
        connection.executemany(
            "INSERT OR IGNORE INTO vectors (memory, space, vector)"
            " SELECT id, ?, ? FROM memories WHERE id = ? AND text = ?",
            ((number, vector, memory, text) for memory, text, vector in rows),
        )
        connection.executemany(
            "DELETE FROM unembedded WHERE space = ? AND memory = ?"
            " AND EXISTS (SELECT 1 FROM vectors v WHERE v.space = unembedded.space AND v.memory = unembedded.memory)",
            ((number, memory) for memory, _, _ in rows),
        )

    def drop(self, fingerprint: Fingerprint) -> None:
        """Delete the vectors of a fingerprint, in steps between which others can write. They can be recomputed."""
        left = True
        while left:
            with self._writing() as connection:
                number = space(connection, fingerprint)
                some = "SELECT id FROM vectors WHERE space = ? LIMIT 5000"
                left = connection.execute(f"DELETE FROM vectors WHERE id IN ({some})", (number,)).rowcount > 0
                if not left:
                    connection.execute("DELETE FROM unembedded WHERE space = ?", (number,))
                    connection.execute("DELETE FROM spaces WHERE id = ?", (number,))


_WORDS = " by words"  # suffix of the rules' name for memories compared without a vector
_PENDING = (  # each part reads a range of an index; the + keeps SQLite from reading all memories of the owner instead
    "(SELECT memory FROM compared WHERE rules < ?2"
    " UNION ALL SELECT memory FROM compared WHERE rules > ?2 AND rules < ?3"
    " UNION ALL SELECT memory FROM compared WHERE rules > ?3"
    " UNION ALL SELECT c.memory FROM spaces s CROSS JOIN compared c CROSS JOIN vectors v"  # nothing without a space
    " WHERE s.label = ?4 AND c.rules = ?3 AND v.space = s.id AND v.memory = c.memory) p"
    " CROSS JOIN memories m ON m.id = p.memory WHERE +m.owner = ?1 AND +m.life = 'live'"
)


@dataclass(frozen=True, slots=True)
class Compared:
    """A compared memory: content key of its text, True if a vector was compared too, and marks of its statements."""

    memory: int
    key: str
    embedded: bool
    marks: tuple[int, ...]


class CompareQueue(Repository):
    """Memories that are to be compared with others (`Store.compare_queue`)."""

    def pending(self, rules: str, fingerprint: Fingerprint | None, limit: int) -> list[int]:
        """Return live memories not yet compared by these rules and vectors, lowest id first; reads only those.

        A memory that was compared without a vector is returned again when it has one.
        """
        return self._ids(
            f"SELECT m.id FROM {_PENDING} ORDER BY m.id LIMIT ?5", *self._parameters(rules, fingerprint), limit
        )

    def count(self, rules: str, fingerprint: Fingerprint | None) -> int:
        """Count the memories that `pending` returns."""
        return self._number(f"SELECT count(*) FROM {_PENDING}", *self._parameters(rules, fingerprint))

    def _parameters(self, rules: str, fingerprint: Fingerprint | None) -> tuple[object, ...]:
        return self.owner, rules, rules + _WORDS, fingerprint and fingerprint.label

    def stating(self, marks: Sequence[int], first: int, last: int) -> dict[int, list[int]]:
        """Return the `first` and the `last` compared live memories with each mark."""
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
        """Record in the open transaction that memories were compared; those changed or removed since are skipped."""
        query = "SELECT id, content_key FROM memories WHERE life = 'live' AND id IN (SELECT value FROM json_each(?))"
        keys = dict(connection.execute(query, (json_list(row.memory for row in rows),)).fetchall())
        rows = [row for row in rows if row.key == keys.get(row.memory)]
        connection.executemany(
            "INSERT OR REPLACE INTO compared (memory, key, rules) VALUES (?, ?, ?)",
            ((row.memory, row.key, rules if row.embedded else rules + _WORDS) for row in rows),
        )
        connection.executemany("DELETE FROM stated WHERE memory = ?", ((row.memory,) for row in rows))
        connection.executemany(
            "INSERT OR IGNORE INTO stated (memory, mark) VALUES (?, ?)",
            ((row.memory, mark) for row in rows for mark in row.marks),
        )

    def note(self, rows: Sequence[Compared], rules: str) -> None:
        """Record in a separate transaction that memories were compared without a result."""
        with self._writing() as connection:
            self.mark(connection, rows, rules)

    @staticmethod
    def unmark(connection: sqlite3.Connection, memories: Sequence[int]) -> None:
        """Queue memories again, in the open transaction."""
        queue_comparison(connection, json_list(memories))

    def unmark_all(self) -> None:
        """Queue all memories again."""
        self._rows(
            "UPDATE compared SET rules = '' WHERE memory IN (SELECT id FROM memories WHERE owner = ?)", self.owner
        )
