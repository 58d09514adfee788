"""Replace the record by a backup, all or nothing, and apply again what the person forgot or purged since."""

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from store import clock
from store.atomic_write import written_whole
from store.errors import Busy, Damaged, StoreError, Unwritable
from store.model import Actor
from store.record import backup, database, meta, migrations, redact
from store.record.files import NAME as RECORD
from store.record.journal import command
from store.record.later_decisions import Reapplied, reapply
from store.record.restore_stage import Stage, staged
from store.record.schema import NEWEST

Detect = Callable[[Iterable[tuple[str, int, str]]], tuple[redact.Redactors | None, int]]
"""Returns redactors of the secrets in texts (`redacting.texts`), None if there are none, and the number of texts."""
_TRIES = 5  # times that somebody else may have written meanwhile


@dataclass(frozen=True, slots=True)
class Restored:
    """Result of a restore.

    `kept` is the copy of the former record, None if there was none; `reapplied` counts the later decisions that were
    applied again, `redacted` the texts that held secrets; `strange` and `unsound` name what was not taken from the file
    (`store.record.restore_stage.Stage`).
    """

    kept: Path | None
    memories: int
    reapplied: Reapplied
    redacted: int
    strange: tuple[str, ...]
    unsound: dict[str, int]


class _Written(Exception):
    """Somebody wrote to the record after it was looked at."""


def restore(folder: Path, file: Path, key_of: Callable[[str], str], detect: Detect | None = None) -> Restored:
    """Put what a backup holds in the place of the record in `folder`; `key_of` gives a text its content key.

    Secrets that `detect` finds are redacted before.

    What was there is copied to `backups/` first. The place is taken in one transaction: whoever has the store open sees
    all of it or nothing. The projections must be dropped afterwards. Raises Unusable, with nothing changed, ValueError
    for the record itself, NotFound.
    """
    database.prepare_folder(folder)
    path = folder / RECORD
    if file.exists() and path.exists() and file.samefile(path):
        raise ValueError(f"{file} is the store itself; name a file made by `curator backup`")
    for _ in range(_TRIES):
        with contextlib.suppress(_Written), staged(file) as stage:
            redacted = 0 if detect is None else _redact(stage.connection, detect)
            return _put(path, stage, key_of, redacted)
    raise Busy(f"another process goes on writing to {path}; nothing was changed. End it, then restore again")


def _redact(new: sqlite3.Connection, detect: Detect) -> int:
    """Redact the secrets in a new record; returns how many texts held some."""
    count = 0
    for (owner,) in new.execute("SELECT DISTINCT owner FROM commands").fetchall():
        ways, texts = detect(redact.texts(new, owner))
        count += texts
        if ways is not None:
            with command(new, owner, "redact", Actor.PERSON, "in the backup that was restored") as writer:
                redact.redact(writer, ways)
    if count:
        new.execute("VACUUM")
    return count


def _put(path: Path, stage: Stage, key_of: Callable[[str], str], redacted: int) -> Restored:
    """Take the place of the record with a stage. Raises _Written if somebody wrote to the record meanwhile."""
    new = stage.connection
    reapplied, kept = Reapplied(), None
    try:
        with contextlib.closing(database.connect(path)) as present, database.translated(path):
            version = database.check_identity(present, path, NEWEST)
            if version:
                migrations.migrate(present, path, version)
                kept = _aside(path)
            (before,) = present.execute("PRAGMA data_version").fetchone()
            with _said(kept):
                if kept is not None:
                    backup.copy(present, kept)
                    _carry_purge(present, new, kept)
                    reapplied = reapply(new, present, key_of)
                meta.begin_epoch(new)
                with contextlib.closing(database.connect(path)) as target, database.translated(path):
                    _replace(new, target, present, before)
    except Damaged:
        reapplied, kept = Reapplied(comparable=False), _aside(path)
        meta.begin_epoch(new)
        _replace_damaged(new, path, kept)
    (memories,) = new.execute("SELECT count(*) FROM memories WHERE life <> 'purged'").fetchone()
    return Restored(kept, memories, reapplied, redacted, stage.strange, stage.unsound)


def _carry_purge(present: sqlite3.Connection, new: sqlite3.Connection, kept: Path) -> None:
    """Have a purge that is not done yet go on, but for the copy of the record: it is cleaned here and stays."""
    note = meta.unfinished_purge(present)
    if note is None:
        return
    with database.translated(kept), contextlib.closing(database.create_copy(kept)) as copied:
        copied.execute("VACUUM")
    meta.note_purge(new, note.command, {*note.clean, kept.name})


def _replace(new: sqlite3.Connection, target: sqlite3.Connection, present: sqlite3.Connection, before: int) -> None:
    """Copy the new record over the present one in one transaction, unless that was written to since `before`."""

    def look(status: int, *_: int) -> None:
        if status == sqlite3.SQLITE_BUSY:
            raise Busy(f"another process has been writing for over {database.WAIT:.0f} s; wait for it, or end it")
        if status == sqlite3.SQLITE_OK and present.execute("PRAGMA data_version").fetchone()[0] != before:
            raise _Written  # and from here on nobody else can

    new.backup(target, pages=1, progress=look)


def _replace_damaged(new: sqlite3.Connection, path: Path, kept: Path) -> None:
    """Put the new record in the place of one that SQLite cannot write to, which is kept as it is."""
    with _said(kept), written_whole(path) as partial:
        with database.translated(path), contextlib.closing(database.create_copy(partial)) as target:
            new.backup(target)
        _link(path, kept)
        for suffix in ("-wal", "-shm"):  # of the damaged record; beside another it would be taken for its own
            with contextlib.suppress(FileNotFoundError):
                path.with_name(path.name + suffix).replace(kept.with_name(kept.name + suffix))


def _link(path: Path, kept: Path) -> None:
    try:
        os.link(path, kept)
    except OSError:  # no links there
        shutil.copy2(path, kept)


def _aside(path: Path) -> Path:
    """A name for what is in the record's place now."""
    aside = path.parent / "backups" / f"record-before-restore-{clock.now()}.sqlite"
    try:
        aside.parent.mkdir(exist_ok=True)
    except OSError as error:
        raise Unwritable(f"cannot make {aside.parent}: {error.strerror}; nothing was changed") from error
    return aside


@contextlib.contextmanager
def _said(kept: Path | None) -> Iterator[None]:
    """Say in errors that nothing was changed, and take away the copy that nobody needs then."""
    try:
        yield
    except (StoreError, _Written) as error:
        if kept is not None:
            kept.unlink(missing_ok=True)
        if isinstance(error, StoreError) and not isinstance(error, Damaged):
            raise type(error)(f"{error}. The store is as it was before") from error
        raise
