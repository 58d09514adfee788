"""Rows of the record for the index: always as they are now, never events, so that reading twice is harmless."""

import contextlib
import re
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from store.filter import Dialect, Filter
from store.model import Fingerprint, Kind, Life, Memory, Outline, Review, Tier
from store.record import database
from store.record.changes import touched_since
from store.record.memory_queries import MemoryQueries
from store.record.repository import json_list
from store.record.vectors import space as space_of
from store.store import Store

_AROUND = 300  # characters of a message kept on either side of a quote, and of the turns before and after
_QUOTES = 4  # quotes of one memory whose surroundings are searched

Scored = list[tuple[int, float]]
"""Ids with scores, best first."""


@dataclass(frozen=True, slots=True)
class Row:
    """A live memory as it is indexed. `context` is its text amid what was said around it."""

    memory: Memory
    context: str
    vector: bytes | None  # little-endian float32
    conflict: bool


@contextlib.contextmanager
def snapshot(store: Store) -> Iterator[sqlite3.Connection]:
    """Read the record at one moment, for several reads that must agree."""
    with store.sqlite() as connection, database.snapshot(connection):
        yield connection


class Last(NamedTuple):
    """Numbers of the last event, of the last vector that was ever kept, and of the last message, of any owner."""

    event: int
    vector: int
    message: int


def last(connection: sqlite3.Connection) -> Last:
    """Return the numbers up to which the record goes."""
    row = connection.execute(
        "SELECT coalesce((SELECT max(seq) FROM events), 0),"
        " coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'vectors'), 0),"
        " coalesce((SELECT max(id) FROM messages), 0)"
    ).fetchone()
    return Last(*row)


def changed(connection: sqlite3.Connection, fingerprint: Fingerprint, seq: int, vector: int) -> set[int]:
    """Return the memories touched by events after `seq`, or embedded after `vector`, deleted ones included.

    Both sides of a changed alert count as touched: they can be searched for by it.
    """
    query = "SELECT memory FROM vectors WHERE id > ? AND +space = ?"
    embedded = connection.execute(query, (vector, space_of(connection, fingerprint)))
    return touched_since(connection, seq) | {row[0] for row in embedded}


def beside(connection: sqlite3.Connection, owner: str, ids: Collection[int]) -> set[int]:
    """Return the memories just before and after these in their sessions: their context holds the text of these."""
    rows = connection.execute(_NEIGHBOURS.format("id"), (json_list(ids), owner))
    return {row[side] for row in rows for side in ("before", "after") if row[side] is not None}


def any_purged(connection: sqlite3.Connection, ids: Collection[int]) -> bool:
    """Return whether any of these memories was purged."""
    query = "SELECT 1 FROM memories WHERE life = 'purged' AND id IN (SELECT value FROM json_each(?))"
    return connection.execute(query, (json_list(ids),)).fetchone() is not None


def live_ids(connection: sqlite3.Connection, owner: str) -> list[int]:
    """Return all live memories, in order of id."""
    query = "SELECT id FROM memories WHERE owner = ? AND life = 'live' ORDER BY id"
    return [row[0] for row in connection.execute(query, (owner,))]


def matching(connection: sqlite3.Connection, owner: str, filter: Filter, ids: Collection[int]) -> set[int]:
    """Return those of these memories that a filter means."""
    rows = connection.execute(
        "SELECT id FROM memories WHERE id IN (SELECT value FROM json_each(?)) AND +owner = ?"
        f" AND {filter.sql(Dialect.SQLITE)}",
        (json_list(ids), owner),
    )
    return {row[0] for row in rows}


def rows(connection: sqlite3.Connection, owner: str, fingerprint: Fingerprint, ids: Sequence[int]) -> list[Row]:
    """Return the live ones among these memories, ready to be indexed."""
    live = [memory for memory in MemoryQueries.on(connection, owner).get_many(ids) if memory.life is Life.LIVE]
    numbers = [memory.id for memory in live]
    embedded = vectors(connection, fingerprint, numbers)
    conflicts = matching(connection, owner, Filter(conflict=True), numbers)
    said = _surroundings(connection, owner, numbers)
    return [
        Row(memory, context(memory.text, said.get(memory.id, [])), embedded.get(memory.id), memory.id in conflicts)
        for memory in live
    ]


def vectors(connection: sqlite3.Connection, fingerprint: Fingerprint, ids: Collection[int]) -> dict[int, bytes]:
    """Return the vectors of those memories that have one of this fingerprint."""
    found = connection.execute(
        "SELECT memory, vector FROM vectors WHERE space = ? AND memory IN (SELECT value FROM json_each(?))",
        (space_of(connection, fingerprint), json_list(ids)),
    )
    return dict(found.fetchall())


def outlines(connection: sqlite3.Connection, ids: Sequence[int]) -> dict[int, Outline]:
    """Return the fields that ranking needs of many memories at once, of those that are live."""
    quotes = connection.execute(
        "SELECT v.memory, 'c' || m.conversation, m.ordinal FROM evidence v JOIN messages m ON m.id = v.message"
        " WHERE v.memory IN (SELECT value FROM json_each(?)) ORDER BY v.id DESC",
        (json_list(ids),),
    )
    said = {memory: (group, ordinal) for memory, group, ordinal in quotes}  # the first quote counts
    rows = connection.execute(
        "SELECT 's' || session, coalesce(ordinal, 0), flag, kind, tier, review, pinned,"
        " id, text, importance, subject, created_at, expires_at"
        " FROM memories WHERE id IN (SELECT value FROM json_each(?)) AND +life = 'live'",
        (json_list(ids),),
    )
    found: dict[int, Outline] = {}
    for session, ordinal, flag, kind, tier, review, pinned, number, *rest in rows:
        text, importance, subject, created, expires = rest
        kinds, when = (Kind(kind), Tier(tier), Review(review)), (created, expires)
        place = said.get(number, (session, ordinal))
        found[number] = Outline(number, text, *kinds, bool(pinned), importance, subject, *when, *place, flag)
    return found


def state(connection: sqlite3.Connection, owner: str, fingerprint: Fingerprint) -> dict[int, tuple[int, bool]]:
    """Return for every live memory the last event that touched it, and whether it has a vector."""
    rows = connection.execute(
        "SELECT id, seq, EXISTS (SELECT 1 FROM vectors v WHERE v.memory = m.id AND v.space = ?) AS embedded"
        " FROM memories m WHERE owner = ? AND life = 'live'",
        (space_of(connection, fingerprint), owner),
    )
    return {row["id"]: (row["seq"], bool(row["embedded"])) for row in rows}


def message_ids(connection: sqlite3.Connection, owner: str) -> set[int]:
    """Return every message of the owner."""
    rows = connection.execute(
        "SELECT m.id FROM messages m JOIN conversations c ON c.id = m.conversation WHERE c.owner = ?", (owner,)
    )
    return {row[0] for row in rows}


_BESIDE = (
    "(SELECT {{0}} FROM memories n WHERE n.session = m.session AND n.owner = m.owner AND n.life = 'live'"
    " AND n.ordinal {} m.ordinal ORDER BY n.ordinal {} LIMIT 1)"
)
_NEIGHBOURS = (
    f"SELECT m.id, {_BESIDE.format('<', 'DESC')} AS before, {_BESIDE.format('>', 'ASC')} AS after FROM memories m"
    " WHERE m.id IN (SELECT value FROM json_each(?)) AND +m.owner = ? AND m.session IS NOT NULL"
)
_TURN = (
    "(SELECT substr(n.text, {}) FROM messages n WHERE n.conversation = m.conversation AND n.id {} m.id"
    " AND n.channel = 'spoken' AND n.active ORDER BY n.id {} LIMIT 1)"
)
_TURNS = (
    "SELECT v.memory, substr(m.text, max(v.start - ?1, 0) + 1, v.end - v.start + 2 * ?1) AS own,"
    f" {_TURN.format('-?1', '<', 'DESC')} AS before, {_TURN.format('1, ?1', '>', 'ASC')} AS after"
    " FROM evidence v JOIN messages m ON m.id = v.message"
    " WHERE v.memory IN (SELECT value FROM json_each(?2)) ORDER BY v.id"
)


def _surroundings(connection: sqlite3.Connection, owner: str, ids: Sequence[int]) -> dict[int, list[str]]:
    """Return the texts around each memory: the turns about its quotes, or its neighbours in an imported session."""
    found: dict[int, list[str]] = {}
    for row in connection.execute(_TURNS, (_AROUND, json_list(ids))):
        parts = found.setdefault(row["memory"], [])
        if len(parts) < 3 * _QUOTES:
            parts += [row["before"] or "", row["own"], row["after"] or ""]
    for row in connection.execute(_NEIGHBOURS.format("text"), (json_list(ids), owner)):
        found.setdefault(row["id"], [row["before"] or "", row["after"] or ""])
    return found


def context(text: str, said: Sequence[str]) -> str:
    """Return a memory's text amid the texts around it; once, where those hold it word for word."""
    parts = [part for part in dict.fromkeys(said) if part]
    own = () if any(text in part for part in parts) else (text,)
    return re.sub(r"\s+", " ", "\n".join((*own, *parts)))
