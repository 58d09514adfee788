"""Candidates for comparison with a memory; their number is bounded, whatever the size of the store."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import log, log1p

import numpy as np
from numpy.typing import NDArray

from curator.compare.data import slots
from curator.compare.statement import statements
from curator.conflicts.alert_policy import Text
from curator.conflicts.knn import Vectors
from curator.curation.names import overlap
from curator.text import plain_words, stem, tokens, wordlists
from store import Store
from store.model import Fingerprint, Given

MOST = 20
"""Maximum memories that one is compared with, not counting those of its alerts and standing ones."""
NEAREST, BY_WORDS = 10, 5
FIRST, LAST = 1, 4
"""Candidates by vector, by rare words, and with a common mark: the first and the last by place."""
STANDING = 20
"""Candidates of a memory that is always given: the newest others. Opposite orders may share no topic and few words."""
LEAST_COSINE = 0.5
"""Minimum cosine of candidates by vector; more distant texts may still state the same."""
LEAST_WITH_WORDS = 0.4
"""Minimum cosine of texts that share a rare word."""
RARE = 30  # maximum texts with a rare word; bounds the work per memory
_MANY = 100  # texts between two calls of `rest`
_WORD = re.compile(r"\w+(?:[.:'/@&_]\w+)*[+#*%]*")


def marks(text: str, key: bytes, subject: str | None = None, relation: str | None = None) -> tuple[int, ...]:
    """Return hashes of the statements of a text, and of `subject` and `relation`; texts with a common one are compared.

    The hashes are keyed with the store's `key`, since they are kept after the words are purged.
    """
    known = slots().by_name
    parts = [f"words|{' '.join(plain_words(text))}"]
    for one in statements(text):
        if not one.implied:
            slot = known.get(one.slot)
            # if only one value can be true at a time, any value of the same subject
            value = "" if slot is not None and slot.one else one.head
            parts.append("|".join((one.slot, " ".join(sorted(one.subject)), " ".join(sorted(one.key)), value)))
    if subject and relation:
        parts.append(f"said|{subject.casefold()}|{relation.casefold()}")
    digests = (blake2b(part.encode(), key=key, digest_size=8).digest() for part in dict.fromkeys(parts))
    return tuple(dict.fromkeys(int.from_bytes(digest, "big", signed=True) for digest in digests))


class RareWords:
    """Rare words of all texts, by place: find names and unusual topics that vectors miss."""

    def __init__(self, texts: Sequence[str], rest: Callable[[], None] = lambda: None) -> None:
        """Index the words with a simpler split than `tokens`, which would take ten times as long."""
        plain: defaultdict[str, list[int]] = defaultdict(list)  # words as written
        seen: defaultdict[str, list[int]] = defaultdict(list)  # words as returned by `tokens`
        for place, text in enumerate(texts):
            if not place % _MANY:
                rest()
            found, words = (plain, set(_WORD.findall(text.lower()))) if text.isascii() else (seen, tokens(text))
            for word in words:
                if len(found[word]) <= RARE:  # one more than RARE, to show that the word is not rare
                    found[word].append(place)
        lists = wordlists()
        for word, places in plain.items():
            if word not in lists.empty:
                seen[stem(lists.numbers.get(word, word))] += places
        self._texts = texts
        self._places = {word: sorted(set(places)) for word, places in seen.items() if 2 <= len(places) <= 2 * RARE}

    def near(self, place: int, most: int) -> list[int]:
        """Return the places that share the rarest words with a text, rarest first."""
        weights: defaultdict[int, float] = defaultdict(float)
        for word in sorted(tokens(self._texts[place])):
            places = self._places.get(word, ())
            for other in places if 2 <= len(places) <= RARE else ():
                weights[other] += log(2 * RARE / len(places))
        weights.pop(place, None)
        return sorted(weights, key=lambda other: -weights[other])[:most]


@dataclass(frozen=True, slots=True)
class Near:
    """A memory and its candidates, each with the cosine if both have a vector."""

    memory: Text
    embedded: bool
    marks: tuple[int, ...]
    others: tuple[tuple[Text, float | None], ...]


class Candidates:
    """All live memories of a store at construction time, with their vectors of one fingerprint."""

    def __init__(self, store: Store, fingerprint: Fingerprint | None, rest: Callable[[], None] = lambda: None) -> None:
        """Read all live memories: 4 s of CPU and 300 MB for 100,000. `rest` is called at intervals."""
        self._store, self._rest = store, rest
        self._key = store.replies.secret()
        with store.sqlite() as connection:
            rows = connection.execute(
                "SELECT id, text, content_key, created_at, scope, subject, relation, given FROM memories"
                " WHERE +owner = ? AND +life = 'live' ORDER BY id",
                (store.owner,),
            ).fetchall()
        self._texts = [Text(row[0], row[1], row[2], row[3]) for row in rows]
        self._scopes: list[str] = [row[4] for row in rows]
        self._said: list[tuple[str | None, str | None]] = [(row[5], row[6]) for row in rows]
        self._standing = [place for place, row in enumerate(rows) if row[7] == Given.ALWAYS][: -STANDING - 2 : -1]
        self._at = {text.memory: place for place, text in enumerate(self._texts)}
        self._embedded = np.zeros(len(rows), np.bool_)
        self._vectors = Vectors(self._read(fingerprint), LEAST_COSINE, NEAREST)
        self._words = RareWords([text.words for text in self._texts], rest)
        self._crowds: dict[int, float] = {}
        self._done: dict[int, NDArray[np.int64]] = {}  # by place: the places a memory was compared with

    def _read(self, fingerprint: Fingerprint | None) -> NDArray[np.float32]:
        rows = np.zeros((len(self._at), 1 if fingerprint is None else fingerprint.dimension), np.float32)
        if fingerprint is not None and len(rows):
            for numbers, data in self._store.vectors.blocks(fingerprint):
                places = np.array([self._at.get(number, -1) for number in numbers], np.int64)
                there = places >= 0
                rows[places[there]] = np.frombuffer(data, np.float32).reshape(len(numbers), -1)[there]
                self._embedded[places[there]] = True
        return rows

    def batches(self, memories: Sequence[int]) -> Iterator[list[Near]]:
        """Yield these memories in batches of similar ones, each with its candidates.

        A pair occurs once; one with an alert occurs with either of its memories. Memories that are not live are
        skipped. Store the results of a batch before taking the next, since memories with the same statements are found
        through the store.
        """
        wanted = np.array(sorted(set(self._places(memories))), np.int64)
        for places, nearest in self._vectors.blocks(wanted):
            yield self._batch(places.tolist(), nearest)

    def crowd(self, one: int, other: int) -> float:
        """Return how many memories are near to two, as a logarithm: 0 for none, 2.4 for ten or more near to both.

        Each of the two counts for the other.
        """
        places = [self._at[one], self._at[other]]
        for place in places:
            if place not in self._crowds:
                self._crowds[place] = log1p(self._vectors.count(place))
        return sum(self._crowds[place] for place in places) / 2

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
            standing = [other for other in self._standing if other != place] if place in self._standing else []
            scope = self._scopes[place]
            likely = (
                other for other in (*near, *by_words, *by_marks, *standing) if overlap(scope, self._scopes[other])
            )
            others = list(dict.fromkeys(likely))[: MOST + len(standing)]
            self._done[place] = np.array(others, np.int64)
            fresh = [other for other in others if place not in self._done.get(other, ())]
            fresh += [other for other in alerts.get(place, ()) if other not in others]
            pairs = tuple((self._texts[other], self._vectors.cosine(place, other)) for other in fresh)
            batch.append(Near(self._texts[place], bool(self._embedded[place]), own[place], pairs))
        return batch

    def _may_match(self, one: int, other: int) -> bool:
        """Return whether two texts with a common rare word may be about the same topic."""
        cosine = self._vectors.cosine(one, other)
        return cosine is None or cosine >= LEAST_WITH_WORDS

    def _stating(self, own: dict[int, tuple[int, ...]]) -> dict[int, list[int]]:
        """Return for each mark its first and last places among memories compared before and in this batch."""
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
        """Return the places of those memories that were live at construction time."""
        return [self._at[memory] for memory in memories if memory in self._at]
