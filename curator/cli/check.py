"""The command `check`: tests that recall includes the right memories for a prompt."""

from typing import Annotated

import typer

from curator.cli.options import AsJsonLines
from curator.cli.output import NOTHING, dim, open_store, print_json, warn
from curator.cli.search import open_noted
from curator.display import counted
from curator.recall.explain import omission_code, omission_label
from curator.recall.types import Preset
from curator.terminal_text import on_one_line
from store import Store
from store.model import Check


def check(
    prompt: Annotated[
        list[str] | None,
        typer.Argument(metavar="PROMPT", help="Add a check for this prompt; without one, all checks run."),
    ] = None,
    must: Annotated[
        list[int] | None, typer.Option(metavar="ID", help="A memory that recall must include; repeat for more.")
    ] = None,
    must_not: Annotated[
        list[int] | None, typer.Option(metavar="ID", help="A memory that recall must not include; repeat for more.")
    ] = None,
    off: Annotated[list[int] | None, typer.Option(metavar="ID", help="A memory to remove from the check.")] = None,
    project: Annotated[
        str | None, typer.Option(help="Recall as in a session of this project: its memories and global ones.")
    ] = None,
    remove: Annotated[int | None, typer.Option(help="Delete the check with this number.")] = None,
    preset: Annotated[
        Preset | None, typer.Option("--preset", help="The ranking; the setting recall.preset by default.")
    ] = None,
    as_json: AsJsonLines = False,
) -> None:
    """Check that recall includes the right memories.

    Exits with 1 if a check fails. In the app, > and < in Recall (4) add checks for the prompt that is shown. A memory
    that passes gets slightly warmer, one that must not be recalled slightly colder, once per check.
    """
    from curator.services.recall import NOT_WARMED, run_checks

    store = open_store()
    if remove is not None:
        if not store.checks.drop(remove):
            raise ValueError(f"there is no check {remove}; `curator check` lists them")
        print(f"deleted check {remove}")
        return
    if prompt:
        _add(store, " ".join(prompt), project, must or [], must_not or [], off or [])
        return
    if must or must_not or off or project:
        raise typer.BadParameter("give a prompt with --must, --must-not, --off and --project")
    checks = store.checks.all()
    if not checks:
        warn("no checks yet; `curator check PROMPT --must ID` adds one")
        return
    run = run_checks(store, open_noted(store), checks, preset)
    for result in run.results:
        made = result.check
        if as_json:
            print_json(
                {
                    "id": made.id,
                    "query": made.query,
                    "project": made.project,
                    "holds": result.holds,
                    "must": made.must,
                    "must_not": made.must_not,
                    "missing": {str(memory): omission_code(reason) for memory, reason in result.missing},
                    "unwanted": result.unwanted,
                }
            )
            continue
        print(f"{made.id:>6}  {'holds ' if result.holds else 'broken'}  {on_one_line(made.query)}{_place(made)}")
        for memory, reason in result.missing:
            print(dim(f"        {memory} is missing ({omission_label(reason)}): {on_one_line(store.get(memory).text)}"))
        for memory in result.unwanted:
            print(dim(f"        {memory} must not be included: {on_one_line(store.get(memory).text)}"))
    broken = sum(not result.holds for result in run.results)
    if not as_json:
        number = len(run.results)
        result_of_all = f"{broken:,} broken" if broken else "holds" if number == 1 else "all hold"
        print(f"{counted(number, 'check')}: {result_of_all}")
    if not run.warmed:
        warn(NOT_WARMED)
    if broken:
        raise typer.Exit(NOTHING)


def _place(check: Check) -> str:
    return f", in project {on_one_line(check.project)}" if check.project else ""


def _add(store: Store, prompt: str, project: str | None, must: list[int], must_not: list[int], off: list[int]) -> None:
    """Add or change the check of a prompt, and print it. Raises ValueError, BadParameter, NotFound."""
    from curator.recall.expectations import check_prompt, expect
    from curator.services.projects import known_project

    if both := set(must) & set(must_not):
        raise ValueError(f"memory {min(both)} is in both --must and --must-not")
    if not (must or must_not or off):
        raise typer.BadParameter("give --must ID or --must-not ID with the prompt")
    if project and (must or must_not):
        known_project(store, project)
    for memories, wanted in ((must, True), (must_not, False), (off, None)):
        expect(store, prompt, memories, wanted, project)
    asked = check_prompt(prompt), project
    kept = next((check for check in store.checks.all() if (check.query, check.project) == asked), None)
    if kept is None:
        print("no check left for that prompt")
        return
    named = (("must include", kept.must), ("must not include", kept.must_not))
    rules = (f"{rule} {', '.join(map(str, ids))}" for rule, ids in named if ids)
    print(f"check {kept.id}{_place(kept)}: {', '.join(rules)}")
    for memory in store.get_many(must):
        if project is None and memory.scope.startswith("project:"):
            name = memory.scope.partition(":")[2]
            warn(f"memory {memory.id} holds in the project {on_one_line(name)}: --project checks the prompt there")
            break
