"""Purge: the words of a memory leave the record for good; ids, and keyed hashes that recognise them, stay.

Everything else in the store may be undone. This may not, and ends undo for the commands whose events held the words.
Rows and journal are cleaned by the same functions of their values, so that the fold of the journal still is the rows.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import orjson

from store.errors import KeptElsewhere
from store.record import expecting, tombstones
from store.record.blot import Span, Words, covered, covered_title
from store.record.changes import Change, Update, Value, decode, encode, memories_of, narrowed
from store.record.journal import Writer
from store.record.memories import purged_id

_EMPTY: Mapping[str, Mapping[str, Value]] = {  # what is left in the rows of a purged memory
    "memories": {
        "text": "",
        "scope": "global",
        **dict.fromkeys(("project", "session", "subject", "relation", "object", "span", "surprise")),
    },
    "evidence": {"quote": "", "reference": None, "source": None, "title": None},
    "versions": {"text": ""},
    "alerts": {"reasons": "[]"},
}
_MEMORY = {"memories": ("id",), "evidence": ("memory",), "versions": ("memory",), "tags": ("memory",)} | {
    "alerts": ("a", "b")
}
_SHARED = {"memories": ("text", "subject", "relation", "object"), "versions": ("text",)}  # may hold them in others too
_ERASED = "its words were erased by a purge; try it again"


@dataclass(frozen=True, slots=True)
class Purged:
    """What a purge erased."""

    memories: tuple[int, ...]
    messages: int
    events: int


@dataclass(frozen=True, slots=True)
class _Erased:
    """What must go: memories, words, spans of messages, external ids (with what stands in for them).

    And what was copied from them when others were merged: `keys` of all they ever said, and their quotes from logs that
    are not here, by (reference, start, quote).
    """

    memories: frozenset[int]
    words: Words
    spans: Mapping[int, Sequence[Span]]
    external_ids: Mapping[Value, str]
    keys: frozenset[Value]
    quotes: frozenset[tuple[Value, ...]]

    def row(self, table: str, columns: Sequence[str], values: Sequence[Value]) -> tuple[Value, ...] | None:
        """A row without what must go; None for one that goes whole."""
        if table not in _MEMORY:
            return tuple(values)
        row = dict(zip(columns, values, strict=True))
        if all(row[column] not in self.memories for column in _MEMORY[table]):
            return None if self._merged(table, row) else self._others(table, row)
        return None if table == "tags" else self._own(table, row)

    def _merged(self, table: str, row: Mapping[str, Value]) -> bool:
        """Whether a row is a former text that another memory has from one that goes."""
        return table == "versions" and row["merged_from"] in self.memories and row["content_key"] in self.keys

    def _own(self, table: str, row: dict[str, Value]) -> tuple[Value, ...]:
        empty = _EMPTY[table]
        return tuple(self._value(column, empty.get(column, value)) for column, value in row.items())

    def _others(self, table: str, row: dict[str, Value]) -> tuple[Value, ...]:
        for column in _SHARED.get(table, ()):
            value = row.get(column)
            if isinstance(value, str):
                row[column] = self.words.blotted(value)
        if table == "evidence" and row["message"] is None and _place(row) in self.quotes:
            row |= _EMPTY[table]
        elif table == "evidence":
            start, message = int(row["start"] or 0), int(row["message"] or 0)
            within = [(begin - start, end - start) for begin, end in self.spans.get(message, ())]
            row["quote"] = self.words.blotted(covered(str(row["quote"]), within))
            if isinstance(row["title"], str):
                row["title"] = self.words.blotted_title(row["title"])
        return tuple(self._value(column, value) for column, value in row.items())

    def _value(self, column: str, value: Value) -> Value:
        return self.external_ids.get(value, value) if column == "external_id" else value

    def change(self, change: Change) -> list[Change]:
        """A change without what must go; one over several memories comes apart where some of them go."""
        if not isinstance(change, Update):
            rows = (self.row(change.table, change.columns, row) for row in change.rows)
            kept = tuple(row for row in rows if row is not None)
            return [replace(change, rows=kept)] if kept else []
        if change.table != "memories":
            return [change]
        parts: list[Change] = []
        for own, clean in ((True, self._own), (False, self._others)):
            keys = tuple(key for key in change.keys if (key[0] in self.memories) is own)
            if keys:
                before, after = (
                    clean("memories", dict(zip(change.columns, values, strict=True)))
                    for values in (change.before, change.after)
                )
                parts.append(replace(narrowed(change, keys), before=before, after=after))
        return parts

    def concerns(self, change: Change) -> bool:
        """Whether a change is about what goes, though it may hold none of its words."""
        if change.table == "tombstones" and not isinstance(change, Update):
            return any(row[change.columns.index("memory")] in self.memories for row in change.rows)
        return not self.memories.isdisjoint(memories_of(change))


def everyone_meant(connection: sqlite3.Connection, owner: str, memories: Sequence[int]) -> list[int]:
    """These memories and all that say exactly the same or were merged into them."""
    meant = set(memories)
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
            return sorted(meant)
        meant = wider


def purge(writer: Writer, memories: Sequence[int]) -> Purged:
    """Erase memories of the writer's owner from rows, journal, raw messages and vectors, in the writer's transaction.

    Raises Conflict, naming it, if a memory that is to stay holds the same words. The caller compacts the file and
    drops the projections afterwards; until then freed pages may still hold them.
    """
    connection, owner, chosen = writer.connection, writer.owner, frozenset(memories)
    words = Words(_texts(connection, chosen))
    _refuse_if_kept_elsewhere(connection, owner, chosen, words)
    external = connection.execute(
        "SELECT external_id FROM memories WHERE external_id IS NOT NULL AND life <> 'purged'"
        " AND id IN (SELECT value FROM json_each(?))",
        (_json(chosen),),
    )
    external_ids: dict[Value, str] = {row[0]: purged_id(writer.key, row[0]) for row in external.fetchall()}
    _bury(writer, chosen)
    messages, spans = _blot_messages(connection, owner, chosen, words)
    erased = _Erased(chosen, words, spans, external_ids, *_ever_said(connection, chosen))
    for table in _EMPTY:
        _clean_rows(connection, owner, table, erased)
    named = "memory IN (SELECT value FROM json_each(?))"
    connection.execute(f"DELETE FROM tags WHERE {named}", (_json(chosen),))
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
    writer.update("memories", sorted(chosen), {"life": "purged"})
    return Purged(tuple(sorted(chosen)), messages, events)


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
    expecting.drop_empty(connection)
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


def compact(connection: sqlite3.Connection) -> bool:
    """Rewrite the file and empty the log beside it; False if another process is reading and it must be tried again."""
    connection.execute("VACUUM")
    busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    return not busy


def _texts(connection: sqlite3.Connection, memories: Iterable[int]) -> list[str]:
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
                        quotes.add(_place(row))
    return frozenset(keys - {None}), frozenset(quotes)


def _rows_about(change: Change, chosen: frozenset[int]) -> list[dict[str, Value]]:
    """The values in a change that are of these memories."""
    if isinstance(change, Update):
        return [dict(zip(change.columns, values, strict=True)) for values in (change.before, change.after)]
    column = _MEMORY[change.table][0]
    rows = (dict(zip(change.columns, values, strict=True)) for values in change.rows)
    return [row for row in rows if row[column] in chosen]


def _place(row: Mapping[str, Value]) -> tuple[Value, ...]:
    return row["reference"], row["start"], row["quote"]


def _refuse_if_kept_elsewhere(connection: sqlite3.Connection, owner: str, chosen: frozenset[int], words: Words) -> None:
    test, parameters = words.like("text")
    rows = connection.execute(f"SELECT id, text FROM memories WHERE owner = ? AND {test}", (owner, *parameters))
    for row in rows:
        if row["id"] not in chosen and words.spans(row["text"]):
            raise KeptElsewhere(row["id"])


def _bury(writer: Writer, chosen: frozenset[int]) -> None:
    """Put up tombstones for what the memories say, and for what they said unless another that stays says it."""
    tombstones.bury(writer, sorted(chosen))
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


def _clean_rows(connection: sqlite3.Connection, owner: str, table: str, erased: _Erased) -> None:
    places = " OR ".join(
        f"EXISTS (SELECT 1 FROM memories o WHERE o.id = {table}.{column} AND o.owner = ?1)" for column in _MEMORY[table]
    )
    cursor = connection.execute(f"SELECT * FROM {table} WHERE {places}", (owner,))
    columns = [name for name, *_ in cursor.description]
    clean = [(*new, row["id"]) for row in cursor if (new := erased.row(table, columns, row)) not in (None, tuple(row))]
    setting = ", ".join(f"{column} = ?" for column in columns)
    connection.executemany(f"UPDATE {table} SET {setting} WHERE id = ?", clean)


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
    expecting.drop_empty(connection)


def _together(reasons: str) -> str:
    """The words of a column that holds a JSON list of them."""
    return "\n".join(map(str, orjson.loads(reasons)))


def _clean_journal(connection: sqlite3.Connection, owner: str, erased: _Erased) -> tuple[int, set[int]]:
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
