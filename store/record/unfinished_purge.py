"""The note of a purge that is committed, while copies, freed pages or projections may still hold its words.

It is written in the transaction of the purge and taken away when all is erased, so that a process that dies in
between leaves the rest to the next.
"""

import sqlite3
from collections.abc import Collection
from dataclasses import asdict, dataclass

import orjson

from store import clock
from store.record import meta

_NAME = "unfinished_purge"


@dataclass(frozen=True, slots=True)
class UnfinishedPurge:
    """The last command that erased words, when it was committed, and the copies in `backups/` that held none."""

    command: int
    at: int
    clean: tuple[str, ...] = ()


def read(connection: sqlite3.Connection) -> UnfinishedPurge | None:
    """Return the purge that is not done yet, None if there is none."""
    value = meta.find(connection, _NAME)
    if value is None:
        return None
    found = orjson.loads(value)
    return UnfinishedPurge(int(found["command"]), int(found["at"]), tuple(found["clean"]))


def note(connection: sqlite3.Connection, command: int, clean: Collection[str] = ()) -> None:
    """Note that a command erases words, in its transaction. Copies that an unfinished one must erase stay named."""
    former = read(connection)
    kept = set(clean) if former is None else set(clean).intersection(former.clean)
    meta.put(connection, _NAME, orjson.dumps(asdict(UnfinishedPurge(command, clock.now(), tuple(sorted(kept))))))


def clear(connection: sqlite3.Connection, done: UnfinishedPurge) -> None:
    """Take the note away, unless another purge came since."""
    connection.execute("DELETE FROM meta WHERE name = ? AND value = ?", (_NAME, orjson.dumps(asdict(done))))
