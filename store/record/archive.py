"""Archives: a complete record in an open format, a zip file with a JSON Lines file for each table.

The first entry, `curator-archive.json`, contains the schema version and the number of rows of each table. `TABLE.jsonl`
has a header and the rows in order of their key. The last entry, `SHA256SUMS`, has the checksums of all others. Equal
records give equal bytes. Derived data and data about this machine are left out. `docs/archive.md` describes the format.
"""

import hashlib
import json
import sqlite3
import zipfile
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import orjson

from store.errors import Damaged
from store.progress import Report, no_report
from store.record import integrity
from store.record.changes import unpacked
from store.record.database import schema_version

FORMAT = "curator-archive"
VERSION = 1
HEAD, SUMS = f"{FORMAT}.json", "SHA256SUMS"
LEFT_OUT = frozenset({"burials", "unread_burials", "unembedded", "vectors", "leases", "progress"})
"""Tables that are derived from others (including search vectors), or contain the state of processes."""
OF_THE_STORE = (  # names in `meta` that are not of one machine
    *("id", "key", "first_key", "former_keys", "me", "purged_checksums"),
    *("sync_absorbed", "sync_arrivals", "sync_erased", "sync_members", "sync_purge_read", "sync_reduced"),
)
_ROWS = 1_000  # between two reports
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # of a zip's calendar


@dataclass(frozen=True, slots=True)
class ArchiveCounts:
    """Numbers of rows in an archive, and of forgotten memories whose words were left out."""

    rows: int
    left_out: int


class Output(Protocol):
    """A file to which bytes are appended."""

    def write(self, data: bytes, /) -> object:
        """Append bytes."""

    def flush(self) -> object:
        """Flush buffered bytes."""


def is_archive_header(head: bytes) -> bool:
    """Return True if a file's first 100 bytes are those of an archive, whatever its name."""
    return head.startswith(b"PK\3\4") and head[30:].startswith(HEAD.encode())


def columns_of(connection: sqlite3.Connection, table: str) -> dict[str, str]:
    """Return the type of each column of a table."""
    return {row[1]: row[2] for row in connection.execute(f"PRAGMA main.table_info({table})")}


def archived_tables(connection: sqlite3.Connection) -> list[str]:
    """Return the tables that an archive of this record has, by name."""
    return sorted(table for table in integrity.tables(connection) if table not in LEFT_OUT)


def write(connection: sqlite3.Connection, out: Output, report: Report = no_report) -> int:
    """Write the record, in the caller's transaction, to a file; return its number of rows. Raises Damaged."""
    report("checks", 0, 0)
    if problems := integrity.faults(connection):
        raise Damaged(
            f"the record is damaged ({problems[0]}); nothing was written. `curator doctor` lists what is wrong; bring"
            f" back a good backup with `curator restore FILE`"
        )
    tables = archived_tables(connection)
    filters = {"meta": f" WHERE name IN {OF_THE_STORE}"}
    counted = ((table, f"SELECT count(*) FROM {table}{filters.get(table, '')}") for table in tables)
    counts = {table: int(connection.execute(query).fetchone()[0]) for table, query in counted}
    head = {
        "schema": f"{FORMAT}/{VERSION}",
        "record": schema_version(connection),
        "state_hash": integrity.state_hash(connection),
        "tables": counts,
    }
    total, done = sum(counts.values()), 0
    sums: dict[str, str] = {}
    with zipfile.ZipFile(out, "w") as archive:  # type: ignore[call-overload]

        def put(name: str, lines: Iterator[bytes]) -> Iterator[int]:
            digest = hashlib.sha256()
            entry = zipfile.ZipInfo(name, _FIRST_DAY)
            entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, 0o600 << 16
            with archive.open(entry, "w", force_zip64=True) as file:
                for number, line in enumerate(lines):
                    digest.update(line)
                    file.write(line)
                    if number % _ROWS == 0:
                        yield number
            sums[name] = digest.hexdigest()

        for _ in put(HEAD, iter([json.dumps(head, indent=1).encode() + b"\n"])):
            pass
        for table in tables:
            for number in put(f"{table}.jsonl", rows_of(connection, table)):
                report(table, done + number, total)
            done += counts[table]
        listed = "".join(f"{digest}  {name}\n" for name, digest in sums.items())
        for _ in put(SUMS, iter([listed.encode()])):
            pass
    return total


def rows_of(connection: sqlite3.Connection, table: str) -> Iterator[bytes]:
    """Yield the lines of a table: its header, and a JSON object for each row."""
    columns = columns_of(connection, table)
    next_id = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
    header = {"schema": f"{FORMAT}/{VERSION}", "table": table, "columns": columns}
    yield orjson.dumps(header | ({"last_id": next_id[0]} if next_id else {})) + b"\n"
    keys = [row[1] for row in connection.execute(f"PRAGMA main.table_info({table})") if row[5]]
    condition = f" WHERE name IN {OF_THE_STORE}" if table == "meta" else ""
    names = ", ".join(f'"{name}"' for name in columns)
    cursor = connection.execute(f"SELECT {names} FROM {table}{condition} ORDER BY {', '.join(keys)}")
    bytes_ = [name for name, sort in columns.items() if sort == "BLOB"]
    journal = table == "events"
    for values in cursor:
        row: dict[str, Any] = dict(zip(columns, values, strict=True))
        for name in bytes_:
            row[name] = orjson.loads(unpacked(row[name])) if journal else b64encode(row[name]).decode()
        yield orjson.dumps(row) + b"\n"
