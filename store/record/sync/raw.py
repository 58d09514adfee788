"""Fold messages, vectors and progress of distillers from other devices, and mask erased words everywhere."""

import sqlite3
from base64 import b64decode
from collections.abc import Callable, Collection, Mapping
from typing import Any

from store.model import Fingerprint
from store.record import meta
from store.record.changes import Change, Value, rows_of, with_rows
from store.record.journal import Writer
from store.record.purge import rewrite_events, rewrite_sync_values
from store.record.repository import first_column, json_list
from store.record.sync.names import References, pend_conversation
from store.record.text_redaction import MASK
from store.record.vectors import Vectors

ERASED = "sync_erased"
"""Name in `meta` of the owner whose words were erased while folding, until `consequences` has handled it."""


def conversation_of(connection: sqlite3.Connection, ident: Any) -> int | None:
    """Return the conversation with a hash, given in hexadecimal digits."""
    return _of(connection, "conversations", ident)


def message_of(connection: sqlite3.Connection, ident: Any) -> int | None:
    """Return the message with a hash, given in hexadecimal digits."""
    return _of(connection, "messages", ident)


def _of(connection: sqlite3.Connection, table: str, ident: Any) -> int | None:
    if not isinstance(ident, str):
        return None
    row = connection.execute(f"SELECT id FROM {table} WHERE ident = ?", (bytes.fromhex(ident),)).fetchone()
    return None if row is None else int(row[0])


def fold_messages(
    connection: sqlite3.Connection, names: References, batch: Mapping[str, Any], commands: Mapping[str, int]
) -> None:
    """Add the new messages of a batch, and mask in known ones what another device has erased.

    On all devices, a message belongs to the oldest import that contained it.
    """
    numbers: list[int] = []
    erased: dict[Value, str] = {}
    for ident, *fields in batch["conversations"]:
        number = conversation_of(connection, ident)
        if number is None:
            added = connection.execute(
                "INSERT INTO conversations (ident, owner, source, external_id, title, created_at, project, agent)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (bytes.fromhex(ident), *fields),
            )
            number = int(added.lastrowid or 0)
        numbers.append(number)
    for ident, place, command, ordinal, role, channel, text, *rest in batch["messages"]:
        imported = commands[command]
        row = connection.execute(
            "SELECT id, text, batch FROM messages WHERE ident = ?", (bytes.fromhex(ident),)
        ).fetchone()
        if row is None:
            connection.execute(
                "INSERT INTO messages (ident, conversation, batch, ordinal, role, channel, text, external_id,"
                " created_at, active, hidden) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (bytes.fromhex(ident), numbers[place], imported, ordinal, role, channel, text, *rest),
            )
            continue
        both = covered(row["text"], text)
        if both != row["text"]:
            connection.execute("UPDATE messages SET text = ? WHERE id = ?", (both, row["id"]))
            erased[row["id"]] = both
            owner = connection.execute("SELECT owner FROM conversations WHERE id = ?", (numbers[place],)).fetchone()
            _note_erasure(connection, owner[0])
        if row["batch"] != imported and _age(connection, names, imported) < _age(connection, names, row["batch"]):
            connection.execute("UPDATE messages SET batch = ? WHERE id = ?", (imported, row["id"]))
            pend_conversation(connection, numbers[place])
            connection.execute(
                "INSERT OR IGNORE INTO sync_claims SELECT ?1, ?2 WHERE NOT EXISTS"
                " (SELECT 1 FROM sync_commands WHERE id = ?2 AND folded)",
                (row["id"], row["batch"]),
            )
    if erased:
        cover_quotes(connection, erased)


def cover_quotes(connection: sqlite3.Connection, erased: Mapping[Value, str]) -> None:
    """Mask the quotes from messages in which text was erased, given with their new texts."""

    def clean(row: Mapping[str, Value]) -> dict[str, Value]:
        if row.get("message") not in erased or not erased[row["message"]] or not row["quote"]:
            return {}
        said = erased[row["message"]][int(row["start"] or 0) : int(row["end"] or 0)]
        return {"quote": covered(str(row["quote"]), said)}

    listed = json_list(erased)
    owners = first_column(
        connection,
        "SELECT DISTINCT c.owner FROM conversations c JOIN messages m ON m.conversation = c.id"
        " WHERE m.id IN (SELECT value FROM json_each(?))",
        listed,
    )
    for owner in owners:
        rewrite(connection, owner, "evidence", "message IN (SELECT value FROM json_each(?))", listed, clean)


def cover_texts(connection: sqlite3.Connection, owner: str, purged: Collection[int]) -> None:
    """Mask the versions of other memories that have a text of these purged memories, in rows and journal."""
    keys = first_column(
        connection,
        "SELECT DISTINCT content_key FROM tombstones WHERE memory IN (SELECT value FROM json_each(?))",
        json_list(purged),
    )
    purged_keys = frozenset(keys)

    def clean(row: Mapping[str, Value]) -> dict[str, Value]:
        text = str(row.get("text") or "")
        return {"text": MASK * len(text)} if row.get("content_key") in purged_keys and text.strip(MASK) else {}

    listed = json_list(keys)
    test = "content_key IN (SELECT value FROM json_each(?))"
    rewrite(connection, owner, "versions", test, listed, clean)
    connection.execute(
        "UPDATE sync_values SET value = json_quote(replace(hex(zeroblob(length(value ->> '$'))), '00', ?))"
        " WHERE field = 'text' AND (sort, item, device, clock) IN"
        " (SELECT sort, item, device, clock FROM sync_values WHERE field = 'content_key'"
        " AND value ->> '$' IN (SELECT value FROM json_each(?)))",
        (MASK, listed),
    )


def drop_merged(writer: Writer, purged: Collection[int]) -> None:
    """Delete the versions that other memories got from purged ones by a merge, and mask them in the journal."""
    listed = json_list(purged)
    test = (
        "merged_from IN (SELECT value FROM json_each(?)) AND memory IN (SELECT id FROM memories WHERE life <> 'purged')"
    )

    def clean(row: Mapping[str, Value]) -> dict[str, Value]:
        return {"text": MASK * len(str(row["text"]))} if row.get("merged_from") in purged else {}

    rewrite(writer.connection, writer.owner, "versions", test, listed, clean)
    writer.delete("versions", test, (listed,))


def drop_references(connection: sqlite3.Connection, owner: str, quotes: Collection[int]) -> None:
    """Clear references of quotes in rows and journal, by which a purge would find equal quotes of other memories."""

    def clean(row: Mapping[str, Value]) -> dict[str, Value]:
        return {"reference": None} if row.get("id") in quotes else {}

    rewrite(connection, owner, "evidence", "id IN (SELECT value FROM json_each(?))", json_list(quotes), clean)


def rewrite(
    connection: sqlite3.Connection,
    owner: str,
    table: str,
    test: str,
    parameter: str,
    clean: Callable[[Mapping[str, Value]], dict[str, Value]],
) -> None:
    """Update rows that fulfil a condition with the columns that `clean` returns for them.

    The journal and stored rows of removed memories are rewritten with `clean` too.
    """
    tables = (table, "memories") if table == "versions" else (table,)

    def change_of(change: Change) -> list[Change]:
        if change.table not in tables:
            return [change]
        return [with_rows(change, ((row | clean(row)).values() for row in rows_of(change)))]

    for row in connection.execute(f"SELECT * FROM {table} WHERE {test}", (parameter,)).fetchall():
        for name, value in clean(dict(row)).items():
            if row[name] != value:
                connection.execute(f"UPDATE {table} SET {name} = ? WHERE id = ?", (value, row["id"]))
                _note_erasure(connection, owner)
    rewrite_sync_values(connection, lambda name, row: row | clean(row) if name in tables else row)
    for _, _, rewritten in rewrite_events(connection, owner, change_of):
        if rewritten:
            _note_erasure(connection, owner)


def _note_erasure(connection: sqlite3.Connection, owner: str) -> None:
    """Record that words of an owner were erased, so that this device rewrites its segments (`consequences`)."""
    meta.put(connection, ERASED, owner.encode())


def visible_quote(connection: sqlite3.Connection, row: Mapping[str, Any]) -> str:
    """Return a quote with the parts masked that were erased from its message."""
    (text,) = connection.execute("SELECT text FROM messages WHERE id = ?", (row["message"],)).fetchone()
    return covered(row["quote"], text[row["start"] : row["end"]]) if text and row["quote"] else str(row["quote"])


def covered(here: str, there: str) -> str:
    """Return the text of a message with all characters masked or erased that are so on either device."""
    if not here or not there:
        return ""
    if len(here) != len(there) or MASK not in there:
        return here
    return "".join(MASK if MASK in pair else pair[0] for pair in zip(here, there, strict=True))


def _age(connection: sqlite3.Connection, names: References, command: int) -> tuple[int, str, int]:
    (at,) = connection.execute("SELECT at FROM commands WHERE id = ?", (command,)).fetchone()
    device, number = names.of_command(command) or (1, command)
    return at, names.uid(device), number


def fold_vectors(connection: sqlite3.Connection, vectors: list[list[str]]) -> None:
    """Add vectors of another device, as [fingerprint, content key, base64], to memories with the same content key."""
    for label, key, data in vectors:
        rows = connection.execute(
            "SELECT id, text FROM memories WHERE content_key = ? AND text <> ''", (key,)
        ).fetchall()
        vector = b64decode(data, validate=True)
        Vectors.put(connection, Fingerprint.parse(label), [(memory, text, vector) for memory, text in rows])


def fold_distilled(writer: Writer, row: Mapping[str, Any], device: int) -> None:
    """Store how far a distiller on another device has read a conversation, at most to the first message it lacks."""
    connection = writer.connection
    conversation, upto = conversation_of(connection, row["conversation"]), message_of(connection, row["upto"])
    if conversation is None or upto is None:
        return
    present = connection.execute(
        "SELECT upto FROM distilled WHERE conversation = ? AND distiller = ?", (conversation, row["distiller"])
    ).fetchone()
    last = 0 if present is None else int(present[0])
    (stop,) = connection.execute(
        "SELECT min(m.id) FROM messages m JOIN commands c ON c.id = m.batch WHERE m.conversation = ? AND m.id > ?"
        " AND c.device <> ?",
        (conversation, last, device),
    ).fetchone()
    if stop is not None and stop <= upto:
        (upto,) = connection.execute(
            "SELECT coalesce(max(id), 0) FROM messages WHERE conversation = ? AND id < ?", (conversation, stop)
        ).fetchone()
    if upto > last:
        writer.delete("distilled", "conversation = ? AND distiller = ?", (conversation, row["distiller"]))
        writer.insert("distilled", ("conversation", "distiller", "upto"), [(conversation, row["distiller"], upto)])
