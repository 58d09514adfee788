"""Failures of sweeps as shown to a person."""

from collections.abc import Sequence

from curator.sweeps.status import Failed
from store import NotFound, Store
from store.model import Failure


def told(store: Store, name: str, failures: Sequence[Failure]) -> list[Failed]:
    """Failures with the title of what they are about. Blocks."""
    return [
        Failed(
            one.id,
            name,
            _title(store, name, one),
            one.reason,
            one.reply,
            one.model,
            one.tries,
            one.at,
            one.item if name == "distil" else None,
            one.first or None if name == "distil" else None,
        )
        for one in failures
    ]


def _title(store: Store, name: str, failure: Failure) -> str:
    try:
        if name == "distil":
            return store.raw.conversation(failure.item).title or f"conversation {failure.item}"
        if name == "judge":
            alert = store.alerts.get_open(failure.item)
            return f"memories {alert.a} and {alert.b}"
        if name == "embed":
            return f"memory {store.get(failure.item).id}"
        return f"recall {store.recalls.by_number(failure.item).ident}"
    except NotFound:
        return f"{name} {failure.item}, which is gone"
