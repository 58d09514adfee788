"""Discovery of chat logs on this machine."""

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

_EXPORTS = ("conversations", "memories")


def find_logs() -> list[tuple[Format, Path]]:
    """Return the logs that can be imported: Claude Code's sessions, and exports among the downloads."""
    return [item for item in known_places() if not isinstance(item, Problem)]


def known_places() -> Iterator[tuple[Format, Path] | Problem]:
    """Yield the same as they are found, and the downloads that may be exports and cannot be read."""
    for folder in session_folders():
        if any(folder.glob("*/*.jsonl")):
            yield Format.CLAUDE_CODE, folder
    downloads = Path.home() / "Downloads"
    named = os.environ.get("XDG_DOWNLOAD_DIR")
    if named and sys.platform not in ("win32", "darwin"):
        downloads = expanded(named)
    try:
        with readable():
            inside = sorted(downloads.iterdir()) if downloads.is_dir() else []
    except Unreadable as error:
        yield Problem(str(downloads), str(error))
        return
    for path in inside:
        try:
            if _may_be_export(path):
                yield detect(path), path
        except Unreadable as error:
            yield Problem(str(path), str(error).removeprefix(f"{path}: "))
        except ImportFailure:
            continue  # somebody's other download


def _may_be_export(path: Path) -> bool:
    """Return whether a download is named or shaped like an export. Raises Unreadable."""
    sort = path.suffix.lower()
    if not path.is_file() or sort not in (".zip", ".json") or is_record(path):
        return False
    if sort == ".json":
        return path.name.startswith(_EXPORTS)
    names = (entry.filename.rpartition("/")[2] for entry in entries_of(path))
    return any(name.startswith(_EXPORTS) and name.endswith(".json") for name in names)


def session_folders() -> Iterator[Path]:
    """Yield the folders of coding sessions, which hold a folder a project.

    `CLAUDE_CONFIG_DIR` may name several folders, with commas between them.
    """
    configured = os.environ.get("CLAUDE_CONFIG_DIR", "")
    home = Path.home()
    roots = [expanded(one.strip()) for one in configured.split(",") if one.strip()]
    for root in dict.fromkeys(roots or [home / ".claude", home / ".config" / "claude"]):
        if (root / "projects").is_dir():
            yield root / "projects"
