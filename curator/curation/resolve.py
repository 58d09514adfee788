"""Commands that resolve a conflict of two memories that say the same, or that cannot both be true.

Each is one command and one undo step, which reopens the conflict. All take the pair as the person saw it, and raise
Conflict, changing nothing, if it was resolved, forgotten or reworded since. They return the number of memories changed;
the decision is stored with the alert even if that is none.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from graphlib import TopologicalSorter

from curator.curation.commands import (
    REJECTED,
    forget_within,
    give_safety_always,
    keep_within,
    moment,
    supersede_within,
)
from curator.curation.create import checked
from curator.curation.forgotten_match import refuse_forgotten
from curator.curation.losses import loss_reason, lost
from curator.curation.merge import MergeDraft, draft, merge_into, stays_quarantined, worded_by
from curator.curation.names import checked_scope
from curator.curation.pairs import UNDOABLE, Pair, Side, age, changed, confirm, pairs
from curator.display import counted, truncate
from store import Conflict, Store
from store.model import Memory, Review

NO_CONFLICT = "not a conflict"
TOLD_APART = "both hold"
"""Resolution of a pair of which both stay: unchanged, or limited to a time or scope."""


class Choice(StrEnum):
    """Possible decisions on a pair."""

    A = "a"
    B = "b"
    BOTH = "both"
    MERGE = "merge"
    NONE = "none"
    LATER = "later"


def keep(store: Store, pair: Pair, side: Side) -> int:
    """Keep one memory and supersede the other, even if that is validated or pinned.

    If the other was always given, the winner is from then on, unless the person said when it is.
    Ends the winner's quarantine if it only may be forgotten; `stays_quarantined` tells of any other.
    """
    winner, loser = pair.on(side), pair.across(side)
    with store.command("supersede", summary=f"by memory {winner.id} ({_named(pair)})") as writer:
        confirm(store, pair)
        count = supersede_within(store, writer, [loser.id], winner.id) + len(keep_within(writer, [winner.id]))
        store.alerts.resolve(writer, [pair.alert.id], "superseded")
        return count


def keep_both(
    store: Store,
    pair: Pair,
    *,
    text_a: str | None = None,
    text_b: str | None = None,
    scope_a: str | None = None,
    scope_b: str | None = None,
) -> int:
    """Keep both memories and do not raise the conflict again, optionally with new texts or scopes that make both true.

    `dated` proposes such texts. Raises Refused for an invalid text, ValueError for an invalid scope, Forgotten or
    Conflict if another memory says the same.
    """
    from curator.text import content_key

    wanted = (
        (pair.a, None if text_a is None else checked(text_a), None if scope_a is None else checked_scope(scope_a)),
        (pair.b, None if text_b is None else checked(text_b), None if scope_b is None else checked_scope(scope_b)),
    )
    with store.command("keep both", summary=_named(pair)) as writer:
        confirm(store, pair)
        changed: set[int] = set()
        for memory, _, scope in wanted:
            if scope is not None:
                changed |= set(writer.update("memories", [memory.id], {"scope": scope}))
        for memory, text, scope in wanted:
            if text is not None and text != memory.text:
                refuse_forgotten(store, text)
                there = memory if scope is None else replace(memory, scope=scope)
                if store.reword(writer, there, text, content_key(text)):
                    changed.add(memory.id)
        twins = store.twins(sorted(changed))
        if twins is not None:
            raise Conflict(f"memories {twins[0]} and {twins[1]} would say the same: keep one, or merge them")
        give_safety_always(store, writer, sorted(changed))
        store.alerts.resolve(writer, [pair.alert.id], TOLD_APART if changed else NO_CONFLICT)
        return len(changed)


def merge_pair(store: Store, pair: Pair, text: str, survivor: int | None = None, by: str = "") -> int:
    """Merge both memories into one that says `text`, worded by the model `by`, if any.

    The default survivor is that of `draft`.
    """
    words = checked(text)
    both = [pair.a.id, pair.b.id]
    if survivor not in (None, *both):
        raise ValueError(f"memory {survivor} is not in conflict {pair.alert.id}")
    with store.command("merge") as writer:
        confirm(store, pair)
        into = draft(store, both).survivor if survivor is None else survivor
        writer.summarise(f"into memory {into} ({_named(pair)}){worded_by(by)}")
        return merge_into(store, writer, both, words, into)


def reject_both(store: Store, pair: Pair) -> int:
    """Reject both memories as wrong or junk: out of recall, and not imported again."""
    both = [pair.a.id, pair.b.id]
    with store.command("reject", summary=_named(pair)) as writer:
        confirm(store, pair)
        count = forget_within(store, writer, both, REJECTED)
        store.alerts.resolve(writer, [pair.alert.id], "rejected")
        return count


def snooze(store: Store, pair: Pair, days: int = 7, now: int | None = None) -> int:
    """Snooze a conflict for some days; 0 ends the snooze. Raises ValueError for more than ten years."""
    until = moment(days, now)
    with store.command("later", summary=_named(pair)) as writer:
        confirm(store, pair)
        store.alerts.postpone(writer, [pair.alert.id], until)
        return 0


def _named(pair: Pair) -> str:
    return f"conflict {pair.alert.id}"


_SHOWN = 56  # characters shown of a text: the line of an update fits 120 columns
_LOST = 90  # and of statements that would be lost


def outcome(pair: Pair, choice: Choice, draft: MergeDraft | None = None) -> str:
    """Describe the effect of a choice on the pair, on one line, without I/O. `draft` is the proposed merge.

    Memory texts are included verbatim: sanitize the line before printing it.
    """
    gone = changed(pair, pair)
    if gone:
        return gone
    if choice is Choice.A or choice is Choice.B:
        side: Side = "a" if choice is Choice.A else "b"
        kept, other = pair.on(side), pair.across(side)
        gone_with = "; ".join(lost(pair, side))
        keeps = " (a merge with your own text can keep it)" if pair.a.scope == pair.b.scope else ""
        leaves = f" · lost with it: “{truncate(gone_with, _LOST)}”{keeps}" if gone_with else ""
        name, said = "B" if side == "a" else "A", _said(other)
        held = f" · {side.upper()} leaves quarantine" if kept.may_be_forgotten else still_held([kept])
        given = f" · {side.upper()} is always given then, as {name} was" if pair.inherits == side else ""
        return (
            f"keeps {side.upper()} “{truncate(kept.text, _SHOWN)}” · {name}{f', {said},' if said else ''}"
            f" is superseded and leaves recall{given}{leaves}{held}{UNDOABLE}"
        )
    if choice is Choice.BOTH:
        held = still_held([pair.a, pair.b], True)
        return f"keeps both: no conflict, and not shown again unless one is edited{held}{UNDOABLE}"
    if choice is Choice.MERGE:
        if pair.a.scope != pair.b.scope:
            return f"cannot be merged: A holds in {pair.a.scope}, B in {pair.b.scope}; give them one scope first"
        if draft is None:
            return f"merges both into one memory, after showing its text{UNDOABLE}"
        status = "in quarantine until you validate it" if draft.quarantined else "validated"
        survivor = "A" if draft.survivor == pair.a.id else "B"
        return (
            f"merges both: {survivor} becomes “{truncate(draft.text, _SHOWN)}”, {status};"
            f" the other is superseded, and no quotes are lost{UNDOABLE}"
        )
    if choice is Choice.NONE:
        decided = [f"{name} is {said}" for name, one in (("A", pair.a), ("B", pair.b)) if (said := _said(one))]
        among = f" ({', '.join(decided)})" if decided else ""
        return f"rejects both{among}: they leave recall and are not imported again{UNDOABLE}"
    return f"snoozes the conflict for a week; both stay in recall{UNDOABLE}"


def still_held(kept: Sequence[Memory], every: bool = False) -> str:
    """Return the end of a message that names what stays in quarantine though it is kept; empty if nothing does.

    With `every`, also what may be forgotten, of which nobody chose a side.
    """
    held = len({one.id for one in kept if (one.quarantined if every else stays_quarantined(one))})
    if not held:
        return ""
    return (
        f" · {held:,} stay{'s' if held == 1 else ''} in quarantine until you validate {'it' if held == 1 else 'them'}"
    )


def _said(memory: Memory) -> str:
    """Describe the person's earlier decision on a memory; empty if there is none."""
    words = (("validated", memory.review is Review.VALIDATED), ("pinned", memory.pinned))
    return " and ".join(word for word, so in words if so)


class Rule(StrEnum):
    """The memory that wins each conflict."""

    NEWEST = "newest"
    VALIDATED = "validated"
    SOURCE = "source"


@dataclass(frozen=True, slots=True)
class Plan:
    """Effect of a rule on conflicts. `left` are the pairs it does not decide, counted by reason.

    `closed` are those that are resolved when a side of theirs is superseded.
    """

    winner: str  # the newest, the newer, B, a source …
    source: str | None
    decided: tuple[tuple[Pair, Side], ...]
    left: tuple[tuple[str, int], ...]
    losers: int  # memories to be superseded
    validated: int  # validated ones among them
    pinned: int
    closed: int = 0


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
        if side is not None and (loss := loss_reason(pair, side)):
            side, reason = None, loss
        if side is not None:
            decided.append((pair, side))
        else:
            left[reason] += 1
    return planned(source if rule is Rule.SOURCE and source else rule, decided, left, source)


def planned(winner: str, decided: Sequence[tuple[Pair, Side]], left: Counter[str], source: str | None = None) -> Plan:
    """Return the effect of decisions on conflicts; `winner` names the sides that are kept."""
    losers = {pair.across(side).id: pair.across(side) for pair, side in decided}.values()
    return Plan(
        winner,
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
        # A loser goes to the newest memory it lost to. That one may lose in turn, but only afterwards: only a live
        # memory can supersede others.
        last: dict[int, Memory] = {}
        for pair, side in standing:
            loser, winner = pair.across(side).id, pair.on(side)
            last[loser] = max(winner, last.get(loser, winner), key=age)
        groups: dict[int, list[int]] = {}
        for loser, winner in last.items():
            groups.setdefault(winner.id, []).append(loser)
        order = (winner for winner in TopologicalSorter(groups).static_order() if winner in groups)
        memories = sum(supersede_within(store, writer, groups[winner], winner) for winner in order)
        keep_within(writer, sorted({pair.on(side).id for pair, side in standing} - last.keys()))
        store.alerts.resolve(writer, [pair.alert.id for pair, _ in standing], "superseded")
        writer.summarise(f"{wins(plan)}: {len(standing):,} of {len(plan.decided):,} conflicts")
        return BulkResult(len(standing), memories, len(plan.decided) - len(standing))


def wins(plan: Plan) -> str:
    """Return the winning side of a plan in two words."""
    return f"{plan.winner} wins"


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
    closed = f" · {plan.closed:,} more resolved with them" if plan.closed else ""
    resolved, superseded = counted(len(plan.decided), "conflict"), counted(plan.losers)
    heirs = len({pair.on(side).id for pair, side in plan.decided if pair.inherits == side})
    given = f" · {heirs:,} always given from then on, like the one it replaces" if heirs else ""
    held = still_held([pair.on(side) for pair, side in plan.decided])
    done = f"resolves {resolved} ({classes}), supersedes {superseded}"
    return f"{wins(plan)}: {done}{among}{given}{closed}{rest}{held}{UNDOABLE}"
