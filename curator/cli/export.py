"""The command `export`."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from curator.cli.archive import export_all, export_folder, export_layers
from curator.cli.backup import check_named, named_file
from curator.cli.options import PassphraseFile
from curator.cli.output import NOTHING, open_store, warn
from curator.display import counted
from curator.filters import parse_filter, with_topics
from curator.paths import expanded, work_tree
from curator.services.block_files import drop_block, export_block
from curator.services.context_files import (
    DEFAULT_FILES,
    ExportFormat,
    chatgpt_fields,
    confirmed_memories,
    count_tokens,
    fit_to_budget,
    markdown,
)
from curator.services.projects import label_of
from curator.terminal_text import on_one_line
from store import Filter
from store.model import Life, Memory

_NO_JSONL = (".md", ".markdown", ".mdc", ".csv", ".tsv", ".html", ".zip", ".yaml", ".yml", ".pdf")
_LARGE = 2_000  # tokens of a block above which a budget is recommended


def export(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="The file to write; needed for jsonl only.")
    ] = None,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILTER", help="As for `list`; all but forgotten and purged ones by default."),
    ] = None,
    form: Annotated[
        ExportFormat,
        typer.Option("--format", help="Format of the file; for a folder, `export notes DIR` or `export layers DIR`."),
    ] = ExportFormat.JSONL,
    project: Annotated[
        str | None,
        typer.Option(help="Only this project; by default, that of the git worktree (none for chatgpt and jsonl)."),
    ] = None,
    everywhere: Annotated[bool, typer.Option("--global", help="Only global memories, even in a git worktree.")] = False,
    budget: Annotated[
        int | None, typer.Option(min=100, help="At most this many tokens for an assistant, most important first.")
    ] = None,
    remove: Annotated[
        bool, typer.Option("--remove", help="Remove the block of memories from the file instead.")
    ] = False,
    everything: Annotated[
        bool,
        typer.Option("--all", help="Export the whole store in an open format: logs, memories of any state, history."),
    ] = False,
    encrypt: Annotated[bool, typer.Option("--encrypt", help="With --all: encrypt with a passphrase.")] = False,
    passphrase_file: PassphraseFile = None,
    forgotten_words: Annotated[
        bool,
        typer.Option(
            "--with-forgotten-words", help="With --all: include the words of forgotten and rejected memories."
        ),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "--force", help="Overwrite the file.")] = False,
) -> None:
    """Export memories to a file, or for an assistant.

    A JSONL file is signed and contains quotes, versions, tags and dates; `curator import FILE` reads it back. What you
    forgot or rejected is included only with a filter such as `state:any`. A file that is not an export is overwritten
    only with --yes. In CLAUDE.md, AGENTS.md, GEMINI.md, .cursor/rules/curator.mdc and other Markdown files, validated
    and pinned memories are written between two markers, and nothing else changes. `--format chatgpt` prints the two
    texts for ChatGPT's settings. `--all` exports the whole store, which `curator import FILE` restores into an empty
    one; an existing file is overwritten only with --force. `export notes DIR` writes a Markdown note for each live
    memory, which `curator import DIR` reads back; edited notes are kept. `export layers DIR` writes topics,
    conversations and a global memory as JSON and Markdown.
    """
    if project and everywhere:
        raise typer.BadParameter("--project and --global exclude each other")
    plain = not (remove or project or everywhere or budget or everything) and form is ExportFormat.JSONL
    if not everything and (encrypt or passphrase_file or forgotten_words):
        raise typer.BadParameter("--encrypt, --passphrase-file and --with-forgotten-words are for --all")
    if file is not None and str(file) == "notes":
        if not (plain and words):
            raise typer.BadParameter("give a folder and optionally a filter, e.g. `curator export notes ~/memories`")
        with named_file():
            export_folder(open_store(), expanded(words[0]), " ".join(words[1:]), yes)
    elif file is not None and str(file) == "layers":
        if not (plain and words and len(words) == 1):
            raise typer.BadParameter("layers take one folder and no filter, e.g. `curator export layers ~/layers`")
        with named_file():
            export_layers(open_store(), expanded(words[0]), yes)
    elif everything:
        if file is None or words or remove or project or everywhere or budget or form is not ExportFormat.JSONL:
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
    elif remove:
        remove_block(file or (Path(DEFAULT_FILES[form]) if form in DEFAULT_FILES else None), words)
    elif form is not ExportFormat.JSONL:
        if words:
            raise typer.BadParameter("a filter is for --format jsonl")
        # ChatGPT's settings apply to every chat, so the current folder does not matter
        path = None if everywhere or project or form is ExportFormat.CHATGPT else (file or Path("any")).resolve()
        export_context(file, form, project, path, budget)
    elif budget is not None:
        raise typer.BadParameter("--budget is for the other formats")
    elif file is None:
        raise typer.BadParameter("name the file to write, e.g. memories.jsonl")
    elif file.suffix.lower() in _NO_JSONL:
        raise typer.BadParameter(
            f"JSONL is written to a .jsonl file, not {on_one_line(file.suffix)}; for Markdown, add --format markdown,"
            " and for a zip of the whole store --all"
        )
    else:
        scope = f"project:{project}" if project else "global" if everywhere else None
        export_jsonl(file, words or (), yes, scope)


def remove_block(file: Path | None, words: Sequence[str] | None) -> None:
    """Remove the block of memories from a file."""
    if file is None or words:
        raise typer.BadParameter("name one file, e.g. CLAUDE.md")
    with named_file():
        done = "removed the block from" if drop_block(file) else "no such file; removed from the list:"
    print(f"{done} {on_one_line(str(file))}")


def export_jsonl(file: Path, words: Sequence[str], yes: bool, scope: str | None) -> None:
    """Write the memories that match a filter, of one scope or of all, as signed JSON Lines."""
    from curator.export.files import export_file, is_export_header

    kept = tuple(life for life in Life if life not in (Life.FORGOTTEN, Life.PURGED))
    store = open_store()
    memory_filter = with_topics(store, parse_filter(" ".join(words), replace(Filter(), lives=kept)))
    if scope is not None:
        memory_filter = memory_filter.within((scope,))
    with named_file():
        check_named(store, file, "export", is_export_header, yes)
        count = export_file(store, file, memory_filter)
    print(f"wrote {counted(count, 'memory')} to {on_one_line(str(file))}")
    if not words and (left := store.count(Filter(lives=(Life.FORGOTTEN,)))):
        warn(f"left out {counted(left, 'forgotten or rejected memory')}; the filter `state:any` exports everything")


def export_context(
    file: Path | None, form: ExportFormat, project: str | None, path: Path | None, budget: int | None
) -> None:
    """Write the block of memories for assistants to a file, or print it without one.

    Its project is `project`, or that of the folder of `path`; outside a git worktree, a folder counts as a project if
    memories belong to it.
    """
    store = open_store()
    if path is not None:
        tree = work_tree(path)
        label = label_of(store, str(tree or path.parent))
        project = label if tree or label in dict(store.project_counts()) else None
    memories: Sequence[Memory] = fit_to_budget(confirmed_memories(store, project), budget)
    target = file or (Path(DEFAULT_FILES[form]) if form in DEFAULT_FILES else None)
    changed = False
    if memories and target is not None and form is not ExportFormat.CHATGPT:
        with named_file():
            memories, changed = export_block(store, target, project, budget)
    where = f"of the project {on_one_line(project)}" if project else "for all projects"
    if not memories:
        of_all = "; --global takes global memories" if project else ""
        warn(f"no validated memories {where}{of_all}; `curator validate ID` validates one")
        raise typer.Exit(NOTHING)
    if form is ExportFormat.CHATGPT:
        fields = chatgpt_fields(memories)
        for title, text in zip(("About you", "How ChatGPT should answer"), fields, strict=True):
            print(f"{title}:\n{text or '–'}\n")
        if left := len(memories) - sum(len(text.splitlines()) for text in fields):
            warn(f"{counted(left, 'memory')} did not fit: each field takes 1,500 characters")
        return
    if target is None:
        print(markdown(memories))
        return
    done = f"{counted(len(memories), 'memory')} {where}"
    print(
        f"wrote {done} to {on_one_line(str(target))}" if changed else f"{on_one_line(str(target))} has {done} already"
    )
    if budget is None and (tokens := count_tokens(memories)) > _LARGE:
        warn(f"that is {tokens:,} tokens, which every session reads; `--budget {_LARGE}` takes the most important ones")
