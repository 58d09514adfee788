"""Validation of a record's rows: the allowed values of each column as SQL, and triggers that enforce them.

Whatever the program itself writes is allowed. Texts are as long as SQLite takes them.
"""

import sqlite3
from collections.abc import Iterable
from enum import StrEnum

from store.model import Actor, Channel, Kind, Life, Origin, Rank, Relation, Review, Role, Tier

_LARGEST = 1 << 53  # of a number that the program gives a row
_GIVEN = 1 << 62  # of a number that an import takes from a file
_TYPES = {"INTEGER": "'integer'", "TEXT": "'text'", "REAL": "'real', 'integer'", "BLOB": "'blob'"}
_FLAG = "IN (0, 1)"
_NUMBER = f"BETWEEN 0 AND {_LARGEST}"
_FROM_FILE = f"BETWEEN 0 AND {_GIVEN}"


def _one_of(words: type[StrEnum]) -> str:
    return f"IN ({', '.join(repr(word.value) for word in words)})"


_NAMED: dict[str, str] = {  # by column, in whatever table
    **dict.fromkeys(("id", "seq"), _NUMBER),
    **dict.fromkeys(("memory", "message", "conversation", "batch", "command", "space", "alert", "check_id"), _NUMBER),
    **dict.fromkeys(("a", "b", "superseded_by", "target", "undone", "upto", "item", "recall"), _NUMBER),
    **dict.fromkeys(("size", "conversations", "memories", "times", "device"), _NUMBER),
    **dict.fromkeys(("start", "end", "ordinal", "merged_from"), _FROM_FILE),
    **dict.fromkeys(("pinned", "agent", "active", "hidden", "undoable", "wanted", "seen"), _FLAG),
    "kind": _one_of(Kind),
    "tier": _one_of(Tier),
    "origin": _one_of(Origin),
    "review": _one_of(Review),
    "rank": _one_of(Rank),
    "life": _one_of(Life),
    "role": _one_of(Role),
    "channel": _one_of(Channel),
    "actor": _one_of(Actor),
}
_OWN: dict[tuple[str, str], str] = {  # by table and column; `{}` is the value
    ("alerts", "relation"): f"{{}} {_one_of(Relation)}",
    ("judgments", "relation"): f"{{}} {_one_of(Relation)}",
    ("alerts", "reasons"): "json_valid({0}) AND json_type({0}) = 'array'",
    ("alerts", "former"): "json_valid({0}) AND json_type({0}) = 'array'",
    ("judgments", "reasons"): "json_valid({0}) AND json_type({0}) = 'array'",
    ("recalls", "memories"): "json_valid({0}) AND json_type({0}) = 'array'",
    ("memories", "surprise"): "json_valid({0}) AND json_type({0}) = 'array' AND json_array_length({0}) = 5",
    ("memories", "confidence"): "{} BETWEEN 0 AND 1",
    ("memories", "user_score"): "{} BETWEEN 0 AND 10",
    ("memories", "importance"): "{} BETWEEN 0 AND 10",
    ("events", "clock"): f"{{}} BETWEEN 0 AND {1 << 62}",
    ("devices", "uid"): "length({}) = 36",
    ("conversations", "ident"): "length({}) = 16",
    ("messages", "ident"): "length({}) = 16",
}
_REFERENCES = (  # column, of what it names a row
    ("messages", "conversation", "conversations"),
    ("messages", "batch", "commands"),
    ("segments", "conversation", "conversations"),
    ("distilled", "conversation", "conversations"),
    ("events", "command", "commands"),
    ("commands", "target", "commands"),
    ("commands", "undone", "commands"),
    ("evidence", "memory", "memories"),
    ("evidence", "message", "messages"),
    ("versions", "memory", "memories"),
    ("tags", "memory", "memories"),
    ("tombstones", "memory", "memories"),
    ("expected", "check_id", "checks"),
    ("memories", "device", "devices"),
    ("commands", "device", "devices"),
)


def tables(connection: sqlite3.Connection) -> list[str]:
    """Return the names of a record's tables, without SQLite's own."""
    rows = connection.execute(
        "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
    )
    return [row[0] for row in rows]


def guard(connection: sqlite3.Connection, ignored: Iterable[str] = ()) -> None:
    """Make a scratch record refuse values that no program of ours writes; in `ignored` tables, leave out such rows.

    The triggers end with the connection. A refusal is an IntegrityError that names table and column.
    """
    for table in tables(connection):
        body = ""
        for column, test in _tests(connection, table):
            refusal = "IGNORE" if table in ignored else f"ABORT, '{table}.{column} holds a value that is none of ours'"
            body += f"SELECT RAISE({refusal}) WHERE NOT coalesce({test}, 0);\n"
        for event in ("INSERT", "UPDATE"):
            connection.execute(
                f"CREATE TEMP TRIGGER valid_{event}_{table} BEFORE {event} ON main.{table} BEGIN {body} END"
            )


def dangling(connection: sqlite3.Connection) -> list[str]:
    """Return the references to rows that are not there, in words."""
    found: list[str] = []
    for table, column, other in _REFERENCES:
        query = (
            f"SELECT min({column}) FROM {table} WHERE {column} IS NOT NULL AND {column} NOT IN (SELECT id FROM {other})"
        )
        (missing,) = connection.execute(query).fetchone()
        if missing is not None:
            found.append(f"{table}.{column} names {other} {missing}, which is not there")
    return found


def unreadable(connection: sqlite3.Connection) -> list[str]:
    """Return the tables with texts that are not UTF-8, in words."""
    found: list[str] = []
    for table in tables(connection):
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[2] == "TEXT"]
        try:
            for _ in connection.execute(f"SELECT {', '.join(columns)} FROM {table}") if columns else ():
                pass
        except sqlite3.OperationalError:
            found.append(f"{table} holds a text that is not UTF-8")
    return found


def _tests(connection: sqlite3.Connection, table: str) -> list[tuple[str, str]]:
    """Return an SQL condition on a new row for each column."""
    tests: list[tuple[str, str]] = []
    for _, column, sort, required, _, key in connection.execute(f"PRAGMA table_info({table})").fetchall():
        value = f'NEW."{column}"'
        test = f"typeof({value}) IN ({_TYPES[sort]})"
        if (table, column) in _OWN:
            test += f" AND {_OWN[table, column].format(value)}"
        elif column in _NAMED and sort in ("INTEGER", "TEXT") and (sort == "TEXT") == ("'" in _NAMED[column]):
            test += f" AND {value} {_NAMED[column]}"
        elif sort == "REAL":
            test += f" AND abs({value}) < 1e12"
        tests.append((column, test if required or key else f"({value} IS NULL OR {test})"))
    return tests
