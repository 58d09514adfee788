"""Reading of archives: an archive is verified completely, then read into a new record, which is checked like a backup.

Archives are untrusted: none of their content is used as SQL, names of entries and columns must be those of the schema,
and sizes are checked before anything is decompressed. The zip file is never extracted to disk.
"""

import contextlib
import hashlib
import sqlite3
import zipfile
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import orjson

from store.errors import UPDATE, Foreign, StoreError, TooNew
from store.progress import Report, no_report
from store.record import database, integrity, migrations
from store.record.archive import (
    FORMAT,
    HEAD,
    OF_THE_STORE,
    SUMS,
    VERSION,
    archived_tables,
    columns_of,
)
from store.record.changes import packed
from store.record.restore import REPRODUCIBLE, Refused, Stage, named
from store.record.schema import MIGRATIONS, NEWEST

_ENTRIES = 100
_RATIO, _SMALL = 200, 64 << 20  # a larger archive with a higher compression ratio is a bomb
_LONGEST = 1 << 28  # bytes of a line: an event has thousands of rows
_HEAD = 1 << 20  # bytes of the first and of the last entry
_CHUNK = 1 << 20
_ROWS = 1_000  # inserted at once


@dataclass(frozen=True, slots=True)
class Archive:
    """An open archive with verified checksums.

    `record` is the schema version, `counts` the number of rows of each table.
    """

    file: Path
    zip: zipfile.ZipFile
    record: int
    state_hash: str
    counts: dict[str, int]

    @property
    def total(self) -> int:
        """The number of all rows."""
        return sum(self.counts.values())


@contextlib.contextmanager
def opened(stream: IO[bytes], file: Path, report: Report = no_report) -> Iterator[Archive]:
    """Open an archive, verify its checksums, and yield it. Raises Damaged, Foreign, TooNew."""
    with contextlib.ExitStack() as stack:
        with readable(file):
            archive = stack.enter_context(zipfile.ZipFile(stream))
            check_entries(archive, file)
            head = orjson.loads(short(archive, HEAD, file))
            schema, record = head["schema"], int(head["record"])
            if schema != f"{FORMAT}/{VERSION}" or record > NEWEST:
                raise TooNew(
                    f"{file} was written by a newer Curator ({schema}, record {record}; this one knows"
                    f" {FORMAT}/{VERSION}, record {NEWEST}); nothing was changed. Update with {UPDATE}"
                )
            counts = {str(table): int(count) for table, count in head["tables"].items()}
            check_sums(archive, file, report)
        yield Archive(file, archive, record, str(head["state_hash"]), counts)


def count_memories(archive: Archive) -> int:
    """Return the number of memories whose words are in an archive. Raises Damaged."""
    with readable(archive.file), archive.zip.open("memories.jsonl") as lines:
        lines.readline(_HEAD)
        return sum(orjson.loads(line)["life"] != "purged" for line in iter(lambda: lines.readline(_LONGEST), b""))


def check_entries(archive: zipfile.ZipFile, file: Path) -> None:
    """Check the names and sizes in the zip's directory. Raises Foreign or Damaged for unexpected entries."""
    entries = archive.infolist()
    names = [entry.filename for entry in entries]
    size, packed_size = sum(one.file_size for one in entries), sum(one.compress_size for one in entries)
    if not names or names[0] != HEAD:
        raise Foreign(f"{file} is no archive of a store; nothing was changed. Name a file made by `export --all`")
    if len(names) > _ENTRIES or len(set(names)) != len(names):
        raise Refused(file, "it has more entries than an archive, or one twice")
    if size > _SMALL and size > _RATIO * packed_size:
        raise Refused(file, f"it unpacks to {size:,} bytes from {packed_size:,}: a zip bomb")


def check_sums(archive: zipfile.ZipFile, file: Path, report: Report) -> None:
    """Raise Damaged unless every entry has its checksum."""
    sums: dict[str, str] = {}
    for line in short(archive, SUMS, file).decode().splitlines():
        digest, name = line.split("  ")
        sums[name] = digest
    if sums.keys() != set(archive.namelist()) - {SUMS}:
        raise Refused(file, "its checksums are not those of its entries")
    done, size = 0, sum(entry.file_size for entry in archive.infolist())
    for name, expected in sums.items():
        sha256 = hashlib.sha256()
        with archive.open(name) as part:
            while chunk := part.read(_CHUNK):
                sha256.update(chunk)
                done += len(chunk)
                report("checksums", done, size)
        if sha256.hexdigest() != expected:
            raise Refused(file, f"{name} does not have its checksum")


def short(archive: zipfile.ZipFile, name: str, file: Path) -> bytes:
    """Return the content of an entry that must be short."""
    with archive.open(name) as part:
        data = part.read(_HEAD + 1)
    if len(data) > _HEAD:
        raise Refused(file, f"{name} is too long")
    return data


@contextlib.contextmanager
def readable(file: Path) -> Iterator[None]:
    """Convert the many exceptions of zipfile, zlib, base64 and orjson for damaged data to Damaged."""
    try:
        with named(file):
            yield
    except StoreError:
        raise
    except Exception as error:
        raise Refused(file, str(error) or type(error).__name__) from error


@contextlib.contextmanager
def staged(archive: Archive, report: Report = no_report) -> Iterator[Stage]:
    """Read an archive into a temporary record of the newest schema, and yield it. Raises Damaged, Unwritable."""
    with contextlib.closing(database.scratch()) as connection:
        stage = Stage(connection, archive.file)
        with readable(archive.file):
            if not archive.record >= 1:
                raise Refused(archive.file, f"schema {archive.record} is none that there has been")
            integrity.put_schema(connection, archive.record)
            tables = archived_tables(connection)
            if archive.counts.keys() != set(tables) or {f"{table}.jsonl" for table in tables} != {
                name for name in archive.zip.namelist() if name not in (HEAD, SUMS)
            }:
                raise Refused(archive.file, "its tables are not those of its schema")
            integrity.guard(connection, REPRODUCIBLE)
            connection.execute("BEGIN")
            done = 0
            for table in tables:
                fill(stage, archive, table, done, report)
                done += archive.counts[table]
            connection.execute(f"DELETE FROM meta WHERE name NOT IN {OF_THE_STORE}")
            connection.execute("COMMIT")
            stage.end_guard()
            report("checks", archive.total, archive.total)
            if not stage.invalid and integrity.state_hash(connection) != archive.state_hash:
                raise Refused(archive.file, "its rows are not those of the state it names")
            with database.writing(connection):
                migrations.apply_migrations(connection, MIGRATIONS)
        connection.row_factory = sqlite3.Row
        stage.check()
        yield stage


def fill(stage: Stage, archive: Archive, table: str, done: int, report: Report) -> None:
    """Add the rows of a table, after `done` rows of others, and count those left out."""
    connection, columns = stage.connection, columns_of(stage.connection, table)
    names = ", ".join(f'"{name}"' for name in columns)
    insert = f"INSERT {'OR IGNORE ' * (table in REPRODUCIBLE)}INTO main.{table} ({names})"
    insert += f" VALUES ({', '.join('?' * len(columns))})"
    rows: list[list[Any]] = []
    count = 0
    with archive.zip.open(f"{table}.jsonl") as lines:
        header = orjson.loads(lines.readline(_HEAD))
        if header["table"] != table or header["columns"] != columns:
            raise Refused(archive.file, f"the columns of {table} are not those of its schema")
        while line := lines.readline(_LONGEST + 1):
            if len(line) > _LONGEST:
                raise Refused(archive.file, f"a row of {table} is too long")
            row = orjson.loads(line)
            if row.keys() != columns.keys():
                raise Refused(archive.file, f"row {count + 1} of {table} has other columns")
            for name, sort in columns.items():
                if sort == "BLOB":
                    journal = table == "events"
                    row[name] = packed(orjson.dumps(row[name])) if journal else b64decode(row[name], validate=True)
            rows.append([row[name] for name in columns])
            count += 1
            if len(rows) == _ROWS or len(line) > _CHUNK:
                connection.executemany(insert, rows)
                rows.clear()
                report("rows", done + count, archive.total)
        connection.executemany(insert, rows)
    if count != archive.counts[table]:
        raise Refused(archive.file, f"{table} has {count:,} rows, not {archive.counts[table]:,}")
    (taken,) = connection.execute(f"SELECT count(*) FROM main.{table}").fetchone()
    if taken != count:
        stage.invalid[table] = count - taken
    last = header.get("last_id", 0)
    if isinstance(last, int) and 0 < last < 1 << 53:
        connection.execute("DELETE FROM main.sqlite_sequence WHERE name = ?", (table,))
        (largest,) = connection.execute(f"SELECT coalesce(max(rowid), 0) FROM main.{table}").fetchone()
        connection.execute("INSERT INTO main.sqlite_sequence VALUES (?, ?)", (table, max(last, largest)))
