"""Candidates for comparison with a memory: bounded for each, whatever the size of the store."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curator.conflicts.alert_policy import Text
from curator.conflicts.blocking_keys import RareWords, marks
from curator.conflicts.knn import Vectors
from curator.curation.scopes import overlap
from store import Store
from store.model import Fingerprint

MOST = 20
"""Memories that one is compared with, apart from those it has an alert with."""
NEAREST, BY_WORDS = 10, 5
FIRST, LAST = 1, 4
"""How many come by their vectors, by rare words, and by what they state: the first, and the last, of those that do."""
LEAST_COSINE = 0.5
"""Below, texts have nothing in common that the rules could judge; what they state may still be the same."""
LEAST_WITH_WORDS = 0.4
"""The same for texts that share a rare word."""


@dataclass(frozen=True, slots=True)
class Near:
    """A memory, and those it is to be compared with, each with the cosine where both have a vector."""

    memory: Text
    embedded: bool
    marks: tuple[int, ...]
    others: tuple[tuple[Text, float | None], ...]


class Candidates:
    """All live memories of a store as they are when this is made, with their vectors of one fingerprint."""

    def __init__(self, store: Store, fingerprint: Fingerprint | None, rest: Callable[[], None] = lambda: None) -> None:
        """Read them all: four seconds of a processor and 300 MB for 100,000. `rest` is called now and then."""
        self._store, self._rest = store, rest
        self._key = store.replies.secret()
        with store.sqlite() as connection:
            rows = connection.execute(
                "SELECT id, text, content_key, created_at, scope, subject, relation FROM memories"
                " WHERE owner = ? AND life = 'live' ORDER BY id",
                (store.owner,),
            ).fetchall()
        self._texts = [Text(row[0], row[1], row[2], row[3]) for row in rows]
        self._scopes: list[str] = [row[4] for row in rows]
        self._said: list[tuple[str | None, str | None]] = [(row[5], row[6]) for row in rows]
        self._ids = np.array([text.memory for text in self._texts], np.int64)
        self._embedded = np.zeros(len(rows), np.bool_)
        self._vectors = Vectors(self._read(fingerprint), LEAST_COSINE, NEAREST)
        self._words = RareWords([text.words for text in self._texts], rest)
        self._done: dict[int, NDArray[np.int64]] = {}  # what a memory was compared with, by place

    def _read(self, fingerprint: Fingerprint | None) -> NDArray[np.float32]:
        rows = np.zeros((len(self._ids), 1 if fingerprint is None else fingerprint.dimension), np.float32)
        if fingerprint is not None and len(rows):
            for numbers, data in self._store.vectors.blocks(fingerprint):
                own = np.array(numbers, np.int64)
                places = np.minimum(np.searchsorted(self._ids, own), len(self._ids) - 1)
                there = self._ids[places] == own
                rows[places[there]] = np.frombuffer(data, np.float32).reshape(len(own), -1)[there]
                self._embedded[places[there]] = True
        return rows

    def batches(self, memories: Sequence[int]) -> Iterator[list[Near]]:
        """Yield these memories in batches, like ones together, each with those it is to be compared with.

        A pair comes once, except one with an alert, which is looked at again with either of its memories.
        Memories that are not live are skipped. What was compared in one batch must be written before the next is
        taken, since memories that state the same find each other by what is stored.
        """
        wanted = np.flatnonzero(np.isin(self._ids, np.array(memories, np.int64)))
        for places, nearest in self._vectors.blocks(wanted):
            yield self._batch(places.tolist(), nearest)

    def _batch(self, places: Sequence[int], nearest: Sequence[Sequence[int]]) -> list[Near]:
        own = {}
        for place in places:
            self._rest()
            own[place] = marks(self._texts[place].words, self._key, *self._said[place])
        stating = self._stating(own)
        numbers = {self._texts[place].memory: place for place in places}
        alerts = {
            numbers[memory]: self._places([alert.b if alert.a == memory else alert.a for alert in found])
            for memory, found in self._store.alerts.unresolved(list(numbers)).items()
        }
        batch = []
        for place, near in zip(places, nearest, strict=True):
            self._rest()
            by_words = [other for other in self._words.near(place, BY_WORDS) if self._may_match(place, other)]
            by_marks = [other for mark in own[place] for other in stating[mark] if other != place]
            scope = self._scopes[place]
            likely = (other for other in (*near, *by_words, *by_marks) if overlap(scope, self._scopes[other]))
            others = list(dict.fromkeys(likely))[:MOST]
            self._done[place] = np.array(others, np.int64)
            fresh = [other for other in others if place not in self._done.get(other, ())]
            fresh += [other for other in alerts.get(place, ()) if other not in others]
            pairs = tuple((self._texts[other], self._vectors.cosine(place, other)) for other in fresh)
            batch.append(Near(self._texts[place], bool(self._embedded[place]), own[place], pairs))
        return batch

    def _may_match(self, one: int, other: int) -> bool:
        """Return whether two texts with a rare word in common may be on one matter."""
        cosine = self._vectors.cosine(one, other)
        return cosine is None or cosine >= LEAST_WITH_WORDS

    def _stating(self, own: dict[int, tuple[int, ...]]) -> dict[int, list[int]]:
        """Return for each mark the places of some that have it: of those compared before, and of this batch."""
        here: defaultdict[int, list[int]] = defaultdict(list)
        for place, numbers in own.items():
            for mark in numbers:
                here[mark].append(place)
        known = self._store.compare_queue.stating(list(here), FIRST, LAST)
        found = {mark: self._places(memories) for mark, memories in known.items()}
        for mark, places in here.items():
            ordered = sorted({*places, *found[mark]})
            found[mark] = list(dict.fromkeys((*ordered[:FIRST], *ordered[-LAST:])))
        return found

    def _places(self, memories: Sequence[int]) -> list[int]:
        """Return the places of those memories that were live when this was made."""
        if not len(self._ids):
            return []
        wanted = np.array(memories, np.int64)
        places = np.minimum(np.searchsorted(self._ids, wanted), len(self._ids) - 1)
        there: list[int] = places[self._ids[places] == wanted].tolist()
        return there
