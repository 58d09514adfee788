"""Conversations as they are listed: ids in order, cheap for any number, and rows with counts for those in view."""

import sqlite3
from collections.abc import Sequence

import orjson

from store.model import Conversation, Evidence
from store.record.raw_messages import VISIBLE

_SEEN = "EXISTS (SELECT 1 FROM segments s WHERE s.conversation = c.id)"  # a segment has messages
_LITERAL = str.maketrans({sign: f"!{sign}" for sign in "!%_"})


def conversation_ids(connection: sqlite3.Connection, owner: str, source: str | None, words: str) -> list[int]:
    """The visible conversations, newest first: of one source or any, with all of some words in the title."""
    where, parameters = ("", [owner]) if source is None else (" AND c.source = ?", [owner, source])
    for word in words.split():
        where += " AND c.title LIKE ? ESCAPE '!'"
        parameters.append(f"%{word.translate(_LITERAL)}%")
    rows = connection.execute(
        f"SELECT c.id FROM conversations c WHERE c.owner = ? AND {_SEEN}{where} ORDER BY c.created_at DESC, c.id DESC",
        parameters,
    )
    return [row[0] for row in rows]


def source_counts(connection: sqlite3.Connection, owner: str) -> list[tuple[str, int]]:
    """How many visible conversations there are of each source, most first."""
    rows = connection.execute(
        f"SELECT c.source, count(*) AS n FROM conversations c WHERE c.owner = ? AND {_SEEN}"
        " GROUP BY c.source ORDER BY n DESC, c.source",
        (owner,),
    )
    return [(row[0], row[1]) for row in rows]


def conversations(connection: sqlite3.Connection, owner: str, numbers: Sequence[int]) -> list[Conversation]:
    """The visible ones of these conversations, in the order asked, with counts."""
    rows = connection.execute(
        f"SELECT c.*, (SELECT count(*) FROM messages m WHERE m.conversation = c.id AND {VISIBLE}) AS messages,"
        " (SELECT count(DISTINCT v.memory) FROM messages n JOIN evidence v ON v.message = n.id"
        " JOIN memories y ON y.id = v.memory AND y.life = 'live' WHERE n.conversation = c.id) AS memories"
        " FROM json_each(?) w CROSS JOIN conversations c ON c.id = w.value"
        f" WHERE c.owner = ? AND {_SEEN} ORDER BY w.key",
        (orjson.dumps(list(numbers)).decode(), owner),
    )
    return [
        Conversation(
            row["id"],
            row["source"],
            row["external_id"],
            row["title"],
            row["created_at"],
            row["project"],
            bool(row["agent"]),
            row["messages"],
            row["memories"],
            row["ident"],
        )
        for row in rows
    ]


def quotes(connection: sqlite3.Connection, owner: str, conversation: int) -> list[Evidence]:
    """The quotes from one conversation, whatever became of their memories, in reading order."""
    rows = connection.execute(
        "SELECT v.id, v.memory, v.quote, v.start, v.end, m.id AS message, m.conversation, m.external_id AS reference,"
        " c.source, c.title, coalesce(m.created_at, c.created_at) AS said_at FROM messages m"
        " JOIN evidence v ON v.message = m.id JOIN memories y ON y.id = v.memory AND +y.owner = ?"
        f" JOIN conversations c ON c.id = m.conversation WHERE m.conversation = ? AND {VISIBLE}"
        " ORDER BY m.id, v.start, v.end, v.id",
        (owner, conversation),
    )
    return [Evidence(**dict(row)) for row in rows]
