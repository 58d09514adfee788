"""Purge: the words of a memory leave the record for good; ids, and keyed hashes that recognise them, stay.

Everything else in the store may be undone. This may not, and ends undo for the commands that touched the memory.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import orjson

from store.errors import Conflict
from store.record.changes import Change, Delete, Insert, Update, Value, decode, encode
from store.record.journal import Writer

BLOT = "█"
_WORDS = {
    "memories": ("text", "subject", "relation", "object", "surprise"),
    "evidence": ("quote", "title"),
    "versions": ("text",),
    "alerts": ("reasons",),
}
_MEMORY = {"memories": ("id",), "evidence": ("memory",), "versions": ("memory",), "alerts": ("a", "b")}
_SHORTEST = 4  # a needle shorter than this would blot half the log


@dataclass(frozen=True, slots=True)
class Purged:
    """What a purge erased."""

    memories: tuple[int, ...]
    messages: int
    events: int


def everyone_meant(connection: sqlite3.Connection, owner: str, memories: Sequence[int]) -> list[int]:
    """These memories and all that say exactly the same or were merged into them."""
    meant = set(memories)
    while True:
        rows = connection.execute(
            "SELECT id FROM memories WHERE owner = ? AND life <> 'purged' AND (content_key IN (SELECT content_key FROM"
            " memories WHERE id IN (SELECT value FROM json_each(?)))"
            " OR superseded_by IN (SELECT value FROM json_each(?)))",
            (owner, _json(meant), _json(meant)),
        )
        wider = meant | {row[0] for row in rows}
        if wider == meant:
            return sorted(meant)
        meant = wider


def purge(writer: Writer, memories: Sequence[int]) -> Purged:
    """Erase memories from rows, journal, raw messages and vectors, inside the writer's transaction.

    Raises Conflict, naming it, if a memory that is to stay holds the same words. The caller compacts the file and
    drops the projections afterwards; until then freed pages may still hold them.
    """
    connection = writer.connection
    chosen = set(memories)
    needles = _needles(connection, chosen)
    _refuse_if_kept_elsewhere(connection, chosen, needles)
    connection.executemany(
        "UPDATE commands SET undoable = 0 WHERE id IN (SELECT e.command FROM touched t JOIN events e ON e.seq = t.seq"
        " WHERE t.memory = ?)",
        ((memory,) for memory in chosen),
    )
    for table, (first, *rest) in _MEMORY.items():
        words = ", ".join(f"{column} = {_blank(table, column)}" for column in _WORDS[table])
        places = " OR ".join(f"{column} IN (SELECT value FROM json_each(?1))" for column in (first, *rest))
        connection.execute(f"UPDATE {table} SET {words} WHERE {places}", (_json(chosen),))
    for table in ("vectors", "unembedded"):
        connection.execute(f"DELETE FROM {table} WHERE memory IN (SELECT value FROM json_each(?))", (_json(chosen),))
    messages = _blot_messages(connection, chosen, needles)
    _blot_column(connection, "conversations", "title", needles)
    _blot_column(connection, "evidence", "quote", needles)
    _blot_column(connection, "versions", "text", needles)
    events = _scrub_journal(connection, chosen, needles)
    keys = connection.execute(
        "SELECT content_key, id FROM memories WHERE id IN (SELECT value FROM json_each(?))", (_json(chosen),)
    ).fetchall()
    for key, memory in keys:
        there = connection.execute(
            "SELECT 1 FROM tombstones WHERE owner = ? AND content_key = ? AND memory = ?",
            (writer.owner, key, memory),
        ).fetchone()
        if there is None:
            writer.insert("tombstones", ("owner", "content_key", "memory"), [(writer.owner, key, memory)])
    writer.update("memories", sorted(chosen), {"life": "purged"})
    connection.execute("UPDATE commands SET undoable = 0 WHERE id = ?", (writer.id,))
    return Purged(tuple(sorted(chosen)), messages, events)


def compact(connection: sqlite3.Connection) -> bool:
    """Rewrite the file and empty the log beside it; False if another process is reading and it must be tried again."""
    connection.execute("VACUUM")
    busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    return not busy


def _blank(table: str, column: str) -> str:
    if table == "alerts":
        return "'[]'"
    return "''" if column in ("text", "quote") else "NULL"


def _needles(connection: sqlite3.Connection, memories: set[int]) -> list[str]:
    """The words to erase, longest first: texts, former texts and quotes."""
    found: set[str] = set()
    for query in (
        "SELECT text FROM memories WHERE id IN (SELECT value FROM json_each(?))",
        "SELECT text FROM versions WHERE memory IN (SELECT value FROM json_each(?))",
        "SELECT quote FROM evidence WHERE memory IN (SELECT value FROM json_each(?))",
    ):
        found |= {row[0].strip() for row in connection.execute(query, (_json(memories),))}
    return sorted((text for text in found if len(text) >= _SHORTEST), key=len, reverse=True)


def _refuse_if_kept_elsewhere(connection: sqlite3.Connection, chosen: set[int], needles: list[str]) -> None:
    for needle in needles:
        row = connection.execute(
            "SELECT id FROM memories WHERE instr(text, ?) AND id NOT IN (SELECT value FROM json_each(?))",
            (needle, _json(chosen)),
        ).fetchone()
        if row is not None:
            raise Conflict(f"memory {row[0]} holds the same words: purge it too, or edit it first")


def _blot_messages(connection: sqlite3.Connection, chosen: set[int], needles: list[str]) -> int:
    """Cover the quoted spans, and the same words wherever else they were said, keeping every offset."""
    spans: dict[int, list[tuple[int, int]]] = {}
    for row in connection.execute(
        "SELECT message, start, end FROM evidence WHERE message IS NOT NULL"
        " AND memory IN (SELECT value FROM json_each(?))",
        (_json(chosen),),
    ):
        spans.setdefault(row[0], []).append((row[1], row[2]))
    for needle in needles:
        for row in connection.execute("SELECT id FROM messages WHERE instr(text, ?)", (needle,)):
            spans.setdefault(row[0], [])
    for message, places in spans.items():
        (text,) = connection.execute("SELECT text FROM messages WHERE id = ?", (message,)).fetchone()
        for start, end in places:
            text = text[:start] + BLOT * (min(end, len(text)) - start) + text[end:]
        connection.execute("UPDATE messages SET text = ? WHERE id = ?", (blotted(text, needles), message))
        _blot_quotes(connection, message, places)
    return len(spans)


def _blot_quotes(connection: sqlite3.Connection, message: int, places: list[tuple[int, int]]) -> None:
    """Other memories' quotes that overlap what was covered follow the message."""
    (text,) = connection.execute("SELECT text FROM messages WHERE id = ?", (message,)).fetchone()
    for row in connection.execute(
        "SELECT id, start, end, quote FROM evidence WHERE message = ? AND quote <> ''", (message,)
    ).fetchall():
        if any(row[1] < end and start < row[2] for start, end in places):
            connection.execute("UPDATE evidence SET quote = ? WHERE id = ?", (text[row[1] : row[2]], row[0]))


def _blot_column(connection: sqlite3.Connection, table: str, column: str, needles: list[str]) -> None:
    for needle in needles:
        for row in connection.execute(
            f"SELECT id, {column} FROM {table} WHERE instr({column}, ?)", (needle,)
        ).fetchall():
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE id = ?", (blotted(row[1], needles), row[0]))


def blotted(text: str, needles: Iterable[str]) -> str:
    """The text with every occurrence of the needles covered, code point for code point."""
    for needle in needles:
        text = text.replace(needle, BLOT * len(needle))
    return text


def _scrub_journal(connection: sqlite3.Connection, chosen: set[int], needles: list[str]) -> int:
    """Rewrite the events that speak of these memories or hold their words; returns how many."""
    scrubbed = 0
    quotes = dict(connection.execute("SELECT id, quote FROM evidence").fetchall())
    for row in connection.execute("SELECT seq, changes FROM events").fetchall():
        changes = decode(row[1])
        clean = [part for change in changes for part in _scrub(change, chosen, needles, quotes)]
        if clean != changes:
            connection.execute("UPDATE events SET changes = ? WHERE seq = ?", (encode(clean), row[0]))
            scrubbed += 1
    return scrubbed


def _scrub(change: Change, chosen: set[int], needles: list[str], quotes: dict[int, str]) -> list[Change]:
    words = [n for n, column in enumerate(change.columns) if column in _WORDS.get(change.table, ())]
    if not words:
        return [change]
    if isinstance(change, Update):
        mine = tuple(key for key in change.keys if change.table == "memories" and key[0] in chosen)
        others = tuple(key for key in change.keys if key not in mine)
        parts: list[Change] = []
        if mine:
            before, after = (_emptied(change, values, words) for values in (change.before, change.after))
            parts.append(replace(change, keys=mine, before=before, after=after))
        if others:
            parts.append(replace(change, keys=others))
        return parts
    rows = tuple(_scrubbed_row(change, row, words, chosen, needles, quotes) for row in change.rows)
    return [replace(change, rows=rows)]


def _scrubbed_row(
    change: Insert | Delete,
    row: tuple[Value, ...],
    words: list[int],
    chosen: set[int],
    needles: list[str],
    quotes: dict[int, str],
) -> tuple[Value, ...]:
    named = [row[change.columns.index(column)] for column in _MEMORY[change.table]]
    if any(memory in chosen for memory in named):
        return _emptied(change, row, words)
    out = list(row)
    for n in words:
        value = row[n]
        if change.table == "evidence" and change.columns[n] == "quote":
            number = row[change.columns.index("id")]
            out[n] = quotes.get(int(number or 0), blotted(str(value), needles))
        elif isinstance(value, str):
            out[n] = blotted(value, needles)
    return tuple(out)


def _emptied(change: Change, values: tuple[Value, ...], words: list[int]) -> tuple[Value, ...]:
    out = list(values)
    for n in words:
        column = change.columns[n]
        out[n] = "[]" if column == "reasons" else "" if column in ("text", "quote") else None
    return tuple(out)


def _json(memories: Iterable[int]) -> str:
    return orjson.dumps(sorted(memories)).decode()
