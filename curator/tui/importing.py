"""Importing from inside the app: the same work as `curator import`, told in one line, and more where there is more."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from curator.tui.text import counted
from store import Store

if TYPE_CHECKING:
    from curator.jobs.summary import Progress, Summary


class Stopped(Exception):
    """The import is to end as if interrupted, which leaves what it has stored."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of it: a line, and a page of what is worth reading, empty where nothing is."""

    line: str
    more: str


ImportLog = Callable[[Store, Path, Callable[[str], None]], Imported]


def import_log(store: Store, path: Path, say: Callable[[str], None]) -> Imported:
    """Import a file or folder, distil and index it. Raises what the import raises, and what `say` raises."""
    from curator.config import settings
    from curator.jobs.importing import import_paths, index_memories
    from curator.jobs.opening import installed_embedder

    embedder, notes = installed_embedder()

    def report(progress: "Progress") -> None:
        share = f" {progress.done * 100 // progress.total} %" if progress.total else ""
        say(f"{progress.stage}{share} · {counted(progress.summary.memories)}")

    wanted = settings().distil.enabled
    done = import_paths(store, [path], embedder if wanted else None, distil=wanted, report=report)
    if wanted and done.batch is not None:
        index_memories(store, embedder, done, report)
    return Imported(" · ".join([*_counts(done), *notes]), _page(done))


def _counts(done: "Summary") -> list[str]:
    refused = sum(done.reasons.values())
    return [
        f"imported {counted(done.conversations, 'conversation')}",
        counted(done.memories),
        *([f"{refused:,} refused (X shows them)"] if refused else []),
        *([f"{done.known:,} known already"] if done.known and not done.conversations else []),
        *([f"{counted(done.redacted, 'secret')} redacted"] if done.redacted else []),
        *([f"{done.invalid:,} unreadable"] if done.invalid else []),
    ]


def _page(done: "Summary") -> str:
    """What the person has to know beside the counts: what could not be read, and what they asked to forget."""
    lines = [f"could not be read: {problem}" for problem in done.problems]
    lines += [f"you asked in a chat to forget: {request}" for request in done.forget_requests]
    if done.forget_requests:
        lines.append("\nNothing was forgotten for that: search for it and press the key for forget.")
    return "\n".join(lines)
