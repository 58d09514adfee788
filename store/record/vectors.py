"""Vectors of texts, kept in the record so that rebuilding the index never embeds again. Derived: not journaled."""

import sqlite3
from collections.abc import Iterator, Sequence

from store.model import Fingerprint, Life


def space(connection: sqlite3.Connection, fingerprint: Fingerprint) -> int | None:
    """The number under which vectors of a fingerprint are kept."""
    row = connection.execute("SELECT id FROM spaces WHERE label = ?", (fingerprint.label,)).fetchone()
    return None if row is None else int(row[0])


def fullest_space(connection: sqlite3.Connection) -> Fingerprint | None:
    """The fingerprint whose vectors the most memories have; None where there is no vector. Counts what is missing."""
    row = connection.execute(
        "SELECT s.label FROM spaces s WHERE EXISTS (SELECT 1 FROM vectors v WHERE v.space = s.id)"
        " ORDER BY (SELECT count(*) FROM unembedded u WHERE u.space = s.id), s.id DESC LIMIT 1"
    ).fetchone()
    return None if row is None else Fingerprint.parse(row[0])


def spaces(connection: sqlite3.Connection) -> list[Fingerprint]:
    """Every fingerprint there are vectors of, the first first."""
    rows = connection.execute(
        "SELECT label FROM spaces s WHERE EXISTS (SELECT 1 FROM vectors v WHERE v.space = s.id) ORDER BY id"
    )
    return [Fingerprint.parse(row[0]) for row in rows]


def drop_some(connection: sqlite3.Connection, fingerprint: Fingerprint, limit: int) -> bool:
    """Delete some of the vectors of a fingerprint, and the space with the last; whether it is gone."""
    number = space(connection, fingerprint)
    rows = "SELECT id FROM vectors WHERE space = ? LIMIT ?"
    if connection.execute(f"DELETE FROM vectors WHERE id IN ({rows})", (number, limit)).rowcount:
        return False
    connection.execute("DELETE FROM unembedded WHERE space = ?", (number,))
    connection.execute("DELETE FROM spaces WHERE id = ?", (number,))
    return True


def count_missing(connection: sqlite3.Connection, owner: str, fingerprint: Fingerprint) -> int:
    """How many memories, live or forgotten, have no vector of this fingerprint."""
    number = space(connection, fingerprint)
    if number is None:
        source = "memories m WHERE"
    else:
        source = f"unembedded u JOIN memories m ON m.id = u.memory WHERE u.space = {number} AND"
    row = connection.execute(
        f"SELECT count(*) FROM {source} +m.owner = ? AND +m.life IN ('live', 'forgotten')", (owner,)
    ).fetchone()
    return int(row[0])


def vector_of(connection: sqlite3.Connection, owner: str, fingerprint: Fingerprint, memory: int) -> bytes | None:
    """The vector of one memory's text as it is now, None where there is none; live or not."""
    row = connection.execute(
        "SELECT v.vector FROM vectors v JOIN memories m ON m.id = v.memory AND +m.owner = ?"
        " WHERE v.space = ? AND v.memory = ?",
        (owner, space(connection, fingerprint), memory),
    ).fetchone()
    return None if row is None else bytes(row[0])


def _made_space(connection: sqlite3.Connection, fingerprint: Fingerprint) -> int:
    """The same, made if there is none; nothing has a vector in a new one."""
    known = space(connection, fingerprint)
    if known is not None:
        return known
    cursor = connection.execute("INSERT INTO spaces (label) VALUES (?)", (fingerprint.label,))
    number = int(cursor.lastrowid or 0)
    connection.execute("INSERT INTO unembedded (space, memory) SELECT ?, id FROM memories", (number,))
    return number


def missing_vectors(
    connection: sqlite3.Connection, owner: str, fingerprint: Fingerprint, limit: int, life: Life
) -> list[tuple[int, str]]:
    """Memories of a life whose text has no vector of this fingerprint yet; takes no longer the more have one."""
    number = space(connection, fingerprint)
    if number is None:
        source = "memories m WHERE"
    else:
        source = f"unembedded u JOIN memories m ON m.id = u.memory WHERE u.space = {number} AND"
    rows = connection.execute(
        f"SELECT m.id, m.text FROM {source} +m.owner = ? AND +m.life = ? LIMIT ?", (owner, life.value, limit)
    )
    return [(row[0], row[1]) for row in rows]


def add_vectors(
    connection: sqlite3.Connection, fingerprint: Fingerprint, rows: Sequence[tuple[int, str, bytes]]
) -> None:
    """Keep vectors (id, the text that was embedded, little-endian float32). A text changed meanwhile is skipped."""
    number = _made_space(connection, fingerprint)
    connection.executemany(
        "INSERT OR IGNORE INTO vectors (memory, space, vector) SELECT id, ?, ? FROM memories WHERE id = ? AND text = ?",
        ((number, vector, memory, text) for memory, text, vector in rows),
    )
    connection.executemany(
        "DELETE FROM unembedded WHERE space = ? AND memory = ?"
        " AND EXISTS (SELECT 1 FROM vectors v WHERE v.space = unembedded.space AND v.memory = unembedded.memory)",
        ((number, memory) for memory, _, _ in rows),
    )


def vectors(
    connection: sqlite3.Connection, owner: str, fingerprint: Fingerprint, block: int, life: Life
) -> Iterator[tuple[list[int], bytes]]:
    """The vectors of memories that are live, or so, in blocks: ids, and their float32 rows one after the other."""
    cursor = connection.execute(
        f"SELECT v.memory, v.vector FROM vectors v JOIN memories m ON m.id = v.memory AND m.life = '{life.value}'"
        " WHERE v.space = ? AND m.owner = ? ORDER BY v.memory",
        (space(connection, fingerprint), owner),
    )
    while rows := cursor.fetchmany(block):
        yield [row[0] for row in rows], b"".join(row[1] for row in rows)
