"""Purge: the words of a memory leave the record for good; ids, and keyed hashes that recognise them, stay.

Everything else in the store may be undone. This may not, and ends undo for the commands whose events held the words.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import orjson

from store.errors import KeptElsewhere
from store.record import checks
from store.record.changes import Change, Update, Value, decode, encode, memories_of, values_of
from store.record.database import WAIT
from store.record.erasure import EMPTY, MEMORY, Erasure, place_of
from store.record.hashes import purged_id
from store.record.journal import Writer
from store.record.text_redaction import Words, covered, covered_title, is_about
from store.record.tombstones import Tombstones
from store.record.word_variants import Span

IN_EVERY_WRITING = "in every writing"  # summary of the command of a purge with `variants`
_ERASED = "its words were erased by a purge; try it again"


@dataclass(frozen=True, slots=True)
class Purged:
    """What a purge erased."""

    memories: tuple[int, ...]
    messages: int
    events: int


def everyone_meant(
    connection: sqlite3.Connection, owner: str, memories: Sequence[int], variants: bool = False
) -> list[int]:
    """These memories and all that say exactly the same or were merged into them.

    With `variants` also those whose text holds the words of one of these in another writing.
    """
    meant = _same(connection, owner, set(memories))
    while variants:
        words = Words(said_by(connection, meant))
        rows = connection.execute("SELECT id, text FROM memories WHERE owner = ? AND life <> 'purged'", (owner,))
        more = {row["id"] for row in rows if row["id"] not in meant and words.differ(row["text"])}
        if not more:
            break
        meant = _same(connection, owner, meant | more)
    return sorted(meant)


def _same(connection: sqlite3.Connection, owner: str, meant: set[int]) -> set[int]:
    while True:
        rows = connection.execute(
            "SELECT id FROM memories WHERE owner = ? AND life <> 'purged' AND (content_key IN (SELECT content_key FROM"
            " memories WHERE id IN (SELECT value FROM json_each(?)))"
            " OR (superseded_by IN (SELECT value FROM json_each(?)) AND EXISTS"
            " (SELECT 1 FROM versions v WHERE v.memory = superseded_by AND v.merged_from = memories.id)))",
            (owner, _json(meant), _json(meant)),
        )
        wider = meant | {row[0] for row in rows}
        if wider == meant:
            return meant
        meant = wider


def words_of(connection: sqlite3.Connection, memories: Iterable[int], variants: bool = False) -> Words:
    """The words that go with memories; with `variants` in every writing, and titles of chats that name them."""
    texts = said_by(connection, memories)
    return Words(texts, variants, titles_about(connection, memories, texts) if variants else ())


def titles_about(connection: sqlite3.Connection, memories: Iterable[int], texts: Sequence[str]) -> set[str]:
    """The titles of chats in which these memories were said that say nothing but what is in their words."""
    rows = connection.execute(
        "SELECT c.title FROM conversations c JOIN messages m ON m.conversation = c.id"
        " JOIN evidence e ON e.message = m.id"
        " WHERE c.title IS NOT NULL AND e.memory IN (SELECT value FROM json_each(?1))"
        " UNION SELECT title FROM evidence WHERE title IS NOT NULL AND memory IN (SELECT value FROM json_each(?1))",
        (_json(memories),),
    )
    return {row[0] for row in rows if is_about(row[0], texts)}


def purge(writer: Writer, memories: Sequence[int], variants: bool = False) -> Purged:
    """Erase memories of the writer's owner from rows, journal, raw messages and vectors, in the writer's transaction.

    With `variants` their words also go where they stand in another writing.

    Raises Conflict, naming it, if a memory that is to stay holds the same words. The caller compacts the file and
    drops the projections afterwards; until then freed pages may still hold them.
    """
    connection, owner, chosen = writer.connection, writer.owner, frozenset(memories)
    words = words_of(connection, chosen, variants)
    _refuse_if_kept_elsewhere(connection, owner, chosen, words)
    _bury(writer, chosen)
    done = _erase(writer, chosen, words)
    writer.update("memories", sorted(chosen), {"life": "purged"})
    return Purged(tuple(sorted(chosen)), done.messages, done.events)


def erase_words(writer: Writer, words: Words) -> Purged:
    """Erase words, of memories that are not here, wherever they stand; returns the memories that held some, which stay.

    The caller compacts the file and drops the projections afterwards.
    """
    done = _erase(writer, frozenset(), words)
    if done.messages or done.memories:
        writer.note()
    return done


def _erase(writer: Writer, chosen: frozenset[int], words: Words) -> Purged:
    """Erase memories, and words wherever they stand; returns the other memories that held some."""
    connection, owner = writer.connection, writer.owner
    external = connection.execute(
        "SELECT id, external_id FROM memories WHERE external_id IS NOT NULL AND life <> 'purged' AND owner = ?",
        (owner,),
    )
    external_ids: dict[Value, str] = {
        row[1]: purged_id(writer.key, row[1]) for row in external if row[0] in chosen or words.spans(row[1])
    }
    messages, spans = _blot_messages(connection, owner, chosen, words)
    erased = Erasure(chosen, words, spans, external_ids, *_ever_said(connection, chosen))
    others: set[int] = set()
    for table in EMPTY:
        others |= _clean_rows(connection, owner, table, erased)
    named = "memory IN (SELECT value FROM json_each(?))"
    connection.execute(f"DELETE FROM tags WHERE {named}", (_json(chosen),))
    others |= _clean_names(connection, owner, words)
    connection.execute(
        "DELETE FROM versions WHERE merged_from IN (SELECT value FROM json_each(?1))"
        " AND memory NOT IN (SELECT value FROM json_each(?1)) AND content_key IN (SELECT value FROM json_each(?2))"
        " AND memory IN (SELECT id FROM memories WHERE owner = ?3)",
        (_json(chosen), orjson.dumps(sorted(map(str, erased.keys))).decode(), owner),
    )
    for table in ("vectors", "unembedded"):
        connection.execute(f"DELETE FROM {table} WHERE space IN (SELECT id FROM spaces) AND {named}", (_json(chosen),))
    _clean_swept(connection, owner, chosen, words)
    events, ended = _clean_journal(connection, owner, erased)
    end_undo(connection, ended | {writer.id})
    return Purged(tuple(sorted(others - chosen)), messages, events)


@dataclass(frozen=True, slots=True)
class Erased:
    """Of how many conversations what was said was erased, and how many messages that were."""

    conversations: int
    messages: int


def erase_logs(writer: Writer, conversations: Sequence[int]) -> Erased:
    """Erase all that was said in conversations of the writer's owner.

    Their ids and hashes stay, so that an import recognises them and brings nothing back, and memories keep their
    quotes. The caller compacts the file and drops the projections afterwards.
    """
    connection = writer.connection
    own = "(SELECT id FROM conversations WHERE owner = ?1 AND id IN (SELECT value FROM json_each(?2)))"
    chosen = (writer.owner, _json(conversations))
    said = f"(SELECT text FROM messages WHERE conversation IN {own} AND text <> '')"
    for table, column in (("turns", "text"), ("checks", "query")):  # which may hold what was said here
        connection.execute(f"DELETE FROM {table} WHERE {column} IN {said}", chosen)
    checks.drop_empty(connection)
    count = connection.execute(
        f"UPDATE messages SET text = '' WHERE conversation IN {own} AND text <> ''", chosen
    ).rowcount
    connection.execute(f"UPDATE conversations SET title = NULL WHERE id IN {own}", chosen)
    connection.execute("DELETE FROM replies")
    connection.execute("UPDATE failures SET reply = '', reason = ? WHERE owner = ?", (_ERASED, writer.owner))
    if count:
        writer.note()
        end_undo(connection, {writer.id})
    return Erased(len(conversations), count)


def compact(connection: sqlite3.Connection, wait: float = WAIT) -> bool:
    """Rewrite the file and empty the log beside it; False if another process is reading and it must be tried again.

    Others are waited for `wait` seconds.
    """
    connection.execute(f"PRAGMA busy_timeout={wait * 1000:.0f}")
    try:
        connection.execute("VACUUM")
        busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    finally:
        connection.execute(f"PRAGMA busy_timeout={WAIT * 1000:.0f}")
    return not busy


def said_by(connection: sqlite3.Connection, memories: Iterable[int]) -> list[str]:
    """What the memories say and said, and the quotes they rest on."""
    rows = connection.execute(
        "SELECT text FROM memories WHERE id IN (SELECT value FROM json_each(?1))"
        " UNION SELECT text FROM versions WHERE memory IN (SELECT value FROM json_each(?1))"
        " UNION SELECT quote FROM evidence WHERE memory IN (SELECT value FROM json_each(?1))",
        (_json(memories),),
    )
    return [row[0] for row in rows]


def _ever_said(
    connection: sqlite3.Connection, chosen: frozenset[int]
) -> tuple[frozenset[Value], frozenset[tuple[Value, ...]]]:
    """The content keys of all that the memories ever said, and their quotes from logs that are not here."""
    keys: set[Value] = set()
    quotes: set[tuple[Value, ...]] = set()
    events = connection.execute(
        "SELECT changes FROM events WHERE seq IN"
        " (SELECT seq FROM touched WHERE memory IN (SELECT value FROM json_each(?)))",
        (_json(chosen),),
    )
    for event in events:
        for change in decode(event["changes"]):
            if change.table in ("memories", "versions", "evidence") and not chosen.isdisjoint(memories_of(change)):
                for row in _rows_about(change, chosen):
                    keys.add(row.get("content_key"))
                    if row.get("reference") is not None:
                        quotes.add(place_of(row))
    return frozenset(keys - {None}), frozenset(quotes)


def _rows_about(change: Change, chosen: frozenset[int]) -> list[dict[str, Value]]:
    """The values in a change that are of these memories."""
    rows = [dict(zip(change.columns, values, strict=True)) for values in values_of(change)]
    if isinstance(change, Update):
        return rows
    column = MEMORY[change.table][0]
    return [row for row in rows if row[column] in chosen]


def _refuse_if_kept_elsewhere(connection: sqlite3.Connection, owner: str, chosen: frozenset[int], words: Words) -> None:
    test, parameters = words.like("text")
    rows = connection.execute(f"SELECT id, text FROM memories WHERE owner = ? AND {test}", (owner, *parameters))
    for row in rows:
        if row["id"] not in chosen and words.spans(row["text"]):
            raise KeptElsewhere(row["id"])


def _bury(writer: Writer, chosen: frozenset[int]) -> None:
    """Put up tombstones for what the memories say, and for what they said unless another that stays says it."""
    Tombstones.add(writer, sorted(chosen))
    rows = writer.connection.execute(
        "SELECT DISTINCT n.owner, v.content_key, n.id FROM versions v JOIN memories n ON n.id = v.memory"
        " WHERE v.memory IN (SELECT value FROM json_each(?1)) AND v.content_key IS NOT NULL"
        " AND NOT EXISTS (SELECT 1 FROM memories o WHERE o.content_key = v.content_key AND +o.owner = n.owner"
        " AND o.id NOT IN (SELECT value FROM json_each(?1)))"
        " AND NOT EXISTS (SELECT 1 FROM tombstones t WHERE t.owner = n.owner AND t.content_key = v.content_key"
        " AND t.memory = n.id)",
        (_json(chosen),),
    ).fetchall()
    writer.insert("tombstones", ("owner", "content_key", "memory"), [tuple(row) for row in rows])


def _blot_messages(
    connection: sqlite3.Connection, owner: str, chosen: frozenset[int], words: Words
) -> tuple[int, dict[int, list[Span]]]:
    """Cover the quoted spans, and the same words wherever else they were said, keeping every offset.

    Returns how many messages changed, and every span covered in each. Titles cut from these messages are covered too.
    """
    spans: dict[int, list[Span]] = {}
    for row in connection.execute(
        "SELECT message, start, end FROM evidence WHERE message IS NOT NULL"
        " AND memory IN (SELECT value FROM json_each(?))",
        (_json(chosen),),
    ):
        spans.setdefault(row["message"], []).append((row["start"], row["end"]))
    test, parameters = words.like("m.text")
    rows = connection.execute(
        "SELECT m.id, m.text, m.conversation, c.title FROM messages m"
        " JOIN conversations c ON c.id = m.conversation AND c.owner = ?"
        f" WHERE m.id IN (SELECT value FROM json_each(?)) OR {test}",
        (owner, _json(spans), *parameters),
    )
    texts: list[tuple[str, int]] = []
    titles: list[tuple[str, int]] = []
    reached: dict[int, list[Span]] = {}
    for row in rows:
        places = spans.get(row["id"], []) + words.spans(row["text"])
        if not places:
            continue
        reached[row["id"]] = places
        texts.append((covered(row["text"], places), row["id"]))
        title = None if row["title"] is None else covered_title(row["title"], row["text"], places)
        if title != row["title"]:
            titles.append((title or "", row["conversation"]))
    before = connection.total_changes
    connection.executemany("UPDATE messages SET text = ?1 WHERE id = ?2 AND text <> ?1", texts)
    changed = connection.total_changes - before
    connection.executemany("UPDATE conversations SET title = ? WHERE id = ?", titles)
    rows = connection.execute("SELECT title, id FROM conversations WHERE owner = ? AND title IS NOT NULL", (owner,))
    clean = [(words.blotted_title(row["title"]), row["id"]) for row in rows]
    connection.executemany("UPDATE conversations SET title = ?1 WHERE id = ?2 AND title <> ?1", clean)
    return changed, reached


def _clean_names(connection: sqlite3.Connection, owner: str, words: Words) -> set[int]:
    """Erase the words from tags of other memories, from names of projects and chats, and of files read.

    Returns the memories that had such tags.
    """
    rows = connection.execute(
        "SELECT t.memory, t.tag FROM tags t JOIN memories m ON m.id = t.memory AND m.owner = ?", (owner,)
    )
    named = [tuple(row) for row in rows if words.spans(row["tag"])]
    connection.executemany("DELETE FROM tags WHERE memory = ? AND tag = ?", named)
    for column in ("project", "external_id"):
        rows = connection.execute(
            f"SELECT {column}, id FROM conversations WHERE owner = ? AND {column} <> ''", (owner,)
        )
        clean = [(words.blotted(row[0]), row[1]) for row in rows if words.spans(row[0])]
        connection.executemany(f"UPDATE conversations SET {column} = ? WHERE id = ?", clean)
    rows = connection.execute("SELECT owner, path FROM files WHERE owner = ?", (owner,))
    connection.executemany(
        "DELETE FROM files WHERE owner = ? AND path = ?", [tuple(row) for row in rows if words.spans(row["path"])]
    )
    return {memory for memory, _ in named}


def _clean_rows(connection: sqlite3.Connection, owner: str, table: str, erased: Erasure) -> set[int]:
    """Clean a table; returns the memories whose rows changed."""
    places = " OR ".join(
        f"EXISTS (SELECT 1 FROM memories o WHERE o.id = {table}.{column} AND o.owner = ?1)" for column in MEMORY[table]
    )
    cursor = connection.execute(f"SELECT * FROM {table} WHERE {places}", (owner,))
    columns = [name for name, *_ in cursor.description]
    clean = [(*new, row["id"]) for row in cursor if (new := erased.row(table, columns, row)) not in (None, tuple(row))]
    setting = ", ".join(f"{column} = ?" for column in columns)
    connection.executemany(f"UPDATE {table} SET {setting} WHERE id = ?", clean)
    place = columns.index(MEMORY[table][0])
    return {row[place] for row in clean}


def _clean_swept(connection: sqlite3.Connection, owner: str, chosen: frozenset[int], words: Words) -> None:
    """Erase the words from what sweeps left. Answers of models go whole: they hold words in JSON, and are asked anew.

    What failed is kept, to be tried again, but neither its answer nor a reason that might cite it.
    """
    connection.execute("DELETE FROM replies")
    connection.execute("UPDATE failures SET reply = '', reason = ? WHERE owner = ?", (_ERASED, owner))
    gone = "(SELECT value FROM json_each(?1))"
    connection.execute(f"DELETE FROM failures WHERE sweep = 'embed' AND item IN {gone}", (_json(chosen),))  # by its sum
    connection.execute(f"DELETE FROM wordings WHERE memory IN {gone}", (_json(chosen),))
    for table in ("warmth", "compared", "stated", "expected"):
        connection.execute(f"DELETE FROM {table} WHERE memory IN {gone}", (_json(chosen),))
    connection.execute(
        f"DELETE FROM judgments WHERE alert IN (SELECT id FROM alerts WHERE a IN {gone} OR b IN {gone})",
        (_json(chosen),),
    )
    for table, keys, column in (
        ("wordings", ("memory", "distiller"), "text"),
        ("judgments", ("alert", "judge"), "reasons"),
        ("turns", ("recall",), "text"),
        ("checks", ("id",), "query"),
    ):
        rows = connection.execute(f"SELECT {', '.join(keys)}, {column} FROM {table}").fetchall()
        listed = column == "reasons"
        told = [tuple(row)[:-1] for row in rows if words.spans(_together(row[column]) if listed else row[column])]
        test = " AND ".join(f"{key} = ?" for key in keys)
        connection.executemany(f"DELETE FROM {table} WHERE {test}", told)
    checks.drop_empty(connection)


def _together(reasons: str) -> str:
    """The words of a column that holds a JSON list of them."""
    return "\n".join(map(str, orjson.loads(reasons)))


def _clean_journal(connection: sqlite3.Connection, owner: str, erased: Erasure) -> tuple[int, set[int]]:
    """Rewrite the owner's events that hold what must go; returns how many, and the commands undo must not touch."""
    cleaned, ended = 0, set()
    rows = connection.execute(
        "SELECT e.seq, e.command FROM events e JOIN commands c ON c.id = e.command AND c.owner = ?", (owner,)
    ).fetchall()
    for row in rows:
        (data,) = connection.execute("SELECT changes FROM events WHERE seq = ?", (row["seq"],)).fetchone()
        changes = decode(data)
        clean = [part for change in changes for part in erased.change(change)]
        if clean != changes:
            connection.execute("UPDATE events SET changes = ? WHERE seq = ?", (encode(clean), row["seq"]))
            cleaned += 1
        if clean != changes or any(map(erased.concerns, changes)):
            ended.add(row["command"])
    return cleaned, ended


def end_undo(connection: sqlite3.Connection, commands: set[int]) -> None:
    """These commands, and whatever took one of them back or did it again, can be taken back no more."""
    ended = set(commands)
    for row in connection.execute("SELECT id, target FROM commands WHERE target IS NOT NULL ORDER BY id"):
        if row["target"] in ended:
            ended.add(row["id"])
    connection.execute("UPDATE commands SET undoable = 0 WHERE id IN (SELECT value FROM json_each(?))", (_json(ended),))


def _json(memories: Iterable[int]) -> str:
    return orjson.dumps(sorted(memories)).decode()
