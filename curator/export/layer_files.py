"""Layers as files in a folder: written where they changed, and only those that Curator wrote are replaced or removed.

`LAYERS.json` lists the files with checksums of what was written. It is written first with the former and the new ones,
so that after a crash all are known, and last with the new ones.
"""

import contextlib
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from curator.export.layer_documents import ENTRY, GLOBAL, INDEX, TOPIC, OlderLayer, parsed, to_bytes
from curator.export.layer_markdown import check_markdown
from curator.paths import own_files
from store import Store, Unwritable, check_no_record
from store.atomic_write import check_not_among, check_target, written_whole

LIST = "LAYERS.json"
_PATH = re.compile(r"(?:GLOBAL_MEMORY|topics/[^/\\]+/(?:topic_memory|[^/\\]+/summary))\.(?:json|md)")
_SCHEMAS = {"GLOBAL_MEMORY": GLOBAL, "topic_memory": TOPIC, "summary": ENTRY}
_RESERVED = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])")  # devices of Windows
_LONGEST = 40  # characters of a folder's name

Report = Callable[[int, int], None]
"""Called with the number of files done, and of all."""


@dataclass(frozen=True, slots=True)
class LayerFiles:
    """Result of an export: numbers of files, and those that were left alone, as they are not as Curator wrote them."""

    written: int
    unchanged: int
    removed: int
    edited: tuple[str, ...]


def write_layers(
    store: Store, folder: Path, wanted: Mapping[str, bytes], replace: bool, report: Report = lambda done, total: None
) -> LayerFiles:
    """Write these files, by their path in the folder, and delete former ones that are not wanted any more.

    Files that a person made or changed are left alone; with `replace`, those in the way of wanted ones, and former ones
    that were changed, are not. Raises ValueError for one of the program's own folders, a link in the folder, or files
    of another schema; Unwritable.
    """
    check_target(folder / LIST, store.folder)
    check_not_among(folder / LIST, own_files())
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        known = known_files(folder)
        state = {path: checksum(folder, path) for path in (*wanted, *known)}
    except OSError as error:
        raise Unwritable(f"cannot use {folder} as a folder of layers: {error.strerror or error}") from error
    sums = {path: sha256(data).hexdigest() for path, data in wanted.items()}
    ours = {path for path, there in state.items() if there is None or there in (*known.get(path, ()), sums.get(path))}
    edited = () if replace else tuple(sorted(state.keys() - ours))
    former = {path: list(known.get(path, ())) for path in state if path in known or path not in edited}
    put_list(folder, {path: [*dict.fromkeys((*old, *filter(None, [sums.get(path)])))] for path, old in former.items()})
    written = removed = unchanged = 0
    for done, (path, data) in enumerate(wanted.items()):
        report(done, len(wanted))
        if path in edited:
            continue
        if state[path] == sums[path]:
            unchanged += 1
            continue
        file = folder / path
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with written_whole(file) as partial:
            partial.write_bytes(data)
        written += 1
    for path in known.keys() - wanted.keys() - set(edited):
        (folder / path).unlink(missing_ok=True)
        removed += state[path] is not None
    drop_empty(folder, known)
    kept = {path: list(known[path]) for path in edited if path in known}
    put_list(folder, {**{path: [one] for path, one in sums.items() if path not in edited}, **kept})
    return LayerFiles(written, unchanged, removed, edited)


def known_files(folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the checksums of each file that was written into a folder; none if there is no list of them.

    Raises ValueError for a list, or a listed file, that this version does not read.
    """
    file = folder / LIST
    if file.is_symlink():
        raise ValueError(f"{file} is a link; delete it, or name another folder")
    there = bytes_of(file)
    if there is None:
        return {}
    files = parsed(there, INDEX, str(file))["files"]
    for path, sums in files.items():
        if _PATH.fullmatch(path) is None or ".." in path.split("/") or not isinstance(sums, list):
            raise ValueError(
                f"{file} lists {path[:80]!r}, which is not a layers file; delete {file.name}, and export again"
            )
        name, _, ending = path.rpartition("/")[2].partition(".")
        if checksum(folder, path) in sums:
            with contextlib.suppress(OlderLayer):
                check = parsed if ending == "json" else check_markdown
                check(bytes_of(folder / path) or b"", _SCHEMAS[name], str(folder / path))
    return {path: tuple(map(str, sums)) for path, sums in files.items()}


def checksum(folder: Path, path: str) -> str | None:
    """Return the checksum of a file, None if there is none. Raises ValueError for a link, which leads elsewhere."""
    file = folder / path
    for part in (file, *file.parents):
        if part == folder:
            break
        if part.is_symlink() or (part.exists() and part.is_dir() != (part != file)):
            raise ValueError(f"{part} is in the way of a file of layers; move it, or name another folder")
    data = bytes_of(file)
    return None if data is None else sha256(data).hexdigest()


def bytes_of(file: Path) -> bytes | None:
    """Return the content of a file, None if there is no file. Raises ValueError for a record."""
    if not file.exists():
        return None
    check_no_record(file)
    return file.read_bytes()


def put_list(folder: Path, files: Mapping[str, list[str]]) -> None:
    """Write the list of files, unless it is there already."""
    data, file = to_bytes({"schema": INDEX, "files": dict(files)}), folder / LIST
    if bytes_of(file) != data:
        with written_whole(file) as partial:
            partial.write_bytes(data)


def drop_empty(folder: Path, paths: Collection[str]) -> None:
    """Delete the folders of files that were deleted, unless something else is in them."""
    above = {
        parent for path in paths for parent in (folder / path).parents if parent != folder and folder in parent.parents
    }
    for parent in sorted(above, key=lambda parent: -len(parent.parts)):
        with contextlib.suppress(OSError):
            parent.rmdir()


def folder_names(names: Collection[str]) -> dict[str, str]:
    """Return a folder's name for each name, in order: letters and digits, different in any case and on any system."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        plain = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", name).casefold())
        word = "-".join(re.findall(r"[^\W_]+", plain))[:_LONGEST].strip("-") or "topic"
        word = f"{word}-topic" if _RESERVED.fullmatch(word) else word
        number, folder_name = 1, word
        while folder_name in taken:
            number += 1
            folder_name = f"{word}-{number}"
        taken.add(folder_name)
        found[name] = folder_name
    return found
