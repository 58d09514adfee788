"""Lists of memories: by filter and order, by conversation, and the tags they have."""

import sqlite3
from array import array

import orjson

from store.filter import MATTERS, SCORE, USED, Dialect, Filter, Sort

_ORDER = {  # what has no date counts as the oldest, as SQLite has it, so that an index serves both directions
    Sort.CREATED: "created_at",
    Sort.ADDED: "added_at",
    Sort.CONFIDENCE: SCORE,
    Sort.IMPORTANCE: "importance",
    Sort.TEXT: "text COLLATE NOCASE",
    Sort.MATTERS: MATTERS,
    Sort.USED: USED,
}
_THEN_BY_AGE = (Sort.MATTERS, Sort.USED)
_STEP = 100_000  # characters of a list of ids that are read in one go, in a millisecond


def list_ids(
    connection: sqlite3.Connection,
    owner: str,
    filter: Filter,
    sort: Sort,
    descending: bool,
    limit: int | None,
) -> "array[int]":
    """Ids of the memories a filter means, in order; ties by id in the same direction, so that an index can serve.

    Those that matter equally, or were used as often, go by age first. SQLite writes all of them into one text: row by
    row each would be a turn of the interpreter, and a million of them wait a second for the threads that work beside.
    """
    direction = "DESC" if descending else "ASC"
    order = [_ORDER[sort], *(["created_at"] if sort in _THEN_BY_AGE else []), "id"]
    (text,) = connection.execute(
        "SELECT json_group_array(id) FROM ("  # to which the order of what it is given matters, so SQLite keeps it
        f"SELECT id FROM memories WHERE owner = ? AND {filter.sql(Dialect.SQLITE)}"
        f" ORDER BY {', '.join(f'{column} {direction}' for column in order)} LIMIT ?)",
        (owner, -1 if limit is None else limit),
    ).fetchone()
    return _numbers(text)


def _numbers(text: str) -> "array[int]":
    """The whole numbers of a JSON list, in steps that let other threads run."""
    numbers: array[int] = array("q")
    start, last = 1, len(text) - 1
    while start < last:
        end = text.find(",", min(start + _STEP, last))
        end = last if end < 0 else end
        numbers.extend(array("q", orjson.loads(f"[{text[start:end]}]")))
        start = end + 1
    return numbers


def of_session(connection: sqlite3.Connection, owner: str, session: str) -> frozenset[int]:
    """Return the memories that were said in a conversation, named by its id or external id."""
    rows = connection.execute(
        "SELECT id FROM memories WHERE owner = ?1 AND session = ?2 UNION"
        " SELECT v.memory FROM conversations c JOIN messages m ON m.conversation = c.id"
        " JOIN evidence v ON v.message = m.id WHERE c.owner = ?1 AND (c.external_id = ?2 OR CAST(c.id AS TEXT) = ?2)",
        (owner, session),
    )
    return frozenset(row[0] for row in rows)


def tag_counts(connection: sqlite3.Connection, owner: str) -> list[tuple[str, int]]:
    """Return the tags of live memories with how many have each, the most frequent first."""
    rows = connection.execute(
        "SELECT t.tag, count(*) AS n FROM tags t JOIN memories m ON m.id = t.memory AND m.life = 'live'"
        " WHERE m.owner = ? GROUP BY t.tag ORDER BY n DESC, t.tag",
        (owner,),
    )
    return [(row[0], row[1]) for row in rows]
