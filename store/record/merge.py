"""What becomes of quotes, tags and former texts when one memory takes the place of others."""

import sqlite3
from collections.abc import Sequence

import orjson

from store import clock
from store.record.changes import Value
from store.record.journal import Writer
from store.record.memories import EVIDENCE, next_id

_VERSIONS = ("id", "memory", "text", "content_key", "at", "merged_from")


def absorb(writer: Writer, survivor: int, others: Sequence[int]) -> None:
    """Copy to a memory what others hold and it does not; what they say becomes versions that name them.

    They keep theirs, so that restoring one of them brings it back whole.
    """
    chosen = orjson.dumps(sorted(others)).decode()
    _copy_evidence(writer, survivor, chosen)
    _copy_versions(writer, survivor, chosen)
    rows = writer.connection.execute(
        "SELECT DISTINCT tag FROM tags WHERE memory IN (SELECT value FROM json_each(?))"
        " AND tag NOT IN (SELECT tag FROM tags WHERE memory = ?) ORDER BY tag",
        (chosen, survivor),
    )
    writer.insert("tags", ("memory", "tag"), [(survivor, row[0]) for row in rows.fetchall()])


def taken_back(connection: sqlite3.Connection, one: int, other: int) -> bool:
    """Whether the person has decided on these two live memories as a pair: a machine does not make one of them then.

    A sweep had merged them and that was taken back, by undo or by restoring one, or an alert of theirs was settled.
    """
    row = connection.execute(
        "SELECT 1 FROM touched t JOIN events e ON e.seq = t.seq JOIN commands c ON c.id = e.command"
        " AND c.actor = 'sweep' AND c.verb = 'merge' WHERE t.memory = ?1 AND EXISTS"
        " (SELECT 1 FROM touched u JOIN events f ON f.seq = u.seq AND f.command = c.id WHERE u.memory = ?2)"
        " UNION ALL SELECT 1 FROM alerts WHERE ((a = ?1 AND b = ?2) OR (a = ?2 AND b = ?1))"
        " AND (settled IS NOT NULL OR former <> '[]')",
        (one, other),
    ).fetchone()
    return row is not None


def _copy_evidence(writer: Writer, survivor: int, chosen: str) -> None:
    columns = ", ".join(EVIDENCE[2:])
    place = "message, reference, start, quote"
    own = writer.connection.execute(f"SELECT {place} FROM evidence WHERE memory = ?", (survivor,))
    there = {tuple(row) for row in own}
    found = writer.connection.execute(
        f"SELECT {columns} FROM evidence WHERE memory IN (SELECT value FROM json_each(?)) ORDER BY id", (chosen,)
    )
    rows: list[tuple[Value, ...]] = []
    first = next_id(writer.connection, "evidence")
    for row in found.fetchall():
        mark = (row["message"], row["reference"], row["start"], row["quote"])
        if mark not in there:
            there.add(mark)
            rows.append((first + len(rows), survivor, *row))
    writer.insert("evidence", EVIDENCE, rows)


def _copy_versions(writer: Writer, survivor: int, chosen: str) -> None:
    """Former texts keep their time and what they were merged from; what is said now is former from now on."""
    own = writer.connection.execute("SELECT text, merged_from FROM versions WHERE memory = ?", (survivor,))
    there = {tuple(row) for row in own}
    found = writer.connection.execute(
        "SELECT text, content_key, at, coalesce(merged_from, memory) AS merged_from, memory, id FROM versions"
        " WHERE memory IN (SELECT value FROM json_each(?1))"
        " UNION ALL SELECT text, content_key, ?2, id, id, 9e18 FROM memories"
        " WHERE id IN (SELECT value FROM json_each(?1))"
        " ORDER BY memory, id",
        (chosen, clock.now()),
    )
    rows: list[tuple[Value, ...]] = []
    first = next_id(writer.connection, "versions")
    for row in found.fetchall():
        if (row["text"], row["merged_from"]) not in there:
            there.add((row["text"], row["merged_from"]))
            rows.append((first + len(rows), survivor, row["text"], row["content_key"], row["at"], row["merged_from"]))
    writer.insert("versions", _VERSIONS, rows)
