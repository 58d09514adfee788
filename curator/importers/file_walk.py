"""Listing of files that may contain a log: a single file, files in folders, and in zips, without unpacking."""

import os
import stat
import weakref
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePath, PurePosixPath
from typing import IO

from curator.importers.inputs import RATIO, SMALL, STORE, LogFile, Problem, Skipped, Unreadable, decompressed, readable
from store import OWN_FOLDERS, RECORD, is_record
from store.record.archive import HEAD
from store.sanitize import storable

TEXTS = (
    ".json", ".jsonl", ".ndjson", ".md", ".mdc", ".markdown", ".txt", ".zst", ".vscdb", ".sqlite", ".db", ".html",
    ".csv", ".af",
)  # fmt: skip
_RULES = (".cursorrules", ".windsurfrules", ".clinerules")  # file names without a suffix
_DRIVE = "Google AI Studio"  # folder of chats without a suffix
_ENTRIES = 200_000
_MAX_DEPTH = 200  # nested folders
PROGRAMS_OWN = frozenset(
    "node_modules .git .hg .svn __pycache__ site-packages .venv venv .tox .mypy_cache .pytest_cache .ruff_cache"
    " .npm .cargo .rustup .gradle .m2 Caches Cache CachedData .Trash Trash".split()
)
"""Names of nested folders that are skipped: third-party code, version control, caches, trash."""
_CACHE, _KEPT = ".cache", "lm-studio"  # LM Studio keeps its chats in the cache folder


def walk_files(path: Path) -> Iterator[LogFile | Problem | Skipped]:
    """Yield files under `path` that may contain a log, by name; refused ones as Problem, stores as Skipped.

    Raises Unreadable if the path does not exist, cannot be opened, or is a zip bomb.
    """
    name = storable(path.name)
    try:
        if path.is_dir():
            yield from _folder(path, name)
        elif path.is_file() and is_record(path):  # checked first, since `is_zipfile` opens and closes the file
            yield Skipped(STORE, name)
        elif path.is_file() and (path.suffix.lower() == ".zip" or zipfile.is_zipfile(path)):
            yield from _Archive(path).files(name)
        elif path.is_file():
            yield LogFile.of_file(path, name)
        elif path.exists():
            raise Unreadable("neither a file nor a folder")
        else:
            raise Unreadable("no such file or folder")
    except (OSError, Unreadable) as error:
        said = str(error) if isinstance(error, Unreadable) else error.strerror or error
        raise Unreadable(f"{path}: {said}") from error


def _folder(folder: Path, name: str, depth: int = 0) -> Iterator[LogFile | Problem | Skipped]:
    try:
        with readable(), os.scandir(folder) as listed:
            inside = sorted((folder / entry.name, entry) for entry in listed)
    except Unreadable as error:
        yield Problem(name, str(error))
        return
    holds_store = any(path.name.casefold() == RECORD for path, _ in inside)
    if depth and any(path.name == "CACHEDIR.TAG" for path, _ in inside):
        return
    for path, entry in inside:
        if path.name in PROGRAMS_OWN or (folder.name == _CACHE and path.name != _KEPT):
            continue
        if holds_store and path.name in OWN_FOLDERS:
            continue  # counted with the store's record
        place = f"{name}/{storable(path.name)}"
        try:
            folded = entry.is_dir(follow_symlinks=False)
            if entry.is_symlink():
                yield Problem(place, "a symbolic link, not followed")
            elif folded and depth < _MAX_DEPTH:
                yield from _folder(path, place, depth + 1)
            elif folded:
                yield Problem(place, f"more than {_MAX_DEPTH} folders deep; import it separately")
            elif (path.suffix.lower() == ".zip" or _may_be_log(path)) and entry.is_file() and is_record(path):
                yield Skipped(STORE, place)
            elif path.suffix.lower() == ".zip" and entry.is_file():
                yield from _Archive(path).files(place)
            elif _may_be_log(path) and entry.is_file():
                yield LogFile.of_file(path, place)
        except Unreadable as error:
            yield Problem(place, str(error))
        except OSError as error:
            yield Problem(place, f"{error.strerror or error}; left out")


def _may_be_log(path: PurePath) -> bool:
    return path.suffix.lower() in TEXTS or path.parent.name == _DRIVE or path.name in _RULES


def entries_of(path: Path) -> list[zipfile.ZipInfo]:
    """Return the directory entries of a zip. Raises Unreadable."""
    with readable(), zipfile.ZipFile(path) as archive:
        return archive.infolist()


class _Archive:
    """A zip archive, closed while others are read: a folder may have more zips than there are file handles."""

    _last: "weakref.ref[_Archive] | None" = None

    def __init__(self, path: Path) -> None:
        self._path = path
        self._zip: zipfile.ZipFile | None = None

    def files(self, name: str) -> Iterator[LogFile | Problem | Skipped]:
        """Yield the entries that may contain a log, Problems for refused entries, Skipped for a store.

        Raises Unreadable.
        """
        entries = entries_of(self._path)
        if entries and entries[0].filename == HEAD:
            yield Skipped(STORE, name)
            return
        total = sum(entry.file_size for entry in entries)
        if len(entries) > _ENTRIES or (total > SMALL and total > RATIO * self._path.stat().st_size):
            raise Unreadable(f"a zip bomb ({len(entries):,} files, {total:,} bytes unpacked); refused")
        for entry in sorted(entries, key=lambda one: one.filename):
            place = f"{name}/{storable(entry.filename)}"
            if reason := self._refusal(entry):
                yield Problem(place, reason)
            elif _may_be_log(PurePosixPath(entry.filename)) and not entry.is_dir():
                source = partial(self.open, entry)
                packed = entry.filename.lower().endswith(".zst")
                yield LogFile(
                    place,
                    entry.file_size,
                    partial(decompressed, source, entry.file_size) if packed else source,
                )

    @staticmethod
    def _refusal(entry: zipfile.ZipInfo) -> str:
        inner = PurePosixPath(entry.filename.replace("\\", "/"))
        bomb = entry.file_size > SMALL and entry.file_size > RATIO * max(entry.compress_size, 1)
        reasons = {
            "a path that leads out of the archive; refused": inner.is_absolute()
            or ".." in inner.parts
            or ":" in "".join(inner.parts[:1]),
            "a symbolic link; refused": stat.S_ISLNK(entry.external_attr >> 16),
            "encrypted; unpack it first": entry.flag_bits & 1,
            "a zip inside a zip; unpack it first": inner.suffix.lower() == ".zip",
            f"unpacks to {entry.file_size:,} bytes from {entry.compress_size:,}: a zip bomb; refused": bomb,
        }
        return next((reason for reason, applies in reasons.items() if applies), "")

    def open(self, entry: zipfile.ZipInfo) -> IO[bytes]:
        """Open a stream of an entry, which stays readable after its archive is closed."""
        former = None if _Archive._last is None else _Archive._last()
        if former is not None and former is not self:
            former._zip = None
        _Archive._last = weakref.ref(self)
        archive = self._zip = self._zip or zipfile.ZipFile(self._path)
        return archive.open(entry)
