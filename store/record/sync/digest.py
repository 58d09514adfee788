"""A hash of the replicated state: equal on devices that have folded the same segments."""

import hashlib
import sqlite3
from collections.abc import Iterator

import orjson

from store.record.sync.names import References
from store.record.sync.pairs import turned

_LOCAL = frozenset({"id", "seq", "device", "superseded_by"})


def digest(connection: sqlite3.Connection) -> str:
    """Return the hash, in the caller's snapshot."""
    hashed = hashlib.sha256()
    for line in sorted({orjson.dumps(row) for row in rows(connection)}):
        hashed.update(line + b"\n")
    return hashed.hexdigest()


def rows(connection: sqlite3.Connection) -> Iterator[list[object]]:
    names = References(connection)
    known = {
        row[0]: f"{names.uid(row[1])}:{row[2]}"
        for row in connection.execute("SELECT id, device, number FROM sync_memories")
    }
    purged: set[int] = set()
    for row in connection.execute("SELECT * FROM memories").fetchall():
        if row["life"] == "purged":
            purged.add(row["id"])
            yield ["memory", known[row["id"]], "purged"]
            continue
        fields = {name: row[name] for name in row.keys() if name not in _LOCAL}  # noqa: SIM118
        yield ["memory", known[row["id"]], sorted(fields.items()), known.get(row["superseded_by"])]
    for memory, tag in connection.execute("SELECT memory, tag FROM tags"):
        yield ["tag", known.get(memory), tag]
    for memory, key, owner in connection.execute("SELECT memory, content_key, owner FROM tombstones"):
        yield ["tombstone", known.get(memory), key, owner]
    for memory, text, at, merged in connection.execute("SELECT memory, text, at, merged_from FROM versions").fetchall():
        if memory not in purged:
            yield ["version", known[memory], text, *([at] if merged is None else [known.get(merged, merged)])]
    quotes = connection.execute(
        "SELECT e.memory, hex(m.ident), e.start, e.end, e.quote, e.reference FROM evidence e"
        " LEFT JOIN messages m ON m.id = e.message"
    )
    for memory, *quote in quotes.fetchall():
        if memory not in purged:
            yield ["quote", known[memory], *quote]
    for row in connection.execute("SELECT * FROM alerts").fetchall():
        sides = [row["a"], row["b"]]
        if purged.isdisjoint(sides) and known.keys() >= {*sides}:
            yield ["alert", *alert(names, known, row, sides)]
    said = connection.execute(
        "SELECT hex(m.ident), hex(c.ident), m.batch, m.role, m.channel, m.text, EXISTS (SELECT 1 FROM segments s"
        " WHERE s.conversation = m.conversation AND s.batch = m.batch) FROM messages m"
        " JOIN conversations c ON c.id = m.conversation"
    )
    for ident, conversation, batch, *message in said.fetchall():
        yield ["message", ident, conversation, _command(names, batch), *message]
    asked = "SELECT hex(m.ident), a.start, a.end, a.seen FROM asked a JOIN messages m ON m.id = a.message"
    for request in connection.execute(asked):
        yield ["request", *request]


def alert(names: References, known: dict[int, str], row: sqlite3.Row, sides: list[int]) -> list[object]:
    fields = {name: row[name] for name in row.keys() if name not in ("id", "a", "b", "settled_by")}  # noqa: SIM118
    if names.order(sides[0]) > names.order(sides[1]):
        fields, sides = turned(fields), sides[::-1]
    return [*(known[side] for side in sides), sorted(fields.items()), _command(names, row["settled_by"])]


def _command(names: References, command: int | None) -> str | None:
    ref = None if command is None else names.of_command(command)
    return None if ref is None else f"{names.uid(ref[0])}:{ref[1]}"
