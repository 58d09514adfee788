"""Recognise purged text after the hash key has changed."""

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Sequence
from contextlib import nullcontext

from store.model import Actor
from store.record import meta, purge
from store.record.journal import command
from store.record.meta import hashed
from store.record.repository import first_column, json_list
from store.record.sync.names import pend
from store.record.sync.rekey import KeyOf


def recognize(connection: sqlite3.Connection, key_of: KeyOf) -> None:
    """Add tombstones with the current key for texts that match a purged memory's tombstone with a former key.

    Only folded memories are checked: their texts, or all texts of the record if one of them was purged.
    """
    key, *former = meta.keys(connection)
    folded = first_column(connection, "SELECT memory FROM sync_pending WHERE memory > 0")
    if not former or not folded:
        return
    pending = json_list(folded)
    among = "IN (SELECT value FROM json_each(?1))"
    purged = connection.execute(
        f"SELECT 1 FROM memories WHERE life = 'purged' AND id {among} LIMIT 1", (pending,)
    ).fetchone()
    which = "" if purged is not None else f" AND m.id {among}"
    rows = connection.execute(
        f"SELECT m.owner, m.text FROM memories m WHERE m.text <> ''{which}"
        f" UNION SELECT m.owner, v.text FROM versions v JOIN memories m ON m.id = v.memory WHERE v.text <> ''{which}",
        () if purged is not None else (pending,),
    ).fetchall()
    texts: defaultdict[str, set[str]] = defaultdict(set)
    for owner, text in rows:
        texts[owner].add(text)
    for owner, found in sorted(texts.items()):
        add_tombstones(connection, owner, key, former, {key_of(text) for text in found})


def add_tombstones(
    connection: sqlite3.Connection, owner: str, key: bytes, former: Sequence[bytes], content_keys: Collection[str]
) -> None:
    known = {hashed(one, content_key): content_key for one in former for content_key in content_keys}
    rows = connection.execute(
        "SELECT t.content_key, t.memory FROM tombstones t JOIN memories p ON p.id = t.memory AND p.life = 'purged'"
        " WHERE t.owner = ? AND t.content_key IN (SELECT value FROM json_each(?))",
        (owner, json_list(known)),
    ).fetchall()
    tombstones = {(owner, hashed(key, known[row[0]]), int(row[1])) for row in rows}
    query = "SELECT 1 FROM tombstones WHERE owner = ? AND content_key = ? AND memory = ?"
    new = sorted(one for one in tombstones if not first_column(connection, query, *one))
    if not new:
        return
    summary = "says what was purged on another device"
    with command(nullcontext(connection), owner, "forget", Actor.SWEEP, summary) as writer:
        writer.insert("tombstones", ("owner", "content_key", "memory"), new)
        purge.end_undo(connection, {writer.id})
        for _, _, memory in new:
            pend(connection, memory)
