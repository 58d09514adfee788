"""The commands `export`, `doctor` and `scan`."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from curator.cli.archive import export_all, export_folder, export_layers
from curator.cli.backup import check_named, named_file
from curator.cli.lifecycle import end_unless_done
from curator.cli.options import AsJson, PassphraseFile, Yes
from curator.cli.output import MODEL, NOTHING, STORE, confirmed, dim, memory_line, open_store, print_json, warn
from curator.display import counted
from curator.export.sanitize import on_one_line
from curator.filters import parse_filter, with_topics
from curator.paths import cache_folder, expanded, work_tree
from curator.serve import purge as everywhere
from curator.services.block_files import drop_block, write_block
from curator.services.context_files import FILES, Format, chatgpt, fitting, given, markdown, tokens_of
from curator.services.projects import label_of
from store import Filter, Store, Unusable
from store.model import Life

if TYPE_CHECKING:
    from curator.services.secret_scan import Scan


_MANY = 2_000  # tokens of a block above which a budget is recommended
_SHOWN, _WIDTH = 50, 160  # secrets and memories printed by `scan`, and characters of each


def export(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="The file to write; needed for jsonl only.")
    ] = None,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="FILTER", help="As for `list`; all but purged ones by default.")
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="What to write.")] = Format.JSONL,
    project: Annotated[
        str | None, typer.Option(help="Only this project; in a git work tree, its project by default.")
    ] = None,
    everywhere: Annotated[
        bool, typer.Option("--global", help="Only what holds everywhere, even in a git work tree.")
    ] = False,
    budget: Annotated[
        int | None, typer.Option(min=100, help="At most this many tokens for an assistant, the most important first.")
    ] = None,
    remove: Annotated[
        bool, typer.Option("--remove", help="Take the block of memories out of the file instead.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="The whole store as an open format: logs, memories of any state, history.")
    ] = False,
    encrypt: Annotated[bool, typer.Option("--encrypt", help="With --all: encrypt it with a passphrase.")] = False,
    passphrase_file: PassphraseFile = None,
    forgotten_words: Annotated[
        bool, typer.Option("--with-forgotten-words", help="With --all: also the words of forgotten memories.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "--force", help="Overwrite the file.")] = False,
) -> None:
    """Export memories to a file, or for an assistant.

    A JSONL file is signed and has quotes, versions, tags and dates; `curator import FILE` reads it again. A file that
    is not an export is overwritten only with --yes. In CLAUDE.md, AGENTS.md, GEMINI.md, .cursor/rules/curator.mdc and
    other Markdown files, the validated and pinned memories stand between two markers, and nothing else changes.
    `--format chatgpt` prints the two texts for ChatGPT's settings. `--all` writes everything the store holds, which
    `curator import FILE` takes into an empty one; an existing file is overwritten only with --force. `export notes DIR`
    writes a Markdown note for each live memory, which `curator import DIR` reads again; notes that you edited stay.
    `export layers DIR` writes topics, conversations and a global memory as JSON and Markdown.
    """
    if file is not None and str(file) == "notes":
        if remove or project or everywhere or budget or everything or form is not Format.JSONL or not words:
            raise typer.BadParameter("notes take a folder and perhaps a filter, e.g. `curator export notes ~/memories`")
        with named_file():
            export_folder(open_store(), expanded(words[0]), " ".join(words[1:]), yes)
        return
    if file is not None and str(file) == "layers":
        if remove or project or everywhere or budget or everything or form is not Format.JSONL or len(words or ()) != 1:
            raise typer.BadParameter("layers take one folder and no filter, e.g. `curator export layers ~/layers`")
        with named_file():
            export_layers(open_store(), expanded((words or [""])[0]), yes)
        return
    if everything:
        if file is None or words or remove or project or everywhere or budget or form is not Format.JSONL:
            raise typer.BadParameter("--all takes one file, e.g. `curator export --all store.zip`, and no filter")
        with named_file():
            export_all(
                open_store(),
                file,
                encrypt=encrypt,
                passphrase_file=passphrase_file,
                forgotten_words=forgotten_words,
                replace=yes,
            )
        return
    if encrypt or passphrase_file or forgotten_words:
        raise typer.BadParameter("--encrypt, --passphrase-file and --with-forgotten-words are for --all")
    if remove:
        target = file or (Path(FILES[form]) if form in FILES else None)
        if target is None or words:
            raise typer.BadParameter("name one file, e.g. CLAUDE.md")
        with named_file():
            done = "took the block out of" if drop_block(target) else "there is no such file; it is no longer listed:"
        print(f"{done} {on_one_line(str(target))}")
        return
    if form is not Format.JSONL:
        if words:
            raise typer.BadParameter("a filter is for --format jsonl")
        place = None if everywhere or project else (file or Path("any")).resolve()
        _export_context(file, form, project, place, budget)
        return
    if budget is not None:
        raise typer.BadParameter("--budget is for the other formats")
    if file is None:
        raise typer.BadParameter("name the file to write, e.g. memories.jsonl")
    from curator.export.files import export_file, is_export_header

    kept = tuple(life for life in Life if life is not Life.PURGED)
    store = open_store()
    memory_filter = with_topics(store, parse_filter(" ".join(words or []), replace(Filter(), lives=kept)))
    with named_file():
        check_named(store, file, "export", is_export_header, yes)
        count = export_file(store, file, memory_filter)
    print(f"wrote {counted(count, 'memory')} to {on_one_line(str(file))}")


def _export_context(
    file: Path | None, form: Format, project: str | None, place: Path | None, budget: int | None
) -> None:
    """Write the block for assistants, or print it without a file: of a project, or of that of the folder of `place`.

    Outside of a git work tree, a folder is a project if there are memories of it.
    """
    store = open_store()
    if place is not None:
        tree = work_tree(place)
        label = label_of(store, str(tree or place.parent))
        project = label if tree or label in dict(store.project_counts()) else None
    memories = fitting(given(store, project), budget)
    where = f"of the project {on_one_line(project)}" if project else "for all projects"
    if not memories:
        warn(f"no validated memories {where}; `curator list` shows all, `curator validate ID` validates one")
        raise typer.Exit(NOTHING)
    if form is Format.CHATGPT:
        fields = chatgpt(memories)
        for title, text in zip(("About you", "How ChatGPT should answer"), fields, strict=True):
            print(f"{title}:\n{text or '–'}\n")
        if left := len(memories) - sum(len(text.splitlines()) for text in fields):
            warn(f"{counted(left, 'memory')} did not fit: each field takes 1,500 characters")
        return
    target = file or (Path(FILES[form]) if form in FILES else None)
    if target is None:
        print(markdown(memories))
        return
    with named_file():
        changed = write_block(store, target, project, markdown(memories), budget)
    told = f"{counted(len(memories), 'memory')} {where}"
    print(
        f"wrote {told} to {on_one_line(str(target))}" if changed else f"{on_one_line(str(target))} has {told} already"
    )
    if budget is None and (tokens := tokens_of(memories)) > _MANY:
        warn(f"that is {tokens:,} tokens, which every session reads; `--budget {_MANY}` takes the most important ones")


def doctor(
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Rebuild the search index.")] = False,
    compact: Annotated[
        bool, typer.Option("--compact", help="Free the space of deleted data; finishes a purge.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check the store and the search index for damage."""
    problems: list[str] = []
    try:
        _examine(problems, rebuild, compact, as_json)
    except Unusable as error:
        if as_json:
            record = [*problems, str(error)]
            print_json({"record": record, "index": [], "weights": [], "unfinished_purge": None, "days_ahead": None})
        raise


def _examine(problems: list[str], rebuild: bool, compact: bool, as_json: bool) -> None:
    """Check everything and print the result; `problems` are those of the record. Raises Unusable, typer.Exit."""
    from curator.models import weights
    from curator.services.search_session import open_index
    from store.index import Index

    store = open_store()
    problems += store.differences()
    if not as_json:
        _print_check("record", problems, "sound, rows and journal agree", "problem")
    end_unless_done(everywhere.finish_purge(store) if compact else ())
    if rebuild:
        Index.drop(store)
    index = open_index(store)
    index.catch_up()
    differing, unfinished, days = index.check(), store.unfinished_purge() is not None, store.journal.days_ahead()
    installed = weights.installed(cache_folder()) is not None
    damaged = [wrong] if installed and (wrong := weights.damage(cache_folder(), anew=True)) else []
    if as_json:
        row = {"record": problems, "index": differing, "weights": damaged}
        print_json(row | {"unfinished_purge": unfinished, "days_ahead": days})
    else:
        _print_check("index", differing, "up to date with the record", "difference")
        _print_check("embedding model", damaged, "intact" if installed else "not installed", "problem")
    for there, remedy in (
        (
            days,
            f"the journal's clock is {counted(days, 'day')} ahead of this machine's: check the machine's date;"
            " nothing is lost, and new commands still come after older ones",
        ),
        (differing and not rebuild, "`curator doctor --rebuild` makes the index again; nothing is lost"),
        (problems, "bring back a copy with `curator restore FILE`; keep the damaged one"),
    ):
        if there:
            warn(remedy)
    if problems or differing or unfinished:
        raise typer.Exit(STORE)
    if damaged:
        raise typer.Exit(MODEL)


def _print_check(what: str, found: Sequence[str], sound: str, noun: str) -> None:
    print(f"{what}: {sound if not found else counted(len(found), noun)}")
    for line in found:
        print(f"  {line}")


def scan(
    redact: Annotated[bool, typer.Option("--redact", help="Redact the secrets for good, after asking.")] = False,
    quarantine: Annotated[bool, typer.Option("--quarantine", help="Quarantine the memories. Undoable.")] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Scan the store for secrets and instructions to models.

    Without options it only reports. Redacting works like a purge: it erases the secrets from messages, memories,
    journal, copies and index, and cannot be undone.
    """
    from curator.services import secret_scan

    store = open_store()
    found = secret_scan.scan(store)
    out = sys.stderr if as_json else sys.stdout
    places = len({(one.sort, one.id) for one in found.found})
    if as_json:
        print_json(
            {
                "secrets": [{"in": one.sort, "id": one.id, "count": one.count} for one in found.found],
                "injections": found.injections,
                "vouched": found.validated,
                "quarantined": found.quarantined,
            }
        )
    else:
        _print_secrets(found, places)
        _print_instructions(store, found)
        if found.found and not redact:
            print("`curator scan --redact` redacts them for good, without undo")
        if found.injections and not quarantine:
            print("`curator scan --quarantine` keeps them from models until you validate them")
        if found.validated:
            print("those you added or validated stay in recall; `curator forget ID` takes one out")
    question = f"redact {counted(places, 'text')} for good, in the journal and in copies too? There is no undo."
    agreed = redact and bool(found.found) and confirmed(question, yes, as_json)
    if quarantine and found.injections:
        done = secret_scan.quarantine_orders(store, found)
        print(f"put {counted(done, 'memory')} in quarantine · `curator undo` undoes it", file=out)
    if not (redact and found.found):
        return
    if not agreed:
        raise typer.Exit(NOTHING)
    redacted, left = secret_scan.redact_found(store, found, everywhere.finish_purge)
    print(
        f"redacted {counted(redacted.messages, 'message')}, {counted(len(redacted.memories), 'memory')} and"
        f" {counted(redacted.events, 'event')}; change these secrets where they are used",
        file=out,
    )
    end_unless_done(left)


def _print_secrets(found: "Scan", places: int) -> None:
    from curator.secrets.scan import switched_off

    total, off = sum(one.count for one in found.found), ", ".join(sorted(switched_off()))
    skipped = f"; not looked for, as `secrets.off` says: {off}" if off else ""
    none = f"none that Curator knows (passwords, tokens, keys, cards, accounts, PINs, codes, seed phrases{skipped})"
    print(f"secrets: {total:,} in {counted(places, 'text')}" if total else f"secrets: {none}")
    for one in found.found[:_SHOWN]:
        place = max(one.shown.find("[REDACTED]") - _WIDTH // 2, 0)
        print(dim(f"  {one.sort} {one.id}: ") + on_one_line(one.shown[place : place + _WIDTH]))
    if len(found.found) > _SHOWN:
        print(dim(f"  and {len(found.found) - _SHOWN:,} more"))


def _print_instructions(store: Store, found: "Scan") -> None:
    orders = (*found.injections, *found.validated)
    count = counted(len(orders), "memory") if orders else "none"
    if found.quarantined:
        held = counted(len(found.quarantined), "memory")
        count = f"{held} in quarantine (`curator list is:flagged`), {len(orders):,} outside of it"
    yours = f", {len(found.validated):,} of them added or validated by you, which models get" if found.validated else ""
    print(f"instructions to a model: {count}{yours}")
    for memory in store.get_many(orders[:_SHOWN]):
        print(f"  {memory_line(memory)}")
