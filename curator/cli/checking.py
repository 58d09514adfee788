"""Noticing when curation broke recall: check."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from curator.cli.browsing import AsJson
from curator.cli.errors import NOTHING
from curator.cli.output import counted, dim, open_store, print_json
from curator.recall.names import Preset

if TYPE_CHECKING:
    from curator.recall.checks import Checked
    from store import Store
    from store.model import Check


def check(
    prompt: Annotated[
        list[str] | None, typer.Argument(help="Keep a check of this prompt; without one, all are run.")
    ] = None,
    must: Annotated[list[int] | None, typer.Option(help="A memory that recall must give for it.")] = None,
    must_not: Annotated[list[int] | None, typer.Option(help="A memory that recall must not give for it.")] = None,
    off: Annotated[list[int] | None, typer.Option(help="A memory that it says nothing of any more.")] = None,
    remove: Annotated[int | None, typer.Option(help="Let go of the check with this number.")] = None,
    preset: Annotated[Preset | None, typer.Option("--preset", help="How to rank; recall.preset if left out.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run your checks: whether recall still gives what it must, and nothing that it must not.

    Ends with 1 if one does not hold. In the app (4), > and < keep a check of the prompt that is shown. What is given as
    you said is warmer for it, and what is not to be given colder, by as much as one mark of yours and no more.
    """
    store = open_store()
    if remove is not None:
        if not store.recalls.drop_check(remove):
            raise ValueError(f"there is no check {remove}; `curator check` lists them")
        print(f"check {remove} is gone")
        return
    if prompt:
        _keep(store, " ".join(prompt), must or [], must_not or [], off or [])
        return
    if must or must_not or off:
        raise typer.BadParameter("say for which prompt")
    _run(store, store.recalls.checks(), preset, as_json)


def _keep(store: "Store", prompt: str, must: list[int], must_not: list[int], off: list[int]) -> None:
    from curator.recall.checks import expect, words_of

    if both := set(must) & set(must_not):
        raise ValueError(f"memory {min(both)} cannot be given and not be given")
    if not (must or must_not or off):
        raise typer.BadParameter("say what must be given for it: --must ID, or --must-not ID")
    for memories, wanted in ((must, True), (must_not, False), (off, None)):
        expect(store, prompt, memories, wanted)
    kept = next((one for one in store.recalls.checks() if one.query == words_of(prompt)), None)
    if kept is None:
        print("nothing is kept of that prompt")
    else:
        print(f"check {kept.id}: must give {_listed(kept.must)}, must not give {_listed(kept.must_not)}")


def _listed(memories: tuple[int, ...]) -> str:
    return ", ".join(map(str, memories)) or "none"


def _run(store: "Store", checks: "list[Check]", preset: Preset | None, as_json: bool) -> None:
    from curator.jobs.checking import NOT_WARMED, run_all
    from curator.jobs.opening import open_search

    if not checks:
        print("curator: there are no checks; `curator check PROMPT --must ID` keeps one", file=sys.stderr)
        return
    opened = open_search(store)
    for note in opened.notes:
        print(f"curator: {note}", file=sys.stderr)
    run = run_all(store, opened, checks, preset)
    for outcome in run.outcomes:
        _print(store, outcome, as_json)
    broken = sum(not outcome.holds for outcome in run.outcomes)
    if not as_json:
        print(f"{counted(len(run.outcomes), 'check')}: {_told(len(run.outcomes), broken)}")
    if not run.warmed:
        print(f"curator: {NOT_WARMED}", file=sys.stderr)
    if broken:
        raise typer.Exit(NOTHING)


def _told(all_: int, broken: int) -> str:
    if not broken:
        return "holds" if all_ == 1 else "all hold"
    return "does not hold" if all_ == 1 else f"{broken:,} {'does' if broken == 1 else 'do'} not hold"


def _print(store: "Store", outcome: "Checked", as_json: bool) -> None:
    from curator.export.plain import on_one_line

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
