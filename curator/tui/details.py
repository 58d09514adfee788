"""All that is known of one memory, read from the store for the detail pane."""

from dataclasses import dataclass

from store import Store
from store.model import Alert, Evidence, Memory, Message, Version

SHOWN = 6  # pieces of evidence with their surroundings


@dataclass(frozen=True, slots=True)
class Quoted:
    """A piece of evidence, and the turns around it where the log is in this store."""

    evidence: Evidence
    around: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """An open alert, and what the other memory says."""

    alert: Alert
    other: Memory


@dataclass(frozen=True, slots=True)
class Details:
    """One memory with its evidence (the newest first; `more` pieces are left out), former texts and alerts."""

    memory: Memory
    evidence: tuple[Quoted, ...]
    more: int
    versions: tuple[Version, ...]
    alerts: tuple[Found, ...]


def load(store: Store, number: int) -> Details | None:
    """The details of a memory; None if it is gone."""
    found = store.get_many([number])
    if not found:
        return None
    evidence = store.evidence(number)[::-1]
    cited = [item.message for item in evidence[:SHOWN] if item.message is not None]
    seen = store.visible_messages(cited)
    quoted = tuple(
        Quoted(item, tuple(store.around(item.message)) if item.message in seen else ()) for item in evidence[:SHOWN]
    )
    alerts = []
    for alert in store.alerts(number):
        others = store.get_many([alert.b if alert.a == number else alert.a])
        alerts += [Found(alert, other) for other in others]
    return Details(found[0], quoted, max(len(evidence) - SHOWN, 0), tuple(store.versions(number)), tuple(alerts))
