"""The command `doctor`."""

from collections.abc import Sequence
from typing import Annotated

import typer

from curator import purge_everywhere
from curator.cli.options import AsJson
from curator.cli.output import MODEL, STORE, open_store, print_json, warn, warn_all
from curator.display import counted
from curator.paths import cache_folder
from store import Unusable


def doctor(
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Rebuild the search index.")] = False,
    compact: Annotated[
        bool, typer.Option("--compact", help="Reclaim the space of deleted data; finishes a purge.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check the store and the search index for damage."""
    problems: list[str] = []
    try:
        examine(problems, rebuild, compact, as_json)
    except Unusable as error:
        if as_json:
            record = [*problems, str(error)]
            print_json({"record": record, "index": [], "weights": [], "unfinished_purge": None, "days_ahead": None})
        raise


def examine(problems: list[str], rebuild: bool, compact: bool, as_json: bool) -> None:
    """Check everything and print the result; `problems` are those found in the record. Raises Unusable, typer.Exit."""
    from curator.connect import claude_server
    from curator.connect.hosts import HOSTS
    from curator.connect.program import curator_command
    from curator.connect.status import status_of
    from curator.models import weights
    from curator.services.search_session import LEXICAL, open_index
    from store.index import Index

    store = open_store()
    problems += store.differences()
    if not as_json:
        _print_check("record", problems, "ok, rows and journal agree", "problem")
    left = purge_everywhere.finish_purge(store) if compact else ()
    warn_all(left)
    if rebuild:
        Index.drop(store)
    index = open_index(store)
    index.catch_up()
    differing, unfinished, days = index.check(), store.unfinished_purge() is not None, store.journal.days_ahead()
    installed = [model for model in weights.ALL if weights.installed(model, cache_folder()) is not None]
    damaged = [wrong for model in installed if (wrong := weights.verification_error(model, cache_folder(), anew=True))]
    if as_json:
        row = {"record": problems, "index": differing, "weights": damaged}
        print_json(row | {"unfinished_purge": unfinished, "days_ahead": days})
    else:
        _print_check("index", differing, "up to date with the record", "difference")
        fine = "intact"
        if weights.MINILM not in installed:
            fine = f"not installed: {LEXICAL}"
        elif weights.MPNET not in installed:
            fine = f"{weights.MPNET.name} is not installed: {weights.BY_WORDS_ONLY}"
        _print_check("models", damaged, fine, "problem")
    for there, remedy in (
        (
            days,
            f"the journal's clock is {counted(days, 'day')} ahead of this machine's: check the machine's date;"
            " nothing is lost, and new commands still come after older ones",
        ),
        (differing and not rebuild, "`curator doctor --rebuild` rebuilds the index; nothing is lost"),
        (problems, "restore a backup with `curator restore FILE`, and keep the damaged store"),
    ):
        if there:
            warn(remedy)
    status = status_of(HOSTS["claude-code"], curator_command())
    warn_all((claude_server.outdated() if status.state in ("connected", "incomplete", "outdated") else "",))
    if problems or differing or unfinished or left:
        raise typer.Exit(STORE)
    if damaged:
        raise typer.Exit(MODEL)


def _print_check(what: str, findings: Sequence[str], sound: str, noun: str) -> None:
    print(f"{what}: {sound if not findings else counted(len(findings), noun)}")
    for line in findings:
        print(f"  {line}")
