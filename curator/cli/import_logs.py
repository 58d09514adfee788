"""The commands `import` and `distil`."""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from curator.cli.import_summary import print_forget_requests, print_returned, print_summary
from curator.cli.options import AsJson, PassphraseFile
from curator.cli.output import (
    NOTHING,
    confirm,
    confirmed,
    is_yes,
    open_store,
    undistilled,
    warn,
    warn_all,
    warn_if_overridden,
)
from curator.cli.progress import ProgressLines, Task, progress
from curator.display import counted
from curator.errors import ConfigError
from curator.paths import cache_folder, expanded
from curator.terminal_text import on_one_line
from store import NotFound, Store, clock
from store.model import Actor, Relation

if TYPE_CHECKING:
    from curator.curation import Revision
    from curator.importers import People
    from curator.models import Embedder
    from curator.services.import_summary import Progress as ImportProgress
    from curator.services.import_summary import Report

_MAX_PEOPLE = 20  # people offered as a choice


def import_logs(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="PATH", help="Files, folders or zips; `auto` finds logs on this machine."),
    ],
    format: Annotated[str | None, typer.Option(help="The format, e.g. chatgpt; detected by default.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count; import nothing.")] = False,
    distil: Annotated[bool, typer.Option(help="Distil memories now, or later with `curator distil`.")] = True,
    watch: Annotated[
        bool, typer.Option("--watch", help="Keep importing new messages of these logs, until ctrl+c.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask, with `auto` and for an archive.")] = False,
    passphrase_file: PassphraseFile = None,
    trust: Annotated[
        list[str] | None,
        typer.Option(metavar="FINGERPRINT", help="Trust memories signed by this key; see `curator key`."),
    ] = None,
    me: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Your name in chats among people; repeat for more."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Import chat logs and distil memories. Undoable.

    An archive of `curator export --all` is imported as a whole, into an empty store only. Edited notes of
    `curator export notes` update their memories, after asking.
    """
    with progress() as lines:
        lines.show(Task("starting  "))
        from curator.cli.archive import import_all
        from curator.config import settings
        from curator.export.archive import is_archive
        from curator.importers import Format
        from curator.services.import_logs import import_paths, index_memories, preview
        from curator.signature import checked_fingerprint

    if watch and dry_run:
        raise typer.BadParameter("give --watch or --dry-run, not both")
    trusted = {checked_fingerprint(text) for text in trust or ()}
    try:
        kind = None if format is None else Format(format)
    except ValueError:
        raise typer.BadParameter(f"--format is one of {', '.join(Format)}, not {format}") from None
    files = _found_logs(yes or dry_run, as_json) if paths == ["auto"] else [_file(path) for path in paths]
    if whole := [file for file in files if is_archive(file)]:
        if len(files) > 1 or dry_run or watch or kind:
            raise typer.BadParameter(
                f"{whole[0]} is a store archive; import it alone, without --dry-run, --watch or --format"
            )
        import_all(whole[0], passphrase_file, yes, as_json)
        return
    store = open_store()
    chosen: Embedder | None = None
    with progress(undo_advice(store), plain=True) as lines:
        report = import_reporter(lines)
        ask_me = MeQuestion(lines)

        def review(edited: Mapping[int, "Revision"]) -> None:
            lines.close()
            show_edits(store, edited, as_json)
            confirm(f"Apply these changes to {counted(len(edited), 'memory')}?", yes, as_json)

        if dry_run:
            summary = preview(store, files, format=kind, report=report, me=me or (), ask_me=ask_me)
            summary.undistilled = undistilled(store) if distil and settings().distil.enabled else 0
        else:
            wanted = distil and settings().distil.enabled and any(file.exists() for file in files)  # else no download
            chosen = embedder(store, lines) if wanted else None
            summary = import_paths(
                store,
                files,
                chosen,
                format=kind,
                distil=wanted,
                report=report,
                ask=lambda key: key in trusted or _ask_to_trust(key, lines),
                me=me or (),
                ask_me=ask_me,
                review=review,
            )
            if chosen is not None and summary.batch is not None:
                from curator.sweeps.compare import scan_imported

                index_memories(store, chosen, summary, report)
                scan_imported(store, summary, report)
    if summary.edited and dry_run:
        print(f"would change {counted(len(summary.edited), 'memory')}, by notes that you edited", file=sys.stderr)
    elif summary.edited:
        apply_edits(store, summary.edited, as_json)
    print_summary(summary, as_json, dry_run)
    if not as_json:
        print_returned(store, summary)
    if not (as_json or dry_run):
        print_forget_requests(store, summary.forget_requests)
    if summary.memories and not (as_json or dry_run):
        print_next_steps(store, inbox=not watch)
    if watch:
        _follow(store, files, chosen, as_json, me or ())
    elif (
        summary.unreadable_paths
        or summary.unread_notes
        or not (summary.conversations or summary.memories or summary.known or summary.grown)
    ):
        raise typer.Exit(NOTHING)


def print_next_steps(store: Store, inbox: bool) -> None:
    """Print the next steps after an import, with the command for each."""
    from curator.conflicts import count_pending

    counts = store.alerts.counts(due_by=clock.now())
    if waiting := sum(count for relation, count in counts.items() if relation is not Relation.UNSURE):
        print(f"{counted(waiting, 'conflict')} to resolve · `curator conflicts`")
    if pending := count_pending(store):
        print(f"{counted(pending, 'memory')} not yet compared for conflicts · run `curator duplicates scan`")
    if inbox and sys.stdout.isatty():
        print("`curator` opens the inbox")


def show_edits(store: Store, edited: Mapping[int, "Revision"], as_json: bool) -> None:
    """Print the changes of edited notes to their memories."""
    out = sys.stderr if as_json else sys.stdout
    for memory_id, memory in {memory.id: memory for memory in store.get_many(list(edited))}.items():
        wanted = edited[memory_id]
        print(f"edited note of memory {memory_id}: {on_one_line(memory.text)}", file=out)
        if wanted.text is not None:
            print(f"  now: {on_one_line(wanted.text)}", file=out)
        fields = ((name, getattr(wanted, name)) for name in ("kind", "tier", "importance", "pinned", "given"))
        changes = [f"{name} {value}" for name, value in fields if value is not None]
        changes += [f"+{on_one_line(tag)}" for tag in wanted.add_tags] + [
            f"-{on_one_line(tag)}" for tag in wanted.remove_tags
        ]
        if changes:
            print(f"  {', '.join(changes)}", file=out)


def undo_advice(store: Store) -> Callable[[], str]:
    """Return a function that names the undo of what was written since this call; empty if nothing was."""

    def last() -> int:
        command = store.journal.next_to_undo()
        return 0 if command is None else command.id

    before = last()
    return lambda: ", `curator undo` undoes it" if last() > before else ""


def apply_edits(store: Store, edited: Mapping[int, "Revision"], as_json: bool) -> None:
    """Apply the changes of edited notes to their memories, as one undoable command."""
    from curator.curation import revise_all

    out = sys.stderr if as_json else sys.stdout
    done = revise_all(store, edited, lambda memory_id, error: warn(f"memory {memory_id} stays as it was: {error}"))
    print(f"changed {counted(done, 'memory')}{'; `curator undo` undoes it' if done else ''}", file=out)


def _follow(store: Store, files: Sequence[Path], embedder: "Embedder | None", as_json: bool, me: Sequence[str]) -> None:
    """Import additions to these logs until ctrl+c; print a line or JSON object for each import."""
    from curator.services.follow_logs import follow

    with progress() as lines, suppress(KeyboardInterrupt):
        report = import_reporter(lines)
        for count, path, summary in follow(store, files, embedder, report, me):
            if path and summary is not None and (summary.messages or summary.memories):
                lines.close()
                if as_json:
                    print_summary(summary, as_json)
                else:
                    new = counted(sum(summary.messages.values()), "new message")
                    print(f"{on_one_line(path)}: {new}, found {counted(summary.memories, 'memory')}", flush=True)
            elif not path:
                lines.show(Task(f"watching {counted(count, 'log')}"))
    print("curator: stopped watching; what was imported is kept", file=sys.stderr)


def _file(word: str) -> Path:
    """Return the path of an argument, with ~ expanded. Raises BadParameter."""
    if not word:
        raise typer.BadParameter("give a file, folder or zip")
    path = expanded(word)
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise typer.BadParameter(f"{path} is a device or a pipe; save its contents to a file and import that")
    return path


def _ask_to_trust(fingerprint: str, lines: ProgressLines) -> bool:
    """Ask on a terminal whether to trust a key that signed memories."""
    lines.close()  # before testing stderr, which is replaced while lines are shown
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print(
        f"These memories are signed by a key of another device:\n  {fingerprint}\n"
        "If you trust it, what you validated, pinned or forgot there also counts here.\n"
        "Compare it with the output of `curator key` there.\nTrust this key? [y/N] ",
        end="",
        file=sys.stderr,
        flush=True,
    )
    return is_yes(sys.stdin.readline())


@dataclass(slots=True)
class MeQuestion:
    """Asks on a terminal which person in a chat is the user; an answer applies to later chats too."""

    lines: ProgressLines
    answers: tuple[str, ...] = ()

    def __call__(self, people: "People", place: str) -> Sequence[str]:
        """Return the user's names in the chat; none without an answer or a terminal."""
        if any(name in people for name in self.answers):
            return self.answers
        self.lines.close()  # before testing stderr, which is replaced while lines are shown
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            return ()
        from curator.importers import Options

        names = sorted(people, key=lambda name: (-people[name], name))
        print(f"Chat {on_one_line(place)}: which one is you?", file=sys.stderr)
        for number, name in enumerate(names[:_MAX_PEOPLE], 1):
            print(f"{number:>4}  {on_one_line(name)} ({people[name]:,})", file=sys.stderr)
        while True:
            print("Number or name [none: skip this chat]: ", end="", file=sys.stderr, flush=True)
            answer = sys.stdin.readline().strip()
            given = Options(me=(answer,))
            named = given.own_names(people) or given.full_names(people)
            if answer.isdecimal() and 0 < int(answer) <= len(names):
                named = [names[int(answer) - 1]]
            if named or not answer:
                self.answers += tuple(named)
                return self.answers
            wrong = f"there is no {answer}" if answer.isdecimal() else f"nobody in it is named {on_one_line(answer)}"
            warn(f"{wrong}; give a number from 1 to {len(names)}, or a name as it is in the chat")


def _found_logs(yes: bool, as_json: bool) -> list[Path]:
    """Find logs in known places on this machine; return those that the person agrees to import. Raises typer.Exit."""
    from curator.importers import Problem, known_places

    with progress() as lines:
        lines.show(Task("looking for logs"))
        places = list(known_places())
    for problem in places:
        if isinstance(problem, Problem):
            warn(f"{on_one_line(problem.place)}: {problem.reason}")
    logs = [place for place in places if not isinstance(place, Problem)]
    for kind, path in logs:
        print(f"found {kind} log {on_one_line(str(path))}", file=sys.stderr if as_json else sys.stdout)
    chosen = [path for kind, path in logs if confirmed(f"import {kind} log {on_one_line(str(path))}?", yes, as_json)]
    if not chosen:
        raise NotFound("nothing to import; give a file, folder or zip")
    return chosen


def embedder(store: Store, lines: ProgressLines) -> "Embedder":
    """Return the embedder; offer to download missing weights, and warn if it is not the configured one.

    A refusal is saved in a setting, so that later imports do not ask again.
    """
    from curator.models import weights
    from curator.services.search_session import fetch_embedder

    def allow(missing: list[weights.Weights]) -> bool:
        what = " and ".join(model.purpose for model in missing)
        download = f"the model{'s' if len(missing) > 1 else ''} for {what} ({weights.megabytes(missing)}, once)"
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            if missing == [weights.MPNET]:  # search by meaning works; whoever runs this is told how to get it
                return False
            warn(f"downloading {download}")
            return True
        for model in missing:
            if weights.installed(model, cache_folder()) is not None:
                warn(weights.verification_error(model, cache_folder()))
        print(f"Download {download}? [Y/n] ", end="", file=sys.stderr, flush=True)
        answer = sys.stdin.readline()
        if answer.strip().casefold() in ("n", "no"):
            _keep_no(weights.MINILM in missing)
        return answer == "\n" or is_yes(answer)

    loaded, notes = fetch_embedder(
        store, allow, lambda done, total: lines.show(Task("downloading", min(done, total), total))
    )
    lines.close()
    warn_all(notes)
    return loaded


def _keep_no(embedder: bool) -> None:
    """Save the refusal of the embedder, or else of the classifiers, and print how to change that.

    Warns if it cannot be saved.
    """
    from curator.config import save
    from curator.models.weights import BY_WORDS_ONLY
    from curator.services.search_session import LEXICAL

    setting = "embed.provider" if embedder else "classify.enabled"
    try:
        save(setting, "hashing" if embedder else False)
    except ConfigError as error:
        warn(f"not downloaded; this answer could not be saved, so you will be asked again: {error}")
        return
    if embedder:
        warn(f"not downloaded, and embed.provider = hashing is saved: {LEXICAL}")
    else:
        warn(f"not downloaded, and classify.enabled = false is saved: {BY_WORDS_ONLY}")
    warn_if_overridden(setting)


def import_reporter(lines: ProgressLines) -> "Report":
    """Return a callback that shows the stage and results of an import."""

    def report(now: "ImportProgress") -> None:
        lines.show(Task(f"{now.stage:<10}", now.done, now.total, now.counts))

    return report


def distil(
    again: Annotated[bool, typer.Option("--again", help="Distil everything again; your decisions are kept.")] = False,
    as_json: AsJson = False,
) -> None:
    """Distil imported conversations that are not distilled yet."""
    from curator.services.import_logs import distil_all
    from curator.services.import_run import stopped_runs

    store = open_store()
    if not (again or as_json or undistilled(store) or stopped_runs(store, Actor.PERSON)):
        print("nothing to distil: `curator import PATH` reads chat logs, --again distils everything again")
        return
    with progress(undo_advice(store), plain=True) as lines:
        summary = distil_all(store, embedder(store, lines), again=again, report=import_reporter(lines))
    print_summary(summary, as_json, imported=False)
    if not as_json:
        print_returned(store, summary)
        print_forget_requests(store, summary.forget_requests)
