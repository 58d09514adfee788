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
from store.record import erased_words, meta, purge, redact
from store.record.changes import Update, Value, decode
from store.record.journal import Writer, command
from store.record.memories import EVIDENCE
from store.record.sql import next_id
from store.record.text_redaction import Words
from store.record.tombstones import Tombstones
from store.record.word_variants import BLOT

_SUMMARY = "again, since it came after the backup that was restored"


@dataclass(slots=True)
class Reapplied:
    """Numbers of memories that were let go of again, and of messages and other memories that had words erased.

    `comparable` is false if the backup is of another store, or this store is too damaged to tell. `by_hash` counts
    the purged memories that the backup has not: of their words only hashes and covered places are known.
    """

    comparable: bool = True
    forgotten: int = 0
    rejected: int = 0
    purged: int = 0
    messages: int = 0
    memories: int = 0
    by_hash: int = 0


@dataclass(slots=True)
class _Erased:
    """Content keys of purged memories, by whether every writing was to go."""

    exact: set[str] = field(default_factory=set)
    wide: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Chosen:
    """Memories of the new record, of one owner, and what becomes of them."""

    forget: set[int] = field(default_factory=set)
    reject: set[int] = field(default_factory=set)
    purge: set[int] = field(default_factory=set)
    wide: set[int] = field(default_factory=set)  # those to purge in every writing


def reapply(stage: sqlite3.Connection, present: sqlite3.Connection, key_of: Callable[[str], str]) -> Reapplied:
    """Forget, reject and purge in `stage` what was let go of since in the `present` record; returns the numbers."""
    if any(meta.get(stage, name) != meta.get(present, name) for name in ("id", "key")):
        return Reapplied(comparable=False)
    done, erased = Reapplied(), _Erased()
    commands = _later_commands(stage, present)
    memories, wide = _let_go(present, commands)
    owners = {row["owner"] for row in memories}
    for owner in sorted(owners):
        mine = [row for row in memories if row["owner"] == owner]
        _do_again(stage, present, owner, mine, wide, erased, done)
    verbs = {row["verb"] for row in _rows(present, "SELECT id, verb FROM commands WHERE id IN {}", commands)}
    if not verbs.isdisjoint({"purge", "redact"}):
        _erase_again(stage, present, verbs, erased, key_of, done)
    if done.purged or done.messages or done.memories:
        stage.execute("VACUUM")
    return done


def _later_commands(stage: sqlite3.Connection, present: sqlite3.Connection) -> list[int]:
    """The commands that only the present record has."""
    query = "SELECT id, at, verb FROM commands"
    known = {tuple(row) for row in stage.execute(query)}
    return [row[0] for row in present.execute(query) if tuple(row) not in known]


def _let_go(present: sqlite3.Connection, commands: Sequence[int]) -> tuple[list[sqlite3.Row], set[int]]:
    """The memories that these commands let go of for good, as they are now; those purged in every writing."""
    ended: set[int] = set()
    wide: set[int] = set()
    events = _rows(
        present,
        "SELECT e.changes, c.verb = 'purge' AND c.summary LIKE '%' || ? || '%' AS wide FROM events e"
        " JOIN commands c ON c.id = e.command WHERE e.command IN {} ORDER BY e.seq",
        commands,
        purge.IN_EVERY_WRITING,
    )
    for event in events:
        for change in decode(event["changes"]):
            if change.table != "memories" or "life" not in change.columns:
                continue
            if isinstance(change, Update):
                changed = {int(key[0] or 0) for key in change.keys}
            else:
                place = change.columns.index("id")
                changed = {int(row[place] or 0) for row in change.rows}
            ended |= changed
            wide |= changed if event["wide"] else set()
    rows = _rows(
        present,
        "SELECT * FROM memories m WHERE id IN {} AND life IN ('forgotten', 'purged')"
        " AND EXISTS (SELECT 1 FROM tombstones t WHERE t.memory = m.id AND t.owner = m.owner) ORDER BY owner, id",
        ended,
    )
    return rows, wide


def _do_again(
    stage: sqlite3.Connection,
    present: sqlite3.Connection,
    owner: str,
    memories: Sequence[sqlite3.Row],
    wide: Collection[int],
    erased: _Erased,
    done: Reapplied,
) -> None:
    """Forget, reject and purge the memories of one owner that are here, and those that say what these say."""
    chosen = _Chosen()
    missing: list[sqlite3.Row] = []
    stones = _stones(present, memories)
    kept: dict[str, list[tuple[str, str, int]]] = {"forgotten": [], "purged": []}
    for row in memories:
        here = stage.execute(
            "SELECT id, life FROM memories WHERE id = ? AND owner = ? AND added_at = ?",
            (row["id"], owner, row["added_at"]),
        ).fetchone()
        found = _saying_so(stage, present, row, stones[row["id"]])
        if here is None:
            missing.append(row)
        else:
            kept[row["life"]] += [(owner, key, here["id"]) for key in stones[row["id"]]]
            if here["life"] != "purged" and (
                row["life"] == "purged" or not Tombstones.on(stage, owner).among([here["id"]])
            ):
                found.add(here["id"])
        if row["life"] == "purged":
            chosen.purge |= found
            chosen.wide |= found if row["id"] in wide else set()
            (erased.wide if row["id"] in wide else erased.exact).update(stones[row["id"]])
        else:
            chosen.forget |= found
            if row["review"] == "rejected" and here is not None:
                chosen.reject.add(here["id"])
    chosen.forget -= chosen.purge
    chosen.reject &= chosen.forget
    forgotten = [row for row in missing if row["life"] == "forgotten"]
    purged = [row for row in missing if row["life"] == "purged"]
    with _command(stage, owner, "forget") as writer:
        writer.update("memories", sorted(chosen.forget), {"life": "forgotten"})
        writer.update("memories", sorted(chosen.reject), {"review": "rejected"})
        Tombstones.add(writer, sorted(chosen.forget))
        _put_stones(writer, kept["forgotten"])
        for row in forgotten:
            _bring(writer, present, row, stones[row["id"]])
    done.rejected += len(chosen.reject)
    done.forgotten += len(chosen.forget - chosen.reject) + len(forgotten)
    for variants in (True, False):
        summary = f"{_SUMMARY}, {purge.IN_EVERY_WRITING}" if variants else _SUMMARY
        with _command(stage, owner, "purge", summary) as writer:  # of which nothing can be taken back
            left = writer.where("life <> 'purged'", sorted(chosen.wide if variants else chosen.purge))
            done.purged += _purge(writer, left, variants)
            if not variants:
                _put_stones(writer, kept["purged"])
            for row in purged:
                if (row["id"] in wide) is variants:
                    _bring(writer, present, row, stones[row["id"]])
            purge.end_undo(stage, {writer.id})
    done.purged += len(purged)
    done.by_hash += len(purged)


def _saying_so(
    stage: sqlite3.Connection, present: sqlite3.Connection, row: sqlite3.Row, keys: Sequence[str]
) -> set[int]:
    """Live memories of the new record that say what one let go of said, and are not live in the present record.

    What was forgotten in one scope may stand in another; what was purged may not.
    """
    same = stage.execute(
        "SELECT id, added_at FROM memories WHERE owner = ?1 AND life = 'live' AND (?2 = 'purged' OR scope = ?3)"
        " AND content_key IN (SELECT value FROM json_each(?4))",
        (row["owner"], row["life"], row["scope"], orjson.dumps(keys).decode()),
    ).fetchall()
    stays = "SELECT 1 FROM memories WHERE id = ? AND added_at = ? AND owner = ? AND life = 'live'"
    return {
        other["id"]
        for other in same
        if present.execute(stays, (other["id"], other["added_at"], row["owner"])).fetchone() is None
    }


def _put_stones(writer: Writer, stones: Sequence[tuple[str, str, int]]) -> None:
    """Put up those tombstones that are not there: of words that a memory got after the backup."""
    there = "SELECT 1 FROM tombstones WHERE owner = ? AND content_key = ? AND memory = ?"
    new = [stone for stone in stones if writer.connection.execute(there, stone).fetchone() is None]
    writer.insert("tombstones", ("owner", "content_key", "memory"), new)


def _command(
    stage: sqlite3.Connection, owner: str, verb: str, summary: str = _SUMMARY
) -> AbstractContextManager[Writer]:
    return command(stage, owner, verb, Actor.PERSON, summary)


def _stones(present: sqlite3.Connection, memories: Sequence[sqlite3.Row]) -> dict[int, list[str]]:
    """The content keys under which each of these memories was let go."""
    rows = _rows(
        present,
        "SELECT memory, content_key FROM tombstones WHERE memory IN {} ORDER BY memory",
        [row["id"] for row in memories],
    )
    return {memory: [row[1] for row in those] for memory, those in groupby(rows, key=lambda row: int(row[0]))}


def _purge(writer: Writer, memories: Collection[int], variants: bool) -> int:
    """Purge memories, and all that hold the same words: by now they had been purged, or put in other words."""
    chosen = set(memories)
    while chosen:
        try:
            everyone = purge.everyone_meant(writer.connection, writer.owner, sorted(chosen), variants)
            return len(purge.purge(writer, everyone, variants).memories)
        except KeptElsewhere as error:
            chosen.add(error.memory)
    return 0


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


def _erase_again(
    stage: sqlite3.Connection,
    present: sqlite3.Connection,
    verbs: Collection[str],
    erased: _Erased,
    key_of: Callable[[str], str],
    done: Reapplied,
) -> None:
    """Redact and erase again what was since, also where the present record has no such place."""
    key = meta.get(stage, "key")
    covered = erased_words.covered_since(stage, present)
    secrets = covered | erased_words.redacted_since(stage, present) if "redact" in verbs else set()
    exact = covered if "purge" in verbs else set()
    exact |= erased_words.known_by_hash(stage, key, key_of, erased.exact)
    wide = erased_words.known_by_hash(stage, key, key_of, erased.wide)
    texts = _covered_messages(stage, present)
    memories: set[int] = set()
    for (owner,) in stage.execute("SELECT DISTINCT owner FROM commands").fetchall():
        if secrets:
            with _command(stage, owner, "redact") as writer:
                memories |= {*redact.redact(writer, _ways(secrets, key_of)).memories}
        for words in (Words(exact), Words(wide, variants=True)):
            if words:
                with _command(stage, owner, "purge") as writer:
                    memories |= {*purge.erase_words(writer, words).memories}
    stage.executemany("UPDATE messages SET text = ?1 WHERE id = ?2 AND text <> ?1", texts)
    titles = present.execute("SELECT title, ident FROM conversations WHERE title IS NULL OR instr(title, ?)", (BLOT,))
    stage.executemany("UPDATE conversations SET title = ? WHERE ident = ?", titles.fetchall())
    stage.execute("DELETE FROM replies")
    done.messages, done.memories = len(texts), len(memories)


def _covered_messages(stage: sqlite3.Connection, present: sqlite3.Connection) -> list[tuple[str, int]]:
    """Messages of the new record, as (text, id), with all covered or erased that is in the present one."""
    texts: list[tuple[str, int]] = []
    for ident, text in present.execute("SELECT ident, text FROM messages WHERE text = '' OR instr(text, ?)", (BLOT,)):
        row = stage.execute("SELECT id, text FROM messages WHERE ident = ?", (ident,)).fetchone()
        if row is not None and row["text"] != text:
            texts.append((_covered_in_both(row["text"], text), row["id"]))
    return texts


def _ways(values: Collection[str], key_of: Callable[[str], str]) -> redact.Redactors:
    """Return the redactors that take words which were covered in logs out of everything else."""
    known = re.compile("|".join(map(re.escape, sorted(values, key=len, reverse=True))))
    return redact.Redactors(
        lambda text: known.sub("[REDACTED]", text), lambda text: known.sub(lambda hit: BLOT * len(hit[0]), text), key_of
    )


def _covered_in_both(former: str, present: str) -> str:
    """A message with all covered that is covered in either of its texts."""
    if len(former) != len(present):
        return ""
    return "".join(BLOT if BLOT in pair else pair[0] for pair in zip(former, present, strict=True))


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]


def _rows(connection: sqlite3.Connection, query: str, ids: Iterable[int], *before: str) -> list[sqlite3.Row]:
    """Rows of a query with `{}` for a list of ids; `before` are the parameters that stand before it."""
    listed = "(SELECT value FROM json_each(?))"
    return connection.execute(query.format(listed), (*before, orjson.dumps(sorted(ids)).decode())).fetchall()
