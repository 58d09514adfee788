"""Conflicts as the commands print them."""

from collections.abc import Sequence

from curator import curation
from curator.cli.output import (
    dim,
    memory_line,
)
from curator.curation import Choice, Pair, Side
from curator.curation.change_groups import plan_group, same_change, title
from curator.curation.reasons import reason
from curator.display import counted, iso_date
from curator.export.serializers import memory_row
from curator.terminal_text import on_one_line
from store import Store, clock, uids
from store.model import Command, Judgment


def print_conflict(store: Store, pair: Pair, quotes: bool = False) -> None:
    """Print a conflict on three lines with its first reason, or with the quotes of each memory instead."""
    alert = pair.alert
    parts = [f"{alert.score:>4.0%}", f"found {iso_date(alert.at)}" if alert.at else "", alert.judge]
    if alert.settled is not None:
        command = _resolved_by(store, pair)
        parts.append(
            f"resolved: {alert.settled}" + (f" on {iso_date(command.at)} by {command.actor}" if command else "")
        )
    elif alert.later_until is not None and alert.later_until > clock.now():
        parts.append(f"snoozed until {iso_date(alert.later_until)}")
    if not quotes:
        parts.append(reason(alert, pair.a, pair.b))
    print(f"{alert.id:>6}  {alert.relation:<13}  {on_one_line('  '.join(part for part in parts if part))}")
    for name, memory in (("A", pair.a), ("B", pair.b)):
        print(f"     {name} {memory_line(memory)}")
        for quote in store.evidence(memory.id) if quotes else ():
            date = iso_date(quote.said_at or None, "undated")
            origin = on_one_line(f"{quote.source or 'a log'} · {quote.title or 'untitled'} · {date}")
            print(f"         “{on_one_line(quote.quote)}”  {dim(origin)}")


def print_reasons(heading: str, reasons: Sequence[str]) -> None:
    if reasons:
        print(f"{heading}:")
    for line in reasons:
        print(f"  {on_one_line(line)}")


def print_judgments(judgments: list[Judgment]) -> None:
    for judgment in judgments:
        print_reasons(f"{on_one_line(judgment.judge)} says {judgment.relation}", judgment.reasons)


def print_choices(store: Store, pair: Pair) -> None:
    if not pair.open:
        print(on_one_line(curation.outcome(pair, Choice.LATER)))
        return
    mergeable = pair.a.scope == pair.b.scope
    proposed = curation.draft(store, [pair.a.id, pair.b.id]) if mergeable else None
    print("choices:")
    for option, choice in (
        ("--keep A", Choice.A),
        ("--keep B", Choice.B),
        ("--keep both", Choice.BOTH),
        ("--keep none", Choice.NONE),
        ("--draft rules", Choice.MERGE),
        ("--snooze", Choice.LATER),
    ):
        print(f"  {option:<13} {on_one_line(curation.outcome(pair, choice, proposed))}")
    group = same_change(store, pair.alert.id)
    if len(group) > 1:
        print(f"about this: {on_one_line(title(group))} · {counted(len(group), 'pair')}")
        sides: tuple[tuple[str, Side], ...] = (("A", "a"), ("B", "b"))
        for name, side in sides:
            print(f"  --keep {name} --group  {on_one_line(curation.bulk_outcome(plan_group(group, pair, side)))}")


def _resolved_by(store: Store, pair: Pair) -> Command | None:
    """Return the command that resolved a conflict, if it is recorded."""
    command_id = pair.alert.settled_by
    return None if command_id is None else next(iter(store.journal.commands([command_id])), None)


def conflict_row(store: Store, pair: Pair) -> dict[str, object]:
    alert, command = pair.alert, _resolved_by(store, pair)
    return {
        "id": alert.id,
        "uid": uids.of_alert(pair.a.uid, pair.b.uid),
        "class": alert.relation,
        "score": alert.score,
        "reason": reason(alert, pair.a, pair.b),
        "reasons": alert.reasons,
        "judge": alert.judge,
        "cosine": alert.cosine,
        "found_at": clock.to_iso(alert.at) if alert.at else None,
        "outdated": pair.outdated,
        "settled": alert.settled,
        "settled_at": None if command is None else clock.to_iso(command.at),
        "settled_by": None if command is None else command.actor,
        "later_until": None if alert.later_until is None else clock.to_iso(alert.later_until),
        "a": memory_row(pair.a),
        "b": memory_row(pair.b),
    }


def judgment_row(judgment: Judgment) -> dict[str, object]:
    return {
        "judge": judgment.judge,
        "class": judgment.relation,
        "reasons": judgment.reasons,
        "at": clock.to_iso(judgment.at),
    }
