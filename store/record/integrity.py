"""Whether the record is what its journal says (I2): fold the journal into a scratch record and compare."""

import contextlib
import hashlib
import sqlite3

from store import uids
from store.errors import Conflict, Damaged
from store.record import database, row_validation
from store.record.changes import KEYS, apply, decode
from store.record.schema import MIGRATIONS, NEWEST

_LEFT_OUT = {"memories": {"seq"}}


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    return sorted(name for name in names if name not in _LEFT_OUT.get(table, ()))


def state_hash(connection: sqlite3.Connection) -> str:
    """One hash over every journaled row. Usage, vectors and other counters are not state."""
    digest = hashlib.sha256()
    for table, keys in KEYS.items():
        columns = ", ".join(_columns(connection, table))
        digest.update(table.encode())
        for row in connection.execute(f"SELECT {columns} FROM {table} ORDER BY {', '.join(keys)}"):
            digest.update(repr(tuple(row)).encode(errors="surrogatepass"))
    return digest.hexdigest()


def empty(version: int) -> sqlite3.Connection:
    """Return an empty scratch record of a schema version."""
    scratch = database.scratch()
    put_schema(scratch, version)
    return scratch


def put_schema(scratch: sqlite3.Connection, version: int) -> None:
    """Make the tables of a schema version, and sign them."""
    for number, script in MIGRATIONS:
        if number <= version:
            scratch.executescript(script)
    scratch.execute(f"PRAGMA main.application_id={database.APPLICATION}")
    scratch.execute(f"PRAGMA main.user_version={version}")


def fold(connection: sqlite3.Connection, strict: bool = False) -> sqlite3.Connection:
    """Play the whole journal into an empty scratch record; with `strict`, one that refuses invalid values.

    Raises Conflict where an event does not fit.
    """
    scratch = empty(_version(connection))
    if strict:
        row_validation.guard(scratch)
    scratch.execute("BEGIN")
    try:
        for row in connection.execute("SELECT seq, changes FROM events ORDER BY seq"):
            play(scratch, row[0], row[1])
    except BaseException:
        scratch.close()
        raise
    return scratch


def play(scratch: sqlite3.Connection, seq: int, data: bytes) -> None:
    """Carry out an event in a scratch record. Raises Conflict where it does not fit, or cannot be read."""
    try:
        for change in decode(data):
            apply(scratch, change)
    except Damaged as error:
        raise Conflict(f"event {seq} cannot be read: {error}") from error
    except (Conflict, sqlite3.Error, OverflowError) as error:
        raise Conflict(f"event {seq} does not follow from those before it: {error}") from error


def differences(connection: sqlite3.Connection, strict: bool = False) -> list[str]:
    """Return the faults of a record of any version, in words.

    Empty when every page is sound, the schema is the program's own, and journal and rows agree. `strict` looks at all
    values that there ever were, too.
    """
    wrong = damaged_pages(connection) or strangers(connection)
    if wrong:
        return wrong
    try:
        scratch = fold(connection, strict)
    except Conflict as error:
        return [str(error)]
    found: list[str] = []
    try:
        for table, keys in KEYS.items():
            columns = ", ".join(_columns(connection, table))
            query = f"SELECT {columns} FROM {table} ORDER BY {', '.join(keys)}"
            found += _compare(table, connection.execute(query), scratch.execute(query))
    finally:
        scratch.close()
    rows = connection.execute(
        "SELECT id FROM memories m WHERE seq <> (SELECT max(seq) FROM touched t WHERE t.memory = m.id)"
    )
    found += [f"memory {row[0]} does not name its last event" for row in rows.fetchmany(20)]
    if _version(connection) >= 7:  # which brought them
        found += _without_id(connection)
    for table in ("evidence", "versions", "tags"):
        rows = connection.execute(f"SELECT memory FROM {table} WHERE memory NOT IN (SELECT id FROM memories)")
        found += [f"{table}: a row of memory {row[0]}, which is not there" for row in rows.fetchmany(20)]
    return found


def _without_id(connection: sqlite3.Connection) -> list[str]:
    """Return rows without a global id of their own (`store.uids`), and events whose clock does not rise."""
    found: list[str] = []
    for table in ("memories", "commands"):
        rows = connection.execute(f"SELECT id FROM {table} WHERE device NOT IN (SELECT id FROM devices)")
        found += [f"{table}: {row[0]} is of a device that is not there" for row in rows.fetchmany(20)]
    nodes: dict[int, str] = {}
    for row in connection.execute("SELECT uid FROM devices ORDER BY id"):
        try:
            node = uids.node(row[0])
        except ValueError:
            found.append(f"devices: {row[0]!r} is no UUID")
            continue
        if node in nodes:
            found.append(f"devices {nodes[node]} and {row[0]} give the same ids")
        nodes[node] = row[0]
    for table in ("conversations", "messages"):
        rows = connection.execute(f"SELECT id FROM {table} WHERE length(ident) <> 16")
        found += [f"{table}: {row[0]} has no whole ident" for row in rows.fetchmany(20)]
    rows = connection.execute(
        "SELECT seq FROM (SELECT seq, clock, lag(clock, 1, -1) OVER (ORDER BY seq) AS former FROM events)"
        " WHERE clock <= former"
    )
    return found + [f"event {row[0]} has a clock that is not after the one before" for row in rows.fetchmany(20)]


def damaged_pages(connection: sqlite3.Connection) -> list[str]:
    """Return the faults that SQLite finds in the pages of a record and its indexes, in words."""
    broken = [row[0] for row in connection.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]
    return [f"damaged page: {text}" for text in broken]


def strangers(connection: sqlite3.Connection, schema: str = "main") -> list[str]:
    """Return the differences of a record's schema from the program's own of that version, in words."""
    version = _version(connection, schema)
    if not 1 <= version <= NEWEST:
        return [f"schema {version} is none that there has been (1 to {NEWEST})"]
    with contextlib.closing(empty(version)) as ours:
        wanted, there = _objects(ours, "main"), _objects(connection, schema)
    strange = [f"{sort} {name} is not of the program's schema" for sort, name in sorted(there.keys() - wanted.keys())]
    strange += [f"{sort} {name} is missing" for sort, name in sorted(wanted.keys() - there.keys())]
    both = sorted(wanted.keys() & there.keys())
    return strange + [
        f"{sort} {name} is not as the program makes it"
        for sort, name in both
        if wanted[sort, name] != there[sort, name]
    ]


def _objects(connection: sqlite3.Connection, schema: str) -> dict[tuple[str, str], object]:
    """Return tables with their columns, and everything else with its SQL, by sort and name."""
    rows = connection.execute(
        f"SELECT type, name, sql FROM {schema}.sqlite_master WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'"
    )
    found: dict[tuple[str, str], object] = {}
    for sort, name, sql in rows.fetchall():
        quoted = str(name).replace('"', '""')
        columns = connection.execute(f'PRAGMA {schema}.table_xinfo("{quoted}")') if sort == "table" else ()
        found[str(sort), str(name)] = [tuple(column) for column in columns] or " ".join(str(sql).split())
    return found


def _version(connection: sqlite3.Connection, schema: str = "main") -> int:
    return int(connection.execute(f"PRAGMA {schema}.user_version").fetchone()[0])


def _compare(table: str, rows: sqlite3.Cursor, folded: sqlite3.Cursor) -> list[str]:
    found: list[str] = []
    while len(found) < 20:
        here, there = rows.fetchone(), folded.fetchone()
        if here is None and there is None:
            break
        if here is None or there is None or tuple(here) != tuple(there):
            found.append(f"{table}: the row {_name(here)} stands as {_name(there)} in the journal")
            if here is None or there is None:
                break
    return found


def _name(row: sqlite3.Row | tuple[object, ...] | None) -> str:
    return "nothing" if row is None else hashlib.blake2b(repr(tuple(row)).encode(), digest_size=4).hexdigest()
