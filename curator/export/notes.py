"""Export of memories as a folder of Markdown notes, one file each, which `import` reads again."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path

from curator.export.files import export_rows
from curator.paths import own_files
from curator.signature import BadSignature, own_fingerprint, signed_by
from curator.text.notes import LARGEST, is_note, parse_note, render_note
from store import Filter, Store, Unwritable, is_record
from store.atomic_write import check_not_among, check_target, written_whole

_ID = re.compile(r"^id:[ \t]*(.+?)[ \t]*$", re.MULTILINE)
_WORDS = 6  # of a text in the name of its file
_LONGEST = 60  # characters of these words

Report = Callable[[int], None]
"""Called with the number of notes done."""


@dataclass(frozen=True, slots=True)
class Notes:
    """Result of an export: numbers of files, and those that were left alone since a person has changed them."""

    written: int
    unchanged: int
    removed: int
    edited: tuple[Path, ...]


def export_notes(store: Store, folder: Path, which: Filter, replace: bool, report: Report = lambda done: None) -> Notes:
    """Write a note for each memory of a filter, and delete the notes of others; files without changes are not touched.

    A note keeps its name. Notes that were changed since they were written are left alone, unless `replace`. Other
    files are never touched. Raises ValueError for one of the program's own folders or a file, Unwritable.
    """
    check_target(folder / "note.md", store.folder)
    check_not_among(folder, own_files())
    try:
        folder.mkdir(parents=True, exist_ok=True)
        present = dict(notes_in(folder))
    except OSError as error:
        raise Unwritable(f"cannot use {folder} as a folder of notes: {error.strerror or error}") from error
    names = {file.name.casefold() for file in folder.iterdir()}
    written = unchanged = removed = 0
    edited: list[Path] = []
    for done, row in enumerate(export_rows(store, which)):
        report(done)
        note = render_note(row).encode()
        file = present.pop(str(row["id"]), None)
        if file is not None:
            old = file.read_bytes()
            if old == note:
                unchanged += 1
                continue
            if not replace and not _is_ours(old):
                edited.append(file)
                continue
        else:
            words = "-".join(re.findall(r"\w+", str(row["text"]).lower())[:_WORDS])[:_LONGEST].strip("-_") or "memory"
            ends = chain((str(row["uid"])[-6:],), count(2))  # two memories of two stores may have the same
            named = (folder / f"{words}-{end}.md" for end in ends)
            file = next(place for place in named if place.name.casefold() not in names)
            names.add(file.name.casefold())
        with written_whole(file, synced=False) as partial:  # it can be made again
            partial.write_bytes(note)
        written += 1
    for file in present.values():
        if replace or _is_ours(file.read_bytes()):
            file.unlink()
            removed += 1
        else:
            edited.append(file)
    return Notes(written, unchanged, removed, tuple(edited))


def notes_in(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the notes in a folder, with their ids."""
    for file in sorted(folder.glob("*.md")):
        if file.is_file() and not (file.is_symlink() or is_record(file)) and file.stat().st_size <= LARGEST:
            with file.open(encoding="utf-8", errors="replace", newline="") as lines:
                head = lines.read(2_000)
            if is_note(head) and (found := _ID.search(head)):
                yield found[1].strip("'\""), file


def _is_ours(note: bytes) -> bool:
    """Return whether a note is as this device wrote it."""
    try:
        return signed_by(parse_note(note.decode())) == own_fingerprint()
    except (BadSignature, ValueError):
        return False
