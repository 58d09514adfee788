"""What the gates refused. A passage that a live memory quotes was taken in since, and is no longer among them."""

import sqlite3
from collections.abc import Sequence

from store.errors import NotFound
from store.model import Kind, Refusal
from store.record.raw_messages import VISIBLE

_ROWS = " FROM refusals r JOIN messages m ON m.id = r.message JOIN conversations c ON c.id = m.conversation WHERE"
_NEWEST_FIRST = _ROWS.replace("JOIN", "CROSS JOIN")  # read in the order of the refusals' own key, not by conversation
_OPEN = (  # the owner's, visible, and quoted by no live memory
    f" c.owner = ? AND {VISIBLE}"
    " AND NOT EXISTS (SELECT 1 FROM evidence v JOIN memories y ON y.id = v.memory"
    " WHERE v.message = r.message AND v.start = r.start AND v.end = r.end AND y.life = 'live')"
)


def put_refusals(connection: sqlite3.Connection, distiller: str, refusals: Sequence[Refusal]) -> None:
    """Keep what the gates refused, for the person to see; of several distillers the last has the word on a passage."""
    connection.executemany(
        "DELETE FROM refusals WHERE message = ? AND start = ? AND end = ?",
        ((r.message, r.start, r.end) for r in refusals),
    )
    connection.executemany(
        "INSERT OR REPLACE INTO refusals (message, start, end, distiller, reason, kind, confidence)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        ((r.message, r.start, r.end, distiller, r.reason, r.kind, r.confidence) for r in refusals),
    )


def drop(connection: sqlite3.Connection, conversation: int, reason: str) -> None:
    """Forget what was refused for one reason in a conversation."""
    connection.execute(
        "DELETE FROM refusals WHERE reason = ? AND message IN (SELECT id FROM messages WHERE conversation = ?)",
        (reason, conversation),
    )


def refusals(connection: sqlite3.Connection, owner: str, conversation: int | None) -> list[Refusal]:
    """What was refused in one conversation, or everywhere, in reading order."""
    where, parameters = ("", [owner]) if conversation is None else (" AND m.conversation = ?", [owner, conversation])
    rows = connection.execute(f"SELECT r.*{_ROWS}{_OPEN}{where} ORDER BY m.conversation, m.id, r.start", parameters)
    return [_refusal(row) for row in rows]


def refusal(connection: sqlite3.Connection, owner: str, message: int, start: int, end: int) -> Refusal:
    """The refused passage at a place. Raises NotFound."""
    where = " AND r.message = ? AND r.start = ? AND r.end = ?"
    row = connection.execute(f"SELECT r.*{_ROWS}{_OPEN}{where}", (owner, message, start, end)).fetchone()
    if row is None:
        raise NotFound(f"nothing refused stands at {message}:{start}-{end}; `curator refused` lists what does")
    return _refusal(row)


def page(
    connection: sqlite3.Connection, owner: str, reason: str | None, after: tuple[int, int, int] | None, limit: int
) -> list[Refusal]:
    """Refusals after a place: the message stored last first, those of one message in reading order."""
    where = "" if reason is None else " AND r.reason = ?"
    parameters: list[str | int] = [owner] if reason is None else [owner, reason]
    if after is not None:
        where += " AND r.message <= ? AND (r.message < ? OR (r.start, r.end) > (?, ?))"
        parameters += [after[0], *after]
    rows = connection.execute(
        f"SELECT r.*{_NEWEST_FIRST}{_OPEN}{where} ORDER BY r.message DESC, r.start, r.end LIMIT ?",
        (*parameters, limit),
    )
    return [_refusal(row) for row in rows]


def counts(connection: sqlite3.Connection, owner: str) -> list[tuple[str, int]]:
    """How much is refused for each reason, most first."""
    rows = connection.execute(
        f"SELECT r.reason, count(*) AS n{_NEWEST_FIRST}{_OPEN} GROUP BY r.reason ORDER BY n DESC, r.reason", (owner,)
    )
    return [(row[0], row[1]) for row in rows]


def counts_by_import(connection: sqlite3.Connection, owner: str) -> list[tuple[int, str, int]]:
    """How much is refused in the messages of each import (command, reason, count), most first. Reads them all."""
    rows = connection.execute(
        f"SELECT m.batch, r.reason, count(*) AS n{_NEWEST_FIRST}{_OPEN} GROUP BY m.batch, r.reason"
        " ORDER BY n DESC, r.reason",
        (owner,),
    )
    return [(row[0], row[1], row[2]) for row in rows]


def _refusal(row: sqlite3.Row) -> Refusal:
    return Refusal(
        row["message"],
        row["start"],
        row["end"],
        row["reason"],
        None if row["kind"] is None else Kind(row["kind"]),
        row["confidence"],
    )
