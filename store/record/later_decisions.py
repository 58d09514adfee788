"""Decisions that came after a backup, applied again to the record that is restored from it.

Two records of one store are compared by their commands: those that only the present one has came later. Their forgets,
rejections and purges are done again, as commands of the new record.
"""

import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import groupby

import orjson

from store.errors import KeptElsewhere
from store.model import Actor
from store.record import meta, purge, redacting, tombstones
from store.record.changes import Update, Value, decode
from store.record.journal import Writer, command
from store.record.memories import EVIDENCE, next_id
from store.record.variants import BLOT

_MARKED = 6  # characters of a run that was covered, from which on it is looked for wherever it may stand
_SUMMARY = "again, since it came after the backup that was restored"


@dataclass(slots=True)
class Reapplied:
    """Numbers of memories that were let go of again, and of messages that had words erased.

    `comparable` is false if the backup is of another store, or this store is too damaged to tell.
    """

    comparable: bool = True
    forgotten: int = 0
    rejected: int = 0
    purged: int = 0
    messages: int = 0


@dataclass(slots=True)
class _Chosen:
    """Memories of the new record, of one owner, and what becomes of them."""

    forget: set[int] = field(default_factory=set)
    reject: set[int] = field(default_factory=set)
    purge: set[int] = field(default_factory=set)


def reapply(stage: sqlite3.Connection, present: sqlite3.Connection, key_of: Callable[[str], str]) -> Reapplied:
    """Forget, reject and purge in `stage` what was let go of since in the `present` record; returns the numbers."""
    if any(meta.get(stage, name) != meta.get(present, name) for name in ("id", "key")):
        return Reapplied(comparable=False)
    done = Reapplied()
    commands = _later_commands(stage, present)
    memories = _let_go(present, commands)
    owners = {row["owner"] for row in memories}
    for owner in sorted(owners):
        _do_again(stage, present, owner, [row for row in memories if row["owner"] == owner], done)
    verbs = {row["verb"] for row in _rows(present, "SELECT id, verb FROM commands WHERE id IN {}", commands)}
    if not verbs.isdisjoint({"purge", "redact"}):
        done.messages = _cover_again(stage, present, key_of)
    if done.purged or done.messages:
        stage.execute("VACUUM")
    return done


def _later_commands(stage: sqlite3.Connection, present: sqlite3.Connection) -> list[int]:
    """The commands that only the present record has."""
    query = "SELECT id, at, verb FROM commands"
    known = {tuple(row) for row in stage.execute(query)}
    return [row[0] for row in present.execute(query) if tuple(row) not in known]


def _let_go(present: sqlite3.Connection, commands: Sequence[int]) -> list[sqlite3.Row]:
    """The memories that these commands let go of for good, as they are now."""
    ended: set[int] = set()
    for event in _rows(present, "SELECT changes FROM events WHERE command IN {} ORDER BY seq", commands):
        for change in decode(event["changes"]):
            if change.table != "memories" or "life" not in change.columns:
                continue
            if isinstance(change, Update):
                ended.update(int(key[0] or 0) for key in change.keys)
            else:
                place = change.columns.index("id")
                ended.update(int(row[place] or 0) for row in change.rows)
    return _rows(
        present,
        "SELECT * FROM memories m WHERE id IN {} AND life IN ('forgotten', 'purged')"
        " AND EXISTS (SELECT 1 FROM tombstones t WHERE t.memory = m.id AND t.owner = m.owner) ORDER BY owner, id",
        ended,
    )


def _do_again(
    stage: sqlite3.Connection, present: sqlite3.Connection, owner: str, memories: Sequence[sqlite3.Row], done: Reapplied
) -> None:
    """Forget, reject and purge the memories of one owner that are here, and those that say what these say."""
    chosen = _Chosen()
    missing: list[sqlite3.Row] = []
    stones = _stones(present, memories)
    for row in memories:
        here = stage.execute(
            "SELECT id, life FROM memories WHERE id = ? AND owner = ? AND added_at = ?",
            (row["id"], owner, row["added_at"]),
        ).fetchone()
        same = stage.execute(
            "SELECT id FROM memories WHERE owner = ? AND life = 'live'"
            " AND content_key IN (SELECT value FROM json_each(?))",
            (owner, orjson.dumps(stones[row["id"]]).decode()),
        ).fetchall()
        found = {other["id"] for other in same}
        if here is None:
            missing.append(row)
        elif here["life"] != "purged" and (row["life"] == "purged" or not tombstones.buried(stage, [here["id"]])):
            found.add(here["id"])
        if row["life"] == "purged":
            chosen.purge |= found
        else:
            chosen.forget |= found
            if row["review"] == "rejected" and here is not None:
                chosen.reject.add(here["id"])
    chosen.forget -= chosen.purge
    chosen.reject &= chosen.forget
    with _command(stage, owner, "forget") as writer:
        writer.update("memories", sorted(chosen.forget), {"life": "forgotten"})
        writer.update("memories", sorted(chosen.reject), {"review": "rejected"})
        tombstones.bury(writer, sorted(chosen.forget))
        for row in missing:
            _bring(writer, present, row, stones[row["id"]])
    done.rejected += len(chosen.reject)
    done.forgotten += len(chosen.forget - chosen.reject) + sum(row["life"] == "forgotten" for row in missing)
    if chosen.purge:
        with _command(stage, owner, "purge") as writer:
            done.purged += _purge(writer, chosen.purge)


def _command(stage: sqlite3.Connection, owner: str, verb: str) -> AbstractContextManager[Writer]:
    return command(stage, owner, verb, Actor.PERSON, _SUMMARY)


def _stones(present: sqlite3.Connection, memories: Sequence[sqlite3.Row]) -> dict[int, list[str]]:
    """The content keys under which each of these memories was let go."""
    rows = _rows(
        present,
        "SELECT memory, content_key FROM tombstones WHERE memory IN {} ORDER BY memory",
        [row["id"] for row in memories],
    )
    return {memory: [row[1] for row in those] for memory, those in groupby(rows, key=lambda row: int(row[0]))}


def _purge(writer: Writer, memories: Collection[int]) -> int:
    """Purge memories, and all that hold the same words: by now they had been purged, or put in other words."""
    chosen = set(memories)
    while True:
        try:
            everyone = purge.everyone_meant(writer.connection, writer.owner, sorted(chosen))
            return len(purge.purge(writer, everyone).memories)
        except KeptElsewhere as error:
            chosen.add(error.memory)


def _bring(writer: Writer, present: sqlite3.Connection, row: sqlite3.Row, keys: Sequence[str]) -> None:
    """Put down a memory that was made and let go of after the backup: what it says must not come back either."""
    connection = writer.connection
    there = dict(row)
    columns = [name for name in _columns(connection, "memories") if name in there and name != "seq"]
    values: dict[str, Value] = {name: there[name] for name in columns}
    taken = connection.execute("SELECT 1 FROM memories WHERE id = ?", (row["id"],)).fetchone()
    own = int(next_id(connection, "memories") if taken else row["id"])
    named = connection.execute(
        "SELECT 1 FROM memories WHERE owner = ? AND external_id = ?", (row["owner"], row["external_id"])
    ).fetchone()
    values |= {"id": own, "superseded_by": None, "device": _device(connection, present, row["device"])}
    if named:
        values["external_id"] = None
    writer.insert("memories", columns, [tuple(values.values())])
    writer.insert("tombstones", ("owner", "content_key", "memory"), [(writer.owner, key, own) for key in keys])
    if row["life"] == "forgotten":
        _bring_words(writer, present, row["id"], own)


def _device(connection: sqlite3.Connection, present: sqlite3.Connection, number: int) -> int:
    """Return the number that a device of the present record has in the new one, written down there if it has none."""
    uid, at = present.execute("SELECT uid, at FROM devices WHERE id = ?", (number,)).fetchone()
    connection.execute("INSERT OR IGNORE INTO devices (uid, at) VALUES (?, ?)", (uid, at))
    return int(connection.execute("SELECT id FROM devices WHERE uid = ?", (uid,)).fetchone()[0])


def _bring_words(writer: Writer, present: sqlite3.Connection, memory: int, own: int) -> None:
    """Put down former texts and quotes; a quote of a log that is not here says where it stood."""
    names = ("memory", "text", "content_key", "at")
    for version in present.execute(
        f"SELECT {', '.join(names[1:])} FROM versions WHERE memory = ? ORDER BY id", (memory,)
    ):
        number = next_id(writer.connection, "versions")
        writer.insert("versions", ("id", *names), [(number, own, *version)])
    quotes = present.execute(
        "SELECT v.quote, v.start, v.end, coalesce(v.reference, m.external_id), coalesce(v.source, c.source),"
        " coalesce(v.title, c.title), coalesce(v.said_at, m.created_at, c.created_at), m.ident FROM evidence v"
        " LEFT JOIN messages m ON m.id = v.message LEFT JOIN conversations c ON c.id = m.conversation"
        " WHERE v.memory = ? ORDER BY v.id",
        (memory,),
    )
    for quote, start, end, *where, ident in quotes.fetchall():
        found = writer.connection.execute("SELECT id FROM messages WHERE ident = ?", (ident,)).fetchone()
        place = (None if found is None else found[0], quote, start, end)
        number = next_id(writer.connection, "evidence")
        rest = where if found is None else [None] * len(where)
        writer.insert("evidence", EVIDENCE, [(number, own, *place, *rest)])


def _cover_again(stage: sqlite3.Connection, present: sqlite3.Connection, key_of: Callable[[str], str]) -> int:
    """Cover in messages, and wherever else the same words stand, what was covered or erased since."""
    texts: list[tuple[str, int]] = []
    values: set[str] = set()
    for ident, text in present.execute("SELECT ident, text FROM messages WHERE text = '' OR instr(text, ?)", (BLOT,)):
        row = stage.execute("SELECT id, text FROM messages WHERE ident = ?", (ident,)).fetchone()
        if row is None or row["text"] == text:
            continue
        texts.append((_covered_in_both(row["text"], text), row["id"]))
        values |= _covered_runs(row["text"], text)
    if values:
        ways = _ways(values, key_of)
        for (owner,) in stage.execute("SELECT DISTINCT owner FROM commands").fetchall():
            with _command(stage, owner, "redact") as writer:
                redacting.redact(writer, ways)
    stage.executemany("UPDATE messages SET text = ?1 WHERE id = ?2 AND text <> ?1", texts)
    titles = present.execute("SELECT title, ident FROM conversations WHERE title IS NULL OR instr(title, ?)", (BLOT,))
    stage.executemany("UPDATE conversations SET title = ? WHERE ident = ?", titles.fetchall())
    stage.execute("DELETE FROM replies")
    return len(texts)


def _ways(values: Collection[str], key_of: Callable[[str], str]) -> redacting.Ways:
    """Return the redactors that take words which were covered in logs out of everything else."""
    known = re.compile("|".join(map(re.escape, sorted(values, key=len, reverse=True))))
    return redacting.Ways(
        lambda text: known.sub("[REDACTED]", text), lambda text: known.sub(lambda hit: BLOT * len(hit[0]), text), key_of
    )


def _covered_in_both(former: str, present: str) -> str:
    """A message with all covered that is covered in either of its texts."""
    if len(former) != len(present):
        return ""
    return "".join(BLOT if BLOT in pair else pair[0] for pair in zip(former, present, strict=True))


def _covered_runs(former: str, present: str) -> set[str]:
    """The words of a message that are covered by now, as far as they are long enough to be looked for elsewhere."""
    if len(former) != len(present):
        return set()
    runs = groupby(zip(former, present, strict=True), key=lambda pair: pair[1] == BLOT and pair[0] != BLOT)
    found = ("".join(sign for sign, _ in run).strip() for covered, run in runs if covered)
    return {words for words in found if len(words) >= _MARKED}


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]


def _rows(connection: sqlite3.Connection, query: str, ids: Iterable[int]) -> list[sqlite3.Row]:
    listed = "(SELECT value FROM json_each(?))"
    return connection.execute(query.format(listed), (orjson.dumps(sorted(ids)).decode(),)).fetchall()
