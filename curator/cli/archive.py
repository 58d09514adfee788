"""Archives of a whole store, written by `export --all`, and read by `import` and `restore`."""

import shlex
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import typer
from rich.filesize import decimal as byte_size

from curator.cli.output import confirm, print_json, warn
from curator.cli.progress import ProgressLines, Task
from curator.display import counted
from curator.errors import ImportFailure
from curator.filters import parse_filter, with_topics
from curator.paths import store_folder
from curator.terminal_text import on_one_line
from store import RECORD, Busy, Filter, NotFound, Restored, Store, Unreachable, check_no_record

_MAX_NOTES = 3  # edited notes listed
_MAX_PASSPHRASE = 1_000  # bytes


def export_all(
    store: Store, file: Path, *, encrypt: bool, passphrase_file: Path | None, forgotten_words: bool, replace: bool
) -> None:
    """Write a whole store to a file. Raises ValueError if it exists, unless it may be replaced."""
    from curator.export.archive import write_archive

    if file.exists() and not replace:
        raise ValueError(f"{file} exists: give another file, or --force to overwrite it")
    passphrase = new_passphrase(passphrase_file) if encrypt or passphrase_file else None
    with closing(ProgressLines()) as lines:
        written = write_archive(
            store, file, passphrase=passphrase, forgotten_words=forgotten_words, report=lines.show_stage
        )
    print(f"wrote {counted(written.rows, 'row')} to {on_one_line(str(file))} ({byte_size(file.stat().st_size)})")
    if passphrase is None and file.suffix.lower() != ".zip":
        warn(f"this is a zip archive; consider the name {on_one_line(file.stem)}.zip")
    if written.left_out:
        print(
            f"the words of {counted(written.left_out, 'forgotten or rejected memory')} are not in it, only hashes;"
            " --with-forgotten-words writes an exact copy"
        )


def export_folder(store: Store, folder: Path, words: str, replace: bool) -> None:
    """Write the live memories of a filter as Markdown notes into a folder. Raises ValueError, Unwritable."""
    from curator.export.notes import export_notes

    memory_filter = with_topics(store, parse_filter(words, Filter()))
    total = store.count(memory_filter)
    with closing(ProgressLines()) as lines:
        done = export_notes(
            store, folder, memory_filter, replace, lambda count: lines.show(Task("notes         ", count, total))
        )
    parts = [f"{count:,} {what}" for count, what in ((done.unchanged, "unchanged"), (done.removed, "deleted")) if count]
    print(
        f"wrote {counted(done.written, 'note')} to {on_one_line(str(folder))}" + "".join(f" · {part}" for part in parts)
    )
    if done.edited:
        names = [on_one_line(file.name) for file in done.edited[:_MAX_NOTES]] + ["…"] * (len(done.edited) > _MAX_NOTES)
        warn(
            f"skipped, because you edited them: {counted(len(done.edited), 'note')} ({', '.join(names)});"
            f" `curator import {shlex.quote(str(folder))}` imports the edits, --yes overwrites them"
        )


def export_layers(store: Store, folder: Path, replace: bool) -> None:
    """Write topics, their entries and the global memory into a folder. Raises ValueError, Unwritable."""
    from curator.services import layers

    with closing(ProgressLines()) as lines:
        written, done = layers.export_layers(
            store, folder, replace, lambda count, total: lines.show(Task("layers        ", count, total))
        )
    print(
        f"{counted(written.topics, 'topic')}, {counted(written.entries, 'entry')}, {counted(written.facts, 'memory')}"
        f" in {on_one_line(str(folder))}"
    )
    print(f"{counted(done.written, 'file')} written · {done.unchanged:,} unchanged · {done.removed:,} removed")
    if written.left_out:
        print(f"{counted(written.left_out, 'memory')} left out: quarantined, expired, or never given to models")
    if done.edited:
        named = [on_one_line(file) for file in done.edited[:_MAX_NOTES]] + ["…"] * (len(done.edited) > _MAX_NOTES)
        warn(
            f"skipped, changed or not Curator's: {counted(len(done.edited), 'file')}"
            f" ({', '.join(named)}); --yes replaces them"
        )


@contextmanager
def damage_named(file: Path) -> Iterator[None]:
    """Raise ImportFailure for an archive with invalid contents, encrypted or not."""
    from store.record.restore import Refused

    try:
        yield
    except Refused as error:
        raise ImportFailure(
            f"{file} is damaged or truncated ({error.why}); nothing was changed. Use another copy"
        ) from error


def import_all(file: Path, passphrase_file: Path | None, yes: bool, as_json: bool, in_place: bool = False) -> Restored:
    """Restore an archive into an empty store, or `in_place` of the existing one. Raises Conflict if it is not empty."""
    from curator.export.archive import open_archive
    from curator.services.secret_scan import redactors_for
    from curator.text import content_key
    from store import restore
    from store.record import archive_reader
    from store.record.restore import check_empty

    folder = store_folder()
    if not in_place:
        check_empty(folder / RECORD)
    with (
        damage_named(file),
        open_archive(file, lambda: known_passphrase(passphrase_file), folder) as stream,
        closing(ProgressLines()) as lines,
        archive_reader.opened(stream, file, lines.show_stage) as archive,
    ):
        lines.close()
        held = counted(archive_reader.count_memories(archive), "memory")
        confirm(
            f"replace everything in {folder} with {file}?" if in_place else f"restore the archive {file} ({held})?",
            yes,
            as_json,
        )
        done = restore(
            folder,
            file,
            content_key,
            redactors_for,
            lambda: archive_reader.staged(archive, lines.show_stage),
            only_if_empty=not in_place,
        )
    if not in_place:
        if as_json:
            print_json({"memories": done.memories, "redacted": done.redacted, "invalid": done.invalid})
        else:
            print(f"imported {counted(done.memories, 'memory')} from {on_one_line(str(file))}")
            if done.redacted:
                print(f"redacted secrets in {counted(done.redacted, 'text')}; this cannot be undone")
            for table, count in done.invalid.items():
                print(f"skipped {counted(count, 'damaged row')} of {table}")
            print("search by meaning works again once `curator work` or the app has computed the vectors")
    drop_projections()
    return done


def drop_projections() -> None:
    """Delete the index and analytics of a replaced record; both are rebuilt when they are next opened."""
    from curator.cli.output import open_store
    from store.analytics import Analytics
    from store.index import Index

    store = open_store()
    try:
        Analytics.drop(store)
        Index.drop(store)
    except (Busy, Unreachable) as error:
        warn(str(error))


def new_passphrase(file: Path | None) -> str:
    """Return the passphrase for a new file, from `file` or entered twice on a terminal. Raises BadParameter."""
    if file is not None:
        return known_passphrase(file)
    first = known_passphrase(None)
    from getpass import getpass

    if getpass("Again: ") != first:
        raise typer.BadParameter("the two passphrases differ; nothing was written")
    return first


def known_passphrase(file: Path | None) -> str:
    """Return a passphrase from the first line of a file, or entered on a terminal. Raises BadParameter, NotFound."""
    if file is None:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise typer.BadParameter("without a terminal, give the passphrase with --passphrase-file FILE")
        from getpass import getpass

        words = getpass("Passphrase: ")
    else:
        if not file.is_file():
            raise NotFound(f"there is no file {file}")
        check_no_record(file)
        with file.open("rb") as lines:
            words = lines.readline(_MAX_PASSPHRASE).decode().rstrip("\r\n")
    if not words:
        raise typer.BadParameter("the passphrase is empty")
    return words
