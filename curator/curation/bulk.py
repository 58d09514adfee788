"""Bulk resolution of conflicts by one rule: a plan with its numbers first, then one command."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from curator.curation.commands import supersede_within
from curator.curation.pairs import UNDOABLE, Pair, Side, age, changed, pairs
from store import Store
from store.model import Memory, Review


class Rule(StrEnum):
    """The memory that wins each conflict."""

    NEWEST = "newest"
    VALIDATED = "validated"
    SOURCE = "source"


@dataclass(frozen=True, slots=True)
class Plan:
    """Effect of a rule on conflicts. `left` are the pairs it does not decide, counted by reason."""

    rule: Rule
    source: str | None
    decided: tuple[tuple[Pair, Side], ...]
    left: tuple[tuple[str, int], ...]
    losers: int  # memories to be superseded
    validated: int  # validated ones among them
    pinned: int


@dataclass(frozen=True, slots=True)
class BulkResult:
    """Result of a bulk command. `changed` conflicts were resolved, forgotten or reworded since, and skipped."""

    conflicts: int
    memories: int
    changed: int


def plan_bulk(pairs: Sequence[Pair], rule: Rule, source: str | None = None) -> Plan:
    """Return the effect of a rule on these pairs, without writing. `source` is the one that wins by Rule.SOURCE.

    `typed` is the source of memories from no log. Raises ValueError if the source is missing.
    """
    if rule is Rule.SOURCE and not source:
        raise ValueError("name the source that wins")
    decided: list[tuple[Pair, Side]] = []
    left: Counter[str] = Counter()
    for pair in pairs:
        side, reason = _winner(pair, rule, source) if pair.open else (None, "no longer open")
        if side is not None:
            decided.append((pair, side))
        else:
            left[reason] += 1
    losers = {pair.across(side).id: pair.across(side) for pair, side in decided}.values()
    return Plan(
        rule,
        source,
        tuple(decided),
        tuple(left.most_common()),
        len(losers),
        sum(memory.review is Review.VALIDATED for memory in losers),
        sum(memory.pinned for memory in losers),
    )


def bulk(store: Store, plan: Plan) -> BulkResult:
    """Resolve the conflicts of a plan in one command. Those that have changed since are skipped and counted."""
    with store.command("settle") as writer:
        ids = [pair.alert.id for pair, _ in plan.decided]
        there = {pair.alert.id: pair for pair in pairs(store, store.alerts.get_many(ids))}
        standing = [(pair, side) for pair, side in plan.decided if not changed(pair, there.get(pair.alert.id))]
        # A loser goes to the newest memory it lost to, oldest winners first, so that the winner is still live; it may
        # lose to a newer one afterwards.
        last: dict[int, Memory] = {}
        for pair, side in standing:
            loser, winner = pair.across(side).id, pair.on(side)
            last[loser] = max(winner, last.get(loser, winner), key=age)
        groups: dict[int, list[int]] = {}
        for loser, winner in sorted(last.items(), key=lambda item: age(item[1])):
            groups.setdefault(winner.id, []).append(loser)
        memories = sum(supersede_within(store, writer, losers, winner) for winner, losers in groups.items())
        store.alerts.resolve(writer, [pair.alert.id for pair, _ in standing], "superseded")
        writer.summarise(f"{wins(plan)}: {len(standing):,} of {len(plan.decided):,} conflicts")
        return BulkResult(len(standing), memories, len(plan.decided) - len(standing))


def wins(plan: Plan) -> str:
    """Return the winning side of a plan in two words."""
    return f"{plan.source if plan.rule is Rule.SOURCE else plan.rule} wins"


def _winner(pair: Pair, rule: Rule, source: str | None) -> tuple[Side | None, str]:
    """Return the winning side, or None with the reason."""
    if rule is Rule.NEWEST:
        if pair.a.created_at is None or pair.b.created_at is None:
            return None, "with unknown dates"
        return ("b", "") if pair.a.created_at < pair.b.created_at else (None, "said at the same time")
    if rule is Rule.VALIDATED:
        a, b = (memory.review is Review.VALIDATED for memory in (pair.a, pair.b))
        both, none = "both validated", "neither validated"
    else:
        a, b = (source_of(memory) == source for memory in (pair.a, pair.b))
        both, none = f"both from {source}", f"neither from {source}"
    if a == b:
        return None, both if a else none
    return "a" if a else "b", ""


def source_of(memory: Memory) -> str:
    """Return the source of a memory; `typed` if it comes from no log."""
    return memory.source or "typed"


def bulk_outcome(plan: Plan) -> str:
    """Describe the effect of a plan in numbers, on one line."""
    left = sum(count for _, count in plan.left)
    why = ", ".join(f"{count:,} {reason}" for reason, count in plan.left)
    rest = f" · leaves {left:,}: {why}" if left else ""
    if not plan.decided:
        return f"{wins(plan)}: resolves none{rest}"
    relations = Counter(pair.alert.relation for pair, _ in plan.decided)
    classes = ", ".join(f"{count:,} {relation}" for relation, count in relations.most_common())
    special = [f"{count:,} {word}" for count, word in ((plan.validated, "validated"), (plan.pinned, "pinned")) if count]
    among = f", {' and '.join(special)} among them" if special else ""
    conflicts = f"{len(plan.decided):,} {'conflict' if len(plan.decided) == 1 else 'conflicts'}"
    losers = f"{plan.losers:,} {'memory' if plan.losers == 1 else 'memories'}"
    return f"{wins(plan)}: resolves {conflicts} ({classes}), supersedes {losers}{among}{rest}{UNDOABLE}"
