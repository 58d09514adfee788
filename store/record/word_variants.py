"""Find occurrences of purged words in other spellings, and check backups for the words."""

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from store.errors import Damaged
from store.record.changes import Change, decode, memories_of, values_of
from store.record.database import open_copy
from store.record.purge import events, quoted_spans, words_of
from store.record.text_redaction import PurgedWords, Span

_SOURCES = (  # queries of kind, id and words; quotes of stored messages are in the messages
    ("message", "SELECT m.id, m.text FROM messages m JOIN conversations c ON c.id = m.conversation WHERE c.owner = ?"),
    ("title", "SELECT id, title FROM conversations WHERE owner = ? AND title IS NOT NULL"),
    ("project", "SELECT id, project FROM conversations WHERE owner = ? AND project IS NOT NULL"),
    ("project", "SELECT id, label FROM projects WHERE owner = ?"),
    ("memory", "SELECT id, text FROM memories WHERE owner = ?"),
    ("memory", "SELECT id, subject FROM memories WHERE owner = ? AND subject IS NOT NULL"),
    ("memory", "SELECT id, relation FROM memories WHERE owner = ? AND relation IS NOT NULL"),
    ("memory", "SELECT id, object FROM memories WHERE owner = ? AND object IS NOT NULL"),
    ("project", "SELECT id, project FROM memories WHERE owner = ? AND project IS NOT NULL"),
    ("project", "SELECT id, scope FROM memories WHERE owner = ? AND scope <> 'global'"),
    ("source", "SELECT id, source FROM memories WHERE owner = ? AND source IS NOT NULL"),
    ("version", "SELECT v.memory, v.text FROM versions v JOIN memories m ON m.id = v.memory WHERE m.owner = ?"),
    (
        "quote",
        "SELECT e.memory, e.quote FROM evidence e JOIN memories m ON m.id = e.memory"
        " WHERE m.owner = ? AND e.message IS NULL",
    ),
    (
        "title",
        "SELECT e.memory, e.title FROM evidence e JOIN memories m ON m.id = e.memory"
        " WHERE m.owner = ? AND e.title IS NOT NULL",
    ),
    ("tag", "SELECT t.memory, t.tag FROM tags t JOIN memories m ON m.id = t.memory WHERE m.owner = ?"),
    ("check", "SELECT id, query FROM checks WHERE owner = ?"),
    ("check", "SELECT id, project FROM checks WHERE owner = ? AND project IS NOT NULL"),
    ("recalled prompt", "SELECT t.recall, t.text FROM turns t JOIN recalls r ON r.id = t.recall WHERE r.owner = ?"),
    ("wording", "SELECT w.memory, w.text FROM wordings w JOIN memories m ON m.id = w.memory WHERE m.owner = ?"),
    (
        "judgment",
        "SELECT j.alert, j.reasons FROM judgments j JOIN alerts a ON a.id = j.alert JOIN memories m ON m.id = a.a"
        " WHERE m.owner = ?",
    ),
    ("conflict", "SELECT a.id, a.reasons FROM alerts a JOIN memories m ON m.id = a.a WHERE m.owner = ?"),
    ("file name", "SELECT 0, path FROM files WHERE owner = ?"),
)
_OF_MEMORY = {"memory", "version", "quote", "tag", "wording"}
_AROUND = 20  # characters shown around the words


@dataclass(frozen=True, slots=True)
class WordVariant:
    """An occurrence of words in another spelling: kind and id of the row, and the words with some context."""

    kind: str
    id: int
    words: str


def find_variants(connection: sqlite3.Connection, owner: str, chosen: Sequence[int]) -> list[WordVariant]:
    """Return the occurrences of memories' words in other spellings, which a purge only erases with `variants`.

    Former values that only the journal has come last, once per command.
    """
    words = words_of(connection, chosen, variants=True)
    if not words:
        return []
    purged = frozenset(chosen)
    quoted = quoted_spans(connection, purged)
    found: dict[tuple[str, int], WordVariant] = {}
    for kind, query in _SOURCES:
        for number, text in connection.execute(query, (owner,)):
            if kind in _OF_MEMORY and number in purged:
                continue
            if kind == "title":
                spans = [(0, len(text))] if words.differ_title(text) else []
            else:
                shown = "\n".join(_strings(text)) if kind in ("judgment", "conflict") else text
                spans = words.differ(shown, quoted.get(number, []) if kind == "message" else [])
            if spans:
                found.setdefault((kind, number), WordVariant(kind, number, _excerpt(text, spans[0])))
    known = {variant.words for variant in found.values()}
    for _, command, changes in events(connection, owner):
        for change in changes:
            if change.table == "tombstones" or not purged.isdisjoint(memories_of(change)):
                continue
            for text in set(_texts_in(change)):
                for span in words.differ(text)[:1]:
                    if (excerpt := _excerpt(text, span)) not in known:
                        found.setdefault(("earlier change", command), WordVariant("earlier change", command, excerpt))
    return list(found.values())


def is_clean(file: Path, words: PurgedWords) -> bool:
    """Return True if a copy of a record, of any version, is entirely readable and contains none of the words."""
    if file.suffix != ".sqlite" or file.with_name(f"{file.name}-wal").exists():
        return False
    try:
        with contextlib.closing(open_copy(file)) as connection:
            return not any(words.spans(text) for text in _all_texts(connection))
    except (sqlite3.Error, ValueError, Damaged):
        return False


def _excerpt(text: str, span: Span) -> str:
    start, end = max(span[0] - _AROUND, 0), min(span[1] + _AROUND, len(text))
    return " ".join(f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}".split())


def _all_texts(connection: sqlite3.Connection) -> Iterator[str]:
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    if not tables:
        raise ValueError("no tables")
    for (table,) in tables:
        rows = connection.execute(f'SELECT * FROM "{table}"')
        yield from (text for row in rows for value in row for text in _strings(value))
        if table == "events":
            events = connection.execute("SELECT changes FROM events")
            yield from (text for (data,) in events for change in decode(data) for text in _texts_in(change))


def _texts_in(change: Change) -> Iterator[str]:
    return (value for row in values_of(change) for value in row if isinstance(value, str))


def _strings(value: object) -> Iterator[str]:
    """Yield the texts in a value; a text that is a JSON list or object yields the texts in it."""
    if isinstance(value, str):
        try:
            inner = orjson.loads(value) if value[:1] in ("[", "{") else None
        except ValueError:
            inner = None
        if inner is None:
            yield value
        else:
            yield from _strings(inner)
    elif isinstance(value, dict):
        yield from (text for item in value.items() for part in item for text in _strings(part))
    elif isinstance(value, list):
        yield from (text for item in value for text in _strings(item))
