"""Project folders that are known without a search."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from curator.importers.inputs import text_beside
from curator.importers.json_stream import JsonObject, as_dict, parse
from curator.paths import work_tree

_MOST = 8 << 20  # bytes read of a program's settings


def known_projects() -> Iterator[Path]:
    """Yield the worktree of the current folder, and the folders in which Claude Code was used."""
    with contextlib.suppress(OSError):  # the current folder may be deleted
        tree = work_tree(Path.cwd())
        if tree is not None:
            yield tree
    for name in as_dict(settings_in(Path.home() / ".claude.json").get("projects")):
        if (folder := Path(name)).is_absolute():
            yield folder


def settings_in(path: Path) -> JsonObject:
    """Return the content of a program's settings file; empty if it cannot be read."""
    try:
        return as_dict(parse(text_beside(path, _MOST).encode()))
    except ValueError:
        return {}
