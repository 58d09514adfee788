"""Queries and resolutions of the Conflicts view: the queue, one conflict in full, filters, bulk plans.

Run in a thread.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from curator import curation
from curator.curation import Choice, ConflictFilter, MergeDraft, Pair, Plan, Rule, Side
from curator.curation.change_groups import TITLED, group_alerts, group_pairs, plan_group, title
from curator.curation.pairs import changed, pairs
from curator.curation.reasons import reason
from curator.curation.resolve import source_of, still_held
from curator.display import counted
from curator.tui.memories.detail_queries import Quoted
from curator.tui.text_diff import PairDiff, diff_pair
from curator.tui.text_format import excerpt
from store import NotFound, Store, clock
from store.filter import format_term
from store.model import Alert, Judgment, Memory, Relation, Uses

WINDOW = 500  # conflicts listed at first; doubled as the cursor nears the end
MOST = 2_000  # conflicts, the strongest, in one bulk command
QUOTES = 4  # per side
SOURCES = 6  # sources offered, those with the most conflicts

ALL = "all"
SURE = 0.8  # minimum score of a conflict that is likely right
CLASSES = (Relation.CONTRADICTION, Relation.UPDATE, Relation.DUPLICATE, Relation.UNSURE)


@dataclass(frozen=True, slots=True)
class Queue:
    """Open conflicts by ID, the strongest first, each followed by those about the same change.

    `total` is None if there are more and they were not counted. `groups` are the groups of several conflicts,
    `reopened` the conflicts resolved in this session that are open again. `away` reports a change of the conflict on
    the screen; it is empty if that is unchanged.
    """

    ids: tuple[int, ...]
    total: int | None
    seq: int
    reopened: frozenset[int]
    away: str = ""
    groups: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class ConflictSide:
    """One of the two memories, with its newest quotes (`more` is the number omitted) and its recalls."""

    memory: Memory
    quotes: tuple[Quoted, ...]
    more: int
    uses: Uses | None


@dataclass(frozen=True, slots=True)
class ConflictDetail:
    """A conflict in full: both sides, their differences, the models' judgments (latest first), and the reason."""

    pair: Pair
    a: ConflictSide
    b: ConflictSide
    texts: PairDiff
    judgments: list[Judgment]
    why: str

    def on(self, side: Side) -> ConflictSide:
        """Return a side."""
        return self.a if side == "a" else self.b


def queue(
    store: Store,
    conflict_filter: ConflictFilter,
    now: int,
    limit: int | None,
    resolved: Collection[int] = (),
    seen: Pair | None = None,
) -> Queue:
    """Read the queue, the `resolved` conflicts that are open again, and any change of the conflict on the screen
    (`seen`).
    """
    seq = store.journal.seq()
    total: int | None = None
    if conflict_filter.words or conflict_filter.snoozed:
        pair_groups = group_pairs(curation.waiting(store, conflict_filter, limit, now))
        grouped = [[pair.alert for pair in group] for group in pair_groups]
    elif conflict_filter.memories:
        alerts = _of_memories(store, conflict_filter)
        grouped, total = group_alerts(store, alerts), len(alerts)
    else:
        alerts = store.alerts.find(
            conflict_filter.relations, conflict_filter.least_score, conflict_filter.source, now, limit
        )
        grouped = group_alerts(store, alerts)
        if Relation.UNSURE not in conflict_filter.relations:
            counts = store.alerts.counts(conflict_filter.least_score, conflict_filter.source, now)
            total = sum(counts.get(relation, 0) for relation in conflict_filter.relations or counts)
    groups = [tuple(alert.id for alert in group) for group in grouped]
    ids = tuple(alert for group in groups for alert in group)
    if limit is None or len(ids) < limit:
        total = len(ids)
    again = store.alerts.due(list(resolved), now)
    away = ""
    if seen is not None:
        current = pairs(store, store.alerts.get_many([seen.alert.id]))
        away = changed(seen, current[0] if current else None)
        if not away and seen.alert.id not in ids:
            away = f"conflict {seen.alert.id} was snoozed meanwhile, or no longer matches"
    return Queue(ids, total, seq, again, away, tuple(group for group in groups if len(group) > 1))


def listed(store: Store, alerts: Sequence[int]) -> dict[int, Pair]:
    """Return both memories of some alerts, by alert ID."""
    return {pair.alert.id: pair for pair in pairs(store, store.alerts.get_many(alerts))}


def titles(store: Store, groups: Sequence[Sequence[int]]) -> dict[int, str]:
    """Return the titles of groups of conflicts, by the first conflict of each."""
    read = listed(store, [alert for group in groups for alert in group[:TITLED]])
    read_groups = [[read[alert] for alert in group if alert in read] for group in groups]
    return {group[0]: title(members) for group, members in zip(groups, read_groups, strict=True) if members}


def group_plan(store: Store, group: Sequence[int], pair: Pair, side: Side) -> Plan:
    """Return the plan that keeps the same side in all open conflicts of a group."""
    return plan_group([alert for alert in listed(store, group).values() if alert.open], pair, side)


def left_open(store: Store, group: Sequence[int]) -> int:
    """Return the number of open conflicts of a group."""
    return len(store.alerts.due(group, clock.now()))


def _of_memories(store: Store, conflict_filter: ConflictFilter) -> list[Alert]:
    """Return the open alerts of the memories in a filter, snoozed or not, through the index over memories."""
    alerts = {alert.id: alert for memory in conflict_filter.memories for alert in store.alerts.open(memory)}
    chosen = [
        alert
        for alert in alerts.values()
        if alert.score >= conflict_filter.least_score
        and (not conflict_filter.relations or alert.relation in conflict_filter.relations)
    ]
    return sorted(chosen, key=lambda alert: (-alert.score, alert.id))


def load(store: Store, alert: int) -> ConflictDetail | None:
    """Read a conflict in full, in milliseconds; None if it is gone."""
    try:
        pair = curation.pair(store, alert)
    except NotFound:
        return None
    uses = store.recalls.uses([pair.a.id, pair.b.id])

    def side(memory: Memory) -> ConflictSide:
        evidence = store.evidence(memory.id)[::-1]
        quotes = tuple(Quoted(item, ()) for item in evidence[:QUOTES])
        return ConflictSide(memory, quotes, max(len(evidence) - QUOTES, 0), uses.get(memory.id))

    judgments = store.judgments.of([alert]).get(alert, [])
    for choice in (Choice.A, Choice.B):  # computed here once, and cached for drawing
        curation.outcome(pair, choice)
    why = reason(pair.alert, pair.a, pair.b)
    return ConflictDetail(pair, side(pair.a), side(pair.b), diff_pair(pair.a.text, pair.b.text), judgments, why)


def filter_choices(store: Store, now: int) -> dict[str, str]:
    """Return the filters of the menu, each with its count or meaning; sources are those of the strongest conflicts."""
    counts = Counter(store.alerts.counts(due_by=now))
    strongest = store.alerts.find(due_by=now, limit=MOST)
    ids = dict.fromkeys(memory for alert in strongest for memory in (alert.a, alert.b))
    memories = {memory.id: memory for memory in store.get_many(list(ids))}
    sources = _sources((memories[alert.a], memories[alert.b]) for alert in strongest)
    choices = {ALL: f"{counts.total():,}"}
    choices |= {f"class:{relation}": f"{counts[relation]:,}" for relation in CLASSES if counts[relation]}
    choices.setdefault(f"class:{Relation.UNSURE}", "undecided by the rules")
    choices[f"score:>={SURE:.0%}"] = f"{sum(store.alerts.counts(SURE, due_by=now).values()):,}"
    logs = [item for item in sources if item[0] != "typed"][:SOURCES]
    choices |= {format_term("source", name): f"{count:,}" for name, count in logs}
    if snoozed := sum(store.alerts.counts().values()) - counts.total():
        choices["is:snoozed"] = f"{snoozed:,} snoozed"
    return choices


def plans(store: Store, conflict_filter: ConflictFilter, now: int) -> tuple[int, list[Plan]]:
    """Return the number of conflicts considered (the strongest), and the plan of each rule for them."""
    by_memory = conflict_filter.memories and not (conflict_filter.words or conflict_filter.snoozed)
    conflicts = (
        pairs(store, _of_memories(store, conflict_filter))
        if by_memory
        else curation.waiting(store, conflict_filter, MOST, now)
    )
    sources = _sources((pair.a, pair.b) for pair in conflicts)
    rules: list[tuple[Rule, str | None]] = [(Rule.NEWEST, None), (Rule.VALIDATED, None)]
    rules += [(Rule.SOURCE, name) for name, _ in sources[:SOURCES]] if len(sources) > 1 else []
    return len(conflicts), [curation.plan_bulk(conflicts, rule, name) for rule, name in rules]


def _sources(found: Iterable[tuple[Memory, Memory]]) -> list[tuple[str, int]]:
    """Count the conflicts of each source, most first."""
    counts = Counter(name for pair in found for name in set(map(source_of, pair)))
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


# Ways to resolve a conflict


@dataclass(frozen=True, slots=True)
class Resolution:
    """A way to resolve a pair, and its message; `unchanged` is the message if no memory was changed."""

    run: Callable[[Store, Pair], int]
    message: str
    unchanged: str = ""

    def run_on(self, store: Store, pair: Pair) -> str:
        """Resolve a conflict and return the message. Run in a thread. Raises StoreError, ValueError."""
        others = _listed(store, pair) - {pair.alert.id}
        changed = self.run(store, pair)
        closed = len(others - _listed(store, pair)) if others else 0
        more = f" · {counted(closed, 'more conflict')} resolved with it" if closed else ""
        return (self.message if changed else self.unchanged or self.message) + more


def _listed(store: Store, pair: Pair) -> set[int]:
    """Return the open conflicts of both memories that are in the queue (unsure ones are not)."""
    alerts = (alert for memory in (pair.a, pair.b) for alert in store.alerts.open(memory.id))
    return {alert.id for alert in alerts if alert.relation is not Relation.UNSURE}


KEEP_BOTH = Resolution(curation.keep_both, "kept both")
REJECT_BOTH = Resolution(curation.reject_both, "rejected both")
SNOOZE = Resolution(curation.snooze, "snoozed for a week")


def keep_resolution(pair: Pair, side: Side) -> Resolution:
    """Return the resolution that keeps one side."""
    text = f"kept “{excerpt(pair.on(side).text)}”, superseded the other{still_held([pair.on(side)])}"
    return Resolution(lambda store, seen: curation.keep(store, seen, side), text)


def clarify_resolution(**words: str) -> Resolution:
    """Return the resolution that keeps both, with other texts or in other scopes."""
    return Resolution(
        lambda store, pair: curation.keep_both(store, pair, **words), "kept both, clarified", KEEP_BOTH.message
    )


def merge_resolution(draft: MergeDraft, text: str, by: str) -> Resolution:
    """Return the resolution that replaces both by one memory, worded by the model `by`, if any."""
    return Resolution(
        lambda store, pair: curation.merge_pair(store, pair, text, draft.survivor, by),
        f"merged both into “{excerpt(text)}”" + (" · in quarantine until you validate it" if draft.quarantined else ""),
    )
