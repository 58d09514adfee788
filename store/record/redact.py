"""Redaction: removes secrets from an existing record, including its journal. Cannot be undone.

Rows and events are cleaned by the same functions, so that the replayed journal still equals the rows (I2) and other
commands can still be undone. In messages and quotes, each character of a secret is covered, which keeps offsets valid.
Texts of memories become what an import would store now, so that repeated imports recognise them. Tags and external ids
with secrets are replaced by keyed hashes, so that they stay distinct.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

import orjson

from store.record.changes import Change, Update, Value, rows_of, with_rows
from store.record.database import functions
from store.record.journal import Writer
from store.record.meta import hashed, redacted_id
from store.record.purge import Cleaned, end_undo, events, rewrite_events, rewrite_sync_values
from store.record.repository import first_column, json_list

Clean = Callable[[str], str]
_TEXT_COLUMNS = {
    "memories": tuple("text subject relation object project scope session span source flag distiller".split()),
    "versions": ("text",),
    "evidence": ("quote", "title", "reference", "source"),
}
_TABLES = {"memories": "id", "versions": "memory", "evidence": "memory", "alerts": "a"}  # with the column of the memory
_RAW = (
    ("conversations", "title"),
    ("conversations", "project"),
    ("conversations", "external_id"),
    ("projects", "label"),
)
_BESIDE = (  # not journaled: table, column
    ("judgments", "reasons"),
    ("wordings", "text"),
    ("turns", "text"),
    ("checks", "query"),
    ("checks", "project"),
    ("failures", "reply"),
    ("failures", "reason"),
    ("commands", "summary"),
)
_TEXTS = (  # all texts that may contain a secret, as (kind, query)
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
        for column in (*_TEXT_COLUMNS["memories"], "external_id")
    ),
    *(
        (
            "memory",
            f"SELECT v.memory, v.{column} FROM {table} v JOIN memories m ON m.id = v.memory"
            f" WHERE m.owner = ? AND v.{column} IS NOT NULL",
        )
        for table, columns in (("versions", ("text",)), ("evidence", _TEXT_COLUMNS["evidence"]), ("tags", ("tag",)))
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
    ("check", "SELECT id, project FROM checks WHERE owner = ? AND project IS NOT NULL"),
    ("recalled prompt", "SELECT t.recall, t.text FROM turns t JOIN recalls r ON r.id = t.recall WHERE r.owner = ?"),
    ("failure", "SELECT id, reply FROM failures WHERE owner = ?"),
    ("failure", "SELECT id, reason FROM failures WHERE owner = ?"),
    ("file name", "SELECT 0, path FROM files WHERE owner = ?"),
    ("command", "SELECT id, summary FROM commands WHERE owner = ? AND summary <> ''"),
)


@dataclass(frozen=True, slots=True)
class Redactors:
    """Functions on texts.

    `clean` replaces secrets by a marker, `cover` replaces their characters and keeps the length, `key_of` returns the
    content key.
    """

    clean: Clean
    cover: Clean
    key_of: Callable[[str], str]


def texts(connection: sqlite3.Connection, owner: str) -> Iterator[tuple[str, int, str]]:
    """Yield all texts of an owner that may contain a secret, as (kind, id, text).

    Former values, which are only in the journal, come last, with the ids of their commands.
    """
    seen: set[int] = set()  # hashes, which take less memory than the texts
    for kind, query in _TEXTS:
        for number, text in connection.execute(query, (owner,)):
            if kind != "message":  # messages are not in the journal
                seen.add(hash(text))
            yield kind, number, text
    columns = {table: {*names, "external_id"} for table, names in _TEXT_COLUMNS.items()}
    columns |= {"tags": {"tag"}, "alerts": {"reasons"}}
    for _, command, changes in events(connection, owner):
        for text in (
            value
            for change in changes
            for row in rows_of(change)
            for name, value in row.items()
            if name in columns.get(change.table, ())
        ):
            if isinstance(text, str) and hash(text) not in seen:
                seen.add(hash(text))
                yield "earlier change", command, text


def redact(writer: Writer, redactors: Redactors) -> Cleaned:
    """Redact all texts of the writer's owner. The caller compacts the file and drops the projections afterwards."""
    connection, owner = writer.connection, writer.owner
    redaction = _Redaction(writer, redactors)
    clean = redactors.clean
    with functions(
        connection,
        clean=clean,
        cover=redactors.cover,
        clean_tag=redaction.tag,
        clean_list=lambda text: _clean_json(text, clean),
    ):
        redaction.clean_names()
        redaction.find_keys()
        tagged = first_column(
            connection,
            "UPDATE tags SET tag = clean_tag(tag) WHERE memory IN (SELECT id FROM memories WHERE owner = ?)"
            " AND tag <> clean_tag(tag) RETURNING memory",
            owner,
        )
        changed = set(tagged).union(*map(redaction.clean_rows, _TABLES))
        redaction.clean_not_journaled()
    rewrite_sync_values(connection, redaction.row)
    count = sum(rewritten for *_, rewritten in rewrite_events(connection, owner, redaction.change))
    for memory in sorted(changed):  # deletes its vectors, so that its new text is embedded
        (text,) = connection.execute("SELECT text FROM memories WHERE id = ?", (memory,)).fetchone()
        writer.apply(Update("memories", ((memory,),), ("text",), (text,), (text,)))
    connection.execute("DELETE FROM stated WHERE memory IN (SELECT value FROM json_each(?))", (json_list(changed),))
    if not changed:
        writer.note()  # so that a command that changed only messages is in the history
    end_undo(connection, {writer.id})
    return Cleaned(tuple(sorted(changed)), len(redaction.covered), count)


@dataclass(frozen=True, slots=True)
class _Redaction:
    """A redaction. `covered` are the changed messages, `keys` the new content keys by old ones."""

    writer: Writer
    redactors: Redactors
    covered: dict[int, str] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)

    def clean_names(self) -> None:
        """Cover messages, clean their ids and names of conversations; delete file marks, which only save time."""
        own = "conversation IN (SELECT id FROM conversations WHERE owner = ?)"
        cover = f"UPDATE messages SET text = cover(text) WHERE {own} AND text <> cover(text) RETURNING id, text"
        self.covered.update(map(tuple, self.writer.connection.execute(cover, (self.writer.owner,)).fetchall()))
        for table, column, place in (*((*named, "owner = ?") for named in _RAW), ("messages", "external_id", own)):
            self.writer.connection.execute(
                f"UPDATE {table} SET {column} = clean({column}) WHERE {place} AND {column} <> clean({column})",
                (self.writer.owner,),
            )
        self.writer.connection.execute(
            "DELETE FROM files WHERE owner = ? AND path <> clean(path)", (self.writer.owner,)
        )

    def find_keys(self) -> None:
        """Find every content key that changes, in rows and journal, and update tombstones."""
        connection, owner = self.writer.connection, self.writer.owner
        said = (
            (row["text"], row["content_key"])
            for table in ("memories", "versions")
            for row in connection.execute(f"SELECT text, content_key FROM {table} WHERE {_owned(table)}", (owner,))
        )
        journaled = (
            (row.get("text"), row.get("content_key"))
            for _, _, changes in events(connection, owner)
            for change in changes
            if change.table in _TEXT_COLUMNS
            for row in rows_of(change)
        )
        for text, key in chain(said, journaled):
            if isinstance(text, str) and isinstance(key, str) and (clean := self.redactors.clean(text)) != text:
                self.keys[key] = hashed(self.writer.key, self.redactors.key_of(clean))
        connection.executemany(
            "UPDATE tombstones SET content_key = ? WHERE owner = ? AND content_key = ?",
            [(new, owner, old) for old, new in self.keys.items()],
        )

    def clean_rows(self, table: str) -> set[int]:
        """Clean a journaled table; return the memories whose rows changed."""
        changed: set[int] = set()
        for row in self.writer.connection.execute(
            f"SELECT * FROM {table} WHERE {_owned(table)}", (self.writer.owner,)
        ).fetchall():
            after = self.row(table, dict(row))
            if after != dict(row):
                setting = ", ".join(f"{name} = ?" for name in after)
                self.writer.connection.execute(
                    f"UPDATE {table} SET {setting} WHERE id = ?", (*after.values(), row["id"])
                )
                changed.add(row[_TABLES[table]])
        return changed

    def clean_not_journaled(self) -> None:
        """Clean results of sweeps, and delete the stored replies of models, which can be requested again."""
        self.writer.connection.execute("DELETE FROM replies")
        for table, column in _BESIDE:
            clean = "clean_list" if column == "reasons" else "clean"
            self.writer.connection.execute(
                f"UPDATE {table} SET {column} = {clean}({column}) WHERE {column} <> {clean}({column})"
            )

    def row(self, table: str, row: Mapping[str, Value]) -> dict[str, Value]:
        """Return a row without secrets."""
        out = dict(row)
        for column, value in row.items():
            if not isinstance(value, str):
                continue
            if table == "evidence" and column == "quote":
                message = self.covered.get(int(row.get("message") or 0), "")
                there = message[int(row.get("start") or 0) : int(row.get("end") or 0)]
                out[column] = there if len(there) == len(value) else self.redactors.cover(value)
            elif column in _TEXT_COLUMNS.get(table, ()):
                out[column] = self.redactors.clean(value)
            elif column == "tag":
                out[column] = self.tag(value)
            elif table == "memories" and column == "external_id" and self.redactors.clean(value) != value:
                out[column] = redacted_id(self.writer.key, value)
            elif table == "alerts" and column == "reasons":
                out[column] = _clean_json(value, self.redactors.clean)
            elif column in ("content_key", "a_key", "b_key"):
                out[column] = self.keys.get(value, value)
            elif column == "former":  # the resolution of a pair stays valid for the cleaned texts
                out[column] = _clean_json(value, lambda key: self.keys.get(key, key))
        return out

    def tag(self, tag: str) -> str:
        """Return a tag without a secret; distinct tags stay distinct."""
        return tag if self.redactors.clean(tag) == tag else f"[redacted]-{hashed(self.writer.key, tag)[:12]}"

    def change(self, change: Change) -> list[Change]:
        """Return a change without secrets."""
        return [with_rows(change, (self.row(change.table, row).values() for row in rows_of(change)))]


def _owned(table: str) -> str:
    return "owner = ?" if table == "memories" else f"{_TABLES[table]} IN (SELECT id FROM memories WHERE owner = ?)"


def _clean_json(text: str, clean: Clean) -> str:
    """Return a JSON list of texts, or of such lists, with each text cleaned."""

    def cleaned(item: object) -> object:
        if isinstance(item, list):
            return [cleaned(inner) for inner in item]
        return clean(item) if isinstance(item, str) else item

    before = orjson.loads(text)
    after = cleaned(before)
    return text if after == before else orjson.dumps(after).decode()
