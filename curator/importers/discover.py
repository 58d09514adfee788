"""Where the chat programs of this machine keep their logs."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from curator.errors import ImportFailure
from curator.importers.inputs import entries_of, readable
from curator.importers.reader import detect
from curator.importers.types import Format, Problem, Unreadable
from curator.paths import expanded
from store import is_record

_EXPORTS = (".zip", ".json")


def find_logs() -> list[tuple[Format, Path]]:
    """Logs that can be imported: Claude Code's sessions, and exports of ChatGPT and Claude among the downloads."""
    return [item for item in known_places() if not isinstance(item, Problem)]


def known_places() -> Iterator[tuple[Format, Path] | Problem]:
    """The same as they are found, and the downloads that may be exports and cannot be read."""
    for folder in session_folders():
        if any(folder.glob("*/*.jsonl")):
            yield Format.CLAUDE_CODE, folder
    for item in _downloads():
        if isinstance(item, Problem):
            yield item
            continue
        try:
            yield detect(item), item
        except Unreadable as error:
            yield Problem(str(item), str(error).removeprefix(f"{item}: "))
        except ImportFailure:
            continue  # somebody's other download


def session_folders() -> Iterator[Path]:
    """Where coding sessions are written, a folder a project.

    `CLAUDE_CONFIG_DIR` may name several folders, with commas between them.
    """
    set_ = os.environ.get("CLAUDE_CONFIG_DIR", "")
    roots = [expanded(one.strip()) for one in set_.split(",") if one.strip()]
    home = Path.home()
    for root in dict.fromkeys([*roots] or [home / ".claude", home / ".config" / "claude"]):
        if (root / "projects").is_dir():
            yield root / "projects"


def _downloads() -> Iterator[Path | Problem]:
    """Files in the downloads folder that are named or shaped like an export."""
    folder = Path.home() / "Downloads"
    named = os.environ.get("XDG_DOWNLOAD_DIR")
    if named and sys.platform not in ("win32", "darwin"):
        folder = expanded(named)
    try:
        with readable():
            inside = sorted(folder.iterdir()) if folder.is_dir() else []
    except Unreadable as error:
        yield Problem(str(folder), str(error))
        return
    for path in inside:
        if not path.is_file() or path.suffix.lower() not in _EXPORTS or is_record(path):
            continue
        if path.suffix.lower() == ".zip":
            try:
                names = [entry.filename.rpartition("/")[2] for entry in entries_of(path)]
            except Unreadable as error:
                yield Problem(str(path), str(error))
                continue
            if any(name.startswith(("conversations", "memories")) and name.endswith(".json") for name in names):
                yield path
        elif path.name.startswith(("conversations", "memories")):
            yield path
