"""The commands `tidy`, `until` and `warmth`."""

from typing import TYPE_CHECKING, Annotated

import typer

from curator import curation
from curator.cli.options import AsJson, AsJsonLines, Ids, Yes, parse_end
from curator.cli.output import (
    NOTHING,
    confirm,
    dim,
    memory_line,
    open_store,
    print_json,
    print_json_lines,
    print_memories,
)
from curator.cli.results import print_done
from curator.display import counted, iso_date
from store import Store, clock
from store.model import has_expired, is_protected

if TYPE_CHECKING:
    from curator.lifecycle import LifecyclePlan

_MAX_CHANGES = 50  # changes printed in a preview


def tidy(
    yes: Yes = False,
    preview: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    as_json: AsJson = False,
) -> None:
    """Rank memories by use and expire old ones, after asking.

    Validated and pinned memories are never demoted or removed, and unreviewed ones stay in the inbox. After you confirm
    once, it runs automatically every six hours (sweep_tidy); each run can be undone.
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
        print(f"made {counted(len(made), 'change')}{' · `curator undo` undoes them all' if command else ''}")


def _print_plan(store: Store, planned: "LifecyclePlan") -> None:
    would = ", ".join(f"{step} {counted(count, 'memory')}" for step, count in planned.counts.items())
    print(f"would {would}" if would else "nothing to tidy")
    shown = planned.changes[:_MAX_CHANGES]
    memories = {memory.id: memory for memory in store.get_many([change.memory for change in shown])}
    for change in shown:
        if change.memory in memories:
            print(f"{change.step:<7} {memory_line(memories[change.memory])}")
            print(dim(f"        {change.reason}"))
    if len(planned.changes) > _MAX_CHANGES:
        print(dim(f"        and {len(planned.changes) - _MAX_CHANGES:,} more; --json --dry-run lists them all"))
    for count, why in planned.spared.reasons:
        print(f"{counted(count, 'memory')}: {why}")


def _plan_row(planned: "LifecyclePlan") -> dict[str, object]:
    spared = planned.spared
    return {
        "counts": {step.value: count for step, count in planned.counts.items()},
        "changes": [
            {"memory": change.memory, "step": change.step, "reason": change.reason} for change in planned.changes
        ],
        "spared": {
            "unseen": spared.unseen,
            "wanted": spared.wanted,
            "taken_back": spared.taken_back,
            "decided": spared.decided,
        },
    }


def until(
    ids: Ids,
    to: Annotated[
        str,
        typer.Option(
            metavar="DATE|30d|never|default", help="A date, days from now, no end, or the default of the kind."
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Set the end date of memories, after which they leave recall."""
    store, moment = open_store(), parse_end(to)
    message, already = f"set the end date of {{}} to {iso_date(moment)}", f"the end date is already {iso_date(moment)}"
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
    expired = [memory for memory in memories if has_expired(memory, clock.now())]
    pinned = sum(memory.pinned and (memory.expires_at or clock.LATEST) < clock.LATEST for memory in memories)
    if expired:
        expiring = sum(not is_protected(memory) for memory in expired)
        tidied = f"; `curator tidy` expires {counted(expiring, 'memory')}" if expiring else ""
        print(f"{counted(len(expired), 'memory')}: past the end date, out of recall now{tidied}")
    if pinned:
        print(f"{counted(pinned, 'memory')}: pinned, in recall even after the end date")


def warmth(
    ids: Ids,
    reset: Annotated[bool, typer.Option("--reset", help="Reset to 50%.")] = False,
    as_json: AsJsonLines = False,
) -> None:
    """Show how useful memories were in recall, 0 to 100%.

    Warmth starts at 50% and returns to it by 5% a day.
    """
    store = open_store()
    store.check_owned(ids)
    if reset:
        store.recalls.reset_warmth(ids)
    warm, uses = store.recalls.warmth(ids), store.recalls.uses(ids)
    memories = store.get_many(ids)
    times = {memory: uses[memory].times if memory in uses else 0 for memory in ids}
    if as_json:
        print_json_lines(
            {"id": memory.id, "warmth": round(warm[memory.id], 4), "uses": times[memory.id]} for memory in memories
        )
    else:
        more = [
            {"warmth": f"{warm[memory.id]:.0%}", "recalled": counted(times[memory.id], "time")} for memory in memories
        ]
        print_memories(memories, more)
