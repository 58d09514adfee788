"""Full-text index of the memories of a small store: an SQLite FTS5 file in the folder of a generation.

A small store is then searched without LanceDB, which takes 1.5 s of processor time to import. Measured at 10,000
memories: a recall from process start takes 0.51 s instead of 1.33, a search of words 1.3 ms instead of 3.9, and the
file 2 MB. From `tables.WORDS_FROM` memories on, LanceDB indexes the words.

Scores are BM25 as LanceDB computes it. FTS5 gives no weight to a word in over half of the memories, so each word is
searched separately and weighted as in LanceDB.
"""

import contextlib
import re
import sqlite3
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from math import log
from pathlib import Path

from store.index import corrections
from store.index.queries import INFLECTED
from store.index.reader import Row, Scored
from store.index.tables import STOP_WORDS
from store.index.unspaced import query_bigrams, with_bigrams
from store.record.repository import json_list
from store.sanitize import storable

FILE = "words.sqlite"
COLUMNS = ("text", "context")  # a table each, since BM25 counts the words of a whole row
_TOKENIZER = "porter unicode61 remove_diacritics 2 categories ''L* M* N* Co''"
_WAIT = 30.0  # seconds for another process
_MOST = 200  # maximum words of a query
_AT_LEAST = 8  # minimum words of a query that are searched for
_ENOUGH = 5_000
"""Number of memories with words of a query at which its remaining, commoner words are ignored, after `_AT_LEAST` words.

With them, the 97 words of a prompt of 1,000 characters took 21 ms at 10,000 memories, without 8.
"""
_LEAST = 1e-6  # weight that FTS5 gives to a word in over half of the memories

_STOP = frozenset(STOP_WORDS)
_WORD = re.compile(r"[^\s!-/:-@\[-`{-~]+")  # FTS5 splits at other punctuation
_LETTERS = str.maketrans(
    {"æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe", "ø": "o", "Ø": "o", "ß": "ss", "ł": "l", "Ł": "l"}
)
"""Letters without a diacritic to remove, as people type them."""


def put(folder: Path, rows: Sequence[Row], removed: Collection[int] = ()) -> None:
    """Add or replace the words of memories and delete those of `removed`, in one commit; creates a missing file."""
    with _opened(folder, "rwc") as connection:
        connection.execute("PRAGMA cache_spill = OFF")  # a spilled page keeps readers out until the commit
        for column in COLUMNS:
            connection.execute(
                f"CREATE VIRTUAL TABLE IF NOT EXISTS {column} USING fts5(words, tokenize='{_TOKENIZER}')"
            )
        gone = json_list([*removed, *(row.memory.id for row in rows)])
        for column in COLUMNS:
            connection.execute(f"DELETE FROM {column} WHERE rowid IN (SELECT value FROM json_each(?))", (gone,))
            connection.executemany(
                f"INSERT INTO {column} (rowid, words) VALUES (?, ?)",
                ((row.memory.id, _prepared(row.memory.text if column == "text" else row.context)) for row in rows),
            )


def search(folder: Path, query: str, column: str, limit: int, ids: Collection[int] | None = None) -> Scored:
    """Return memories with any of the words, best first; only those in `ids`, if given.

    The commonest words of a long query are ignored (`_ENOUGH`).
    """
    condition = "" if ids is None else f" AND rowid IN ({', '.join(map(str, ids))})"
    parts: list[str] = []
    values: list[float | str] = []
    with _opened(folder, "rw") as connection:
        (total,) = connection.execute(f"SELECT count(*) FROM {column}_docsize").fetchone()
        held = {
            phrase: connection.execute(
                f"SELECT count(*) FROM {column} WHERE {column} MATCH ?", (phrase[0],)
            ).fetchone()[0]
            for phrase in phrases(query)
        }
        read = 0
        for (term, weight), many in sorted(held.items(), key=lambda pair: pair[1]):
            read += many
            if read > _ENOUGH and len(parts) >= _AT_LEAST:
                break
            if many:
                given = log((total - many + 0.5) / (many + 0.5))
                wanted = weight * log(1 + (total - many + 0.5) / (many + 0.5))
                parts.append(f"SELECT rowid AS id, rank * ? AS score FROM {column} WHERE {column} MATCH ?{condition}")
                values += (-wanted / (given if given > 0 else _LEAST), term)
        if not parts:
            return []
        found = f"SELECT id, sum(score) FROM ({' UNION ALL '.join(parts)}) GROUP BY id ORDER BY 2 DESC, id LIMIT ?"
        return connection.execute(found, (*values, limit)).fetchall()


def similar(folder: Path, word: str, limit: int, same_letter: bool = False) -> list[int]:
    """Return memories with the words most similar to a typed one.

    Words with another first letter are considered if none has the same, unless `same_letter`.
    """
    stem = corrections.stems_of([word])[word]
    ranges = [(stem[0], stem[0] + "\U0010ffff"), *([] if same_letter else [("", "\U0010ffff")])]
    with _opened(folder, "rw") as connection:
        connection.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, 'text', 'row')")
        for first, last in ranges:
            terms = connection.execute(
                "SELECT term, doc FROM vocabulary WHERE term >= ? AND term <= ?", (first, last)
            ).fetchall()
            if nearest := corrections.nearest_stems(word, stem, terms):
                connection.execute("CREATE VIRTUAL TABLE temp.places USING fts5vocab(main, 'text', 'instance')")
                return [
                    number  # a stem that is searched for would be stemmed again
                    for term in nearest
                    for (number,) in connection.execute("SELECT doc FROM places WHERE term = ? LIMIT ?", (term, limit))
                ]
    return []


def phrases(query: str) -> list[tuple[str, float]]:
    """Return the words of a query as FTS5 phrases with weights.

    In inflected scripts, words that differ in their last letters match too, with half the weight.
    """
    text = query_bigrams(storable(query).translate(_LETTERS))
    words = "".join(one if one.isalnum() or unicodedata.category(one)[0] == "M" else " " for one in text).casefold()
    exact = [word for word in dict.fromkeys(words.split()) if word not in _STOP][:_MOST]
    loose = dict.fromkeys(word[: max(2, len(word) - 1)] for word in exact if INFLECTED.fullmatch(word))
    return [*((f'"{word}"', 1.0) for word in exact), *((f'"{word}"*', 0.5) for word in loose)]


def unchanged(folder: Path, rows: Sequence[Row]) -> list[int]:
    """Return the memories of `rows` whose words in the file are current."""
    ids = json_list(row.memory.id for row in rows)
    with _opened(folder, "rw") as connection:
        condition = "WHERE rowid IN (SELECT value FROM json_each(?))"
        text, context = (
            dict(connection.execute(f"SELECT rowid, words FROM {column} {condition}", (ids,))) for column in COLUMNS
        )
    return [
        row.memory.id
        for row in rows
        if text.get(row.memory.id) == _prepared(row.memory.text)
        and context.get(row.memory.id) == _prepared(row.context)
    ]


def count(folder: Path) -> int:
    """Return the number of memories in the file."""
    with _opened(folder, "rw") as connection:
        (number,) = connection.execute("SELECT count(*) FROM text_docsize").fetchone()
    return int(number)


def differences(folder: Path, ids: Collection[int], rows: Sequence[Row]) -> list[str]:
    """Return the differences of the file from the tables' memories `ids` and the record's `rows`, as text."""
    try:
        with _opened(folder, "rw") as connection:
            for column in COLUMNS:  # compare the words that a search would find with those that were added
                connection.execute(f"INSERT INTO {column} ({column}) VALUES ('integrity-check')")
            text, context = (dict(connection.execute(f"SELECT rowid, words FROM {column}")) for column in COLUMNS)
    except OSError as error:
        return [f"the words of the search index cannot be checked: {error}"]
    wrong = set(ids) ^ text.keys() | set(ids) ^ context.keys()
    for row in rows:
        if (_prepared(row.memory.text), _prepared(row.context)) != (
            text.get(row.memory.id),
            context.get(row.memory.id),
        ):
            wrong.add(row.memory.id)
    return [f"memory {memory} is found by other words than its own" for memory in sorted(wrong)]


def remove(folder: Path) -> None:
    """Delete the file; one in use stays until its generation is deleted (Windows)."""
    with contextlib.suppress(OSError):
        (folder / FILE).unlink()


@contextlib.contextmanager
def _opened(folder: Path, mode: str) -> Iterator[sqlite3.Connection]:
    """Open the file for one transaction. Raises OSError."""
    try:
        with (
            contextlib.closing(
                sqlite3.connect(f"{(folder / FILE).absolute().as_uri()}?mode={mode}", _WAIT, uri=True)
            ) as connection,
            connection,
        ):
            connection.execute("BEGIN")
            yield connection
    except sqlite3.Error as error:
        raise OSError(f"{folder / FILE}: {error}") from error


def _prepared(text: str) -> str:
    """Return a text as FTS5 indexes it: without stop words, and scripts without spaces as characters and bigrams."""
    text = with_bigrams(text.translate(_LETTERS))
    return " ".join(word for word in _WORD.findall(text) if word.casefold() not in _STOP)
