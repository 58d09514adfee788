"""Vectors of texts, kept so that a rebuilt index need not embed again. Derived: not journaled."""

import sqlite3
from collections.abc import Iterator, Sequence

from store.model import Fingerprint, Life
from store.record.repository import Repository

_BLOCK = 20_000  # vectors


def space(connection: sqlite3.Connection, fingerprint: Fingerprint) -> int | None:
    """Return the number under which vectors of a fingerprint are kept, None where there are none."""
    row = connection.execute("SELECT id FROM spaces WHERE label = ?", (fingerprint.label,)).fetchone()
    return None if row is None else int(row[0])


class Vectors(Repository):
    """Reached as `Store.vectors`: vectors by the fingerprint of their embedder.

    A vector belongs to a text: a memory whose text changes has none until it is embedded again.
    """

    def missing(self, fingerprint: Fingerprint, limit: int, life: Life = Life.LIVE) -> list[tuple[int, str]]:
        """Return memories (id, text) of a life without a vector; takes no longer the more have one."""
        source = f"{self._without_vector(fingerprint)} AND +m.life = ? LIMIT ?"
        return self._pairs(f"SELECT m.id, m.text FROM {source}", self.owner, life.value, limit)

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
        """Yield the vectors of memories of a life, by id, in blocks: ids, and their float32 rows one after another."""
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
        """Return the vector of a memory's present text, little-endian float32; None where there is none."""
        row = self._row(
            "SELECT v.vector FROM vectors v JOIN memories m ON m.id = v.memory AND +m.owner = ?"
            " WHERE v.space = (SELECT id FROM spaces WHERE label = ?) AND v.memory = ?",
            self.owner,
            fingerprint.label,
            memory,
        )
        return None if row is None else bytes(row[0])

    def spaces(self) -> list[Fingerprint]:
        """Return every fingerprint with vectors, the oldest first."""
        query = "SELECT label FROM spaces s WHERE EXISTS (SELECT 1 FROM vectors v WHERE v.space = s.id) ORDER BY id"
        return [Fingerprint.parse(label) for (label,) in self._rows(query)]

    def embedded_by(self) -> Fingerprint | None:
        """Return the fingerprint whose vectors the most memories have; None where there is no vector.

        Counts what is missing, which is quick where little is.
        """
        row = self._row(
            "SELECT s.label FROM spaces s WHERE EXISTS (SELECT 1 FROM vectors v WHERE v.space = s.id)"
            " ORDER BY (SELECT count(*) FROM unembedded u WHERE u.space = s.id), s.id DESC LIMIT 1"
        )
        return None if row is None else Fingerprint.parse(row[0])

    def add(self, fingerprint: Fingerprint, rows: Sequence[tuple[int, str, bytes]]) -> None:
        """Keep vectors in a transaction of their own (`put`)."""
        with self._writing() as connection:
            self.put(connection, fingerprint, rows)

    @staticmethod
    def put(connection: sqlite3.Connection, fingerprint: Fingerprint, rows: Sequence[tuple[int, str, bytes]]) -> None:
        """Keep vectors (memory, the text that was embedded, little-endian float32) in the open transaction.

        A memory whose text has changed meanwhile is skipped.
        """
        number = space(connection, fingerprint)
        if number is None:  # nothing has a vector in a new one
            cursor = connection.execute("INSERT INTO spaces (label) VALUES (?)", (fingerprint.label,))
            number = int(cursor.lastrowid or 0)
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
        """Delete the vectors of a fingerprint, in steps between which others can write. They can be made again."""
        left = True
        while left:
            with self._writing() as connection:
                number = space(connection, fingerprint)
                some = "SELECT id FROM vectors WHERE space = ? LIMIT 5000"
                left = connection.execute(f"DELETE FROM vectors WHERE id IN ({some})", (number,)).rowcount > 0
                if not left:
                    connection.execute("DELETE FROM unembedded WHERE space = ?", (number,))
                    connection.execute("DELETE FROM spaces WHERE id = ?", (number,))
