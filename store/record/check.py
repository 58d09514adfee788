"""Whether the record is what its journal says (I2): fold the journal into a scratch record and compare."""

import hashlib
import sqlite3

from store import uids
from store.errors import Conflict
from store.record.changes import KEYS, apply, decode
from store.record.schema import MIGRATIONS

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


def fold(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Play the whole journal into an empty scratch record. Raises Conflict where an event does not fit."""
    scratch = sqlite3.connect("", isolation_level=None)
    for _, script in MIGRATIONS:
        scratch.executescript(script)
    scratch.execute("BEGIN")
    for row in connection.execute("SELECT seq, changes FROM events ORDER BY seq"):
        for change in decode(row[1]):
            try:
                apply(scratch, change)
            except Conflict as error:
                raise Conflict(f"event {row[0]} does not follow from those before it: {error}") from error
    return scratch


def differences(connection: sqlite3.Connection) -> list[str]:
    """What is wrong with the record, in words; empty when journal and rows agree and every page is sound."""
    broken = [row[0] for row in connection.execute("PRAGMA quick_check(20)") if row[0] != "ok"]
    if broken:
        return [f"damaged page: {text}" for text in broken]
    try:
        scratch = fold(connection)
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
    found += _without_id(connection)
    for table in ("evidence", "versions", "tags"):
        rows = connection.execute(f"SELECT memory FROM {table} WHERE memory NOT IN (SELECT id FROM memories)")
        found += [f"{table}: a row of memory {row[0]}, which is not there" for row in rows.fetchmany(20)]
    return found


def _without_id(connection: sqlite3.Connection) -> list[str]:
    """What has no global id of its own (`store.uids`), and events whose clock does not rise."""
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
