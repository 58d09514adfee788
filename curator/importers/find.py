"""Where the chat programs of this machine keep their logs."""

import os
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

from curator.importers.items import Format, ImportFailure
from curator.importers.reading import detect
from curator.paths import expanded
from store import is_record

_EXPORTS = (".zip", ".json")


def find_logs() -> list[tuple[Format, Path]]:
    """Logs that can be imported: Claude Code's sessions, and exports of ChatGPT and Claude among the downloads."""
    found = [(Format.CLAUDE_CODE, folder) for folder in session_folders() if any(folder.glob("*/*.jsonl"))]
    for path in _downloads():
        try:
            found.append((detect(path), path))
        except ImportFailure:
            continue  # somebody's other download
    return found


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


def _downloads() -> Iterator[Path]:
    """Files in the downloads folder that are named or shaped like an export."""
    folder = Path.home() / "Downloads"
    named = os.environ.get("XDG_DOWNLOAD_DIR")
    if named and sys.platform not in ("win32", "darwin"):
        folder = expanded(named)
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        if not path.is_file() or path.suffix.lower() not in _EXPORTS or is_record(path):
            continue
        if path.suffix.lower() == ".zip":
            try:
                with zipfile.ZipFile(path) as archive:
                    names = [name.rpartition("/")[2] for name in archive.namelist()]
            except (zipfile.BadZipFile, OSError, NotImplementedError):
                continue  # not finished downloading, or no zip at all
            if any(name.startswith(("conversations", "memories")) and name.endswith(".json") for name in names):
                yield path
        elif path.name.startswith(("conversations", "memories")):
            yield path
