"""Commands that put one memory in the place of several: merge, supersede."""

from typing import Annotated

import typer

from curator import curation
from curator.cli.options import AsJson, Ids, Yes, countable, memory_number
from curator.cli.output import confirm, counted, memory_line, open_store
from curator.cli.review import ASK_ABOVE, print_done, print_quarantined
from curator.editor import edited
from curator.export.sanitize import on_one_line


def merge(
    ids: Ids,
    text: Annotated[str | None, typer.Option(help="The merged text; a suggestion by default.")] = None,
    edit: Annotated[bool, typer.Option("--edit", help="Open the draft in $EDITOR first.")] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Merge memories into one, with all their quotes. Undoable."""
    store = open_store()
    draft = curation.draft(store, ids)
    merged = store.get_many(draft.memories)
    changed = edited(draft.text if text is None else text) if edit else None
    words = changed or (draft.text if text is None else text)
    if not as_json:
        for memory in merged[:ASK_ABOVE]:
            print(memory_line(memory))
        print(f"\nmemory {draft.survivor} ({draft.kind}, {draft.tier}) will say:\n  {on_one_line(words)}")
        print_quarantined(merged)
        if draft.quarantined:
            print("merged, it stays in quarantine until you validate it")
        for sentence in draft.left_out if words == draft.text else ():
            print(f"no room for: {on_one_line(sentence)}")
    if changed is None:
        confirm(f"merge {counted(len(draft.memories), 'memory')} into memory {draft.survivor}?", yes, as_json)
    count = curation.merge(store, draft.memories, words, draft.survivor)
    print_done("merged {}", "already merged", count, draft.memories, as_json)


def supersede(
    ids: Ids,
    by: Annotated[
        int, typer.Option("--by", parser=memory_number, callback=countable, help="The memory that supersedes them.")
    ],
    as_json: AsJson = False,
) -> None:
    """Mark memories as superseded by another one. Undoable.

    They leave recall and stay readable.
    """
    print_done("superseded {}", "already superseded", curation.supersede(open_store(), ids, by), ids, as_json)
