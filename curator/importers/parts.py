"""What a path holds: a file, a folder or a zip as a list of named byte streams. Nothing is ever unpacked to disk."""

import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from errno import EPERM
from functools import partial
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Protocol

from curator.importers.items import STORE, Meter, Problem, Skipped, Unreadable
from store import OWN_FOLDERS, RECORD, is_record

_TEXTS = (".json", ".jsonl", ".ndjson", ".md", ".markdown", ".txt", ".zst", ".vscdb", ".sqlite", ".db", ".html")
BROKEN = (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError)  # what reading a part may raise
_RATIO, _SMALL = 200, 64 << 20  # a zip that grows more than this, and is larger than this unpacked, is a bomb
_ENTRIES = 200_000


_Kind = type[BaseException] | None


class Stream(Protocol):
    """Bytes that can be read, and in a file also skipped."""

    def read(self, size: int = -1, /) -> bytes: ...
    def seek(self, offset: int, /) -> int: ...
    def __enter__(self) -> "Stream": ...
    def __exit__(self, kind: _Kind, error: BaseException | None, trace: TracebackType | None, /) -> None: ...


@dataclass(frozen=True, slots=True)
class Part:
    """One file, wherever it is. `name` is its path as the person sees it, `path` is None inside a zip."""

    name: str
    size: int
    source: Callable[[], Stream]
    path: Path | None = None

    def open(self, meter: Meter | None = None) -> Stream:
        """A stream of its bytes; the meter counts what is read."""
        return _Counted(self.source(), meter) if meter else self.source()

    @property
    def inner(self) -> PurePosixPath:
        """The name as a path, for its last parts."""
        return PurePosixPath(self.name.replace("\\", "/"))


class _Counted:
    """A stream that moves a meter."""

    def __init__(self, stream: Stream, meter: Meter) -> None:
        self._stream, self._meter = stream, meter

    def read(self, size: int = -1, /) -> bytes:
        data = self._stream.read(size)
        self._meter.done += len(data)
        return data

    def seek(self, offset: int, /) -> int:
        self._meter.done += offset
        return self._stream.seek(offset)

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, kind: _Kind, error: BaseException | None, trace: TracebackType | None, /) -> None:
        self._stream.__exit__(kind, error, trace)


def parts(path: Path) -> Iterator[Part | Problem | Skipped]:
    """The files under `path` that can hold a log, in order of their names; what was refused; stores, left alone.

    Raises Unreadable: it is not there, cannot be opened, or is a zip bomb.
    """
    try:
        if path.is_dir():
            yield from _folder(path, path.name)
        elif path.is_file() and is_record(path):  # first: what is no zip was opened and closed by then
            yield Skipped(STORE, path.name)
        elif zipfile.is_zipfile(path):
            yield from _zip(path, path.name)
        elif path.is_file():
            yield _file(path, path.name)
        elif path.exists():
            raise Unreadable(f"{path}: neither a file nor a folder")
        else:
            raise Unreadable(f"{path}: no such file or folder")
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror or error}") from error


def _file(path: Path, name: str) -> Part:
    return Part(name, path.stat().st_size, partial(_open, path), path.absolute())


def _open(path: Path) -> Stream:
    """Open a file that is no part of a store, also since it was looked at. Raises OSError."""
    if is_record(path):
        raise PermissionError(EPERM, "part of a Curator store, left alone", str(path))
    return path.open("rb")


def _folder(folder: Path, name: str) -> Iterator[Part | Problem | Skipped]:
    try:
        inside = sorted(folder.iterdir())
    except OSError as error:
        yield Problem(name, f"cannot be opened: {error.strerror or error}")
        return
    holds_store = any(path.name.casefold() == RECORD for path in inside)
    for path in inside:
        place = f"{name}/{path.name}"
        if holds_store and path.name in OWN_FOLDERS:
            continue  # counts with the record
        if path.is_symlink():
            yield Problem(place, "a symbolic link, not followed")
        elif path.is_dir():
            yield from _folder(path, place)
        elif path.suffix.lower() in (".zip", *_TEXTS) and path.is_file() and is_record(path):
            yield Skipped(STORE, place)
        elif path.suffix.lower() == ".zip" and path.is_file():
            try:
                yield from _zip(path, place)
            except Unreadable as error:
                yield Problem(place, str(error))
        elif path.suffix.lower() in _TEXTS and path.is_file():
            yield _file(path, place)


def _zip(path: Path, name: str) -> Iterator[Part | Problem]:
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise Unreadable(f"{path}: not a readable zip file: {error}") from error
    entries = archive.infolist()
    total = sum(entry.file_size for entry in entries)
    if len(entries) > _ENTRIES or (total > _SMALL and total > _RATIO * path.stat().st_size):
        raise Unreadable(f"{path}: a zip bomb ({len(entries)} files, {total:,} bytes unpacked); refused")
    for entry in sorted(entries, key=lambda one: one.filename):
        place = f"{name}/{entry.filename}"
        reason = _refusal(entry)
        if reason:
            yield Problem(place, reason)
        elif PurePosixPath(entry.filename).suffix.lower() in _TEXTS and not entry.is_dir():
            yield Part(place, entry.file_size, partial(archive.open, entry))


def _refusal(entry: zipfile.ZipInfo) -> str:
    """Why an entry of a zip must not be read; empty if it may."""
    inner = PurePosixPath(entry.filename.replace("\\", "/"))
    if inner.is_absolute() or ".." in inner.parts or ":" in "".join(inner.parts[:1]):
        return "a path that leads out of the archive; refused"
    if stat.S_ISLNK(entry.external_attr >> 16):
        return "a symbolic link; refused"
    if entry.flag_bits & 1:
        return "encrypted; unpack it first"
    if inner.suffix.lower() == ".zip":
        return "a zip inside a zip; unpack it first"
    if entry.file_size > _SMALL and entry.file_size > _RATIO * max(entry.compress_size, 1):
        return f"unpacks to {entry.file_size:,} bytes from {entry.compress_size:,}: a zip bomb; refused"
    return ""
