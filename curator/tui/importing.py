"""Importing from inside the app: the same work as `curator import`, told in one line, and more where there is more."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curator.paths import expanded
from curator.tui.desk import Desk
from curator.tui.screens.asking import Ask, Menu, Option
from curator.tui.text import counted, one_line
from store import Store

if TYPE_CHECKING:
    from textual.app import App

    from curator.jobs.summary import Progress, Report, Summary

_OFFERED = 8  # logs that were found
_OTHER = "another path …"


class Stopped(Exception):
    """The import is to end as if interrupted, which leaves what it has stored."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of it: a line, and a page of what is worth reading, empty where nothing is."""

    line: str
    more: str


ImportLog = Callable[[Store, Path, Callable[[str], None]], Imported]


async def ask_for_log(app: "App[Any]", desk: Desk) -> Path | None:
    """Which log: one of those that known programs keep on this machine, or any path."""
    from curator.importers import find_logs

    found = (await desk.lanes["import"].run(find_logs))[:_OFFERED]  # "slow" may be building an index for minutes
    if found:
        options = [Option(str(place), one_line(str(path)), kind) for place, (kind, path) in enumerate(found, 1)]
        options.append(Option("p", _OTHER, "a file or a folder"))
        chosen = await app.push_screen_wait(Menu("Import a chat log", options))
        if chosen != _OTHER:
            place = next((place for place, option in enumerate(options) if option.value == chosen), None)
            return None if place is None else found[place][1]

    async def missing(path: str) -> str | None:
        try:
            return None if expanded(path).exists() else f"there is no {path}"
        except OSError as error:
            return f"{error.strerror}: {path}"

    hint = "A file or a folder; enter begins, esc leaves."
    path = await app.push_screen_wait(Ask("Import a chat log", hint, check=missing))
    return expanded(path) if path else None


def import_log(store: Store, path: Path, say: Callable[[str], None]) -> Imported:
    """Import a file or folder, distil and index it. Raises what the import raises, and what `say` raises."""
    from curator.config import settings
    from curator.jobs.importing import import_paths, index_memories
    from curator.jobs.opening import working_embedder

    embedder, notes = working_embedder(store)

    wanted = settings().distil.enabled
    done = import_paths(store, [path], embedder if wanted else None, distil=wanted, report=_told(say))
    if wanted and done.batch is not None:
        index_memories(store, embedder, done, _told(say))
    return Imported(" · ".join([*_counts(done), *notes]), _page(done))


def distil_rest(store: Store, say: Callable[[str], None]) -> Imported:
    """Distil what an import stored and did not come to, since it was stopped. Raises what the distilling raises."""
    from curator.jobs.importing import distil_all, index_memories
    from curator.jobs.opening import working_embedder

    embedder, notes = working_embedder(store)

    done = distil_all(store, embedder, report=_told(say))
    if done.batch is not None:
        index_memories(store, embedder, done, _told(say))
    return Imported(" · ".join([f"distilled {counted(done.memories)}", *notes]), _page(done))


def undone(store: Store) -> int:
    """How many conversations an import has stored and not distilled, though it should have; for a thread."""
    from curator.config import settings
    from curator.distill import DISTILLER

    return len(store.undistilled(DISTILLER)) if settings().distil.enabled else 0


def _told(say: Callable[[str], None]) -> "Report":
    """Progress in one line."""

    def report(progress: "Progress") -> None:
        share = f" {progress.done * 100 // progress.total} %" if progress.total else ""
        say(f"{progress.stage}{share} · {counted(progress.summary.memories)}")

    return report


_NAMED = 10  # memories that came back


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
    lines += [
        f"you had let go of this, so it was refused: memory {memory}" + (f" ({times:,} times)" if times > 1 else "")
        for memory, times in done.returned.most_common(_NAMED)
    ]
    if len(done.returned) > _NAMED:
        lines.append(f"and {len(done.returned) - _NAMED:,} more that you had let go of")
    if done.held:
        lines.append(f"{counted(done.held)} like what you let go: in quarantine, see is:flagged")
    lines += [f"you asked in a chat to forget: {request}" for request in done.forget_requests]
    if done.forget_requests:
        lines.append("\nNothing was forgotten for that: search for it and press the key for forget.")
    return "\n".join(lines)
