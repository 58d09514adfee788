"""Importing from inside the app: the same work as `curator import`, told in one line, and more where there is more."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curator.paths import expanded
from curator.tui.context import AppContext
from curator.tui.formatting import counted, one_line
from curator.tui.labels import source
from curator.tui.screens.dialogs import Ask, Menu, Option
from store import Store, clock

if TYPE_CHECKING:
    from textual.app import App

    from curator.services.import_summary import Progress, Report, Summary

_OFFERED = 8  # logs that were found
_OTHER = "another path …"


class Stopped(Exception):
    """The import is to end as if interrupted, which leaves what it has stored."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of it: a line, a page of what is worth reading (empty where nothing is), what was let go and came
    again, and how much was refused."""

    line: str
    more: str
    returned: tuple[int, ...] = ()
    refused: int = 0


ImportLog = Callable[[Store, Path, Callable[[str], None], Callable[[], None]], Imported]


async def ask_for_log(app: "App[Any]", context: AppContext) -> Path | None:
    """Which log: one of those that known programs keep on this machine, or any path."""
    from curator.importers import find_logs

    found = (await context.executors["import"].run(find_logs))[:_OFFERED]  # "slow" may be building an index for minutes
    if found:
        options = [Option(str(place), one_line(str(path)), kind) for place, (kind, path) in enumerate(found, 1)]
        options.append(Option("p", _OTHER, "a file or a folder"))
        chosen = await app.push_screen_wait(Menu("Import a chat log", options))
        if chosen != _OTHER:
            place = next((place for place, option in enumerate(options) if option.value == chosen), None)
            return None if place is None else found[place][1]

    async def unfit(path: str) -> str | None:
        return await context.executors["import"].run(lambda: _unfit(path))

    hint = "A file or a folder; enter begins, esc leaves."
    path = await app.push_screen_wait(Ask("Import a chat log", hint, check=unfit))
    return expanded(path) if path else None


def _unfit(path: str) -> str | None:
    """What speaks against a path. All of a folder is looked through by the import only, which can be stopped."""
    from curator.errors import ImportFailure
    from curator.importers import detect

    try:
        place = expanded(path)
        if not place.exists():
            return f"there is no {path}"
        if place.is_file():
            detect(place)
    except ImportFailure as error:
        return str(error)
    except OSError as error:
        return f"{error.strerror}: {path}"
    return None


def import_log(store: Store, path: Path, say: Callable[[str], None], rest: Callable[[], None]) -> Imported:
    """Import a file or folder, distil and index it. Raises what the import raises, and what `say` raises.

    `rest` may wait; it is called where nothing is locked.
    """
    from curator.config import settings
    from curator.services.import_logs import import_paths, index_memories
    from curator.services.search_session import working_embedder

    embedder, notes = working_embedder(store)

    wanted = settings().distil.enabled
    done = import_paths(store, [path], embedder if wanted else None, distil=wanted, report=_told(say, rest))
    if wanted and done.batch is not None:
        index_memories(store, embedder, done, _told(say))
    line = " · ".join([*_counts(done), *notes])
    return Imported(line, _page(store, done), tuple(done.forgotten), sum(done.reasons.values()))


def distil_rest(store: Store, say: Callable[[str], None], rest: Callable[[], None]) -> Imported:
    """Distil what an import stored and did not come to, since it was stopped. Raises what the distilling raises."""
    from curator.services.import_logs import distil_all, index_memories
    from curator.services.search_session import working_embedder

    embedder, notes = working_embedder(store)

    done = distil_all(store, embedder, report=_told(say, rest))
    if done.batch is not None:
        index_memories(store, embedder, done, _told(say))
    line = " · ".join([f"distilled {counted(done.memories)}", *notes])
    return Imported(line, _page(store, done), tuple(done.forgotten))


def undone(store: Store) -> int:
    """How many conversations an import has stored and not distilled, though it should have; for a thread."""
    from curator.config import settings
    from curator.distill import DISTILLER

    wanted = settings().distil
    return len(store.distillation.undistilled(DISTILLER, wanted.agent_messages)) if wanted.enabled else 0


def _told(say: Callable[[str], None], rest: Callable[[], None] = lambda: None) -> "Report":
    """Progress in one line, then a rest; no rest while the index is written, since a search waits for that."""

    def report(progress: "Progress") -> None:
        rest()
        share = f" {progress.done * 100 // progress.total} %" if progress.total else ""
        say(f"{progress.stage}{share} · {counted(progress.summary.memories)}")

    return report


_NAMED, _SAID = 10, 2  # memories that came back, and passages of each


def _counts(done: "Summary") -> list[str]:
    refused = sum(done.reasons.values())
    return [
        f"imported {counted(done.conversations, 'conversation')}",
        counted(done.memories),
        *([f"{refused:,} refused"] if refused else []),
        *([f"{done.known:,} known already"] if done.known and not done.conversations else []),
        *([f"{counted(done.redacted, 'secret')} redacted"] if done.redacted else []),
        *([f"{done.invalid:,} unreadable"] if done.invalid else []),
    ]


def _page(store: Store, done: "Summary") -> str:
    """What the person has to know beside the counts: what could not be read, what came back, what was to be let go."""
    from curator.services.import_summary import ready_memory_lines

    lines = [f"could not be read: {problem}" for problem in done.problems]
    lines += ready_memory_lines(done)
    lines += _came_back(store, done)
    if done.quarantined:
        lines.append(f"{counted(done.quarantined)} with instructions to a model: in quarantine, see is:flagged")
    if done.held:
        lines.append(f"{counted(done.held)} like what you let go: in quarantine, see is:flagged")
    lines += [f"you asked in a chat to forget: {request}" for request in done.forget_requests]
    if done.forget_requests:
        lines.append("Nothing was forgotten for that: `asked to forget` in the palette shows what may be meant.")
    return "\n".join(lines)


def _came_back(store: Store, done: "Summary") -> list[str]:
    """What came again though it was let go: what it is, and what was said where."""
    if not done.forgotten:
        return []
    texts = store.tombstones.texts(list(done.forgotten))
    lines = ["Came back, and was refused, since you let go of it:"]
    for memory, times in done.forgotten.most_common(_NAMED):
        what = f"“{one_line(texts[memory])}”" if memory in texts else f"memory {memory}, which was purged"
        lines.append(f"  {what}" + (f"  {times:,} times" if times > 1 else ""))
        for back in [one for one in done.matches if one.memory == memory][:_SAID]:
            day = None if back.said_at is None else clock.to_iso(back.said_at)[:10]
            where = (source(back.source), one_line(back.title or ""), day)
            lines.append("     " + " · ".join([f"said: {one_line(back.words)}", *(part for part in where if part)]))
    if len(done.forgotten) > _NAMED:
        lines.append(f"  and {len(done.forgotten) - _NAMED:,} more")
    lines.append("`asked to forget` in the palette lists them, and restore lets one in again.\n")
    return lines
