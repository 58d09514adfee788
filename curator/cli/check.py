"""The command `check`: whether recall still gives what it must."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from curator.cli.errors import NOTHING
from curator.cli.options import AsJsonLines
from curator.cli.output import counted, dim, open_store, print_json
from curator.recall.preset_names import Preset

if TYPE_CHECKING:
    from curator.recall.expectations import CheckResult
    from store import Store
    from store.model import Check


def check(
    prompt: Annotated[
        list[str] | None,
        typer.Argument(metavar="PROMPT", help="Add a check for this prompt; none runs all checks."),
    ] = None,
    must: Annotated[list[int] | None, typer.Option(help="A memory that recall must include; repeat for more.")] = None,
    must_not: Annotated[
        list[int] | None, typer.Option(help="A memory that recall must not include; repeat for more.")
    ] = None,
    off: Annotated[list[int] | None, typer.Option(help="A memory to drop from the check.")] = None,
    remove: Annotated[int | None, typer.Option(help="Delete the check with this number.")] = None,
    preset: Annotated[Preset | None, typer.Option("--preset", help="How to rank; recall.preset by default.")] = None,
    as_json: AsJsonLines = False,
) -> None:
    """Check that recall includes what you said it must.

    Exits with 1 if a check fails. In the app, > and < in Recall (4) add checks for the prompt that is shown. A memory
    that passes gets a little warmer, one that must not be recalled a little colder, once for each check.
    """
    store = open_store()
    if remove is not None:
        if not store.checks.drop(remove):
            raise ValueError(f"there is no check {remove}; `curator check` lists them")
        print(f"deleted check {remove}")
        return
    if prompt:
        _keep(store, " ".join(prompt), must or [], must_not or [], off or [])
        return
    if must or must_not or off:
        raise typer.BadParameter("give a prompt with --must, --must-not and --off")
    _run(store, store.checks.all(), preset, as_json)


def _keep(store: "Store", prompt: str, must: list[int], must_not: list[int], off: list[int]) -> None:
    from curator.recall.expectations import check_prompt, expect

    if both := set(must) & set(must_not):
        raise ValueError(f"memory {min(both)} is in both --must and --must-not")
    if not (must or must_not or off):
        raise typer.BadParameter("give --must ID or --must-not ID with the prompt")
    for memories, wanted in ((must, True), (must_not, False), (off, None)):
        expect(store, prompt, memories, wanted)
    kept = next((one for one in store.checks.all() if one.query == check_prompt(prompt)), None)
    if kept is None:
        print("no check left for that prompt")
    else:
        print(f"check {kept.id}: must include {_listed(kept.must)}, must not include {_listed(kept.must_not)}")


def _listed(memories: tuple[int, ...]) -> str:
    return ", ".join(map(str, memories)) or "none"


def _run(store: "Store", checks: "list[Check]", preset: Preset | None, as_json: bool) -> None:
    from curator.services.recall import NOT_WARMED, run_checks
    from curator.services.search_session import open_search

    if not checks:
        print("curator: no checks yet; `curator check PROMPT --must ID` adds one", file=sys.stderr)
        return
    opened = open_search(store)
    for note in opened.notes:
        print(f"curator: {note}", file=sys.stderr)
    run = run_checks(store, opened, checks, preset)
    for outcome in run.results:
        _print(store, outcome, as_json)
    broken = sum(not outcome.holds for outcome in run.results)
    if not as_json:
        print(f"{counted(len(run.results), 'check')}: {_told(len(run.results), broken)}")
    if not run.warmed:
        print(f"curator: {NOT_WARMED}", file=sys.stderr)
    if broken:
        raise typer.Exit(NOTHING)


def _told(all_: int, broken: int) -> str:
    if not broken:
        return "holds" if all_ == 1 else "all hold"
    return "does not hold" if all_ == 1 else f"{broken:,} {'does' if broken == 1 else 'do'} not hold"


def _print(store: "Store", outcome: "CheckResult", as_json: bool) -> None:
    from curator.export.sanitize import on_one_line

    made = outcome.check
    if as_json:
        print_json(
            {
                "id": made.id,
                "query": made.query,
                "holds": outcome.holds,
                "must": list(made.must),
                "must_not": list(made.must_not),
                "missing": {str(memory): reason for memory, reason in outcome.missing},
                "unwanted": list(outcome.unwanted),
            }
        )
        return
    print(f"{made.id:>6}  {'holds ' if outcome.holds else 'broken'}  {on_one_line(made.query)}")
    for memory, reason in outcome.missing:
        print(dim(f"        {memory} is missing ({reason}): {on_one_line(store.get(memory).text)}"))
    for memory in outcome.unwanted:
        print(dim(f"        {memory} must not be given: {on_one_line(store.get(memory).text)}"))


def register(app: typer.Typer) -> None:
    """Put this family's commands on the command line."""
    app.command("check")(check)
