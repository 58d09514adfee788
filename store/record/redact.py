"""Redacting: what a better detector finds to be a secret leaves the record, its journal included. Not undoable.

Rows and events are cleaned by the same functions of their values, so that the fold of the journal still is the rows
(I2) and every other command can be taken back as before. In messages and quotes each sign is covered, so that offsets
hold; what memories say is put as an import would put it now, which is thereby recognised when it comes again. A tag is
part of its row's key, and an external id is unique: a keyed hash takes the place of one, so that two stay two.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import orjson

from store.record.changes import Change, Update, Value, decode, encode, values_of
from store.record.hashes import hashed, redacted_id
from store.record.journal import Writer
from store.record.purge import end_undo

Clean = Callable[[str], str]
_SAYING = {
    "memories": (
        "text",
        "subject",
        "relation",
        "object",
        "project",
        "scope",
        "session",
        "span",
        "source",
        "flag",
        "distiller",
    ),
    "versions": ("text",),
    "evidence": ("quote", "title", "reference", "source"),
}
_RAW = (("conversations", "title"), ("conversations", "project"), ("conversations", "external_id"))
_BESIDE = (  # not journaled: table, its keys, the column
    ("judgments", ("alert", "judge"), "reasons"),
    ("wordings", ("memory", "distiller"), "text"),
    ("turns", ("recall",), "text"),
    ("checks", ("id",), "query"),
    ("failures", ("id",), "reply"),
    ("failures", ("id",), "reason"),
    ("commands", ("id",), "summary"),
)
_TEXTS = (  # what is looked at for a person to see, as (sort, query)
    (
        "message",
        "SELECT m.id, m.text FROM messages m JOIN conversations c ON c.id = m.conversation WHERE c.owner = ?",
    ),
    (
        "message",
        "SELECT m.id, m.external_id FROM messages m JOIN conversations c ON c.id = m.conversation"
        " WHERE c.owner = ? AND m.external_id IS NOT NULL",
    ),
    *(
        ("conversation", f"SELECT id, {column} FROM {table} WHERE owner = ? AND {column} IS NOT NULL")
        for table, column in _RAW
    ),
    *(
        ("memory", f"SELECT id, {column} FROM memories WHERE owner = ? AND {column} IS NOT NULL")
        for column in (*_SAYING["memories"], "external_id")
    ),
    *(
        (
            "memory",
            f"SELECT v.memory, v.{column} FROM {table} v JOIN memories m ON m.id = v.memory"
            f" WHERE m.owner = ? AND v.{column} IS NOT NULL",
        )
        for table, columns in (("versions", ("text",)), ("evidence", _SAYING["evidence"]), ("tags", ("tag",)))
        for column in columns
    ),
    ("memory", "SELECT w.memory, w.text FROM wordings w JOIN memories m ON m.id = w.memory WHERE m.owner = ?"),
    ("conflict", "SELECT a.id, a.reasons FROM alerts a JOIN memories m ON m.id = a.a WHERE m.owner = ?"),
    (
        "conflict",
        "SELECT j.alert, j.reasons FROM judgments j JOIN alerts a ON a.id = j.alert JOIN memories m ON m.id = a.a"
        " WHERE m.owner = ?",
    ),
    ("check", "SELECT id, query FROM checks WHERE owner = ?"),
    ("recalled prompt", "SELECT t.recall, t.text FROM turns t JOIN recalls r ON r.id = t.recall WHERE r.owner = ?"),
    ("failure", "SELECT id, reply FROM failures WHERE owner = ?"),
    ("failure", "SELECT id, reason FROM failures WHERE owner = ?"),
    ("file name", "SELECT 0, path FROM files WHERE owner = ?"),
    ("command", "SELECT id, summary FROM commands WHERE owner = ? AND summary <> ''"),
)


@dataclass(frozen=True, slots=True)
class Redacted:
    """How much was redacted."""

    memories: tuple[int, ...]
    messages: int
    events: int


@dataclass(frozen=True, slots=True)
class Redactors:
    """How words are cleaned: `clean` for what is said, `cover` sign by sign, `key_of` a text its content key."""

    clean: Clean
    cover: Clean
    key_of: Callable[[str], str]


def texts(connection: sqlite3.Connection, owner: str) -> Iterator[tuple[str, int, str]]:
    """All words of an owner that a secret may stand in: what holds them, its id, and the words.

    Former values, which stand in the journal alone, come last, under their commands.
    """
    seen: set[int] = set()  # hashes, which take less room than the words
    for sort, query in _TEXTS:
        for row in connection.execute(query, (owner,)):
            if sort != "message":  # of which the journal holds none
                seen.add(hash(row[1]))
            yield sort, row[0], row[1]
    for _seq, command, changes in _events(connection, owner):
        for text in _words_in(changes):
            if (known := hash(text)) not in seen:
                seen.add(known)
                yield "earlier change", command, text


def _words_in(changes: Sequence[Change]) -> Iterator[str]:
    columns = {table: {*names, "external_id", "tag", "reasons"} for table, names in _SAYING.items()}
    columns |= {"tags": {"tag"}, "alerts": {"reasons"}}
    for change in changes:
        for row in _rows(change) if change.table in columns else ():
            yield from (v for name, v in row.items() if name in columns[change.table] and isinstance(v, str))


def redact(writer: Writer, ways: Redactors) -> Redacted:
    """Clean all that the writer's owner has. The caller compacts the file and drops the projections afterwards."""
    connection, owner = writer.connection, writer.owner
    covered = _cover_messages(connection, owner, ways)
    _clean_raw(connection, owner, ways)
    cleaner = _Cleaner(writer.key, ways, covered, {})
    cleaner.learn(connection, owner)
    changed: set[int] = set()
    for table, column in (("memories", "id"), ("versions", "memory"), ("evidence", "memory"), ("alerts", "a")):
        changed |= _clean_rows(connection, owner, table, column, cleaner)
    changed |= _clean_tags(connection, owner, cleaner)
    connection.executemany(
        "UPDATE tombstones SET content_key = ? WHERE owner = ? AND content_key = ?",
        ((new, owner, old) for old, new in cleaner.keys.items()),
    )
    _clean_beside(connection, ways)
    events = _clean_journal(connection, owner, cleaner)
    _name_changed(writer, sorted(changed))
    end_undo(connection, {writer.id})
    return Redacted(tuple(sorted(changed)), len(covered), events)


@dataclass(frozen=True, slots=True)
class _Cleaner:
    """Cleans rows of the journaled tables; `covered` are the messages that changed, `keys` content keys, old to new."""

    key: bytes
    ways: Redactors
    covered: Mapping[int, str]
    keys: dict[str, str]

    def learn(self, connection: sqlite3.Connection, owner: str) -> None:
        """Find every content key that changes, of rows and of the journal."""
        for table in ("memories", "versions"):
            place = "owner = ?" if table == "memories" else "memory IN (SELECT id FROM memories WHERE owner = ?)"
            for row in connection.execute(f"SELECT text, content_key FROM {table} WHERE {place}", (owner,)):
                self._learn(row["text"], row["content_key"])
        for changes in _events(connection, owner):
            for change in changes[2]:
                if change.table in _SAYING:
                    for row in _rows(change):
                        self._learn(row.get("text"), row.get("content_key"))

    def _learn(self, text: Value, key: Value) -> None:
        if isinstance(text, str) and isinstance(key, str) and (clean := self.ways.clean(text)) != text:
            self.keys[key] = hashed(self.key, self.ways.key_of(clean))

    def row(self, table: str, row: Mapping[str, Value]) -> dict[str, Value]:
        """A row without secrets."""
        out = dict(row)
        for column in _SAYING.get(table, ()):
            value = out.get(column)
            if isinstance(value, str):
                out[column] = self.ways.clean(value)
        if table == "evidence":
            out.update(self._quote(dict(row)))
        if isinstance(out.get("tag"), str):
            out["tag"] = self.tag(str(out["tag"]))
        if table == "memories" and isinstance(out.get("external_id"), str):
            out["external_id"] = self._id(str(out["external_id"]))
        if table == "alerts" and isinstance(out.get("reasons"), str):
            out["reasons"] = _cleaned_list(str(out["reasons"]), self.ways.clean)
        for column in ("content_key", "a_key", "b_key"):
            key = out.get(column)
            if isinstance(key, str):
                out[column] = self.keys.get(key, key)
        if isinstance(out.get("former"), str):  # how a pair was settled stands for what it says now
            out["former"] = _cleaned_list(str(out["former"]), lambda key: self.keys.get(key, key))
        return out

    def tag(self, tag: str) -> str:
        """A tag without a secret; another for every tag."""
        return tag if self.ways.clean(tag) == tag else f"[redacted]-{hashed(self.key, tag)[:12]}"

    def _id(self, external_id: str) -> str:
        return external_id if self.ways.clean(external_id) == external_id else redacted_id(self.key, external_id)

    def _quote(self, row: Mapping[str, Value]) -> dict[str, Value]:
        quote, message = row.get("quote"), row.get("message")
        out: dict[str, Value] = {}
        if isinstance(quote, str):
            start, end = int(row.get("start") or 0), int(row.get("end") or 0)
            whole = self.covered.get(message) if isinstance(message, int) else None
            there = None if whole is None else whole[start:end]
            out["quote"] = there if there is not None and len(there) == len(quote) else self.ways.cover(quote)
        return out

    def change(self, change: Change) -> Change:
        """A change without secrets."""
        if isinstance(change, Update):
            before, after = (tuple(self.row(change.table, row).values()) for row in _rows(change))
            return replace(change, before=before, after=after)
        return replace(change, rows=tuple(tuple(self.row(change.table, row).values()) for row in _rows(change)))


def _rows(change: Change) -> list[dict[str, Value]]:
    return [dict(zip(change.columns, one, strict=True)) for one in values_of(change)]


def _cover_messages(connection: sqlite3.Connection, owner: str, ways: Redactors) -> dict[int, str]:
    """The messages that held a secret, as they are now."""
    found: dict[int, str] = {}
    for row in connection.execute(_TEXTS[0][1], (owner,)):
        text = ways.cover(row["text"])
        if text != row["text"]:
            found[row["id"]] = text
    connection.executemany("UPDATE messages SET text = ? WHERE id = ?", ((text, n) for n, text in found.items()))
    return found


def _clean_rows(connection: sqlite3.Connection, owner: str, table: str, column: str, cleaner: _Cleaner) -> set[int]:
    """Clean a journaled table; returns the memories whose rows changed."""
    place = "owner = ?" if table == "memories" else f"{column} IN (SELECT id FROM memories WHERE owner = ?)"
    changed: set[int] = set()
    for row in connection.execute(f"SELECT * FROM {table} WHERE {place}", (owner,)).fetchall():
        before = dict(row)
        after = cleaner.row(table, before)
        if after != before:
            setting = ", ".join(f"{name} = ?" for name in after)
            connection.execute(f"UPDATE {table} SET {setting} WHERE id = ?", (*after.values(), row["id"]))
            changed.add(row[column])
    return changed


def _clean_beside(connection: sqlite3.Connection, ways: Redactors) -> None:
    """What sweeps left; answers of models go whole, since they hold words in JSON and are asked anew."""
    connection.execute("DELETE FROM replies")
    for table, keys, column in _BESIDE:
        test = " AND ".join(f"{key} = ?" for key in keys)
        for row in connection.execute(f"SELECT {', '.join(keys)}, {column} FROM {table}").fetchall():
            text = row[column]
            clean = _cleaned_list(text, ways.clean) if column == "reasons" else ways.clean(text)
            if clean != text:
                connection.execute(f"UPDATE {table} SET {column} = ? WHERE {test}", (clean, *tuple(row)[:-1]))


def _cleaned_list(text: str, clean: Clean) -> str:
    """A JSON list of texts, or of such lists, with each text cleaned."""
    before = orjson.loads(text)
    after = _cleaned_items(before, clean)
    return text if after == before else orjson.dumps(after).decode()


def _cleaned_items(items: list[object], clean: Clean) -> list[object]:
    return [
        clean(item) if isinstance(item, str) else _cleaned_items(item, clean) if isinstance(item, list) else item
        for item in items
    ]


def _clean_raw(connection: sqlite3.Connection, owner: str, ways: Redactors) -> None:
    """Clean names of conversations and ids of messages; marks of files, which only save time, go."""
    own = "conversation IN (SELECT id FROM conversations WHERE owner = ?)"
    for table, column, place in (*((*named, "owner = ?") for named in _RAW), ("messages", "external_id", own)):
        query = f"SELECT id, {column} FROM {table} WHERE {place} AND {column} IS NOT NULL"
        named = [(ways.clean(row[column]), row["id"]) for row in connection.execute(query, (owner,)).fetchall()]
        connection.executemany(f"UPDATE {table} SET {column} = ?1 WHERE id = ?2 AND {column} <> ?1", named)
    paths = [row["path"] for row in connection.execute("SELECT path FROM files WHERE owner = ?", (owner,))]
    unclean = [(owner, path) for path in paths if ways.clean(path) != path]
    connection.executemany("DELETE FROM files WHERE owner = ? AND path = ?", unclean)


def _clean_tags(connection: sqlite3.Connection, owner: str, cleaner: _Cleaner) -> set[int]:
    """Clean tags; returns the memories that have one."""
    rows = connection.execute(
        "SELECT t.memory, t.tag FROM tags t JOIN memories m ON m.id = t.memory AND m.owner = ?", (owner,)
    ).fetchall()
    new = [(cleaner.tag(row["tag"]), row["memory"], row["tag"]) for row in rows]
    changed = [one for one in new if one[0] != one[2]]
    connection.executemany("UPDATE tags SET tag = ? WHERE memory = ? AND tag = ?", changed)
    return {memory for _, memory, _ in changed}


def _events(connection: sqlite3.Connection, owner: str) -> Iterator[tuple[int, int, list[Change]]]:
    """The events of an owner: their numbers, commands and changes."""
    rows = connection.execute(
        "SELECT e.seq, e.command FROM events e JOIN commands c ON c.id = e.command AND c.owner = ? ORDER BY e.seq",
        (owner,),
    ).fetchall()
    for row in rows:
        (data,) = connection.execute("SELECT changes FROM events WHERE seq = ?", (row["seq"],)).fetchone()
        yield row["seq"], row["command"], decode(data)


def _clean_journal(connection: sqlite3.Connection, owner: str, cleaner: _Cleaner) -> int:
    """Rewrite the events that held a secret; returns how many."""
    cleaned = 0
    for seq, _, changes in _events(connection, owner):
        clean = [cleaner.change(change) for change in changes]
        if clean != changes:
            connection.execute("UPDATE events SET changes = ? WHERE seq = ?", (encode(clean), seq))
            cleaned += 1
    return cleaned


def _name_changed(writer: Writer, memories: Sequence[int]) -> None:
    """Journal which memories changed, by their words as they are now: they lose their vectors and are read anew.

    Of a command that changed messages alone an empty event tells, so that it stands in the history.
    """
    for memory in memories:
        (text,) = writer.connection.execute("SELECT text FROM memories WHERE id = ?", (memory,)).fetchone()
        writer.apply(Update("memories", ((memory,),), ("text",), (text,), (text,)))
    chosen = orjson.dumps(list(memories)).decode()
    for table in ("compared", "stated"):
        writer.connection.execute(f"DELETE FROM {table} WHERE memory IN (SELECT value FROM json_each(?))", (chosen,))
    if not memories:
        writer.note()
