"""Importing from inside the app: the same work as `curator import`, told in one line."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from curator.tui.text import counted
from store import Store

if TYPE_CHECKING:
    from curator.jobs.summary import Progress


def import_log(store: Store, path: Path, say: Callable[[str], None]) -> str:
    """Import a file or folder, distil it, and say what came of it. Raises what the import raises."""
    from curator.jobs.importing import import_paths
    from curator.jobs.opening import installed_embedder

    embedder, notes = installed_embedder()

    def report(progress: "Progress") -> None:
        share = f" {progress.done * 100 // progress.total} %" if progress.total else ""
        say(f"{progress.stage}{share} · {counted(progress.summary.memories)}")

    done = import_paths(store, [path], embedder, report=report)
    return " · ".join([f"imported {counted(done.conversations, 'conversation')}", counted(done.memories), *notes])
