"""The command `scan`."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from curator import purge_everywhere
from curator.cli.options import AsJson, Yes
from curator.cli.output import NOTHING, confirmed, dim, memory_line, open_store, print_json
from curator.cli.purge import end_unless_done
from curator.display import counted
from curator.terminal_text import on_one_line
from store import Store

if TYPE_CHECKING:
    from curator.services.secret_scan import SecretScan

_MAX_SHOWN, _WIDTH = 50, 160  # secrets and memories printed; characters of each


def scan(
    redact: Annotated[bool, typer.Option("--redact", help="Redact the secrets for good, after asking.")] = False,
    quarantine: Annotated[bool, typer.Option("--quarantine", help="Quarantine the memories. Undoable.")] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Scan the store for secrets and instructions to models.

    Without options it only reports. Redacting works like a purge: it erases secrets from messages, memories, journal,
    copies and index, and cannot be undone.
    """
    from curator.services import secret_scan

    store = open_store()
    result = secret_scan.scan(store)
    out = sys.stderr if as_json else sys.stdout
    texts = len({(secret.sort, secret.id) for secret in result.found})
    if as_json:
        print_json(
            {
                "secrets": [{"in": secret.sort, "id": secret.id, "count": secret.count} for secret in result.found],
                "injections": result.injections,
                "validated": result.validated,
                "vouched": result.validated,  # former name, kept for programs that read it
                "quarantined": result.quarantined,
            }
        )
    else:
        print_secrets(result, texts)
        print_instructions(store, result)
        if result.found and not redact:
            print("`curator scan --redact` redacts them for good, without undo")
        if result.injections and not quarantine:
            print("`curator scan --quarantine` keeps them from models until you validate them")
        if result.validated:
            print("those you added or validated stay in recall; `curator forget ID` removes one")
    question = f"redact {counted(texts, 'text')} for good, including the journal and copies? This cannot be undone."
    agreed = redact and bool(result.found) and confirmed(question, yes, as_json)
    if quarantine and result.injections:
        done = secret_scan.quarantine_orders(store, result)
        print(f"put {counted(done, 'memory')} in quarantine{' · `curator undo` undoes it' if done else ''}", file=out)
    if not (redact and result.found):
        return
    if not agreed:
        raise typer.Exit(NOTHING)
    redacted, left = secret_scan.redact_found(store, result, purge_everywhere.finish_purge)
    print(
        f"redacted {counted(redacted.messages, 'message')}, {counted(len(redacted.memories), 'memory')} and"
        f" {counted(redacted.events, 'event')}; change these secrets at the services that use them",
        file=out,
    )
    end_unless_done(left)


def print_secrets(result: "SecretScan", texts: int) -> None:
    """Print how many secrets were found in how many texts, and the first ones without the secrets."""
    from curator.secrets.scan import switched_off

    total, off = sum(secret.count for secret in result.found), ", ".join(sorted(switched_off()))
    skipped = f"; not looked for, as `secrets.off` says: {off}" if off else ""
    none = f"none recognised (passwords, tokens, keys, cards, accounts, PINs, codes, seed phrases{skipped})"
    print(f"secrets: {total:,} in {counted(texts, 'text')}" if total else f"secrets: {none}")
    for secret in result.found[:_MAX_SHOWN]:
        start = max(secret.shown.find("[REDACTED]") - _WIDTH // 2, 0)
        print(dim(f"  {secret.sort} {secret.id}: ") + on_one_line(secret.shown[start : start + _WIDTH]))
    if len(result.found) > _MAX_SHOWN:
        print(dim(f"  and {len(result.found) - _MAX_SHOWN:,} more"))


def print_instructions(store: Store, result: "SecretScan") -> None:
    """Print the memories that instruct a model."""
    orders = (*result.injections, *result.validated)
    count = counted(len(orders), "memory") if orders else "none"
    if result.quarantined:
        held = counted(len(result.quarantined), "memory")
        count = f"{held} in quarantine (`curator list is:quarantined`), {len(orders):,} not in quarantine"
    yours = (
        f", {len(result.validated):,} of them added or validated by you, so models get them" if result.validated else ""
    )
    print(f"instructions to a model: {count}{yours}")
    for memory in store.get_many(orders[:_MAX_SHOWN]):
        print(f"  {memory_line(memory)}")
