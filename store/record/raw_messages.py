"""The raw layer: conversations and messages as they were imported, append-only."""

import hashlib
import sqlite3
from collections.abc import Sequence

import orjson

from store import uids
from store.errors import NotFound
from store.model import (
    DISTILLED_CHANNELS,
    Actor,
    Channel,
    FileMark,
    ImportCounts,
    Message,
    NewConversation,
    Role,
)
from store.record import meta
from store.record.journal import Writer
from store.record.memories import hashed
from store.sanitize import storable

VISIBLE = "EXISTS (SELECT 1 FROM segments s WHERE s.conversation = m.conversation AND s.batch = m.batch)"
_MESSAGE = (
    "m.id, m.conversation, m.ordinal, m.role, m.channel, m.text, m.external_id, m.created_at, m.active, m.hidden,"
    " m.ident"
)
_UNREAD = (  # may hold words of the person's own, and neither a memory nor a refusal came of it
    "m.active AND (m.channel <> 'spoken' OR (m.role = 'user' AND NOT m.hidden))"
    f" AND m.channel IN {tuple(map(str, DISTILLED_CHANNELS))}"
    " AND NOT EXISTS (SELECT 1 FROM refusals r WHERE r.message = m.id)"
    " AND NOT EXISTS (SELECT 1 FROM evidence e WHERE e.message = m.id)"
)


def ident(key: bytes, owner: str, identity: str) -> bytes:
    """The keyed hash under which something imported is recognised again; says nothing without the store's key."""
    return hashlib.blake2b(f"{owner}\0{identity}".encode("utf-8", "surrogatepass"), key=key, digest_size=16).digest()


def put_conversation(writer: Writer, conversation: NewConversation, reveal: bool = True) -> ImportCounts:
    """Store what is new of a conversation, and show again what an undo had hidden if `reveal`. Idempotent."""
    connection = writer.connection
    counts, known = _compare(connection, writer.key, writer.owner, conversation, reveal)
    number = _conversation_row(writer, conversation)
    places = {known[n] for n in counts.fresh if n in known}
    for hidden, batch in sorted(places):
        writer.insert("segments", ("conversation", "batch"), [(hidden, batch)])
        _distil_again(writer, hidden, batch)
    added = [n for n in counts.fresh if n not in known]
    if not added:
        return counts
    (last,) = connection.execute("SELECT max(ordinal) FROM messages WHERE conversation = ?", (number,)).fetchone()
    first = 0 if last is None else last + 1
    connection.executemany(
        "INSERT INTO messages (conversation, batch, ordinal, ident, role, channel, text, external_id, created_at,"
        " active, hidden) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                number,
                writer.id,
                first + position,
                ident(writer.key, writer.owner, message.identity),
                message.role,
                message.channel,
                storable(message.text),
                storable(message.external_id),
                message.created_at,
                message.active,
                message.hidden,
            )
            for position, message in enumerate(conversation.messages[n] for n in added)
        ),
    )
    there = connection.execute("SELECT 1 FROM segments WHERE conversation = ? AND batch = ?", (number, writer.id))
    if there.fetchone() is None:
        writer.insert("segments", ("conversation", "batch"), [(number, writer.id)])
    return counts


def peek_conversation(
    connection: sqlite3.Connection, key: bytes, owner: str, conversation: NewConversation
) -> ImportCounts:
    """What `put_conversation` would do."""
    return _compare(connection, key, owner, conversation)[0]


def _compare(
    connection: sqlite3.Connection, key: bytes, owner: str, conversation: NewConversation, reveal: bool = True
) -> tuple[ImportCounts, dict[int, tuple[int, int]]]:
    """What is new in a conversation, and where (conversation, batch) each known message of it is kept."""
    row = connection.execute(
        "SELECT id FROM conversations WHERE ident = ?", (ident(key, owner, conversation.identity),)
    ).fetchone()
    idents = [ident(key, owner, message.identity) for message in conversation.messages]
    stored = _known(connection, idents)
    visible = {
        place: connection.execute("SELECT 1 FROM segments WHERE conversation = ? AND batch = ?", place).fetchone()
        is not None
        for place in set(stored.values())
    }
    known: dict[int, tuple[int, int]] = {}
    fresh: list[int] = []
    seen: set[bytes] = set()
    for n, mark in enumerate(idents):
        if mark in seen:
            continue
        seen.add(mark)
        place = stored.get(mark)
        if place is not None:
            known[n] = place
        if place is None or (reveal and not visible[place]):
            fresh.append(n)
    new = bool(fresh) and (row is None or not _is_visible(connection, row[0]))
    return ImportCounts(new=new, grown=bool(fresh) and not new, fresh=tuple(fresh)), known


def _is_visible(connection: sqlite3.Connection, conversation: int) -> bool:
    row = connection.execute("SELECT 1 FROM segments WHERE conversation = ? LIMIT 1", (conversation,)).fetchone()
    return row is not None


def _distil_again(writer: Writer, conversation: int, batch: int) -> None:
    """Set back the marks of distillers that have passed a part of a conversation while it was hidden."""
    (first,) = writer.connection.execute(
        "SELECT min(id) FROM messages WHERE conversation = ? AND batch = ?", (conversation, batch)
    ).fetchone()
    passed = writer.connection.execute(
        "SELECT distiller FROM distilled WHERE conversation = ? AND upto >= ?", (conversation, first)
    )
    for row in passed.fetchall():
        mark_distilled(writer, conversation, row[0], first - 1)
    writer.connection.execute(
        "UPDATE swept SET upto = ? WHERE item = ? AND upto >= ?", (first - 1, conversation, first)
    )


def _conversation_row(writer: Writer, conversation: NewConversation) -> int:
    """The id of a conversation, written down if it is not known."""
    own = ident(writer.key, writer.owner, conversation.identity)
    row = writer.connection.execute("SELECT id FROM conversations WHERE ident = ?", (own,)).fetchone()
    if row is not None:
        return int(row[0])
    cursor = writer.connection.execute(
        "INSERT INTO conversations (owner, ident, source, external_id, title, created_at, project, agent)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            writer.owner,
            own,
            conversation.source,
            storable(conversation.external_id),
            storable(conversation.title),
            conversation.created_at,
            storable(conversation.project),
            conversation.agent,
        ),
    )
    return int(cursor.lastrowid or 0)


def _known(connection: sqlite3.Connection, idents: list[bytes]) -> dict[bytes, tuple[int, int]]:
    """Of these messages those that are stored, with conversation and batch."""
    known: dict[bytes, tuple[int, int]] = {}
    for start in range(0, len(idents), 500):
        part = idents[start : start + 500]
        rows = connection.execute(
            f"SELECT ident, conversation, batch FROM messages WHERE ident IN ({', '.join('?' * len(part))})", part
        )
        known.update((row["ident"], (row["conversation"], row["batch"])) for row in rows)
    return known


def find_messages(connection: sqlite3.Connection, owner: str, references: Sequence[str]) -> dict[str, tuple[int, str]]:
    """Messages by their external ids: id and text. Reads all messages; for an import, not for a keystroke."""
    rows = connection.execute(
        "SELECT m.external_id, m.id, m.text FROM messages m JOIN conversations c ON c.id = m.conversation"
        " AND c.owner = ? WHERE m.external_id IN (SELECT value FROM json_each(?))",
        (owner, orjson.dumps(list(references)).decode()),
    )
    return {row[0]: (row[1], row[2]) for row in rows}


def messages(connection: sqlite3.Connection, owner: str, conversation: int) -> list[Message]:
    """The visible messages of one conversation, in order."""
    rows = connection.execute(
        f"SELECT {_MESSAGE} FROM messages m JOIN conversations c ON c.id = m.conversation AND c.owner = ?"
        f" WHERE m.conversation = ? AND {VISIBLE} ORDER BY m.id",
        (owner, conversation),
    )
    return [_message(row) for row in rows]


def message(connection: sqlite3.Connection, owner: str, number: int) -> Message:
    """One visible message. Raises NotFound."""
    row = connection.execute(
        f"SELECT {_MESSAGE} FROM messages m JOIN conversations c ON c.id = m.conversation AND c.owner = ?"
        f" WHERE m.id = ? AND {VISIBLE}",
        (owner, number),
    ).fetchone()
    if row is None:
        raise NotFound(f"there is no message {number}")
    return _message(row)


def by_uid(connection: sqlite3.Connection, owner: str, uid: str) -> tuple[str, int]:
    """Return what a global id is of, "conversation" or "message", and its number. Raises NotFound, ValueError."""
    idents = uids.idents(uid)
    marks = ", ".join(f"?{place}" for place in range(2, 2 + len(idents)))
    row = connection.execute(
        f"SELECT 'message', m.id FROM messages m JOIN conversations c ON c.id = m.conversation AND c.owner = ?1"
        f" WHERE m.ident IN ({marks}) UNION ALL SELECT 'conversation', id FROM conversations"
        f" WHERE owner = ?1 AND ident IN ({marks})",
        (owner, *idents),
    ).fetchone()
    if row is None:
        raise NotFound(f"there is no conversation or message {uid}")
    return row[0], row[1]


def around(connection: sqlite3.Connection, owner: str, number: int, before: int, after: int) -> list[Message]:
    """The turns around a message, itself included: what was said, on the branch that was kept."""
    centre = message(connection, owner, number)
    side = (
        f"SELECT {_MESSAGE} FROM messages m WHERE m.conversation = ? AND m.channel = 'spoken' AND m.active"
        f" AND {VISIBLE} AND m.id"
    )
    earlier = connection.execute(
        f"{side} < ? ORDER BY m.id DESC LIMIT ?", (centre.conversation, number, before)
    ).fetchall()
    later = connection.execute(f"{side} > ? ORDER BY m.id LIMIT ?", (centre.conversation, number, after)).fetchall()
    return [*(_message(row) for row in reversed(earlier)), centre, *(_message(row) for row in later)]


def messages_since(connection: sqlite3.Connection, owner: str, after: int, limit: int) -> list[Message]:
    """Messages with a greater id, hidden segments included, in order of id: for the index to follow."""
    rows = connection.execute(
        f"SELECT {_MESSAGE} FROM messages m JOIN conversations c ON c.id = m.conversation AND c.owner = ?"
        " WHERE m.id > ? ORDER BY m.id LIMIT ?",
        (owner, after, limit),
    )
    return [_message(row) for row in rows]


def visible_messages(
    connection: sqlite3.Connection, owner: str, numbers: Sequence[int], project: str | None = None
) -> dict[int, Message]:
    """Those of the messages that are visible, by id; with `project`, in its conversations."""
    rows = connection.execute(
        f"SELECT {_MESSAGE} FROM messages m JOIN conversations c ON c.id = m.conversation AND c.owner = ?1"
        f" WHERE m.id IN (SELECT value FROM json_each(?2)) AND {VISIBLE} AND (?3 IS NULL OR c.project = ?3)",
        (owner, orjson.dumps(list(numbers)).decode(), project),
    )
    return {row["id"]: _message(row) for row in rows}


def undistilled(
    connection: sqlite3.Connection, owner: str, distiller: str, shortest: int, imported_by: Actor | None = None
) -> list[int]:
    """Conversations with visible messages newer than this distiller's mark; of one actor's imports, if given.

    The mark stays before the messages that were refused because a coding agent's session was short. As long as it has
    fewer than `shortest` messages, it counts only with messages that were not refused yet.
    """
    among = (
        " AND EXISTS (SELECT 1 FROM segments g JOIN commands k ON k.id = g.batch AND k.actor = ?"
        " WHERE g.conversation = c.id)"
    )
    rows = connection.execute(
        "SELECT c.id FROM conversations c LEFT JOIN distilled d ON d.conversation = c.id AND d.distiller = ?"
        f" WHERE c.owner = ? AND EXISTS (SELECT 1 FROM messages m WHERE m.conversation = c.id"
        f" AND m.id > coalesce(d.upto, 0) AND {VISIBLE})"
        f" AND (NOT c.agent OR (SELECT count(*) FROM messages m WHERE m.conversation = c.id AND {VISIBLE}) >= ?"
        f" OR EXISTS (SELECT 1 FROM messages m WHERE m.conversation = c.id AND m.id > coalesce(d.upto, 0)"
        f" AND {VISIBLE} AND {_UNREAD}))"
        f"{'' if imported_by is None else among} ORDER BY c.created_at, c.id",
        (distiller, owner, shortest, *(() if imported_by is None else (imported_by,))),
    )
    return [row[0] for row in rows]


def distilled_upto(connection: sqlite3.Connection, conversation: int, distiller: str) -> int:
    """The last message of a conversation that this distiller has seen, 0 for none."""
    row = connection.execute(
        "SELECT upto FROM distilled WHERE conversation = ? AND distiller = ?", (conversation, distiller)
    ).fetchone()
    return 0 if row is None else int(row[0])


def mark_distilled(writer: Writer, conversation: int, distiller: str, upto: int) -> None:
    """Note how far a distiller has come in a conversation."""
    writer.delete("distilled", "conversation = ? AND distiller = ?", (conversation, distiller))
    writer.insert("distilled", ("conversation", "distiller", "upto"), [(conversation, distiller, upto)])


def file_mark(connection: sqlite3.Connection, owner: str, path: str) -> FileMark | None:
    """Return how far a growing log file was read. Its path is a keyed hash; earlier versions kept it in plain."""
    row = connection.execute(
        "SELECT * FROM files WHERE owner = ?1 AND path IN (?2, ?3) ORDER BY path = ?3",
        (owner, hashed(meta.get(connection, "key"), path), path),
    ).fetchone()
    return None if row is None else FileMark(path, row["size"], row["digest"], row["conversations"])


def put_file_mark(writer: Writer, mark: FileMark) -> None:
    """Note how far a growing log file was read. Marks only save time: any undo of an import drops them all."""
    writer.connection.execute("DELETE FROM files WHERE owner = ? AND path = ?", (writer.owner, mark.path))
    writer.connection.execute(
        "INSERT OR REPLACE INTO files (owner, path, size, digest, conversations) VALUES (?, ?, ?, ?, ?)",
        (writer.owner, hashed(writer.key, mark.path), mark.size, mark.digest, mark.conversations),
    )


def _message(row: sqlite3.Row) -> Message:
    return Message(
        row["id"],
        row["conversation"],
        row["ordinal"],
        Role(row["role"]),
        Channel(row["channel"]),
        row["text"],
        row["external_id"],
        row["created_at"],
        bool(row["active"]),
        bool(row["hidden"]),
        row["ident"],
    )
