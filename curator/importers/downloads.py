"""Search for exports among a person's downloads, by the content of the newest files and folders.

The search is bounded in files, folders, bytes and time, follows no links inside the folder, and opens no Curator store.
"""

import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path, PurePath

from curator.importers.file_walk import walk_files
from curator.importers.formats import FORMATS
from curator.importers.inputs import LogFile, Problem, Unreadable, readable, text_beside
from curator.importers.log_format import Format
from curator.importers.sniff import HEAD, sniff
from curator.paths import config_home, expanded
from store import is_record

_SUFFIXES = (".zip", ".json", ".jsonl", ".csv", ".txt", ".html", ".md", ".af", "")  # "": chats of AI Studio
_EXPORTED = frozenset(one.name for one in FORMATS if one.exported)
_ANY = ("conversations", "memories")  # files with names that begin so are offered in any format
_LIKELY = re.compile(
    r"(?:^|/)(?:(?P<first>conversations|memories|prod-grok-backend|result\.json|_chat\.txt|WhatsApp Chat)"
    r"|chat-|messages\.|channels\.|users\.|copilot-activity|[^/]*activity|\d{4}-\d\d-\d\d\.json)",
    re.IGNORECASE,
)
_INSIDE = (  # where logs are below a folder, with a pattern for each level
    ("*Export_*", "result.json"),
    ("[Mm]essages", "*", "messages.*"),
    ("*", "[12][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9].json"),
    ("*", "Gemini*", "*"),
    ("*", "*", "Gemini*", "*"),
)
_FILES, _WITHIN = 400, 12  # files examined in the folder, and in each of its zips or folders
_LISTED = 20_000  # names read per folder
_ENTERED = 500  # folders read per folder and pattern
_BYTES = 128 << 20
_SECONDS = 6.0


def downloads_folder() -> Path:
    """Return the downloads folder: on Linux by the desktop's settings, else the default.

    Desktops without a downloads folder have the home folder in their settings, which is ignored.
    """
    own = Path.home()
    if sys.platform not in ("win32", "darwin"):
        told = re.search(r'^XDG_DOWNLOAD_DIR="(.+)"', text_beside(config_home() / "user-dirs.dirs"), re.MULTILINE)
        chosen = os.environ.get("XDG_DOWNLOAD_DIR") or (told and told[1].replace("$HOME", str(own)))
        if chosen and not own.resolve().is_relative_to(expanded(chosen).resolve()):
            return expanded(chosen)
    return own / "Downloads"


def downloaded_logs() -> Iterator[tuple[Format, Path] | Problem]:
    """Yield the exports among the downloads, the newest first, and Problems for unreadable ones."""
    folder = downloads_folder()
    try:
        with readable():
            inside = list(islice(os.scandir(folder), _LISTED)) if folder.is_dir() else []
    except Unreadable as error:
        yield Problem(str(folder), str(error))
        return
    dated = [(at, Path(one.path)) for one in inside if (at := _changed_at(one)) is not None]
    newest = [path for _, path in sorted(dated, reverse=True)[:_FILES]]
    search = _Search()
    for number, path in enumerate(newest):
        if search.spent():
            limit = f"{_SECONDS:.0f} s" if search.left > 0 else f"{_BYTES >> 20} MB"
            count, them = (f"{left:,} files", "them") if (left := len(newest) - number) > 1 else ("1 file", "it")
            yield Problem(str(folder), f"stopped after {limit}, {count} not searched; import {them} by path")
            break
        try:
            if found := search.folder(path) if path.is_dir() else search.file(path):
                yield found
        except Unreadable as error:
            yield Problem(str(path), str(error).removeprefix(f"{path}: "))
        except FileNotFoundError:
            continue  # deleted meanwhile
        except OSError as error:
            yield Problem(str(path), f"{error.strerror or error}; see that you may read it")
    if len(dated) > len(newest):
        yield Problem(str(folder), f"searched the newest {_FILES:,} of {len(dated):,} files; import others by path")


def _changed_at(entry: os.DirEntry[str]) -> float | None:
    """Return the time of change of a file or folder that may be an export; None for others."""
    try:
        if entry.is_symlink() or entry.name.startswith("."):
            return None
        known = PurePath(entry.name).suffix.lower() in _SUFFIXES and entry.is_file()
        return entry.stat().st_mtime if known or entry.is_dir() else None
    except OSError:
        return None


@dataclass(slots=True)
class _Search:
    """A search with its remaining bytes and seconds."""

    until: float = field(default_factory=lambda: time.monotonic() + _SECONDS)
    left: int = field(default_factory=lambda: _BYTES)

    def spent(self) -> bool:
        return self.left <= 0 or time.monotonic() > self.until

    def file(self, path: Path) -> tuple[Format, Path] | None:
        """Return the format and path of a file or zip if it is an export. Raises Unreadable for a damaged zip."""
        if is_record(path):
            return None
        inside = [one for one in islice(walk_files(path), _LISTED) if isinstance(one, LogFile)]
        return self._first(inside, path)

    def folder(self, path: Path) -> tuple[Format, Path] | None:
        """Return the format and path of the export in a folder, if any."""
        direct = [Path(one.path) for one in islice(os.scandir(path), _LISTED) if _changed_at(one) is not None]
        found = self._first(parts_of([one for one in direct if one.suffix.lower() != ".zip"]), path)
        for names in () if found else _INSIDE:
            deeper = list(islice(self._matches(path, names), _WITHIN))
            holder = deeper[0].parent if deeper and "Export_" in names[0] else path
            if found := self._first(parts_of(deeper), holder):
                break
        return found

    def _matches(self, path: Path, names: Sequence[str]) -> Iterator[Path]:
        """Yield the paths below a folder that match the patterns, without links and hidden files."""
        waiting = [(path, 0)]
        for _ in range(_ENTERED):
            if not waiting or self.spent():
                return
            folder, level = waiting.pop()
            with suppress(OSError), os.scandir(folder) as inside:
                named = [one for one in islice(inside, _LISTED) if fnmatchcase(one.name, names[level])]
                there = sorted(one.path for one in named if not one.is_symlink() and not one.name.startswith("."))
                if level == len(names) - 1:
                    yield from map(Path, there)
                else:
                    folders = {one.path for one in named if one.is_dir(follow_symlinks=False)}
                    waiting += [(Path(one), level + 1) for one in reversed(there) if one in folders]

    def _first(self, inside: Sequence[LogFile], path: Path) -> tuple[Format, Path] | None:
        """Return the format of the first file that is part of an export, trying likely ones first."""
        for log in sorted(inside, key=rank)[:_WITHIN]:
            if self.spent():
                break
            self.left -= min(log.size, HEAD)
            try:
                sign = sniff(log)
            except Unreadable:
                continue
            if isinstance(sign, Format) and (sign in _EXPORTED or log.inner.name.startswith(_ANY)):
                return sign, path
        return None


def parts_of(paths: Sequence[Path]) -> list[LogFile]:
    """Return the files among these paths, except those of a Curator store."""
    files = (one for one in paths if one.is_file() and not is_record(one))
    return [LogFile.of_file(one, one.name) for one in files]


def rank(log: LogFile) -> tuple[int, str]:
    """Return the sort key for the order in which files are examined."""
    match = _LIKELY.search(str(log.inner))
    return 2 if match is None else 1 if match["first"] is None else 0, log.name
