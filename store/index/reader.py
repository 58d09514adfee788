"""What the index reads from the record: always rows as they are, never events, so that reading twice is harmless."""

import contextlib
import re
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import orjson

from store.filter import Dialect, Filter
from store.model import Fingerprint, Kind, Life, Memory, Review, Tier
from store.record import database
from store.record.changes import touched_since
from store.record.memory_queries import MemoryQueries
from store.record.vectors import space as space_of
from store.store import Store

_AROUND = 300  # characters of a message kept on either side of a quote, and of the turns before and after
_QUOTES = 4  # quotes of one memory whose surroundings are searched


@dataclass(frozen=True, slots=True)
class Row:
    """A live memory as it is indexed. `context` is its text amid what was said around it."""

    memory: Memory
    context: str
    vector: bytes | None  # little-endian float32
    conflict: bool


@dataclass(frozen=True, slots=True)
class Outline:
    """What ranking needs of a live memory, and where it was said: the turn `ordinal` of a conversation or session
    `group`, or nowhere."""

    id: int
    text: str
    kind: Kind
    tier: Tier
    review: Review
    pinned: bool
    importance: int
    subject: str | None
    created_at: int | None
    expires_at: int | None
    group: str | None
    ordinal: int
    flag: str | None = None


@contextlib.contextmanager
def snapshot(store: Store) -> Iterator[sqlite3.Connection]:
    """The record at one moment, for several reads that must agree."""
    with store.sqlite() as connection, database.snapshot(connection):
        yield connection


def last_event(connection: sqlite3.Connection) -> int:
    """The number of the last event."""
    return int(connection.execute("SELECT coalesce(max(seq), 0) FROM events").fetchone()[0])


def last_vector(connection: sqlite3.Connection) -> int:
    """The number of the last vector that was ever kept, of any fingerprint."""
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'vectors'").fetchone()
    return 0 if row is None else int(row[0])


def last_message(connection: sqlite3.Connection) -> int:
    """The number of the last message, of any owner."""
    return int(connection.execute("SELECT coalesce(max(id), 0) FROM messages").fetchone()[0])


def changed(connection: sqlite3.Connection, fingerprint: Fingerprint, seq: int, vector: int) -> set[int]:
    """Memories touched by events after `seq`, or embedded after `vector`, those gone since included.

    Both sides of a changed alert count as touched: they can be searched for by it.
    """
    found = touched_since(connection, seq)
    space = space_of(connection, fingerprint)
    rows = connection.execute("SELECT memory FROM vectors WHERE id > ? AND +space = ?", (vector, space))
    found.update(row[0] for row in rows)
    return found


def beside(connection: sqlite3.Connection, owner: str, ids: Collection[int]) -> set[int]:
    """The memories just before and after these in their sessions: their context holds the text of these."""
    rows = connection.execute(_NEIGHBOURS.format("id"), (_json(ids), owner))
    return {row[side] for row in rows for side in ("before", "after") if row[side] is not None}


def purged(connection: sqlite3.Connection, ids: Collection[int]) -> bool:
    """Whether any of these memories was purged."""
    row = connection.execute(
        "SELECT 1 FROM memories WHERE life = 'purged' AND id IN (SELECT value FROM json_each(?))", (_json(ids),)
    ).fetchone()
    return row is not None


def live_ids(connection: sqlite3.Connection, owner: str) -> list[int]:
    """All live memories, in order of id."""
    return [
        row[0]
        for row in connection.execute("SELECT id FROM memories WHERE owner = ? AND life = 'live' ORDER BY id", (owner,))
    ]


def matching(connection: sqlite3.Connection, owner: str, filter: Filter, ids: Collection[int]) -> set[int]:
    """Those of these memories that a filter means."""
    rows = connection.execute(
        "SELECT id FROM memories WHERE id IN (SELECT value FROM json_each(?)) AND +owner = ?"
        f" AND {filter.sql(Dialect.SQLITE)}",
        (_json(ids), owner),
    )
    return {row[0] for row in rows}


def rows(connection: sqlite3.Connection, owner: str, fingerprint: Fingerprint, ids: Sequence[int]) -> list[Row]:
    """The live ones among these memories, ready to be indexed."""
    live = [memory for memory in MemoryQueries.on(connection, owner).get_many(ids) if memory.life is Life.LIVE]
    numbers = [memory.id for memory in live]
    embedded = vectors(connection, fingerprint, numbers)
    conflicts = matching(connection, owner, Filter(conflict=True), numbers)
    said = _surroundings(connection, owner, numbers)
    return [
        Row(memory, _context(memory.text, said.get(memory.id, [])), embedded.get(memory.id), memory.id in conflicts)
        for memory in live
    ]


def vectors(connection: sqlite3.Connection, fingerprint: Fingerprint, ids: Collection[int]) -> dict[int, bytes]:
    """The vectors of these memories, as far as they have one of this fingerprint."""
    found = connection.execute(
        "SELECT memory, vector FROM vectors WHERE space = ? AND memory IN (SELECT value FROM json_each(?))",
        (space_of(connection, fingerprint), _json(ids)),
    )
    return dict(found.fetchall())


def outlines(connection: sqlite3.Connection, ids: Sequence[int]) -> dict[int, Outline]:
    """What ranking needs of many memories at once, of those that are live."""
    said: dict[int, tuple[str, int]] = {}
    for row in connection.execute(
        "SELECT v.memory, m.conversation, m.ordinal FROM evidence v JOIN messages m ON m.id = v.message"
        " WHERE v.memory IN (SELECT value FROM json_each(?)) ORDER BY v.id",
        (_json(ids),),
    ):
        said.setdefault(row["memory"], (f"c{row['conversation']}", row["ordinal"]))
    found: dict[int, Outline] = {}
    for (
        number,
        text,
        kind,
        tier,
        review,
        pinned,
        importance,
        subject,
        created,
        expires,
        flag,
        session,
        place,
    ) in connection.execute(
        "SELECT id, text, kind, tier, review, pinned, importance, subject, created_at, expires_at, flag, session,"
        " ordinal FROM memories WHERE id IN (SELECT value FROM json_each(?)) AND +life = 'live'",
        (_json(ids),),
    ):
        own = (None if session is None else f"s{session}", place or 0)
        found[number] = Outline(
            number, text, Kind(kind), Tier(tier), Review(review), bool(pinned), importance, subject, created, expires,
            *said.get(number, own), flag=flag,
        )  # fmt: skip
    return found


def state(connection: sqlite3.Connection, owner: str, fingerprint: Fingerprint) -> dict[int, list[int | bool]]:
    """Every live memory: the last event that touched it, and whether it has a vector."""
    rows = connection.execute(
        "SELECT id, seq, EXISTS (SELECT 1 FROM vectors v WHERE v.memory = m.id AND v.space = ?) AS embedded"
        " FROM memories m WHERE owner = ? AND life = 'live'",
        (space_of(connection, fingerprint), owner),
    )
    return {row["id"]: [row["seq"], bool(row["embedded"])] for row in rows}


def message_ids(connection: sqlite3.Connection, owner: str) -> set[int]:
    """Every message of the owner."""
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
    """What was said around each memory: the turns about its quotes, or its neighbours in an imported session."""
    found: dict[int, list[str]] = {}
    for row in connection.execute(_TURNS, (_AROUND, _json(ids))):
        parts = found.setdefault(row["memory"], [])
        if len(parts) < 3 * _QUOTES:
            parts += [row["before"] or "", row["own"], row["after"] or ""]
    for row in connection.execute(_NEIGHBOURS.format("text"), (_json(ids), owner)):
        found.setdefault(row["id"], [row["before"] or "", row["after"] or ""])
    return found


def _context(text: str, said: Sequence[str]) -> str:
    """A memory's text amid what was said around it; once, where that holds it word for word."""
    parts = [part for part in dict.fromkeys(said) if part]
    own = () if any(text in part for part in parts) else (text,)
    return re.sub(r"\s+", " ", "\n".join((*own, *parts)))


def _json(numbers: Collection[int]) -> str:
    return orjson.dumps(list(numbers)).decode()
