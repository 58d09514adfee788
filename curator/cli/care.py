"""Keeping the store safe: backup, restore-backup, export, doctor."""

import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from curator.cli.errors import STORE
from curator.cli.numbers import countable
from curator.cli.output import confirmed, counted, open_store
from curator.cli.purge import end_unless_done
from curator.cli.review import Yes


def backup(file: Annotated[Path, typer.Argument(help="Where to write the copy.")]) -> None:
    """Write a verified copy of the whole store to one file, also while it is in use.

    A damaged store never takes the place of an earlier backup: its copy is written beside FILE.
    """
    from curator.export.plain import on_one_line

    size = open_store().backup(file)
    print(f"wrote {on_one_line(str(file))} ({size / 1e6:.1f} MB)")


def restore(
    what: Annotated[list[str], typer.Argument(metavar="FILE | ID...", help="A file made by backup, or memories.")],
    yes: Yes = False,
) -> None:
    """Bring back the store from a backup FILE, or forgotten memories by ID."""
    if all(re.fullmatch("[0-9]+", word) for word in what):
        from curator.cli.review import restore_memories

        restore_memories(countable([int(word[:40]) for word in what]))
        return
    if len(what) != 1:
        raise typer.BadParameter("give one backup file, or ids of memories")
    _restore_file(Path(what[0]), yes)


def _restore_file(file: Path, yes: bool) -> None:
    from curator.export.plain import on_one_line
    from curator.paths import store_folder
    from store import restore as restore_record
    from store.index import Index

    if not confirmed(f"put {file} in the place of everything in {store_folder()}?", yes):
        raise typer.Exit(1)
    kept = restore_record(store_folder(), file)
    store = open_store()
    Index.drop(store)
    print(f"restored {on_one_line(str(file))}" + (f"; what was there is kept as {kept}" if kept else ""))


def export(
    file: Annotated[Path, typer.Argument(help="The JSONL file to write.")],
    words: Annotated[list[str] | None, typer.Argument(metavar="[FILTER]...", help="Which; all but the purged.")] = None,
) -> None:
    """Write memories with evidence, versions, tags and dates; `import --format memories` takes them back."""
    from dataclasses import replace

    from curator.export.files import export_file
    from curator.export.plain import on_one_line
    from curator.query import parse_filter
    from store import Filter
    from store.model import Life

    kept = tuple(life for life in Life if life is not Life.PURGED)
    which = parse_filter(" ".join(words or []), replace(Filter(), lives=kept))
    print(f"wrote {counted(export_file(open_store(), file, which), 'memory')} to {on_one_line(str(file))}")


def doctor(
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Build the search index anew.")] = False,
    compact: Annotated[
        bool, typer.Option("--compact", help="Rewrite the file without what was deleted; finishes a purge.")
    ] = False,
) -> None:
    """Check the journal against the rows and the search index; say what is wrong and what helps."""
    from curator import curation
    from curator.jobs.opening import open_index
    from store.index import Index

    store = open_store()
    problems = store.differences()
    print(f"record: {'sound, rows and journal agree' if not problems else counted(len(problems), 'problem')}")
    for problem in problems:
        print(f"  {problem}")
    end_unless_done(curation.finish_purge(store) if compact else ())
    if rebuild:
        Index.drop(store)
    index = open_index(store)
    index.catch_up()
    differing = index.check()
    print(f"index: {'equal to the record' if not differing else counted(len(differing), 'difference')}")
    for difference in differing:
        print(f"  {difference}")
    if differing and not rebuild:
        print("run `curator doctor --rebuild`: it costs a while and nothing else", file=sys.stderr)
    if problems:
        print("bring back a copy with `curator restore FILE`; keep the damaged one", file=sys.stderr)
    if store.unfinished_purge() is not None:
        print("purge: not done yet; run `curator doctor --compact` to finish")
    if problems or differing or store.unfinished_purge() is not None:
        raise typer.Exit(STORE)


def register(app: typer.Typer) -> None:
    """Put this family's commands on the command line."""
    app.command("backup")(backup)
    app.command("restore")(restore)
    app.command("export")(export)
    app.command("doctor")(doctor)
