"""Export of memories as a folder of Markdown notes, one file each, which `import` reads again."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from pathlib import Path

import orjson

from curator.curation.disclosure import Disclosure
from curator.export.files import disclosed, export_rows
from curator.export.serializers import Json, memory_row
from curator.paths import own_files
from curator.signature import BadSignature, own_fingerprint, signed_by
from curator.text.notes import LARGEST, is_note, parse_note, render_note
from store import Filter, Store, StoreError, Unwritable, is_record, uids
from store.atomic_write import check_not_among, check_target, written_whole
from store.model import Life, Memory

EDITABLE = ("text", "kind", "tier", "importance", "pinned", "given", "tags")
"""Fields of a note that change their memory when they are edited."""
_UID = re.compile(r"^uid:[ \t]*['\"]?([0-9a-f-]{36})['\"]?[ \t]*\r?$", re.MULTILINE)
_WORDS = 6  # of a text in the name of its file
_LONGEST = 100  # bytes of these words

Report = Callable[[int], None]
"""Called with the number of notes done."""


@dataclass(frozen=True, slots=True)
class Notes:
    """Result of an export: numbers of files, and those that were left alone since a person has changed them."""

    written: int
    unchanged: int
    removed: int
    edited: tuple[Path, ...]


def export_notes(
    store: Store, folder: Path, memory_filter: Filter, replace: bool, report: Report = lambda done: None
) -> Notes:
    """Write a note for each memory of a filter, and delete those of memories that are live no more.

    A note keeps its name. Notes that somebody has changed are left alone; with `replace`, those of the filter are
    overwritten. Other files, and notes of other stores, are never touched. Raises ValueError for one of the program's
    own folders or a file, Unwritable.
    """
    return store.repeat_if_purged(lambda: _write_notes(store, folder, memory_filter, replace, report))


def _write_notes(store: Store, folder: Path, memory_filter: Filter, replace: bool, report: Report) -> Notes:
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
    for done, row in enumerate(export_rows(store, memory_filter)):
        report(done)
        note = render_note({**row, "exported": exported_hash(row)}).encode()
        uid = str(row["uid"])
        file = present.pop(uid, None)
        if file is not None:
            old = file.read_bytes()
            if old == note:
                unchanged += 1
                continue
            if not (replace or _is_untouched(old) or is_taken_over(old, row)):
                edited.append(file)
                continue
        else:
            words = "-".join(re.findall(r"\w+", str(row["text"]).lower())[:_WORDS])
            words = words.encode()[:_LONGEST].decode(errors="ignore").strip("-_") or "memory"
            ends = (f"{uids.number_of(uid)}{'-' * (again > 0)}{again or ''}" for again in count())
            named = (folder / f"{words}-{end}.md" for end in ends)
            file = next(path for path in named if path.name.casefold() not in names)
            names.add(file.name.casefold())
        with written_whole(file, synced=False) as partial:  # it can be made again
            partial.write_bytes(note)
        written += 1
    for uid, file in present.items():
        try:
            memory = store.get(store.by_uid(uid))
        except (StoreError, ValueError):
            continue  # of another store
        if memory.life is Life.LIVE:
            continue  # not of this filter
        if _is_untouched(file.read_bytes()):
            file.unlink()
            removed += 1
        else:
            edited.append(file)
    return Notes(written, unchanged, removed, tuple(edited))


def notes_in(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the notes in a folder, with the global ids of their memories."""
    for file in sorted(folder.glob("*.md")):
        if file.is_file() and not (file.is_symlink() or is_record(file)) and file.stat().st_size <= LARGEST:
            with file.open(encoding="utf-8", errors="replace", newline="") as lines:
                head = lines.read(2_000)
            if is_note(head) and (found := _UID.search(head)):
                yield found[1], file


def exported_now(store: Store, memory: Memory) -> dict[str, Json]:
    """Return the fields of a memory as an export would write them now."""
    return memory_row(disclosed(memory, (), Disclosure(store))[0])


def exported_hash(row: Mapping[str, Json]) -> str:
    """Return a hash of the fields of a note that a person may edit, to tell whether the memory has changed since."""
    tags = row["tags"]
    sorted_tags = sorted(map(str, tags if isinstance(tags, list) else ()))
    content = {**{name: row[name] for name in EDITABLE}, "tags": sorted_tags}
    return sha256(orjson.dumps(content)).hexdigest()[:32]


def _is_untouched(note: bytes) -> bool:
    """Return True if a note is, byte for byte, as this device wrote it."""
    try:
        row = parse_note(note.decode())
        signed = {name: value for name, value in row.items() if name != "exported"}
        return render_note(row).encode() == note and signed_by(signed) == own_fingerprint()
    except (BadSignature, ValueError, TypeError, AttributeError, KeyError):
        return False


def is_taken_over(note: bytes, now: Mapping[str, Json]) -> bool:
    """Return True if the memory says what an edited note says, and the note has nothing else of the person's."""
    try:
        row = parse_note(note.decode())
        return render_note(row).encode() == note and exported_hash(row) == exported_hash(now)
    except (ValueError, TypeError, AttributeError, KeyError):
        return False
