"""Restore a backup over the record, all or nothing, and reapply what the person forgot or purged since.

A backup is staged first: the rows of known tables and columns are copied into a scratch database with the program's
own schema. Other tables, views, triggers and indexes of the file are not copied. The backup is refused if a journaled
row is invalid; invalid rows of reproducible tables are omitted.
"""

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from store import clock
from store.atomic_write import written_whole
from store.errors import Busy, Conflict, Damaged, Foreign, NotFound, StoreError, TooNew, Unwritable
from store.model import Actor, Fingerprint
from store.record import backup, database, integrity, meta, migrations, purged_texts, redact
from store.record.journal import command
from store.record.later_decisions import Reapplied, reapply
from store.record.names import PersonNames
from store.record.pool import RECORD
from store.record.schema import MIGRATIONS
from store.record.sync import absorb, members, requests
from store.record.unfinished import UNFINISHED, read_runs

Detect = Callable[[Iterable[tuple[str, int, str]]], tuple[redact.Redactors | None, int]]
"""Returns redactors of the secrets in texts (`redact.texts`), or None, and the number of texts with secrets."""
_TRIES = 5  # maximum attempts if another process writes meanwhile


@dataclass(frozen=True, slots=True)
class Restored:
    """Result of a restore.

    `kept` is the copy of the former record, or None; `reapplied` counts the later decisions that were applied again,
    `redacted` the texts that contained secrets; `foreign` and `invalid` name what was not copied from the file
    (`Stage`).
    """

    kept: Path | None
    memories: int
    reapplied: Reapplied
    redacted: int
    foreign: list[str]
    invalid: dict[str, int]


class _Written(Exception):
    """Another process wrote to the record after it was read."""


def restore(
    folder: Path,
    file: Path,
    key_of: Callable[[str], str],
    detect: Detect | None = None,
    stage_of: "Callable[[], AbstractContextManager[Stage]] | None" = None,
    *,
    only_if_empty: bool = False,
) -> Restored:
    """Replace the record in `folder` with a backup; `key_of` returns the content key of a text.

    `stage_of` builds the new record if `file` is not a copy of one (`archive_reader.staged`). Secrets that `detect`
    finds are redacted before. With `only_if_empty`, Conflict is raised if the record holds anything.

    The former record is copied to `backups/` first. It is replaced in one transaction: other users of the store see
    all of the new record or nothing. The projections must be dropped afterwards. Raises Unusable, with nothing changed,
    ValueError if `file` is the record itself, NotFound.
    """
    database.prepare_folder(folder)
    path = folder / RECORD
    if file.exists() and path.exists() and file.samefile(path):
        raise ValueError(f"{file} is the store itself; name a file made by `curator backup`")
    for _ in range(_TRIES):
        if only_if_empty:  # checked before staging, which may take long, and again in the transaction
            check_empty(path)
        with contextlib.suppress(_Written), staged(file) if stage_of is None else stage_of() as stage:
            redacted = 0 if detect is None else _redact(stage.connection, detect)
            kept, reapplied = _put(path, stage.connection, key_of, only_if_empty)
            (memories,) = stage.connection.execute("SELECT count(*) FROM memories WHERE life <> 'purged'").fetchone()
            return Restored(kept, memories, reapplied, redacted, stage.foreign, stage.invalid)
    raise Busy(f"another process goes on writing to {path}; nothing was changed. End it, then restore again")


def _redact(new: sqlite3.Connection, detect: Detect) -> int:
    """Redact the secrets in a new record; return the number of texts with secrets."""
    count = 0
    for (owner,) in new.execute("SELECT DISTINCT owner FROM commands").fetchall():
        redactors, texts = detect(redact.texts(new, owner))
        count += texts
        if redactors is not None:
            with command(
                contextlib.nullcontext(new), owner, "redact", Actor.PERSON, "in the backup that was restored"
            ) as writer:
                redact.redact(writer, redactors)
    if count:
        new.execute("VACUUM")
    return count


_NO_CONTENT = {"meta", "devices", "spaces", "swept", "leases", "progress"}  # tables with rows in an empty store too


def check_empty(path: Path) -> None:
    """Raise Conflict if there is a record with content."""
    if not path.exists():
        return
    with contextlib.closing(database.connect(path)) as present, database.translated(path):
        if database.check_identity(present, path):
            _check_no_rows(present, path)


def _check_no_rows(present: sqlite3.Connection, path: Path) -> None:
    for table in sorted(set(integrity.tables(present)) - _NO_CONTENT):
        (count,) = present.execute(f"SELECT count(*) FROM {table}").fetchone()
        if count:
            (memories,) = present.execute("SELECT count(*) FROM memories WHERE life <> 'purged'").fetchone()
            held = f"memories: {memories:,}" if memories else f"rows of {table}: {count:,}"
            raise Conflict(
                f"the store in {path.parent} is not empty ({held}); an archive is not merged into another store."
                f" To put it in the place of this one, which is kept, use `curator restore FILE`; to have both, set"
                f" CURATOR_HOME to a new folder and import it there"
            )


def _put(
    path: Path, new: sqlite3.Connection, key_of: Callable[[str], str], only_if_empty: bool
) -> tuple[Path | None, Reapplied]:
    """Replace the record; return its copy. Raises _Written if another process wrote to it meanwhile."""
    reapplied, kept = Reapplied(), None
    try:
        with contextlib.closing(database.connect(path)) as present, database.translated(path):
            if version := database.check_identity(present, path):
                migrations.migrate(present, path, version)
                kept = None if only_if_empty else _aside(path)
            (before,) = present.execute("PRAGMA data_version").fetchone()
            with _undone_on_error(kept):
                if only_if_empty and version:
                    _check_no_rows(present, path)
                if kept is not None:
                    backup.copy(present, kept)
                    if purge := meta.unfinished_purge(present):  # it stays unfinished; the new copy is clean
                        with database.translated(kept), contextlib.closing(database.Connection(kept)) as copied:
                            copied.execute("VACUUM")
                        meta.note_purge(new, purge.command, {*purge.clean, kept.name})
                    reapplied = reapply(new, present, key_of)
                meta.begin_epoch(new)
                with contextlib.closing(database.connect(path)) as target, database.translated(path):
                    new.backup(target, pages=1, progress=partial(_check_unchanged, present, before))
    except Damaged:
        if only_if_empty:
            raise
        reapplied, kept = Reapplied(comparable=False), _aside(path)
        meta.begin_epoch(new)
        with _undone_on_error(kept), written_whole(path) as file:  # SQLite cannot write to a damaged record
            with database.translated(path), contextlib.closing(database.Connection(file)) as target:
                new.backup(target)
            _keep(path, kept)
    return kept, reapplied


def _check_unchanged(present: sqlite3.Connection, before: int, status: int, *_: int) -> None:
    """Abort the transaction that replaces the record if it was written to since `before`."""
    if status == sqlite3.SQLITE_BUSY:
        raise Busy(f"another process has been writing for over {database.WAIT:.0f} s; wait for it, or stop it")
    if status == sqlite3.SQLITE_OK and present.execute("PRAGMA data_version").fetchone()[0] != before:
        raise _Written  # otherwise the open transaction keeps others from writing


def _keep(path: Path, kept: Path) -> None:
    """Move a damaged record aside unchanged, with its log, which the new record would otherwise adopt."""
    try:
        os.link(path, kept)
    except OSError:  # no hard links there
        shutil.copy2(path, kept)
    for suffix in ("-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + suffix).replace(kept.with_name(kept.name + suffix))


def _aside(path: Path) -> Path:
    """Return a path for a copy of the present record. Raises Unwritable."""
    aside = path.parent / "backups" / f"record-before-restore-{clock.now()}.sqlite"
    try:
        aside.parent.mkdir(exist_ok=True)
    except OSError as error:
        raise Unwritable(f"cannot make {aside.parent}: {error.strerror}; nothing was changed") from error
    return aside


@contextlib.contextmanager
def _undone_on_error(kept: Path | None) -> Iterator[None]:
    """Delete the copy on an error, and report that nothing was changed."""
    try:
        yield
    except (StoreError, _Written) as error:
        if kept is not None:
            kept.unlink(missing_ok=True)
        if isinstance(error, StoreError) and not isinstance(error, Damaged):
            raise type(error)(f"{error}. The store is as it was before") from error
        raise


_DERIVED = {"burials", "unread_burials", "unembedded"}  # tables filled by triggers or by their readers
REPRODUCIBLE = frozenset(
    "uses spaces vectors leases swept failures replies judgments wordings recalls turns warmth compared stated refusals"
    " files asked progress".split()
)


@dataclass(frozen=True, slots=True)
class Stage:
    """A record built from a backup.

    `foreign` names objects of the backup's schema that were not copied; `invalid` counts rows left out, by table.
    """

    connection: sqlite3.Connection
    file: Path
    foreign: list[str] = field(default_factory=list)
    invalid: dict[str, int] = field(default_factory=dict)

    def check_backup(self) -> int:
        """Check the attached backup; return its schema version."""
        stage, file = self.connection, self.file
        version = database.check_identity(stage, file, "backup", "Name a file made by backup")
        if version == 0:
            raise Foreign(f"{file} is an empty database, not a copy of a store; nothing was changed")
        self.foreign.extend(integrity.schema_differences(stage, "backup"))
        check = "quick_check" if self.foreign else "integrity_check"  # the latter evaluates foreign indexes
        (result,) = stage.execute(f"PRAGMA backup.{check}(1)").fetchone()
        if result != "ok":
            raise Refused(file, f"damaged page: {result}")
        return version

    def copy_rows(self) -> None:
        """Copy the rows of every known table, and count those left out."""
        stage, file = self.connection, self.file
        integrity.guard(stage, REPRODUCIBLE)
        theirs = dict(stage.execute("SELECT name, sql FROM backup.sqlite_master WHERE type = 'table'").fetchall())
        stage.execute("BEGIN")
        for table in integrity.tables(stage):
            if table in _DERIVED:
                continue
            if not str(theirs.get(table)).upper().startswith("CREATE TABLE"):
                raise Refused(file, f"the table {table} is missing")
            columns = [row[1] for row in stage.execute(f"PRAGMA main.table_info({table})")]
            there = {row[1] for row in stage.execute(f"PRAGMA backup.table_xinfo({table})") if not row[6]}
            if not there.issuperset(columns):
                raise Refused(file, f"the table {table} lacks {', '.join(sorted(set(columns) - there))}")
            names = ", ".join(f'"{column}"' for column in columns)
            insert = "INSERT OR IGNORE" if table in REPRODUCIBLE else "INSERT"
            taken = stage.execute(f"{insert} INTO main.{table} ({names}) SELECT {names} FROM backup.{table}").rowcount
            (wanted,) = stage.execute(f"SELECT count(*) FROM backup.{table}").fetchone()
            if wanted != taken:
                self.invalid[table] = wanted - taken
        # the state of the tombstone index, which is not copied; pending purges of files beside that record; its place
        stage.execute("DELETE FROM main.meta WHERE name IN ('burials', 'unfinished_purge', 'place')")
        stage.execute(
            "UPDATE main.sqlite_sequence SET seq = max(seq, coalesce((SELECT max(s.seq) FROM backup.sqlite_sequence s"
            " WHERE s.name = sqlite_sequence.name AND typeof(s.seq) = 'integer' AND s.seq < 1 << 53), 0))"
        )
        stage.execute("COMMIT")
        self.end_guard()

    def end_guard(self) -> None:
        """Accept any row again, as the migrations write them."""
        stage = self.connection
        for (trigger,) in stage.execute("SELECT name FROM temp.sqlite_master WHERE type = 'trigger'").fetchall():
            stage.execute(f"DROP TRIGGER temp.{trigger}")

    def check(self) -> None:
        """Raise unless rows, references and journal are valid; delete vectors without a matching row."""
        stage, file = self.connection, self.file
        key, identity = meta.find(stage, "key"), meta.find(stage, "id")
        if key is None or len(key) != 32 or identity is None or len(identity) != 16 or not identity.isalnum():
            raise Refused(file, "it does not say which store it is of")
        try:
            PersonNames.on(stage, "").known()
            purged_texts.masked_checksums(stage)
            absorb.absorbed(stage)
            members.read(stage)
            requests.read_arrivals(stage)
            read_runs(meta.find(stage, UNFINISHED))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise Refused(file, f"meta holds a value that is none of ours: {error}") from error
        if problems := integrity.faults(stage):
            raise Refused(file, problems[0])
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
        stage.execute(
            "INSERT OR IGNORE INTO compared (memory, key, rules) SELECT id, '', '' FROM memories WHERE life = 'live'"
        )


@contextlib.contextmanager
def staged(file: Path) -> Iterator[Stage]:
    """Yield the record of a backup, in the newest schema. Raises NotFound, Damaged, Foreign, TooNew, Unwritable.

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
        with named(file):
            database.attach_copy(connection, file, "backup")
            integrity.put_schema(connection, stage.check_backup())
            stage.copy_rows()
            connection.execute("DETACH backup")
            with database.writing(connection):
                migrations.apply_migrations(connection, MIGRATIONS)
        connection.row_factory = sqlite3.Row
        stage.check()
        yield stage


def faults(file: Path) -> list[str]:
    """Return the reasons why a copy of a record cannot be restored completely; empty if it can. Raises Unwritable."""
    try:
        with staged(file) as stage:
            return stage.foreign
    except Refused as error:
        return [error.why]
    except (Damaged, Foreign, TooNew) as error:
        return [str(error)]


class Refused(Damaged):
    """A backup with invalid contents; `why` is the reason."""

    def __init__(self, file: Path, why: str) -> None:
        super().__init__(f"{file} cannot be restored ({why}); nothing was changed. Use another backup")
        self.why = why


@contextlib.contextmanager
def named(file: Path) -> Iterator[None]:
    """Translate SQLite's errors about a backup to the store's, stating that nothing was changed."""
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
        raise Refused(file, str(error)) from error
