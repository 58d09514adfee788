"""The command `scan`: read the record again with the detectors of this version."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from curator.cli.errors import NOTHING, STORE
from curator.cli.options import AsJson, Yes
from curator.cli.output import confirmed, counted, dim, memory_line, open_store, print_json

if TYPE_CHECKING:
    from curator.services.secret_scan import Scan
    from store import Store

_SHOWN, _WIDTH = 50, 160


def scan(
    redact: Annotated[bool, typer.Option("--redact", help="Redact the secrets for good, after asking.")] = False,
    quarantine: Annotated[bool, typer.Option("--quarantine", help="Quarantine the memories. Undoable.")] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Scan the store for secrets and instructions to models.

    Alone it only reports. Redacting works like a purge: from messages, memories, journal, copies and index, without
    undo, since the secret would stay in the journal otherwise.
    """
    from curator.services import secret_scan

    store = open_store()
    found = secret_scan.scan(store)
    if as_json:
        print_json(
            {
                "secrets": [{"in": one.sort, "id": one.id, "count": one.count} for one in found.found],
                "injections": list(found.injections),
                "vouched": list(found.vouched),
                "quarantined": list(found.quarantined),
            }
        )
    else:
        _print(store, found)
        _print_ways(found, redact, quarantine)
    redacting = redact and bool(found.found)
    places = len({(one.sort, one.id) for one in found.found})
    question = f"redact {counted(places, 'text')} for good, in the journal and in copies too? There is no undo."
    agreed = redacting and confirmed(question, yes, as_json)
    if quarantine and found.injections:
        done = secret_scan.quarantine_orders(store, found)
        _say(f"put {counted(done, 'memory')} in quarantine · `curator undo` undoes it", as_json)
    if not redacting:
        return
    if not agreed:
        raise typer.Exit(NOTHING)
    redacted, left = secret_scan.redact_found(store, found)
    _say(
        f"redacted {counted(redacted.messages, 'message')}, {counted(len(redacted.memories), 'memory')} and"
        f" {counted(redacted.events, 'event')}; change these secrets where they are used",
        as_json,
    )
    for what in left:
        print(f"curator: {what}", file=sys.stderr)
    if left:
        raise typer.Exit(STORE)


def _print(store: "Store", found: "Scan") -> None:
    from curator.export.sanitize import on_one_line

    total = sum(one.count for one in found.found)
    texts = len({(one.sort, one.id) for one in found.found})
    where = f"{total:,} in {counted(texts, 'text')}" if total else _none_known()
    print(f"secrets: {where}")
    for one in found.found[:_SHOWN]:
        place = max(one.shown.find("[REDACTED]") - _WIDTH // 2, 0)
        print(dim(f"  {one.sort} {one.id}: ") + on_one_line(one.shown[place : place + _WIDTH]))
    if len(found.found) > _SHOWN:
        print(dim(f"  and {len(found.found) - _SHOWN:,} more"))
    orders = (*found.injections, *found.vouched)
    yours = f", {len(found.vouched):,} of them added or validated by you, which models get" if found.vouched else ""
    held = f"{counted(len(found.quarantined), 'memory')} in quarantine (`curator list is:flagged`), "
    outside = f"{len(orders):,} outside of it" if found.quarantined else counted(len(orders), "memory")
    count = (held if found.quarantined else "") + (outside if orders or found.quarantined else "none")
    print(f"instructions to a model: {count}{yours}")
    for memory in store.get_many(orders[:_SHOWN]):
        print(f"  {memory_line(memory)}")


def _none_known() -> str:
    """Say what was looked for where nothing was found."""
    from curator.secrets.table import switched_off

    off = f"; not looked for, as `secrets.off` says: {', '.join(sorted(switched_off()))}" if switched_off() else ""
    return f"none that Curator knows (passwords, tokens, keys, cards, accounts, PINs, codes, seed phrases{off})"


def _print_ways(found: "Scan", redact: bool, quarantine: bool) -> None:
    """What can be done about it, as far as it was not asked for."""
    if found.found and not redact:
        print("`curator scan --redact` redacts them for good, without undo")
    if found.injections and not quarantine:
        print("`curator scan --quarantine` keeps them from models until you validate them")
    if found.vouched:
        print("those you added or validated stay in recall; `curator forget ID` takes one out")


def _say(text: str, as_json: bool) -> None:
    print(text, file=sys.stderr if as_json else sys.stdout)


def register(app: typer.Typer) -> None:
    """Put this family's commands on the command line."""
    app.command("scan")(scan)
