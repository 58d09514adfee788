"""The conflicts that wait and one of them in full, read from the store in a thread."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from curator import curation
from curator.curation import Choice, Pair, Plan, Rule, Side, Which
from curator.curation.bulk import source_of
from curator.curation.pairs import changed, pairs
from curator.tui.memories.detail_queries import Quoted
from curator.tui.widgets.pair_diff import PairDiff, beside
from store import NotFound, Store
from store.model import Alert, Judgment, Memory, Relation, Uses

WINDOW = 500  # conflicts that are listed; more as one goes on
MOST = 2_000  # the strongest, which one step settles at most
QUOTES = 4  # of each side
SOURCES = 6  # offered to win

CLASSES = (Relation.CONTRADICTION, Relation.UPDATE, Relation.DUPLICATE, Relation.UNSURE)


@dataclass(frozen=True, slots=True)
class Queue:
    """Open conflicts by id, strongest first, and how many there are of that sort (None: more, nobody has counted).

    `reopened` are those of this sitting that are open again; `away` says what became of the one that was looked at,
    empty if it stands as it was seen.
    """

    ids: tuple[int, ...]
    total: int | None
    seq: int
    reopened: frozenset[int]
    away: str = ""


@dataclass(frozen=True, slots=True)
class ConflictSide:
    """One memory of the two: its quotes, the newest first (`more` are left out), and how often it was recalled."""

    memory: Memory
    quotes: tuple[Quoted, ...]
    more: int
    uses: Uses | None


@dataclass(frozen=True, slots=True)
class ConflictDetail:
    """A conflict as it is shown: both sides, what is different, and what models said, the last first."""

    pair: Pair
    a: ConflictSide
    b: ConflictSide
    texts: PairDiff
    judgments: tuple[Judgment, ...]

    def on(self, side: Side) -> ConflictSide:
        """The memory of a side."""
        return self.a if side == "a" else self.b


def queue(
    store: Store, which: Which, now: int, limit: int | None, sitting: Collection[int] = (), seen: Pair | None = None
) -> Queue:
    """The conflicts that wait; of the `sitting` which are open again, and whether one that was `seen` still stands."""
    seq = store.journal.seq()
    total: int | None
    if which.memories and not (which.words or which.put_off):
        found = _of(store, which)
        ids, total = tuple(alert.id for alert in found), len(found)
    elif which.words or which.put_off or which.memories:
        ids = tuple(pair.alert.id for pair in curation.waiting(store, which, limit, now))
        total = len(ids) if limit is None or len(ids) < limit else None
    else:
        alerts = store.alerts.find(which.relations, which.least_score, which.source, now, limit)
        ids = tuple(alert.id for alert in alerts)
        total = len(ids) if limit is None or len(ids) < limit else _counted(store, which, now)
    again = store.alerts.due(list(sitting), now)
    away = ""
    if seen is not None:
        there = pairs(store, store.alerts.get_many([seen.alert.id]))
        away = changed(seen, there[0] if there else None)
        if not away and seen.alert.id not in ids:
            away = f"conflict {seen.alert.id} was snoozed meanwhile, or no longer matches"
    return Queue(ids, total, seq, again, away)


def _of(store: Store, which: Which) -> list[Alert]:
    """Those of a memory or several, put off or not, by the index over memories."""
    found = {alert.id: alert for memory in which.memories for alert in store.alerts.open(memory)}
    chosen = [
        alert
        for alert in found.values()
        if alert.score >= which.least_score and (not which.relations or alert.relation in which.relations)
    ]
    return sorted(chosen, key=lambda alert: (-alert.score, alert.id))


def _counted(store: Store, which: Which, now: int) -> int | None:
    if Relation.UNSURE in which.relations:
        return None
    counts = store.alerts.counts(which.least_score, which.source, now)
    return sum(counts.get(relation, 0) for relation in which.relations or counts)


def closely(store: Store, alert: int) -> ConflictDetail | None:
    """A conflict with all that is shown of it, in milliseconds; None if it is gone."""
    try:
        pair = curation.pair(store, alert)
    except NotFound:
        return None
    uses = store.recalls.uses([pair.a.id, pair.b.id])
    a, b = (_facing(store, memory, uses.get(memory.id)) for memory in (pair.a, pair.b))
    judgments = store.judgments.of([alert]).get(alert, ())
    for choice in (Choice.A, Choice.B):  # what each loses is worked out here once, and known when it is drawn
        curation.outcome(pair, choice)
    return ConflictDetail(pair, a, b, beside(pair.a.text, pair.b.text), judgments)


def _facing(store: Store, memory: Memory, uses: Uses | None) -> ConflictSide:
    evidence = store.evidence(memory.id)[::-1]
    quotes = tuple(Quoted(item, ()) for item in evidence[:QUOTES])
    return ConflictSide(memory, quotes, max(len(evidence) - QUOTES, 0), uses)


@dataclass(frozen=True, slots=True)
class Sorts:
    """What the open conflicts can be told apart by, each with how many there are of it."""

    total: int
    classes: tuple[tuple[Relation, int], ...]
    sure: int
    sources: tuple[tuple[str, int], ...]
    put_off: int


SURE = 0.8
"""The score from which on a conflict is a sure one."""


def sorts(store: Store, now: int) -> Sorts:
    """How many open conflicts there are of each sort; of sources, among the strongest."""
    counts = store.alerts.counts(due_by=now)
    strongest = store.alerts.find(due_by=now, limit=MOST)
    ids = dict.fromkeys(memory for alert in strongest for memory in (alert.a, alert.b))
    source = {memory.id: source_of(memory) for memory in store.get_many(list(ids))}
    sources: dict[str, int] = {}
    for alert in strongest:
        for name in {source[alert.a], source[alert.b]} - {"typed"}:
            sources[name] = sources.get(name, 0) + 1
    return Sorts(
        sum(counts.values()),
        tuple((relation, counts[relation]) for relation in CLASSES if counts.get(relation)),
        sum(store.alerts.counts(SURE, due_by=now).values()),
        _most(sources),
        sum(store.alerts.counts().values()) - sum(counts.values()),
    )


def plans(store: Store, which: Which, now: int) -> tuple[int, list[Plan]]:
    """What each rule would do with the conflicts that wait, and how many were looked at: the strongest."""
    if which.memories and not (which.words or which.put_off):
        found = pairs(store, _of(store, which))
    else:
        found = curation.waiting(store, which, MOST, now)
    sources: dict[str, int] = {}
    for pair in found:
        for name in {source_of(pair.a), source_of(pair.b)}:
            sources[name] = sources.get(name, 0) + 1
    rules: list[tuple[Rule, str | None]] = [(Rule.NEWEST, None), (Rule.VALIDATED, None)]
    rules += [(Rule.SOURCE, name) for name, _ in _most(sources)] if len(sources) > 1 else []
    return len(found), [curation.plan_bulk(found, rule, name) for rule, name in rules]


def _most(counts: dict[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:SOURCES])


def place_of(ids: Sequence[int], near: Sequence[int], place: int) -> int:
    """Where the first of `near` stands that is listed; else the same place, or the end."""
    for number in near:
        if number in ids:
            return ids.index(number)
    return max(min(place, len(ids) - 1), 0)
