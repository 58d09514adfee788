"""The command `context`: the memories of a project, for the start of a session."""

from typing import Annotated

import typer

from curator.cli.options import AsJson, countable
from curator.cli.output import end_with_nothing, open_store, print_json
from curator.cli.search import note_recall
from curator.export.sanitize import visible
from curator.models.tokens import token_counter
from curator.recall.block import Detail


def context(
    project: Annotated[str, typer.Option(help="The project's name.")],
    detail: Annotated[Detail, typer.Option(help="How much to say of each memory.")] = Detail.COMPACT,
    person: Annotated[
        bool, typer.Option("--person", help="Add who you are and your preferences for all projects.")
    ] = False,
    budget: Annotated[
        int | None, typer.Option(min=50, callback=countable, help="At most this many tokens; no limit by default.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print all memories of a project, for a model to start with."""
    from curator.config import settings
    from curator.recall.block import project_context

    known = settings().recall
    count = token_counter(known.tokenizer)
    store = open_store()
    made = project_context(
        store, project, budget, detail, person=person, validated=known.require_validation, count=count
    )
    if made.memories:
        note_recall(store, made.id, made.memories, used=False)  # shown unasked, it counts as no use
    if as_json:
        by_kind: dict[str, list[dict[str, object]]] = {}
        for memory in store.get_many(made.memories):
            row = {"id": memory.id, "uid": memory.uid, "text": memory.text}
            by_kind.setdefault(memory.kind.value, []).append(row)
        print_json(
            {
                "id": made.id,
                "project": project,
                "text": made.text,
                "tokens": made.tokens,
                "memories": made.memories,
                "kinds": by_kind,
                "dropped": {str(memory): reason for memory, reason in made.dropped.items()},
            }
        )
    elif made.text:
        print(made.text)
    if not made.memories:
        named = "`curator sql 'SELECT DISTINCT project FROM memories'`"
        what = f"no memories of the project {visible(project)}; {named} lists the projects"
        if made.dropped:
            why = ", ".join(sorted(set(made.dropped.values())))
            what = f"no memory of the project {visible(project)} may be shown or fits ({why}); --json has the reasons"
        end_with_nothing(store, what, as_json)
