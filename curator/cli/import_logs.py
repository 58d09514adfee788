"""The commands import, distil and demo."""

import contextlib
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from curator.cli.errors import INTERRUPTED, NOTHING
from curator.cli.options import AsJson
from curator.cli.output import confirmed, counted, dim, is_yes, memory_line, open_store, print_json, table
from curator.paths import expanded

if TYPE_CHECKING:
    from curator.export.serializers import Json
    from curator.models import Embedder
    from curator.services.import_summary import ForgottenMatch, Report, Summary
    from store import Store


_NAMED = 10  # memories that came back
_SAID, _SHOWN = 2, 160  # passages of each, and how much of one is shown


def import_logs(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="PATH", help="Files, folders or zips; `auto` finds logs on this machine."),
    ],
    format: Annotated[str | None, typer.Option(help="The format; detected by default.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what would be imported.")] = False,
    distil: Annotated[bool, typer.Option(help="Distil memories now, or later with `curator distil`.")] = True,
    yes: Annotated[bool, typer.Option("--yes", help="With `auto`: import every log found, without asking.")] = False,
    trust: Annotated[
        list[str] | None,
        typer.Option(metavar="FINGERPRINT", help="Trust memories signed by this key; see `curator key`."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Import chat logs and distil memories. Undoable."""
    from curator.config import settings
    from curator.importers import Format
    from curator.services.import_logs import import_paths, index_memories, preview
    from curator.signature import checked_fingerprint

    named = {checked_fingerprint(text) for text in trust or ()}
    try:
        kind = None if format is None else Format(format)
    except ValueError:
        raise typer.BadParameter(f"--format is one of {', '.join(Format)}, not {format}") from None
    files = _found_logs(yes, as_json) if paths == ["auto"] else [_file(path) for path in paths]
    store = open_store()
    with progress_line(sys.stderr.isatty()) as report:
        if dry_run:
            summary = preview(store, files, format=kind, report=report)
        else:
            wanted = distil and settings().distil.enabled
            chosen = embedder(store) if wanted else None
            summary = import_paths(
                store, files, chosen, format=kind, distil=wanted, report=report, ask=lambda key: _trusted(key, named)
            )
            if chosen is not None and summary.batch is not None:
                index_memories(store, chosen, summary, report)
    print_summary(summary, as_json, dry_run)
    if not as_json:
        print_returned(store, summary)
    if not (as_json or dry_run):
        print_asked(store, summary.forget_requests)
    if summary.memories and not (as_json or dry_run):
        _say_conflicts(store)
    if summary.barren or not (summary.conversations or summary.memories or summary.known or summary.grown):
        raise typer.Exit(NOTHING)


def _file(word: str) -> Path:
    """The path a word means; one that the shell left a ~ in too."""
    if not word:
        raise typer.BadParameter("give a file, folder or zip")
    path = expanded(word)
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise typer.BadParameter(f"{path} is a device or a pipe; save what it gives to a file and name that")
    return path


def _trusted(fingerprint: str, named: Collection[str]) -> bool:
    """Return whether to trust a key that signed memories: the person named it, or agrees on a terminal."""
    if fingerprint in named:
        return True
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    sys.stderr.write("\r\x1b[2K")
    print(
        f"These memories are signed by a key of another device:\n  {fingerprint}\n"
        "If you trust it, what you validated, pinned or forgot there counts here, too.\n"
        "Compare it with the output of `curator key` there.",
        file=sys.stderr,
    )
    sys.stderr.write("Trust this key? [y/N] ")
    sys.stderr.flush()
    return is_yes(sys.stdin.readline())


def _say_conflicts(store: "Store") -> None:
    from store import clock
    from store.model import Relation

    counts = store.alerts.counts(due_by=clock.now())
    if waiting := sum(count for relation, count in counts.items() if relation is not Relation.UNSURE):
        print(f"{counted(waiting, 'conflict')} to resolve · `curator conflicts`")


def _found_logs(yes: bool, as_json: bool) -> list[Path]:
    """Known places on this machine where logs lie, as far as the person says yes to them."""
    from curator.export.sanitize import on_one_line
    from curator.importers import Problem, known_places

    places = list(known_places())
    for problem in places:
        if isinstance(problem, Problem):
            print(f"curator: could not read {on_one_line(problem.place)}: {problem.reason}", file=sys.stderr)
    found = [place for place in places if not isinstance(place, Problem)]
    for kind, path in found:
        print(f"found {kind} log {on_one_line(str(path))}", file=sys.stderr if as_json else sys.stdout)
    chosen = [path for kind, path in found if confirmed(f"import {kind} log {path}?", yes, as_json)]
    if not chosen:
        print("curator: nothing to import; give a file, folder or zip", file=sys.stderr)
        raise typer.Exit(NOTHING)
    return chosen


def embedder(store: "Store") -> "Embedder":
    """The embedder to work with; offers to fetch its weights and says on stderr if it is not the one wanted."""
    from curator.models.weights import DOWNLOAD_BYTES
    from curator.services.search_session import fetched_embedder

    def allow(question: str) -> bool:
        if sys.stdin.isatty() and sys.stderr.isatty():
            return input(f"{question} [Y/n] ").strip().casefold() in ("", "y", "yes")
        size = f"{DOWNLOAD_BYTES // 1_000_000} MB"
        print(f"curator: downloading the model for search by meaning ({size}, once)", file=sys.stderr)
        return True

    def progress(done: int) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[2Kdownloading the model: {min(done / DOWNLOAD_BYTES, 1):.0%}")
            sys.stderr.flush()

    found, notes = fetched_embedder(store, allow, progress)
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[2K")
    for note in notes:
        print(f"curator: {note}", file=sys.stderr)
    return found


@contextlib.contextmanager
def progress_line(wanted: bool) -> Iterator["Report | None"]:
    """One line on stderr that follows a run, if it is wanted; gone when the run is over. ctrl+c ends with words."""
    try:
        yield _reporter() if wanted else None
    except KeyboardInterrupt:
        print(
            "\ncurator: stopped, progress is kept; the same command continues, `curator undo` undoes it",
            file=sys.stderr,
        )
        sys.exit(INTERRUPTED)
    finally:
        if wanted:
            sys.stderr.write("\r\x1b[2K")


def _reporter() -> "Report":
    import shutil
    import time

    from curator.services.import_summary import Progress

    started: dict[str, float] = {}
    shown = 0.0

    def report(progress: Progress) -> None:
        nonlocal shown
        now = time.monotonic()
        began = started.setdefault(progress.stage, now)
        if now - shown < 0.1:
            return
        shown = now
        share = min(1.0, progress.done / progress.total) if progress.total else 0.0
        seconds = (now - began) * (1 - share) / share if now - began > 3 and share > 0.01 else 0.0
        left = "" if not seconds else f" · {seconds:.0f} s left" if seconds < 100 else f" · {seconds / 60:.0f} min left"
        bar = "━" * round(24 * share) + "╌" * (24 - round(24 * share))
        counts = f"{progress.summary.conversations:,} conversations · {progress.summary.memories:,} memories"
        line = f"{progress.stage:<10} {bar} {share:4.0%}{left} · {counts} · ctrl+c stops"
        sys.stderr.write(f"\r\x1b[2K{line[: shutil.get_terminal_size().columns - 1]}")
        sys.stderr.flush()

    return report


def print_summary(summary: "Summary", as_json: bool, dry_run: bool = False) -> None:
    """What a run did, in words or as one object."""
    from curator.services.import_summary import ready_memory_lines

    roles = ("user", "assistant", "tool", "system", "hidden")
    if as_json:
        messages: dict[str, Json] = {role: summary.messages[role] for role in roles}
        reasons: dict[str, Json] = dict(sorted((summary.reasons + summary.unproven).items()))
        print_json(
            {
                "files": summary.files,
                "format": ",".join(sorted(summary.formats)),
                "batch": None if dry_run else summary.batch,
                "conversations": summary.conversations,
                "messages": messages,
                "memories": summary.memories,
                "evidence": summary.evidence,
                "known": summary.known,
                "grown": summary.grown,
                "invalid": summary.invalid,
                "redacted": summary.redacted,
                "unknown_kinds": dict(summary.unknown_kinds),
                "reasons": reasons,
                "returned": {str(memory): times for memory, times in summary.forgotten.items()},
                "quarantined": summary.quarantined,
                "held": summary.held,
                "problems": list(summary.problems),
                "forget_requests": list(summary.forget_requests),
            }
        )
        return
    would = "would add" if dry_run else "added"
    spoken = ", ".join(f"{summary.messages[role]:,} {role}" for role in roles if summary.messages[role])
    print(f"{would} {counted(summary.conversations, 'conversation')} ({spoken or 'no messages'})")
    if not dry_run:
        repeats = f"; {counted(summary.evidence, 'repeat')} added as evidence" if summary.evidence else ""
        print(f"found {counted(summary.memories, 'memory')}{repeats}")
    elif summary.memories:
        print(f"would find {counted(summary.memories, 'memory')}")
    print(f"known {summary.known:,} · grown {summary.grown:,} · unreadable {summary.invalid:,}")
    if summary.redacted:
        print(f"redacted {counted(summary.redacted, 'secret')} before anything was stored")
    if summary.reasons:
        print("refused, by reason:")
        from curator.distill.reasons import REASONS

        table([(f"  {n:>6,}", reason, REASONS.get(reason, "")) for reason, n in summary.reasons.most_common()])
    for line in ready_memory_lines(summary):
        print(line)
    if summary.quarantined:
        looks = f"{counted(summary.quarantined, 'memory')} with instructions to a model"
        print(f"in quarantine: {looks}, kept from models until you validate them · `curator list is:flagged`")
    if summary.held:
        print(f"in quarantine: {counted(summary.held, 'memory')} like what you forgot · `curator list is:flagged`")
    for problem in summary.problems:
        print(f"curator: could not read {problem}", file=sys.stderr)


def print_returned(store: "Store", summary: "Summary") -> None:
    """What came again though it was let go: what it is, what was said, where, and how to let it in."""
    if not summary.forgotten:
        return
    print(f"refused, since you forgot it: {counted(len(summary.forgotten), 'memory')}")
    known = {memory.id: memory for memory in store.get_many(list(summary.forgotten))}
    for memory, times in summary.forgotten.most_common(_NAMED):
        if memory in known:
            print(f"  {memory_line(known[memory])}" + (dim(f"  {times:,} times") if times > 1 else ""))
        for back in [one for one in summary.matches if one.memory == memory][:_SAID]:
            print(dim(f"         said: {_said(back)}"))
    if len(summary.forgotten) > _NAMED:
        print(f"  and {len(summary.forgotten) - _NAMED:,} more")
    print("`curator restore ID` lets one in, unless it was purged; more: `curator refused --reason forgotten`")


def _said(back: "ForgottenMatch") -> str:
    """Words and where they came from, on one line."""
    from curator.export.sanitize import on_one_line
    from store import clock

    day = None if back.said_at is None else clock.to_iso(back.said_at)[:10]
    words = back.words if len(back.words) <= _SHOWN else back.words[: _SHOWN - 1] + "…"
    return " · ".join(on_one_line(part) for part in (words, back.source, back.title, day) if part)


def print_asked(store: "Store", requests: Sequence[str]) -> None:
    """What the person asked in chats to be forgotten, with the memories that may be meant; none is let go."""
    from curator.export.sanitize import on_one_line
    from curator.services.forget_requests import gone_by_each, meant_by_each
    from store import clock

    each = zip(requests, meant_by_each(store, requests), gone_by_each(store, requests), strict=True)
    for request, found, gone in each:
        what = "curator forget " + " ".join(str(memory.id) for memory in found)
        then = f"to forget: `{what}`" if found else "no matching memories"
        last = max((one.at for one in gone if one.at is not None), default=None)
        if gone and not found:
            then = "already forgotten" + (f" on {clock.to_iso(last)[:10]}" if last is not None else "")
        print(f"you asked to forget “{on_one_line(request)}” · {then}")
        for memory in found or [one.memory for one in gone]:
            print(f"  {memory_line(memory)}")


def distil(
    again: Annotated[bool, typer.Option("--again", help="Read everything again; your decisions stay.")] = False,
    as_json: AsJson = False,
) -> None:
    """Distil imported conversations that were not distilled yet."""
    from curator.services.import_logs import distil_all

    store = open_store()
    with progress_line(sys.stderr.isatty()) as report:
        summary = distil_all(store, embedder(store), again=again, report=report)
    print_summary(summary, as_json)
    if not as_json:
        print_returned(store, summary)
        print_asked(store, summary.forget_requests)


def demo() -> None:
    """Try the app on made-up chat logs, in a store apart."""
    import os
    import tempfile

    from curator.demo import logs
    from curator.services.import_logs import import_paths, index_memories

    folder = Path(tempfile.mkdtemp(prefix="curator-demo-"))
    os.environ["CURATOR_HOME"] = str(folder)
    store = open_store()
    with progress_line(sys.stderr.isatty()) as report:
        files = sorted(path for path in logs().iterdir() if not path.name.startswith("."))
        chosen = embedder(store)
        summary = import_paths(store, files, chosen, report=report)
        index_memories(store, chosen, summary, report)
    print_summary(summary, as_json=False)
    print_asked(store, summary.forget_requests)
    home = f"CURATOR_HOME={folder}"
    print(f"\ndemo store: {folder} (yours is not touched)")
    if sys.stdin.isatty() and sys.stdout.isatty():
        from curator.main import open_app

        open_app(demo=True)
        return
    print(f"open it again with `{home} curator`; delete the folder when you are done")
    print("try next:")
    for command in (
        'curator search "what does she eat" --explain',
        "curator list kind:preference",
        'curator recall "plan a dinner"',
        "curator",
    ):
        print(f"  {home} {command}")


def register(app: typer.Typer) -> None:
    """Put this family's commands on the command line."""
    app.command("import")(import_logs)
    app.command("distil")(distil)
    app.command("demo")(demo)
