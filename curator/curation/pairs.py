"""Two memories with an alert between them, as they were when somebody looked; and whether they still are so."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from curator.curation.supersede import restore_hint
from store import Conflict, NotFound, Store
from store.model import Alert, Life, Memory

Side = Literal["a", "b"]


@dataclass(frozen=True, slots=True)
class Pair:
    """An alert and its memories as they were read. `a` was said first, whichever of them the alert names first.

    The verbs take a Pair and not a number, so that what is decided is what the person saw.
    """

    alert: Alert
    a: Memory
    b: Memory
    keys: tuple[str, str]  # content keys of what the memories that the alert calls `a` and `b` say

    def on(self, side: Side) -> Memory:
        """The memory of a side."""
        return self.a if side == "a" else self.b

    def across(self, side: Side) -> Memory:
        """The memory of the other side."""
        return self.b if side == "a" else self.a

    @property
    def open(self) -> bool:
        """True if it can be decided on: not resolved, and both memories are live."""
        return not changed(self, self)

    @property
    def outdated(self) -> bool:
        """True if a text was edited since it was judged, and has not been compared again yet."""
        return self.alert.keys not in (None, self.keys)


def pair(store: Store, alert: int) -> Pair:
    """The pair of an alert, open or settled. Raises NotFound."""
    for found in pairs(store, store.alerts.get_many([alert])):
        return found
    raise NotFound(f"there is no conflict {alert}; `curator conflicts` lists the open ones")


def pairs(store: Store, alerts: Iterable[Alert]) -> list[Pair]:
    """The pairs of several alerts, in their order; one whose memories are not there (any more) is left out."""
    listed = list(alerts)
    ids = dict.fromkeys(memory for alert in listed for memory in (alert.a, alert.b))
    found = {memory.id: memory for memory in store.get_many(list(ids))}
    keys = store.content_keys(list(ids))
    return [
        _in_time(alert, found[alert.a], found[alert.b], (keys[alert.a], keys[alert.b]))
        for alert in listed
        if alert.a in found and alert.b in found
    ]


def confirm(store: Store, seen: Pair) -> None:
    """Raise Conflict, in words for the person, unless a pair is open still and says what it said.

    To be asked inside of the transaction that acts on the answer.
    """
    there = pairs(store, store.alerts.get_many([seen.alert.id]))
    reason = changed(seen, there[0] if there else None)
    if reason:
        raise Conflict(reason)


def changed(seen: Pair, now: Pair | None) -> str:
    """Return what has changed about a pair since it was shown; empty if a decision still applies."""
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


def _in_time(alert: Alert, one: Memory, other: Memory, keys: tuple[str, str]) -> Pair:
    first, second = sorted((one, other), key=lambda memory: (memory.said_order, memory.id))
    return Pair(alert, first, second, keys)
