"""The words of what was let go, as keyed hashes, so that what says it again is found without reading all of it.

Derived and not journaled. A tombstone that comes or goes, and words that change, are noted at once by the triggers of
the schema; the words are read when they are asked for next, by whoever asks. So asking costs what changed since, and
what is alike.
"""

import sqlite3
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import ceil

import orjson

from store.record import meta

_VERSION = "burials"  # in meta: how the words were read that are kept
_RARE = 20  # memories that have a word, up to which that word alone makes a text worth comparing with them
_COMMON = 1_000  # memories that have a word; beyond, words are not told apart by how rare they are


@dataclass(frozen=True, slots=True)
class Reading:
    """How the words that count are read from a text; another way to read them has another version."""

    version: str
    words: Callable[[str], Collection[str]]


def waiting(connection: sqlite3.Connection, reading: Reading) -> bool:
    """Whether there is something to read."""
    if not _read_so(connection, reading):
        return True
    return connection.execute("SELECT 1 FROM unread_burials LIMIT 1").fetchone() is not None


def catch_up(connection: sqlite3.Connection, reading: Reading) -> None:
    """Read the words of what was let go since; all of them where they were read in another way. Needs a transaction."""
    if not _read_so(connection, reading):
        connection.execute("DELETE FROM burials")
        connection.execute("INSERT OR IGNORE INTO unread_burials (memory) SELECT memory FROM tombstones")
        meta.put(connection, _VERSION, reading.version.encode())
    key = meta.get(connection, "key")
    connection.execute("DELETE FROM burials WHERE memory IN (SELECT memory FROM unread_burials)")
    rows = connection.execute(
        "SELECT m.id, m.text FROM unread_burials u JOIN memories m ON m.id = u.memory"
        " WHERE EXISTS (SELECT 1 FROM tombstones t WHERE t.memory = m.id)"
    ).fetchall()
    connection.executemany(
        "INSERT OR IGNORE INTO burials (mark, memory) VALUES (?, ?)",
        sorted((mark, row[0]) for row in rows for mark in _marks(reading.words(row[1]), key)),
    )
    connection.execute("DELETE FROM unread_burials")


def sharing(connection: sqlite3.Connection, reading: Reading, text: str, share: float) -> list[int]:
    """The memories let go that have at least a share of the words of both texts together in common with a text.

    What could not be read yet is compared word by word, which takes as long as there is much of it.
    """
    words = set(reading.words(text))
    if not words:
        return []
    known = _read_so(connection, reading)
    unread = _unread(connection, reading, words, share, "unread_burials" if known else "tombstones")  # before the read
    return sorted({*unread, *(_sharing(connection, words, share) if known else ())})


def spoken_of(connection: sqlite3.Connection, reading: Reading, text: str, share: float, rare: bool) -> list[int]:
    """The memories let go of which a text has all the words, two at least, or that have a share of the text's words.

    With `rare`, also those that have one of its words which few of them have.
    """
    words = set(reading.words(text))
    if not words:
        return []
    known = _read_so(connection, reading)
    least = max(2, ceil(share * len(words)))

    def fits(those: set[str]) -> bool:
        common = len(those & words)
        return (common > 1 and common == len(those)) or common >= least or (rare and common > 0)

    unread = _those_unread(connection, reading, fits, "unread_burials" if known else "tombstones")
    return sorted({*unread, *(_spoken_of(connection, words, least, rare) if known else ())})


def _spoken_of(connection: sqlite3.Connection, words: Collection[str], least: int, rare: bool) -> list[int]:
    marks = _marks(words, meta.get(connection, "key"))
    rows = connection.execute(
        "SELECT memory FROM (SELECT memory, count(*) AS common FROM burials"
        " WHERE mark IN (SELECT value FROM json_each(?)) GROUP BY memory HAVING common > 1) c"
        " WHERE common >= ? OR common = (SELECT count(*) FROM burials b WHERE b.memory = c.memory)",
        (_json(marks), least),
    ).fetchall()
    if rare:
        few = [mark for mark in marks if _count(connection, mark) <= _RARE]
        query = "SELECT DISTINCT memory FROM burials WHERE mark IN (SELECT value FROM json_each(?))"
        rows += connection.execute(query, (_json(few),)).fetchall()
    return [row[0] for row in rows]


def _unread(connection: sqlite3.Connection, reading: Reading, words: set[str], share: float, table: str) -> list[int]:
    def fits(those: set[str]) -> bool:
        return len(those & words) >= share * len(those | words)

    return _those_unread(connection, reading, fits, table)


def _those_unread(
    connection: sqlite3.Connection, reading: Reading, fits: Callable[[set[str]], bool], table: str
) -> list[int]:
    rows = connection.execute(
        "SELECT m.id, m.text FROM memories m WHERE m.life = 'forgotten'"
        f" AND m.id IN (SELECT memory FROM {table}) AND EXISTS (SELECT 1 FROM tombstones t WHERE t.memory = m.id)"
    )
    return [row[0] for row in rows if fits(set(reading.words(row[1])))]


def _sharing(connection: sqlite3.Connection, words: Collection[str], share: float) -> list[int]:
    """Those that were read. At least one of the rarest words must be shared: only who has one of them is counted."""
    marks = _marks(words, meta.get(connection, "key"))
    least = ceil(share * len(marks))
    counts = {mark: _count(connection, mark) for mark in marks}
    rarest = sorted(marks, key=lambda mark: (counts[mark], mark))[: len(marks) - least + 1]
    rows = connection.execute(
        "SELECT memory FROM (SELECT c.memory,"
        " (SELECT count(*) FROM burials b WHERE b.memory = c.memory) AS size,"
        " (SELECT count(*) FROM burials b WHERE b.memory = c.memory AND b.mark IN (SELECT value FROM json_each(?1)))"
        " AS common FROM (SELECT DISTINCT memory FROM burials WHERE mark IN (SELECT value FROM json_each(?2))) c)"
        " WHERE common >= ?3 * (?4 + size - common)",
        (_json(marks), _json(rarest), share, len(marks)),
    )
    return [row[0] for row in rows]


def _read_so(connection: sqlite3.Connection, reading: Reading) -> bool:
    return meta.find(connection, _VERSION) == reading.version.encode()


def _count(connection: sqlite3.Connection, mark: int) -> int:
    query = "SELECT count(*) FROM (SELECT 1 FROM burials WHERE mark = ? LIMIT ?)"
    return int(connection.execute(query, (mark, _COMMON)).fetchone()[0])


def _marks(words: Collection[str], key: bytes) -> list[int]:
    digests = (blake2b(word.encode(errors="replace"), key=key, digest_size=8).digest() for word in words)
    return sorted({int.from_bytes(digest, "big", signed=True) for digest in digests})


def _json(numbers: Sequence[int]) -> str:
    return orjson.dumps(list(numbers)).decode()
