"""Conflicts about the same change, and one decision for all of them."""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace

from curator.curation.losses import loss_reason
from curator.curation.pairs import Pair, Side, age, pairs
from curator.curation.reasons import headline
from curator.curation.resolve import Plan, planned
from curator.text import wordlists
from curator.text.slot_reason import rival_values
from store import Store, clock
from store.model import Alert, Relation

MOST = 1_000
"""Maximum conflicts that are grouped, the strongest; the others stand alone."""
TITLED = 12
"""Maximum conflicts of a group that are read for its title."""


def group_alerts(store: Store, alerts: Sequence[Alert]) -> list[list[Alert]]:
    """Return alerts in groups, each with its strongest first, the groups in the order of those."""
    some = alerts[:MOST]
    memories = store.get_many(list({number for alert in some for number in (alert.a, alert.b)}))
    said = {memory.id: age(memory) for memory in memories}
    return _grouped(some, said) + [[alert] for alert in alerts[MOST:]]


def group_pairs(found: Sequence[Pair]) -> list[list[Pair]]:
    """Return conflicts in groups, as `group_alerts` does."""
    by = {pair.alert.id: pair for pair in found}
    said = {memory.id: age(memory) for pair in found[:MOST] for memory in (pair.a, pair.b)}
    groups = _grouped([pair.alert for pair in found[:MOST]], said)
    return [[by[alert.id] for alert in group] for group in groups] + [[pair] for pair in found[MOST:]]


def same_change(store: Store, alert: int) -> list[Pair]:
    """Return the open conflicts of a conflict's group that are not snoozed, itself first; none if it is not open."""
    wanted = [one for one in store.alerts.get_many([alert]) if one.settled is None]
    if not wanted:
        return []
    relation = wanted[0].relation
    relations = [one for one in Relation if one is relation or (one.is_opposed and relation.is_opposed)]
    waiting = store.alerts.find(relations, due_by=clock.now(), limit=MOST)
    others = [one for one in waiting if one.id != alert]
    group = next((group for group in group_alerts(store, [*wanted, *others]) if group[0].id == alert), [])
    return pairs(store, group)


def title(group: Sequence[Pair]) -> str:
    """Return the commonest headline of a group, preferably one with two values."""
    told = Counter(headline(pair.alert, pair.a, pair.b) for pair in group[:TITLED])
    return max(told, key=lambda one: (one[0], told[one]))[1]


def plan_group(group: Sequence[Pair], chosen: Pair, side: Side) -> Plan:
    """Return the effect of keeping the same side in all conflicts of a group, without writing.

    Conflicts without a known order, and those whose other side says more than what changed, are left open. Of older
    sides, those that lose to a still older one are closed with that. A newer side that loses to a still newer one is
    kept first: what it supersedes would stay, with no conflict.
    """
    decided: list[Pair] = []
    left, closed = Counter[str](), 0
    losers = {pair.across(side).id for pair in group}
    for pair in group:
        undated = pair.a.created_at is None or pair.b.created_at is None
        if pair.alert.id != chosen.alert.id and undated:
            left["with unknown dates"] += 1
        elif side == "a" and pair.alert.id != chosen.alert.id and pair.a.id in losers:
            closed += 1
        elif pair.alert.id != chosen.alert.id and (reason := loss_reason(pair, side)):
            left[reason] += 1
        else:
            decided.append(pair)
    winner = {"a": "older", "b": "newer"}[side] if chosen.ordered else side.upper()
    plan = planned(winner, [(pair, side) for pair in decided], left)
    return replace(plan, closed=closed)


def _grouped(alerts: Sequence[Alert], said: Mapping[int, tuple[int, int]]) -> list[list[Alert]]:
    """Join alerts with a common key; both sides of a repetition are alike, those of a change are not."""
    heads: dict[Hashable, int] = {}
    joined = list(range(len(alerts)))

    def root(index: int) -> int:
        while joined[index] != index:
            joined[index] = joined[joined[index]]
            index = joined[index]
        return index

    for index, alert in enumerate(alerts):
        for key in group_keys(alert, said):
            first, own = sorted((root(heads.setdefault(key, index)), root(index)))
            joined[own] = first
    groups: dict[int, list[Alert]] = {}
    for index, alert in enumerate(alerts):
        groups.setdefault(root(index), []).append(alert)
    return list(groups.values())


def group_keys(alert: Alert, said: Mapping[int, tuple[int, int]]) -> Iterator[Hashable]:
    """Yield keys that alerts about the same change share."""
    if not alert.relation.is_opposed:
        yield from ((alert.relation, memory) for memory in (alert.a, alert.b))
        return
    older, newer = sorted((alert.a, alert.b), key=lambda memory: said.get(memory, (0, memory)))
    yield from (("older", older), ("newer", newer))
    for name, *values in filter(None, map(rival_values, alert.reasons)):
        for end, value in zip(("a", "b"), values, strict=True):
            yield name, end, next((word for word in value.split() if word not in wordlists().empty), "")
