"""Check a record: replay its journal into a scratch record and compare the rows (I2), and validate all values.

All values that the program itself writes are valid; the length of texts is not limited.
"""

import contextlib
import functools
import hashlib
import sqlite3
from collections.abc import Iterable, Mapping
from enum import StrEnum
from itertools import islice, zip_longest

from store import uids
from store.errors import Conflict, Damaged
from store.model import Actor, Channel, Given, Kind, Life, Origin, Rank, Relation, Review, Role, Tier
from store.record import database
from store.record.changes import KEYS, apply, decode
from store.record.repository import first_column
from store.record.schema import MIGRATIONS, NEWEST

_LISTED = 20  # maximum faults listed of one kind


def state_hash(connection: sqlite3.Connection) -> str:
    """Return a hash over all journaled rows; usage, vectors and other data outside the journal are not included."""
    digest = hashlib.sha256()
    for table in KEYS:
        digest.update(table.encode())
        for row in connection.execute(_rows_of(connection, table)):
            digest.update(repr(tuple(row)).encode(errors="surrogatepass"))
    return digest.hexdigest()


def _rows_of(connection: sqlite3.Connection, table: str) -> str:
    """Return a query of a table's journaled columns in order of its key; a memory's `seq` is not journaled."""
    columns = sorted(row[1] for row in connection.execute(f"PRAGMA table_info({table})"))
    named = ", ".join(column for column in columns if (table, column) != ("memories", "seq"))
    return f"SELECT {named} FROM {table} ORDER BY {', '.join(KEYS[table])}"


def empty(version: int) -> sqlite3.Connection:
    """Return an empty scratch record of a schema version, copied from a template: creating the tables takes 8 ms."""
    scratch = database.scratch()
    with contextlib.closing(database.scratch()) as made:
        made.deserialize(_own_schema(version)[0])
        made.backup(scratch)
    return scratch


@functools.cache
def _own_schema(version: int) -> tuple[bytes, Mapping[tuple[str, str], object]]:
    """Return the pages of an empty record of a schema version, and its objects."""
    with contextlib.closing(database.scratch()) as made:
        put_schema(made, version)
        return made.serialize(), _objects(made, "main")


def put_schema(scratch: sqlite3.Connection, version: int) -> None:
    """Create the tables of a schema version, and set its header."""
    for number, script in MIGRATIONS:
        if number <= version:
            scratch.executescript(script)
    scratch.execute(f"PRAGMA main.application_id={database.APPLICATION}")
    scratch.execute(f"PRAGMA main.user_version={version}")


def fold(connection: sqlite3.Connection, strict: bool = False) -> sqlite3.Connection:
    """Replay the whole journal into an empty scratch record; with `strict`, one that refuses invalid values.

    Raises Conflict if an event does not fit.
    """
    scratch = empty(database.schema_version(connection))
    if strict:
        guard(scratch)
    scratch.execute("BEGIN")
    try:
        for row in connection.execute("SELECT seq, changes FROM events ORDER BY seq"):
            play(scratch, row[0], row[1])
    except BaseException:
        scratch.close()
        raise
    return scratch


def play(scratch: sqlite3.Connection, seq: int, data: bytes) -> None:
    """Apply an event to a scratch record. Raises Conflict if it does not fit, or is unreadable."""
    try:
        for change in decode(data):
            apply(scratch, change)
    except Damaged as error:
        raise Conflict(f"event {seq} cannot be read: {error}") from error
    except (Conflict, sqlite3.Error, OverflowError) as error:
        raise Conflict(f"event {seq} does not follow from those before it: {error}") from error


def differences(connection: sqlite3.Connection, strict: bool = False) -> list[str]:
    """Return the faults of a record of any version, as text.

    They are damaged pages, or differences from the program's schema, or differences between journal and rows. With
    `strict`, former values in the journal are validated too.
    """
    wrong = damaged_pages(connection) or schema_differences(connection)
    if wrong:
        return wrong
    try:
        scratch = fold(connection, strict)
    except Conflict as error:
        return [str(error)]
    found: list[str] = []
    with contextlib.closing(scratch):
        for table in KEYS:
            query = _rows_of(connection, table)
            pairs = zip_longest(connection.execute(query), scratch.execute(query))
            unequal = (pair for pair in pairs if None in pair or tuple(pair[0]) != tuple(pair[1]))
            for ours, folded in islice(unequal, _LISTED):
                found.append(f"{table}: the row {_name(ours)} is {_name(folded)} in the journal")
    faults = _FAULTS
    if database.schema_version(connection) >= 7:  # introduced devices, and clocks of events
        found += _device_faults(connection)
        faults = (*_FAULTS, *_ID_FAULTS)
    return found + _listed(connection, faults)


def faults(connection: sqlite3.Connection) -> list[str]:
    """Return the reasons why a record cannot replace another, as text: `differences` and invalid rows."""
    return unreadable(connection) or dangling(connection) or differences(connection, strict=True)


def _listed(connection: sqlite3.Connection, faults: Iterable[tuple[str, str]]) -> list[str]:
    """Return the first faults of each (text, query), as the text with the query's first column."""
    return [words.format(row[0]) for words, query in faults for row in connection.execute(query).fetchmany(_LISTED)]


_FAULTS = (
    (
        "memory {} does not name its last event",
        "SELECT id FROM memories m WHERE seq <> (SELECT max(seq) FROM touched t WHERE t.memory = m.id)",
    ),
    *(
        (
            f"{table}: a row of memory {{}}, which is not there",
            f"SELECT memory FROM {table} WHERE memory NOT IN (SELECT id FROM memories)",
        )
        for table in ("evidence", "versions", "tags")
    ),
)
_ID_FAULTS = (  # rows without a unique global id (`store.uids`), and events whose clock does not rise
    *(
        (
            f"{table}: {{}} is of a device that is not there",
            f"SELECT id FROM {table} WHERE device NOT IN (SELECT id FROM devices)",
        )
        for table in ("memories", "commands")
    ),
    *(
        (f"{table}: {{}} has no whole ident", f"SELECT id FROM {table} WHERE length(ident) <> 16")
        for table in ("conversations", "messages")
    ),
    (
        "event {} has a clock that is not after the one before",
        "SELECT seq FROM (SELECT seq, clock, lag(clock, 1, -1) OVER (ORDER BY seq) AS former FROM events)"
        " WHERE clock <= former",
    ),
)


def _device_faults(connection: sqlite3.Connection) -> list[str]:
    """Return the faults of devices: invalid UUIDs, and UUIDs that would give the same global ids."""
    found: list[str] = []
    nodes: dict[int, str] = {}
    for uid in first_column(connection, "SELECT uid FROM devices ORDER BY id"):
        try:
            former = nodes.setdefault(uids.node(uid), uid)
        except ValueError:
            found.append(f"devices: {uid!r} is no UUID")
        else:
            found += [] if former == uid else [f"devices {former} and {uid} give the same ids"]
    return found


def damaged_pages(connection: sqlite3.Connection) -> list[str]:
    """Return the faults that SQLite finds in the pages of a record and its indexes, as text."""
    texts = first_column(connection, f"PRAGMA integrity_check({_LISTED})")
    return [f"damaged page: {text}" for text in texts if text != "ok"]


def schema_differences(connection: sqlite3.Connection, schema: str = "main") -> list[str]:
    """Return the differences of a record's schema from the program's own of that version, as text."""
    version = database.schema_version(connection, schema)
    if not 1 <= version <= NEWEST:
        return [f"schema {version} is none that there has been (1 to {NEWEST})"]
    (_, wanted), there = _own_schema(version), _objects(connection, schema)
    other = [pair for pair in sorted(wanted.keys() & there.keys()) if wanted[pair] != there[pair]]
    return [
        *(f"{kind} {name} is not of the program's schema" for kind, name in sorted(there.keys() - wanted.keys())),
        *(f"{kind} {name} is missing" for kind, name in sorted(wanted.keys() - there.keys())),
        *(f"{kind} {name} is not as the program makes it" for kind, name in other),
    ]


def _objects(connection: sqlite3.Connection, schema: str) -> dict[tuple[str, str], object]:
    """Return tables with their columns, and other objects with their SQL, by kind and name."""
    rows = connection.execute(
        f"SELECT type, name, sql FROM {schema}.sqlite_master WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'"
    )
    found: dict[tuple[str, str], object] = {}
    for kind, name, sql in rows.fetchall():
        quoted = str(name).replace('"', '""')
        columns = connection.execute(f'PRAGMA {schema}.table_xinfo("{quoted}")') if kind == "table" else ()
        found[str(kind), str(name)] = [tuple(column) for column in columns] or " ".join(str(sql).split())
    return found


def _name(row: sqlite3.Row | tuple[object, ...] | None) -> str:
    return "nothing" if row is None else hashlib.blake2b(repr(tuple(row)).encode(), digest_size=4).hexdigest()


_LARGEST = 1 << 53  # maximum of a number that the program assigns
_GIVEN = 1 << 62  # maximum of a number from an imported file
_TYPES = {"INTEGER": "'integer'", "TEXT": "'text'", "REAL": "'real', 'integer'", "BLOB": "'blob'"}
_FLAG = "IN (0, 1)"
_NUMBER = f"BETWEEN 0 AND {_LARGEST}"
_FROM_FILE = f"BETWEEN 0 AND {_GIVEN}"


def _one_of(words: type[StrEnum]) -> str:
    return f"IN ({', '.join(repr(word.value) for word in words)})"


_NAMED: dict[str, str] = {  # SQL conditions by column, in any table
    **dict.fromkeys(("id", "seq"), _NUMBER),
    **dict.fromkeys(("memory", "message", "conversation", "batch", "command", "space", "alert", "check_id"), _NUMBER),
    **dict.fromkeys(("a", "b", "superseded_by", "target", "undone", "upto", "item", "recall"), _NUMBER),
    **dict.fromkeys(("size", "conversations", "memories", "times", "device"), _NUMBER),
    **dict.fromkeys(("start", "end", "ordinal", "merged_from"), _FROM_FILE),
    **dict.fromkeys(("pinned", "agent", "active", "hidden", "undoable", "wanted", "seen"), _FLAG),
    "kind": _one_of(Kind),
    "tier": _one_of(Tier),
    "given": _one_of(Given),
    "origin": _one_of(Origin),
    "review": _one_of(Review),
    "rank": _one_of(Rank),
    "life": _one_of(Life),
    "role": _one_of(Role),
    "channel": _one_of(Channel),
    "actor": _one_of(Actor),
}
_OWN: dict[tuple[str, str], str] = {  # SQL conditions by table and column; `{}` is the value
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
    ("asked", "told"): "{} BETWEEN 0 AND 2",
    ("events", "clock"): f"{{}} BETWEEN 0 AND {1 << 62}",
    ("devices", "uid"): "length({}) = 36",
    ("conversations", "ident"): "length({}) = 16",
    ("messages", "ident"): "length({}) = 16",
}
_REFERENCES = (  # table, column, and the table that it refers to
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
    return first_column(
        connection, "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
    )


def guard(connection: sqlite3.Connection, ignored: Iterable[str] = ()) -> None:
    """Make a scratch record refuse invalid values; in `ignored` tables, skip rows with such values.

    The triggers end with the connection. A refusal is an IntegrityError that names table and column.
    """
    for table in tables(connection):
        refusal = "IGNORE" if table in ignored else f"ABORT, '{table}.{{}} holds a value that is none of ours'"
        body = "\n".join(
            f"SELECT RAISE({refusal.format(column)}) WHERE NOT coalesce({test}, 0);"
            for column, test in _tests(connection, table)
        )
        for event in ("INSERT", "UPDATE"):
            connection.execute(
                f"CREATE TEMP TRIGGER valid_{event}_{table} BEFORE {event} ON main.{table} BEGIN {body} END"
            )


def dangling(connection: sqlite3.Connection) -> list[str]:
    """Return references to missing rows, as text, in a record of any version."""
    known = {
        (table, row[1]) for table in tables(connection) for row in connection.execute(f"PRAGMA table_info({table})")
    }
    return _listed(
        connection,
        (
            (
                f"{table}.{column} names {other} {{}}, which is not there",
                f"SELECT {column} FROM {table} WHERE {column} IS NOT NULL AND {column} NOT IN (SELECT id FROM {other})"
                " ORDER BY 1 LIMIT 1",  # NULL is not in an empty table
            )
            for table, column, other in _REFERENCES
            if (table, column) in known
        ),
    )


def unreadable(connection: sqlite3.Connection) -> list[str]:
    """Return the tables with texts that are not UTF-8, as text."""
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
