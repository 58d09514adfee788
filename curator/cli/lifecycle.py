"""The commands `tidy`, `until`, `warmth` and `outdated`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from curator import curation
from curator.cli.errors import NOTHING, warn
from curator.cli.options import MOST_DAYS, AsJson, AsJsonLines, Ids, Yes, parse_end
from curator.cli.output import (
    confirm,
    counted,
    day,
    dim,
    memory_line,
    open_store,
    print_json,
    print_json_lines,
    print_table,
)
from curator.cli.purge import WithVariants, end_unless_done, erase
from curator.cli.review import print_done
from curator.export.sanitize import on_one_line
from store import NotFound, Store, clock
from store.model import is_over, is_protected

if TYPE_CHECKING:
    from curator.lifecycle import Plan

_SHOWN = 50  # maximum changes printed in a preview


def tidy(
    yes: Yes = False,
    preview: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    as_json: AsJson = False,
) -> None:
    """Rank memories by use and expire old ones, after asking.

    Validated and pinned memories are never demoted or removed, and unreviewed ones stay in the inbox. Once you have
    said yes, it runs by itself every six hours (sweep_tidy); each run can be undone.
    """
    from curator.lifecycle import allow, plan, run

    store = open_store()
    planned = plan(store)
    if as_json and (preview or not yes):
        print_json(_plan_row(planned))
        if preview:
            return
    elif not as_json:
        _print_plan(store, planned)
    if not planned.changes or preview:
        raise typer.Exit(0 if planned.changes else NOTHING)
    confirm(f"make {counted(len(planned.changes), 'change')}?", yes, as_json)
    command, made = run(store, planned, manual=True)
    allow(store)
    if as_json:
        print_json({**_plan_row(planned), "command": command or None, "done": len(made)})
    else:
        print(f"made {counted(len(made), 'change')} · `curator undo` undoes them all")


def _print_plan(store: Store, planned: "Plan") -> None:
    would = ", ".join(f"{step} {number:,}" for step, number in planned.counts.items())
    print(f"would {would}" if would else "nothing to tidy")
    shown = planned.changes[:_SHOWN]
    memories = {memory.id: memory for memory in store.get_many([change.memory for change in shown])}
    for change in shown:
        if change.memory in memories:
            print(f"{change.step:<7} {memory_line(memories[change.memory])}")
            print(dim(f"        {change.reason}"))
    if len(planned.changes) > _SHOWN:
        print(dim(f"        and {len(planned.changes) - _SHOWN:,} more; --json --dry-run lists them all"))
    for number, why in planned.spared.reasons:
        print(f"{counted(number, 'memory')}: {why}")


def _plan_row(planned: "Plan") -> dict[str, object]:
    spared = planned.spared
    return {
        "counts": {step.value: number for step, number in planned.counts.items()},
        "changes": [
            {"memory": change.memory, "step": change.step, "reason": change.reason} for change in planned.changes
        ],
        "spared": {"unseen": spared.unseen, "wanted": spared.wanted, "taken_back": spared.taken_back},
    }


def until(
    ids: Ids,
    to: Annotated[
        str,
        typer.Option(
            metavar="DATE|30d|never|default", help="A date, days from now, no end, or the default of its kind."
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Set the end date of memories; after it they leave recall."""
    store, moment = open_store(), parse_end(to)
    message, already = f"set the end date of {{}} to {day(moment)}", f"the end date is already {day(moment)}"
    if moment is None:
        message, already = (
            "reset the end date of {} to the default of its kind",
            "the end date is already the default of its kind",
        )
    elif moment >= clock.LATEST:
        message, already = "removed the end date of {}", "no end date already"
    print_done(message, already, curation.set_until(store, ids, moment), ids, as_json)
    if as_json:
        return
    memories = store.get_many(ids)
    over = [memory for memory in memories if is_over(memory, clock.now())]
    pinned = sum(memory.pinned and (memory.expires_at or clock.LATEST) < clock.LATEST for memory in memories)
    if over:
        expiring = sum(not is_protected(memory) for memory in over)
        tidied = f"; `curator tidy` expires {counted(expiring, 'memory')}" if expiring else ""
        print(f"{counted(len(over), 'memory')}: past the end date, out of recall now{tidied}")
    if pinned:
        print(f"{counted(pinned, 'memory')}: pinned, in recall even after the end date")


def warmth(
    ids: Ids,
    reset: Annotated[bool, typer.Option("--reset", help="Reset to 0.5.")] = False,
    as_json: AsJsonLines = False,
) -> None:
    """Show how useful memories were in recall, 0 to 1.

    Warmth begins at 0.5 and drifts back to it by 5% a day.
    """
    store = open_store()
    store.check_owned(ids)
    if reset:
        store.recalls.reset_warmth(ids)
    warm, uses = store.recalls.warmth(ids), store.recalls.uses(ids)
    for memory in store.get_many(ids):
        times = uses[memory.id].times if memory.id in uses else 0
        if as_json:
            print_json({"id": memory.id, "warmth": round(warm[memory.id], 4), "uses": times})
        else:
            print(f"{warm[memory.id]:.2f}  used {times:,} times  {memory_line(memory)}")


def outdated(
    days: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_DAYS, help="Forgotten more than this many days ago.", show_default=False),
    ] = None,
    logs: Annotated[
        bool, typer.Option("--logs", help="List conversations imported that long ago, not memories.")
    ] = False,
    purge: Annotated[bool, typer.Option("--purge", help="Erase them for good. No undo.")] = False,
    with_variants: WithVariants = False,
    yes: Yes = False,
    as_json: AsJsonLines = False,
) -> None:
    """List what was forgotten or expired long ago.

    The age is --days or the setting lifecycle.retention. Only --purge erases anything; with --logs it erases the
    messages of whole conversations and keeps the memories made of them, with their quotes.
    """
    from curator import lifecycle
    from curator.config import settings

    wanted = days or settings().lifecycle.retention
    if not wanted:
        raise typer.BadParameter("give --days N, or set lifecycle.retention")
    store, now = open_store(), clock.now()
    found = (lifecycle.outdated_logs if logs else lifecycle.outdated)(store, wanted, now)
    if not found:
        what = "no conversation was imported" if logs else "nothing was forgotten or expired"
        raise NotFound(f"{what} more than {counted(wanted, 'day')} ago")
    ids = [one.id for one in found]
    if as_json:
        kind = "conversation" if logs else "memory"
        print_json_lines({"id": one.id, "what": kind, "since": day(one.since)} for one in found)
    else:
        lines = {memory.id: memory_line(memory) for memory in ([] if logs else store.get_many(ids))}
        for one in store.raw.get_conversations(ids) if logs else []:
            lines[one.id] = f"conversation {one.id}  {on_one_line(one.title or 'untitled')}"
        print_table([(day(one.since), lines.get(one.id, str(one.id))) for one in found])
    if purge and logs:
        _erase_logs(store, ids, lifecycle.cutoff(wanted, now), yes)
    elif purge:
        erase(store, ids, yes, with_variants)


def _erase_logs(store: Store, ids: Sequence[int], before: int, yes: bool) -> None:
    """Erase conversations that were imported before a moment and have not grown since. Raises typer.Exit."""
    what = counted(len(ids), "conversation")
    confirm(f"erase {what} for good (the memories made of it stay)? There is no undo.", yes)
    erased, left = curation.purge_logs(store, ids, before)
    print(f"erased {counted(erased.messages, 'message')} of {counted(erased.conversations, 'conversation')}")
    if grown := len(ids) - erased.conversations:
        warn(f"skipped: {counted(grown, 'conversation')} changed meanwhile")
    end_unless_done(left)
