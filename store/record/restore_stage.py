"""Staging of a restore: a valid record of our own schema, made in a scratch database from the rows of a backup.

Only rows of known tables and columns are copied: no trigger, view, index, table or version of the file's own. The
backup is refused if any journaled row is invalid; of tables that can be made again, invalid rows are left out.
"""

import contextlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from store.errors import Damaged, Foreign, NotFound, TooNew, Unwritable
from store.model import Fingerprint
from store.record import database, integrity, meta, migrations, row_validation
from store.record.database import APPLICATION, attach_copy
from store.record.schema import NEWEST

_DERIVED = {"burials", "unread_burials", "unembedded"}  # filled by the schema's own triggers, or by what reads them
_REPRODUCIBLE = set(
    "uses spaces vectors leases swept failures replies judgments wordings recalls turns warmth compared stated refusals"
    " files asked progress".split()
)


@dataclass(frozen=True, slots=True)
class Stage:
    """A record made from a backup.

    `foreign` names objects of the backup's schema that were not copied; `invalid` counts rows left out, by table.
    """

    connection: sqlite3.Connection
    file: Path
    foreign: list[str] = field(default_factory=list)
    invalid: dict[str, int] = field(default_factory=dict)

    def check_backup(self) -> int:
        """Check the attached backup; return its schema version."""
        stage, file = self.connection, self.file
        (objects,) = stage.execute("SELECT count(*) FROM backup.sqlite_master").fetchone()
        (application,) = stage.execute("PRAGMA backup.application_id").fetchone()
        version = database.schema_version(stage, "backup")
        if objects == 0:
            raise Foreign(f"{file} is an empty database, not a copy of a store; nothing was changed")
        if application != APPLICATION:
            raise Foreign(f"{file} is another program's database; nothing was changed. Name a file made by backup")
        if version > NEWEST:
            raise TooNew(
                f"{file} was written by a newer Curator (schema {version}, this one knows {NEWEST});"
                f" nothing was changed. Update with `pip install -U memory-curator`"
            )
        if version < 1:
            raise _Refused(file, f"it says it has schema {version}, which there never was")
        self.foreign.extend(integrity.schema_differences(stage, "backup"))
        check = "quick_check" if self.foreign else "integrity_check"  # the latter computes what is in foreign indexes
        (result,) = stage.execute(f"PRAGMA backup.{check}(1)").fetchone()
        if result != "ok":
            raise _Refused(file, f"damaged page: {result}")
        return version

    def copy_rows(self) -> None:
        """Copy the rows of every known table, and count those that are left out."""
        stage, file = self.connection, self.file
        row_validation.guard(stage, _REPRODUCIBLE)
        theirs = dict(stage.execute("SELECT name, sql FROM backup.sqlite_master WHERE type = 'table'").fetchall())
        stage.execute("BEGIN")
        for table in row_validation.tables(stage):
            if table in _DERIVED:
                continue
            if not str(theirs.get(table)).upper().startswith("CREATE TABLE"):
                raise _Refused(file, f"the table {table} is missing")
            columns = [row[1] for row in stage.execute(f"PRAGMA main.table_info({table})")]
            there = {row[1] for row in stage.execute(f"PRAGMA backup.table_xinfo({table})") if not row[6]}
            if not there.issuperset(columns):
                raise _Refused(file, f"the table {table} lacks {', '.join(sorted(set(columns) - there))}")
            names = ", ".join(f'"{column}"' for column in columns)
            insert = "INSERT OR IGNORE" if table in _REPRODUCIBLE else "INSERT"
            taken = stage.execute(f"{insert} INTO main.{table} ({names}) SELECT {names} FROM backup.{table}").rowcount
            (wanted,) = stage.execute(f"SELECT count(*) FROM backup.{table}").fetchone()
            if wanted != taken:
                self.invalid[table] = wanted - taken
        # how tombstones were read, which are not copied; what was to be done to the files beside that record; its place
        stage.execute("DELETE FROM main.meta WHERE name IN ('burials', 'unfinished_purge', 'place')")
        stage.execute(
            "UPDATE main.sqlite_sequence SET seq = max(seq, coalesce((SELECT max(s.seq) FROM backup.sqlite_sequence s"
            " WHERE s.name = sqlite_sequence.name AND typeof(s.seq) = 'integer' AND s.seq < 1 << 53), 0))"
        )
        stage.execute("COMMIT")
        for (trigger,) in stage.execute("SELECT name FROM temp.sqlite_master WHERE type = 'trigger'").fetchall():
            stage.execute(f"DROP TRIGGER temp.{trigger}")

    def check(self) -> None:
        """Raise unless rows, references and journal are valid; delete vectors that fit nothing."""
        stage, file = self.connection, self.file
        key, identity = meta.find(stage, "key"), meta.find(stage, "id")
        if key is None or len(key) != 32 or identity is None or len(identity) != 16 or not identity.isalnum():
            raise _Refused(file, "it does not say which store it is of")
        problems = (
            row_validation.unreadable(stage)
            or row_validation.dangling(stage)
            or integrity.differences(stage, strict=True)
        )
        if problems:
            raise _Refused(file, problems[0])
        for space, label in stage.execute("SELECT id, label FROM spaces").fetchall():
            try:
                size = 4 * Fingerprint.parse(label).dimension
            except ValueError:
                size = 0
            stage.execute("DELETE FROM vectors WHERE space = ? AND length(vector) <> ?", (space, size))
            if not size:
                stage.execute("DELETE FROM spaces WHERE id = ?", (space,))
        stage.execute("DELETE FROM vectors WHERE memory NOT IN (SELECT id FROM memories)")
        stage.execute(
            "INSERT INTO unembedded (space, memory) SELECT s.id, m.id FROM spaces s, memories m WHERE m.text <> ''"
            " AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.space = s.id AND v.memory = m.id)"
        )


@contextlib.contextmanager
def staged(file: Path) -> Iterator[Stage]:
    """Give the record that a backup holds, in the newest schema. Raises NotFound, Damaged, Foreign, TooNew, Unwritable.

    The file is only read, and nothing else is touched.
    """
    if not file.is_file():
        raise NotFound(f"there is no file {file}")
    if log := database.filled_log(file):
        raise Damaged(
            f"{log} lies beside {file} and holds a part of it, so {file} alone is no backup; nothing was changed."
            f" Name a file made by `curator backup`"
        )
    with contextlib.closing(database.scratch()) as connection:
        stage = Stage(connection, file)
        with _named(file):
            attach_copy(connection, file, "backup")
            integrity.put_schema(connection, stage.check_backup())
            stage.copy_rows()
            connection.execute("DETACH backup")
            migrations.upgrade(connection)
        connection.row_factory = sqlite3.Row
        stage.check()
        yield stage


def faults(file: Path) -> list[str]:
    """Return why a copy of a record cannot be restored, or not whole, in words; empty if it can. Raises Unwritable."""
    try:
        with staged(file) as stage:
            return stage.foreign
    except _Refused as error:
        return [error.why]
    except (Damaged, Foreign, TooNew) as error:
        return [str(error)]


class _Refused(Damaged):
    """A backup with invalid contents; `why` says in words."""

    def __init__(self, file: Path, why: str) -> None:
        super().__init__(f"{file} cannot be restored ({why}); nothing was changed. Use another backup")
        self.why = why


@contextlib.contextmanager
def _named(file: Path) -> Iterator[None]:
    """Turn SQLite's errors over a backup into the store's, which say that nothing was changed."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if database.error_code(error) in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            raise Unwritable(
                f"{file} cannot be checked: the disk of the temporary files is full; nothing was changed. Free some"
                f" space there, or set SQLITE_TMPDIR to a folder on another disk"
            ) from error
        if database.error_code(error) == sqlite3.SQLITE_NOTADB:
            raise Damaged(
                f"{file} is not a copy of a store; nothing was changed. Name a file made by backup"
            ) from error
        raise _Refused(file, str(error)) from error
