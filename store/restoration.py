"""Replace the record by a backup, all or nothing, and apply again what the person forgot or purged since."""

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from store import clock
from store.atomic_write import written_whole
from store.errors import Busy, Damaged, StoreError, Unwritable
from store.model import Actor
from store.record import backup, database, meta, migrations, redact
from store.record.files import NAME as RECORD
from store.record.journal import command
from store.record.later_decisions import Reapplied, reapply
from store.record.restore_stage import staged
from store.record.schema import NEWEST

Detect = Callable[[Iterable[tuple[str, int, str]]], tuple[redact.Redactors | None, int]]
"""Returns redactors of the secrets in texts (`redact.texts`), None if there are none, and the number of texts."""
_TRIES = 5  # times that somebody else may have written meanwhile


@dataclass(frozen=True, slots=True)
class Restored:
    """Result of a restore.

    `kept` is the copy of the former record, None if there was none; `reapplied` counts the later decisions that were
    applied again, `redacted` the texts that held secrets; `foreign` and `invalid` name what was not copied from the
    file (`store.record.restore_stage.Stage`).
    """

    kept: Path | None
    memories: int
    reapplied: Reapplied
    redacted: int
    foreign: list[str]
    invalid: dict[str, int]


class _Written(Exception):
    """Somebody wrote to the record after it was looked at."""


def restore(folder: Path, file: Path, key_of: Callable[[str], str], detect: Detect | None = None) -> Restored:
    """Replace the record in `folder` by a backup; `key_of` gives a text its content key.

    Secrets that `detect` finds are redacted before.

    The former record is copied to `backups/` first. It is replaced in one transaction: whoever has the store open sees
    all of the new one or nothing. The projections must be dropped afterwards. Raises Unusable, with nothing changed,
    ValueError for the record itself, NotFound.
    """
    database.prepare_folder(folder)
    path = folder / RECORD
    if file.exists() and path.exists() and file.samefile(path):
        raise ValueError(f"{file} is the store itself; name a file made by `curator backup`")
    for _ in range(_TRIES):
        with contextlib.suppress(_Written), staged(file) as stage:
            redacted = 0 if detect is None else _redact(stage.connection, detect)
            kept, reapplied = _put(path, stage.connection, key_of)
            (memories,) = stage.connection.execute("SELECT count(*) FROM memories WHERE life <> 'purged'").fetchone()
            return Restored(kept, memories, reapplied, redacted, stage.foreign, stage.invalid)
    raise Busy(f"another process goes on writing to {path}; nothing was changed. End it, then restore again")


def _redact(new: sqlite3.Connection, detect: Detect) -> int:
    """Redact the secrets in a new record; return how many texts held some."""
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


def _put(path: Path, new: sqlite3.Connection, key_of: Callable[[str], str]) -> tuple[Path | None, Reapplied]:
    """Replace the record; return its copy. Raises _Written if somebody wrote to it meanwhile."""
    reapplied, kept = Reapplied(), None
    try:
        with contextlib.closing(database.connect(path)) as present, database.translated(path):
            version = database.check_identity(present, path, NEWEST)
            if version:
                migrations.migrate(present, path, version)
                kept = _aside(path)
            (before,) = present.execute("PRAGMA data_version").fetchone()
            with _undone_on_error(kept):
                if kept is not None:
                    backup.copy(present, kept)
                    if purge := meta.unfinished_purge(present):  # goes on, but for this copy: it is clean and stays
                        with database.translated(kept), contextlib.closing(database.create_copy(kept)) as copied:
                            copied.execute("VACUUM")
                        meta.note_purge(new, purge.command, {*purge.clean, kept.name})
                    reapplied = reapply(new, present, key_of)
                meta.begin_epoch(new)
                with contextlib.closing(database.connect(path)) as target, database.translated(path):
                    new.backup(target, pages=1, progress=partial(_check_unchanged, present, before))
    except Damaged:
        reapplied, kept = Reapplied(comparable=False), _aside(path)
        meta.begin_epoch(new)
        with _undone_on_error(kept), written_whole(path) as file:  # SQLite cannot write to a damaged one
            with database.translated(path), contextlib.closing(database.create_copy(file)) as target:
                new.backup(target)
            _keep(path, kept)
    return kept, reapplied


def _check_unchanged(present: sqlite3.Connection, before: int, status: int, *_: int) -> None:
    """Stop the one transaction that replaces the record if it was written to since `before`."""
    if status == sqlite3.SQLITE_BUSY:
        raise Busy(f"another process has been writing for over {database.WAIT:.0f} s; wait for it, or end it")
    if status == sqlite3.SQLITE_OK and present.execute("PRAGMA data_version").fetchone()[0] != before:
        raise _Written  # and from here on nobody else can


def _keep(path: Path, kept: Path) -> None:
    """Keep a damaged record as it is, with its log, which another record would take for its own."""
    try:
        os.link(path, kept)
    except OSError:  # no links there
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
    """Delete the copy on an error, which then says that nothing was changed."""
    try:
        yield
    except (StoreError, _Written) as error:
        if kept is not None:
            kept.unlink(missing_ok=True)
        if isinstance(error, StoreError) and not isinstance(error, Damaged):
            raise type(error)(f"{error}. The store is as it was before") from error
        raise
