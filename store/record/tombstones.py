"""What was let go must not come back: one tombstone a memory, found again by its content key (I5)."""

import sqlite3
from collections.abc import Sequence

import orjson

from store.record.journal import Writer

_PURGED = "EXISTS (SELECT 1 FROM memories p WHERE p.id = tombstones.memory AND p.life = 'purged')"


def blocking(connection: sqlite3.Connection, owner: str, hashed_key: str, purged_only: bool = False) -> int | None:
    """The memory that says this and was let go, if there is one; only a purged one if that is asked."""
    row = connection.execute(
        "SELECT memory FROM tombstones WHERE owner = ? AND content_key = ?"
        + (f" AND {_PURGED}" if purged_only else ""),
        (owner, hashed_key),
    ).fetchone()
    return None if row is None else int(row[0])


def buried(connection: sqlite3.Connection, memories: Sequence[int]) -> set[int]:
    """Those of these memories that were let go and must not come back."""
    rows = connection.execute(
        "SELECT m.id FROM memories m WHERE m.id IN (SELECT value FROM json_each(?)) AND m.life = 'forgotten'"
        " AND EXISTS (SELECT 1 FROM tombstones t WHERE t.owner = m.owner AND t.memory = m.id)",
        (orjson.dumps(list(memories)).decode(),),
    )
    return {row[0] for row in rows}


def purged_in(connection: sqlite3.Connection, conversation: int) -> bool:
    """Return whether a message of a conversation is cited by a purged memory."""
    row = connection.execute(
        "SELECT 1 FROM messages s JOIN evidence v ON v.message = s.id JOIN memories m ON m.id = v.memory"
        " WHERE s.conversation = ? AND m.life = 'purged' LIMIT 1",
        (conversation,),
    ).fetchone()
    return row is not None


def buried_texts(connection: sqlite3.Connection, owner: str, memories: Sequence[int]) -> dict[int, str]:
    """The words of those of the owner's memories that were let go and must not come back."""
    rows = connection.execute(
        "SELECT m.id, m.text FROM memories m WHERE m.id IN (SELECT value FROM json_each(?)) AND +m.owner = ?"
        " AND m.life = 'forgotten' AND EXISTS (SELECT 1 FROM tombstones t WHERE t.owner = m.owner"
        " AND t.content_key = m.content_key AND t.memory = m.id)",
        (orjson.dumps(list(memories)).decode(), owner),
    )
    return {row[0]: row[1] for row in rows}


def any_buried(connection: sqlite3.Connection, owner: str) -> bool:
    """Whether the owner let go of anything."""
    return connection.execute("SELECT 1 FROM tombstones WHERE owner = ? LIMIT 1", (owner,)).fetchone() is not None


def bury(writer: Writer, memories: Sequence[int]) -> None:
    """Put up a tombstone for each memory that has none."""
    rows = writer.connection.execute(
        "SELECT m.owner, m.content_key, m.id FROM memories m WHERE m.id IN (SELECT value FROM json_each(?))"
        " AND NOT EXISTS (SELECT 1 FROM tombstones t WHERE t.owner = m.owner AND t.content_key = m.content_key"
        " AND t.memory = m.id)",
        (orjson.dumps(list(memories)).decode(),),
    ).fetchall()
    writer.insert("tombstones", ("owner", "content_key", "memory"), [tuple(row) for row in rows])


def lift(writer: Writer, memories: Sequence[int]) -> None:
    """Take away every tombstone that keeps one of these memories from coming back; those of purged ones stay."""
    chosen = orjson.dumps(list(memories)).decode()
    keys = "SELECT content_key FROM memories WHERE id IN (SELECT value FROM json_each(?))"
    writer.delete(
        "tombstones",
        f"owner = ? AND NOT {_PURGED} AND (content_key IN ({keys}) OR memory IN (SELECT value FROM json_each(?)))",
        (writer.owner, chosen, chosen),
    )
