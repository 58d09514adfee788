"""Ways to resolve a conflict."""

from collections.abc import Callable
from dataclasses import dataclass

from curator import curation
from curator.curation import Draft, Pair, Side
from curator.tui.verbs import short
from store import Store
from store.model import Relation


@dataclass(frozen=True, slots=True)
class Resolution:
    """A way to resolve a pair, and its message; `unchanged` is the message if no memory was changed."""

    run: Callable[[Store, Pair], int]
    message: str
    unchanged: str = ""

    def carry_out(self, store: Store, pair: Pair) -> str:
        """Resolve a conflict and return the message. Run in a thread. Raises StoreError, ValueError."""
        others = _listed(store, pair) - {pair.alert.id}
        changed = self.run(store, pair)
        closed = len(others - _listed(store, pair)) if others else 0
        more = f" · {closed} more {'conflict' if closed == 1 else 'conflicts'} resolved with it" if closed else ""
        return (self.message if changed else self.unchanged or self.message) + more


def _listed(store: Store, pair: Pair) -> set[int]:
    """Return the open conflicts of both memories, except unsure ones, which are not in the queue."""
    found = (alert for memory in (pair.a, pair.b) for alert in store.alerts.open(memory.id))
    return {alert.id for alert in found if alert.relation is not Relation.UNSURE}


BOTH = Resolution(curation.keep_both, "kept both: no conflict")
NONE = Resolution(curation.reject_both, "rejected both")
LATER = Resolution(curation.put_off, "snoozed for a week")


def kept(pair: Pair, side: Side) -> Resolution:
    """Return the resolution that keeps one side."""
    text = f"kept “{short(pair.on(side).text)}”, superseded the other"
    return Resolution(lambda store, seen: curation.keep(store, seen, side), text)


def distinguished(**words: str) -> Resolution:
    """Return the resolution that keeps both, with other texts or in other scopes."""
    return Resolution(
        lambda store, pair: curation.keep_both(store, pair, **words), "kept both, clarified", BOTH.message
    )


def merged(draft: Draft, text: str) -> Resolution:
    """Return the resolution that replaces both by one memory."""
    return Resolution(
        lambda store, pair: curation.merge_pair(store, pair, text, draft.survivor), f"merged: “{short(text)}”"
    )
