"""Commands that put one memory in the place of several: merge, supersede."""

from typing import Annotated

import typer

from curator.cli.errors import NOTHING
from curator.cli.options import Ids, Yes
from curator.cli.output import confirmed, counted, memory_line, open_store
from curator.cli.review import ASK_ABOVE, done, print_quarantined
from curator.cli.validators import countable, memory_number


def merge(
    ids: Ids,
    text: Annotated[str | None, typer.Option(help="The merged text; a suggestion by default.")] = None,
    edit: Annotated[bool, typer.Option("--edit", help="Open the draft in $EDITOR first.")] = False,
    yes: Yes = False,
) -> None:
    """Merge memories into one, with all their quotes. Undoable."""
    from curator import curation
    from curator.editor import edited
    from curator.export.sanitize import on_one_line

    store = open_store()
    draft = curation.draft(store, ids)
    for memory in store.get_many(draft.memories)[:ASK_ABOVE]:
        print(memory_line(memory))
    words = draft.text if text is None else text
    changed = edited(words) if edit else None
    words = changed or words
    print(f"\nmemory {draft.survivor} ({draft.kind}, {draft.tier}) will say:\n  {on_one_line(words)}")
    print_quarantined(store.get_many(draft.memories))
    if draft.quarantined:
        print("merged, it stays in quarantine until you validate it")
    for sentence in draft.left_out if words == draft.text else ():
        print(f"no room for: {on_one_line(sentence)}")
    question = f"merge {counted(len(draft.memories), 'memory')} into memory {draft.survivor}?"
    if changed is None and not confirmed(question, yes):
        raise typer.Exit(NOTHING)
    done("merged {}", "already merged", curation.merge(store, draft.memories, words, draft.survivor))


def supersede(
    ids: Ids,
    by: Annotated[
        int, typer.Option("--by", parser=memory_number, callback=countable, help="The memory that replaces them.")
    ],
) -> None:
    """Mark memories as replaced by another one. Undoable.

    They leave recall and stay readable.
    """
    from curator import curation

    done("superseded {}", "already superseded", curation.supersede(open_store(), ids, by))


def register(app: typer.Typer) -> None:
    """Put this family's commands on the command line."""
    app.command("merge")(merge)
    app.command("supersede")(supersede)
