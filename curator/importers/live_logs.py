"""Logs being written by programs on this machine: sessions, databases, and folders of chats."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from curator.errors import ImportFailure
from curator.importers.file_walk import TEXTS
from curator.importers.formats import FORMATS
from curator.importers.log_format import Format
from curator.importers.reader import detect

State = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class LiveLog:
    """A log in its program's folder: a file, or a folder if a chat is spread over several files.

    `state` changes with every write: the bytes of all files, the time of the latest, and their number.
    """

    format: Format | None  # None for a log under a path given by the person, to be detected
    path: Path
    state: State


def live_logs() -> Iterator[LiveLog]:
    """Yield the logs of all programs found on this machine, except logs that disappear or cannot be read."""
    for one in FORMATS:
        found: list[Path] = []
        with contextlib.suppress(OSError):
            found = list(one.places()) if one.places else []
        for place in found:
            with contextlib.suppress(OSError):
                if one.together or place.is_file():
                    yield LiveLog(one.name, place, _state(place))
                else:
                    for path in _files(place):
                        yield LiveLog(one.name, path, _state(path))


def logs_under(path: Path) -> Iterator[LiveLog]:
    """Yield the logs of a path: each file of a folder of sessions; any other folder as a whole."""
    single = path.is_file()
    if not single:
        with contextlib.suppress(ImportFailure):
            name = detect(path)
            single = any(one.name is name and one.places is not None and not one.together for one in FORMATS)
    with contextlib.suppress(OSError):
        for one in _files(path) if single and path.is_dir() else (path,):
            yield LiveLog(None, one, _state(one))


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in TEXTS and not path.is_symlink() and path.is_file():
            yield path


def _state(path: Path) -> State:
    """Return the state of a file (including a database's write-ahead log), or of all files in a folder."""
    size = latest = number = 0
    for one in _files(path) if path.is_dir() else (path, path.with_name(f"{path.name}-wal")):
        with contextlib.suppress(OSError):
            found = one.stat()
            size, latest, number = size + found.st_size, max(latest, found.st_mtime_ns), number + 1
    return size, latest, number
