"""Conflicts as read at one time, each an alert with its two memories, and the queue of open ones."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from curator.curation.commands import inherits_always, restore_hint
from store import Conflict, NotFound, Store, clock
from store.model import Alert, Life, Memory, Relation

Side = Literal["a", "b"]
UNDOABLE = " · undoable"
"""Suffix of a line about an undoable action."""


@dataclass(frozen=True, slots=True)
class Pair:
    """An alert and its memories as read. `a` was said first if they are `ordered`, however the alert names them.

    `inherits` is the side that becomes always given, as the other is, if it is kept alone.

    Commands take a Pair and not an id, so that decisions apply to what the person saw.
    """

    alert: Alert
    a: Memory
    b: Memory
    keys: tuple[str, str]  # content keys of the alert's memories `a` and `b`
    inherits: Side | None = None

    def on(self, side: Side) -> Memory:
        """Return the memory of a side."""
        return self.a if side == "a" else self.b

    def across(self, side: Side) -> Memory:
        """Return the memory of the other side."""
        return self.b if side == "a" else self.a

    @property
    def ordered(self) -> bool:
        """True if it is known which of the two was said first."""
        return None not in (self.a.created_at, self.b.created_at) and self.a.created_at != self.b.created_at

    @property
    def open(self) -> bool:
        """True if it is not resolved and both memories are live."""
        return not changed(self, self)

    @property
    def outdated(self) -> bool:
        """True if a text was edited since it was judged, and has not been compared again."""
        return self.alert.keys not in (None, self.keys)


def pair(store: Store, alert: int) -> Pair:
    """Return the pair of an alert, open or resolved. Raises NotFound."""
    for found in pairs(store, store.alerts.get_many([alert])):
        return found
    raise NotFound(f"there is no conflict {alert}; `curator conflicts` lists the open ones")


def pairs(store: Store, alerts: Iterable[Alert]) -> list[Pair]:
    """Return the pairs of several alerts, in order, without those whose memories no longer exist."""
    listed = list(alerts)
    ids = dict.fromkeys(memory for alert in listed for memory in (alert.a, alert.b))
    found = {memory.id: memory for memory in store.get_many(list(ids))}
    keys = store.content_keys(list(ids))
    there: list[Pair] = []
    for alert in listed:
        if alert.a in found and alert.b in found:
            first, second = sorted((found[alert.a], found[alert.b]), key=age)
            inherits: Side | None = "a" if inherits_always(store, first, [second]) else None
            inherits = "b" if inherits_always(store, second, [first]) else inherits
            there.append(Pair(alert, first, second, (keys[alert.a], keys[alert.b]), inherits))
    return there


def confirm(store: Store, seen: Pair) -> None:
    """Raise Conflict, in words for the person, unless a pair is still open and unchanged.

    Call it inside the transaction that depends on it.
    """
    there = pairs(store, store.alerts.get_many([seen.alert.id]))
    reason = changed(seen, there[0] if there else None)
    if reason:
        raise Conflict(reason)


def changed(seen: Pair, now: Pair | None) -> str:
    """Describe the change of a pair since it was shown; empty if a decision still applies."""
    if now is None:
        return f"conflict {seen.alert.id} is gone: its memories were undone or purged meanwhile"
    if now.alert.settled is not None:
        how = now.alert.settled
        return (
            f"conflict {seen.alert.id} is already resolved ({how}); undo that command in `curator log` to open it again"
        )
    for was, is_now in ((seen.a, now.a), (seen.b, now.b)):
        if is_now.life is not Life.LIVE:
            return f"memory {was.id} is {is_now.life} now, so conflict {seen.alert.id} is closed{restore_hint(is_now)}"
        if is_now.text != was.text:
            return f"memory {was.id} was edited meanwhile: look at conflict {seen.alert.id} again"
    return ""


def age(memory: Memory) -> tuple[int, int]:
    """Return a sort key of memories by the time they were said, oldest first."""
    return memory.said_order, memory.id


_BLOCK = 500  # pairs per read


@dataclass(frozen=True, slots=True)
class ConflictFilter:
    """Filter of conflicts; without relations, all but the undecided ones (`unsure`)."""

    relations: tuple[Relation, ...] = ()
    least_score: float = 0.0
    source: str | None = None  # of either side
    memories: tuple[int, ...] = ()  # either side is one of them
    words: tuple[str, ...] = ()  # each occurs in either text, ignoring case
    snoozed: bool = False  # only snoozed ones, else none of them
    resolved: bool = False  # only resolved ones, latest first


def waiting(
    store: Store, conflict_filter: ConflictFilter, limit: int | None = None, now: int | None = None
) -> list[Pair]:
    """Return the matching open conflicts, strongest first, or the resolved ones."""
    present = clock.now() if now is None else now
    if conflict_filter.resolved:
        relations = conflict_filter.relations or tuple(Relation)
        done = store.alerts.resolved()
        alerts = [alert for alert in done if alert.relation in relations and alert.score >= conflict_filter.least_score]
    else:
        plain = not (conflict_filter.words or conflict_filter.memories or conflict_filter.snoozed)
        due, most = None if conflict_filter.snoozed else present, limit if plain else None
        alerts = store.alerts.find(
            conflict_filter.relations, conflict_filter.least_score, conflict_filter.source, due, most
        )
    if conflict_filter.snoozed:
        alerts = [alert for alert in alerts if (alert.later_until or 0) > present]
    if conflict_filter.memories:
        alerts = [
            alert for alert in alerts if alert.a in conflict_filter.memories or alert.b in conflict_filter.memories
        ]
    words, found = [word.casefold() for word in conflict_filter.words], list[Pair]()
    for start in range(0, len(alerts), _BLOCK):
        for pair in pairs(store, alerts[start : start + _BLOCK]):
            texts = f"{pair.a.text}\n{pair.b.text}".casefold()
            of_source = conflict_filter.source is None or conflict_filter.source in (pair.a.source, pair.b.source)
            if of_source and all(word in texts for word in words):
                found.append(pair)
        if limit is not None and len(found) >= limit:
            break
    return found[:limit]
