"""One memory in the place of several: merge, supersede."""

from typing import Annotated

import typer

from curator.cli.errors import NOTHING
from curator.cli.numbers import countable, memory_number
from curator.cli.output import confirmed, counted, memory_line, open_store
from curator.cli.review import ASK_ABOVE, Ids, Yes, done


def merge(
    ids: Ids,
    text: Annotated[str | None, typer.Option(help="What the merged memory says; a draft by rule if left out.")] = None,
    edit: Annotated[bool, typer.Option("--edit", help="Open the draft in $EDITOR first.")] = False,
    yes: Yes = False,
) -> None:
    """Make one memory of several. Their texts stay as its versions, their quotes become its own. Undoable."""
    from curator import curation
    from curator.editor import edited
    from curator.export.plain import on_one_line

    store = open_store()
    draft = curation.draft(store, ids)
    for memory in store.get_many(draft.memories)[:ASK_ABOVE]:
        print(memory_line(memory))
    words = draft.text if text is None else text
    changed = edited(words) if edit else None
    words = changed or words
    print(f"\nmemory {draft.survivor} ({draft.kind}, {draft.tier}) would say:\n  {on_one_line(words)}")
    for sentence in draft.left_out if words == draft.text else ():
        print(f"no room for: {on_one_line(sentence)}")
    question = f"merge {counted(len(draft.memories), 'memory')} into memory {draft.survivor}?"
    if changed is None and not confirmed(question, yes):
        raise typer.Exit(NOTHING)
    done("merged", curation.merge(store, draft.memories, words, draft.survivor))


def supersede(
    ids: Ids,
    by: Annotated[
        int, typer.Option("--by", parser=memory_number, callback=countable, help="The memory that is true now.")
    ],
) -> None:
    """Say that memories are out of date, and which one replaces them. They leave recall and stay readable. Undoable."""
    from curator import curation

    done("superseded", curation.supersede(open_store(), ids, by))


def register(app: typer.Typer) -> None:
    """Put this family's commands on the command line."""
    app.command("merge")(merge)
    app.command("supersede")(supersede)
