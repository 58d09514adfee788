"""The conflicts that wait for the person, strongest first."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from curator.curation.pairs import Pair, pairs
from store import Store, clock
from store.model import Alert, Relation

_BLOCK = 500  # pairs read at once


@dataclass(frozen=True, slots=True)
class Which:
    """Selection of conflicts. Without relations: all but those that the rules leave open (`unsure`)."""

    relations: tuple[Relation, ...] = ()
    least_score: float = 0.0
    source: str | None = None  # of one side or the other
    memories: tuple[int, ...] = ()  # one of them is a side
    words: tuple[str, ...] = ()  # each stands in one text or the other, letter case ignored
    put_off: bool = False  # only those that were put off, and not without them
    settled: bool = False  # only those that were settled, the last settled first


def waiting(store: Store, which: Which, limit: int | None = None, now: int | None = None) -> list[Pair]:
    """The open conflicts that are meant, strongest first, or the settled ones."""
    present = clock.now() if now is None else now
    if which.settled:
        relations = which.relations or tuple(Relation)
        done = [one for one in store.alerts.resolved() if one.relation in relations and one.score >= which.least_score]
        return list(islice(_meant(store, done, which, present), limit))
    plain = not (which.words or which.memories or which.put_off)
    alerts = store.alerts.find(
        which.relations,
        which.least_score,
        which.source,
        None if which.put_off else present,
        limit if plain else None,
    )
    return list(islice(_meant(store, alerts, which, present), limit))


def _meant(store: Store, alerts: list[Alert], which: Which, present: int) -> Iterator[Pair]:
    if which.put_off:
        alerts = [alert for alert in alerts if (alert.later_until or 0) > present]
    if which.memories:
        alerts = [alert for alert in alerts if alert.a in which.memories or alert.b in which.memories]
    words = [word.casefold() for word in which.words]
    for start in range(0, len(alerts), _BLOCK):
        for pair in pairs(store, alerts[start : start + _BLOCK]):
            texts = f"{pair.a.text}\n{pair.b.text}".casefold()
            of_source = which.source is None or which.source in (pair.a.source, pair.b.source)
            if of_source and all(word in texts for word in words):
                yield pair
