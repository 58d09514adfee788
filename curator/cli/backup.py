"""The commands `backup` and `restore`, and checks of file arguments."""

import contextlib
import errno
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.filesize import decimal as byte_size

from curator import curation
from curator.cli.archive import drop_projections, import_all
from curator.cli.options import AsJson, PassphraseFile, Yes, countable, is_uid, memory_number
from curator.cli.output import confirm, open_store, print_json, warn
from curator.cli.results import print_done
from curator.config import settings
from curator.display import counted
from curator.paths import own_files, store_folder
from curator.terminal_text import on_one_line
from store import NotFound, Restored, Store, Unwritable, clock, is_record_header
from store import restore as restore_record
from store.atomic_write import check_not_among, check_target
from store.record.backup import kept as backups_in

_HEAD = 100  # first bytes of a file, which identify its type


def backup(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="Where to write the copy; the store's folder by default.")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the backups in the store's folder.")] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Back up the whole store to one verified file.

    Works while the store is in use. A file that is not a backup is overwritten only with --yes. A damaged store never
    overwrites an earlier backup: its copy is written beside FILE. Once a day, background work makes a backup in the
    store's folder if something has changed, and keeps the newest three (sweep_backup, backups.keep).
    """
    store = open_store()
    if listed:
        if file is not None:
            raise typer.BadParameter("--list takes no file")
        backups = [(kept, kept.stat()) for kept in reversed(store.backups())]  # newest first
        for kept, there in backups:
            at = clock.to_iso(there.st_mtime_ns // 1000)
            if as_json:
                print_json({"file": str(kept), "at": at, "bytes": there.st_size})
            else:
                print(f"{at[:16].replace('T', ' ')}  {byte_size(there.st_size):>8}  {on_one_line(str(kept))}")
        if not backups and not as_json:
            print("no backups yet; run `curator backup`")
        return
    with named_file():
        if file is None:
            file = store.keep_backup(settings().backups.keep)
        else:
            check_named(store, file, "backup", is_record_header, yes)
            store.backup(file)
    if as_json:
        print_json({"file": str(file), "bytes": file.stat().st_size})
    else:
        print(f"wrote {on_one_line(str(file))} ({byte_size(file.stat().st_size)})")


def check_named(store: Store, file: Path, noun: str, own: Callable[[bytes], bool], yes: bool) -> None:
    """Check that a file is not part of the store, and, unless `yes`, that no foreign file would be overwritten.

    Empty files, and those whose first bytes `own` accepts, may be overwritten. Raises ValueError.
    """
    check_target(file, store.folder)
    check_not_among(file, own_files())
    if yes or not file.exists():
        return
    with file.open("rb") as there:
        head = there.read(_HEAD)
    if head and not own(head):
        raise ValueError(f"{file} exists and is not a Curator {noun}: give another file, or --yes to overwrite it")


@contextlib.contextmanager
def named_file() -> Iterator[None]:
    """Raise ValueError if a file given as an argument cannot be written, except for lack of space."""
    try:
        yield
    except Unwritable as error:
        cause = error.__cause__
        if isinstance(cause, OSError) and cause.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise ValueError(str(error)) from error
        raise


def restore(
    what: Annotated[list[str], typer.Argument(metavar="FILE|ID", help="A backup file, or memory ids.")],
    passphrase_file: PassphraseFile = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Restore a backup FILE, or forgotten memories by ID.

    FILE may also be an archive of `curator export --all`, or the name of an automatic backup: see
    `curator backup --list`.
    """
    if all(re.fullmatch("[0-9]+", word) or is_uid(word) for word in what):
        ids = countable([memory_number(word[:40]) for word in what])
        print_done("restored {}", "already live", curation.restore(open_store(), ids), ids, as_json)
        return
    if len(what) != 1:
        raise typer.BadParameter("give one backup file or memory ids")
    from curator.export.archive import is_archive
    from curator.services.secret_scan import redactors_for
    from curator.text import content_key

    file = next((kept for kept in backups_in(store_folder()) if kept.name == what[0]), Path(what[0]))
    if not file.is_file():
        raise NotFound(f"there is no file {file}")
    if is_archive(file):
        done = import_all(file, passphrase_file, yes, as_json, in_place=True)
    else:
        confirm(f"replace everything in {store_folder()} with {file}?", yes, as_json)
        done = restore_record(store_folder(), file, content_key, redactors_for)
        drop_projections()
    if as_json:
        print_json({**asdict(done), "kept": None if done.kept is None else str(done.kept)})
    else:
        _print_restored(done, file)


def _print_restored(done: Restored, file: Path) -> None:
    """Print the restored memories, later decisions that were applied again, and anything left out."""
    again, name = done.reapplied, on_one_line(str(file))
    kept = f"; the previous store is kept as {done.kept}" if done.kept else ""
    print(f"restored {counted(done.memories, 'memory')} of {name}{kept}")
    if not again.comparable:
        warn(
            "what you forgot or purged after the backup may be back: the previous store is damaged or a different one,"
            " so its decisions could not be applied again"
        )
    counts = {"forgotten": again.forgotten, "rejected": again.rejected, "purged": again.purged}
    parts = [f"{count:,} {what}" for what, count in counts.items() if count]
    erased = ((again.messages, "message"), (again.memories, "other memory"))
    words = [counted(count, noun) for count, noun in erased if count]
    parts += [f"words erased in {' and '.join(words)}"] if words else []
    if parts:
        print(f"applied again, because it is newer than the backup: {', '.join(parts)}")
    for shown, line in (
        (
            done.redacted,
            f"redacted secrets in {counted(done.redacted, 'text')} of the backup; this cannot be undone",
        ),
        (
            again.by_hash,
            f"{counted(again.by_hash, 'purged memory')} is newer than the backup: only hashes of its words are left, so"
            " variants of them in the backup may be back; check with `curator search`",
        ),
        (
            again.purged or words or done.redacted,
            f"{name} still contains the erased words: delete it, or overwrite it with a new backup",
        ),
    ):
        if shown:
            print(line)
    if done.foreign:
        more = f", and {len(done.foreign) - 5} more" if len(done.foreign) > 5 else ""
        print(f"not restored from the file: {on_one_line('; '.join(done.foreign[:5]))}{more}")
    for table, count in done.invalid.items():
        print(f"skipped {counted(count, 'damaged row')} of {table}, which can be rebuilt")
