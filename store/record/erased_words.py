"""Words that were erased from the present record after a backup, found by comparing the two.

Of a purged memory that the backup does not have, only keyed hashes of its words and covered places are left. So what
the backup says there, and what has such a hash, are the words; others cannot be known.
"""

import re
import sqlite3
from collections.abc import Callable, Collection, Iterator
from itertools import groupby

from store.record.changes import Insert, decode, rows_of
from store.record.hashes import hashed
from store.record.word_variants import MASK

_MARKED = 6  # characters of a run that was covered, from which on it is looked for wherever it may stand
_REDACTED = "[REDACTED]"
_SECRET = r"(\S{8,}?)"
_OF_MEMORY = ("text", "subject", "relation", "object", "span", "project", "scope", "session", "source")
_SHARED = (  # table, the columns by which a row is found in both records, and those with words
    ("memories", ("id", "owner", "added_at"), _OF_MEMORY),
    ("versions", ("id", "memory", "at"), ("text",)),
    ("evidence", ("id", "memory", "start", "end"), ("quote", "title", "reference", "source")),
    ("conversations", ("ident",), ("title", "project", "external_id")),
    ("messages", ("ident",), ("text",)),
)
_NAMES = (
    "SELECT project FROM memories UNION SELECT scope FROM memories UNION SELECT source FROM memories"
    " UNION SELECT session FROM memories UNION SELECT subject FROM memories UNION SELECT object FROM memories"
    " UNION SELECT tag FROM tags UNION SELECT text FROM versions UNION SELECT quote FROM evidence"
    " UNION SELECT title FROM evidence UNION SELECT project FROM conversations UNION SELECT title FROM conversations"
)


def covered_since(stage: sqlite3.Connection, present: sqlite3.Connection) -> set[str]:
    """Return the words of the backup that are covered, or were tags that a purge erased, in the present record."""
    found: set[str] = set()
    for former, now in _pairs(stage, present, MASK):
        if len(former) == len(now):
            pairs = zip(former, now, strict=True)
            runs = groupby(pairs, key=lambda pair: pair[1] == MASK and pair[0] != MASK)
            words = ("".join(sign for sign, _ in run).strip() for covered, run in runs if covered)
            found.update(run for run in words if len(run) >= _MARKED)
    return found | _erased_tags(stage, present)


def redacted_since(stage: sqlite3.Connection, present: sqlite3.Connection) -> set[str]:
    """Return the secrets of the stage in whose place the present record has a mark."""
    found: set[str] = set()
    for former, now in _pairs(stage, present, _REDACTED):
        if _REDACTED not in former:
            match = re.fullmatch(_SECRET.join(map(re.escape, now.split(_REDACTED))), former, re.DOTALL)
            found.update(match.groups() if match else ())
    return found


def known_by_hash(
    stage: sqlite3.Connection, key: bytes, key_of: Callable[[str], str], content_keys: Collection[str]
) -> set[str]:
    """Return names, tags, titles, quotes and former texts of the stage that say what content keys stand for."""
    wanted = frozenset(content_keys)
    names = {row[0] for row in stage.execute(_NAMES) if row[0]} if wanted else set()
    names |= {name.partition(":")[2] for name in names} | {name.replace("-", " ") for name in names}
    return {name for name in names if name and hashed(key, key_of(name)) in wanted}


def _pairs(stage: sqlite3.Connection, present: sqlite3.Connection, mark: str) -> Iterator[tuple[str, str]]:
    """Give each text of the present record that holds a mark, after what the stage has in its place."""
    for table, keys, columns in _SHARED:
        same = " AND ".join(f'"{key}" IS ?' for key in keys)
        listed = ", ".join(f'"{key}"' for key in keys)
        for column in columns:
            query = f"SELECT {column}, {listed} FROM {table} WHERE instr({column}, ?)"
            for now, *found in present.execute(query, (mark,)):
                row = stage.execute(f"SELECT {column} FROM {table} WHERE {same}", found).fetchone()
                if row is not None and row[0] is not None and row[0] != now:
                    yield row[0], now


def _erased_tags(stage: sqlite3.Connection, present: sqlite3.Connection) -> set[str]:
    """Return tags of the stage of which the present record's journal knows nothing any more.

    Of one that the person took off it knows both that it came and that it went.
    """
    found: set[str] = set()
    query = "SELECT t.memory, t.tag, m.owner, m.added_at FROM tags t JOIN memories m ON m.id = t.memory"
    for memory, tag, owner, added_at in stage.execute(query).fetchall():
        here = present.execute(
            "SELECT 1 FROM memories m WHERE id = ? AND owner = ? AND added_at = ? AND life <> 'purged'"
            " AND NOT EXISTS (SELECT 1 FROM tags WHERE memory = m.id AND tag = ?)",
            (memory, owner, added_at, tag),
        ).fetchone()
        events = present.execute(
            "SELECT changes FROM events WHERE seq IN (SELECT seq FROM touched WHERE memory = ?)", (memory,)
        )
        if here is not None and not any(
            isinstance(change, Insert) and change.table == "tags" and {"memory": memory, "tag": tag} in rows_of(change)
            for (data,) in events
            for change in decode(data)
        ):
            found.add(tag)
    return found
