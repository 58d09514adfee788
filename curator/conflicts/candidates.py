"""Candidates for comparison with a memory. Their number per memory is bounded for any size of the store."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import log, log1p

import numpy as np
from numpy.typing import NDArray

from curator import models
from curator.apostrophes import respell
from curator.compare.data import slots, values
from curator.compare.doses import doses
from curator.compare.life_changes import life_facts
from curator.compare.replacements import buys
from curator.compare.statement import statements
from curator.compare.wordings import given_up, left_behind
from curator.conflicts.alert_policy import MemoryText
from curator.conflicts.knn import Vectors
from curator.curation.names import overlap
from curator.text import plain_words, stem, tokens, wordlists
from store import Store
from store.model import Fingerprint, Given

MAX_CANDIDATES = 30
"""Maximum candidates of a memory, not counting the memories of its alerts and standing memories."""
NEAREST, BY_WORDS = 10, 10
FIRST, LAST = 1, 4
"""Numbers of oldest and newest memories with an equal statement that are candidates."""
STANDING = 20
"""Newest other standing memories that are candidates of a standing memory, since opposed orders may share few words."""
MIN_COSINE = 0.5
"""Minimum cosine of the neighbours of a memory (`Candidates.neighbour_density`)."""
MIN_COSINE_NEAREST = 0.35
"""Minimum cosine of candidates found by vector if there is a pair classifier; otherwise it is `MIN_COSINE`.

On 18 typed lives, 0.35 instead of 0.5 finds 11 more conflicts, which have no word in common, and shows 2 wrong ones.
"""
MIN_COSINE_CLASSIFIED, MIN_COSINE_UNCLASSIFIED = 0.3, 0.4
"""Minimum cosine of candidates that share a rare word, with and without a pair classifier.

On the bench of eight lives, lowering the first from 0.4 to 0.3 (and taking ten instead of five texts by words) reduced
missed conflicts from 35 % to 23 %. Without a classifier it would lower the precision in `lives_chats.tsv` from 0.71 to
0.60.
"""
RARE = 30  # maximum number of texts that contain a rare word; bounds the work per memory
_NAMED = 6  # maximum words of a value
_DENIED_AT_ONCE = ("allergic",)  # slots all of whose values one text can deny: "not allergic to anything"
_MANY = 100  # texts read between two calls of `rest`
_WORD = re.compile(r"\w+(?:[.:'/@&_]\w+)*[+#*%]*")


def statement_hashes(text: str, key: bytes, subject: str | None = None, relation: str | None = None) -> tuple[int, ...]:
    """Return hashes of the statements of a text, and of `subject` and `relation`; texts with equal hashes are compared.

    The hashes are keyed with the store's `key`, since they are kept after the words are purged.
    """
    known = slots().by_name
    parts = [f"words|{' '.join(plain_words(text))}"]
    kinds = values().kinds
    for statement in statements(text):
        slot = known.get(statement.slot)
        # an exclusive slot matches any value of its subject; others match the value and its kinds (chicken: meat)
        named = sorted(statement.value)[:_NAMED]
        wider = {word for value in named for word in (value, *kinds.get(value, ()))}
        wider |= {""} if statement.slot in _DENIED_AT_ONCE else set()
        for value in {""} if slot is not None and slot.one else wider:
            parts.append(
                "|".join(
                    (statement.slot, " ".join(sorted(statement.subject)) or "i", " ".join(sorted(statement.key)), value)
                )
            )
    parts += {f"life|{fact.about}" for fact in life_facts(text) if fact.about == "pregnancy"}  # in other words each
    parts += {f"dose|{dose.name}" for dose in doses(text)}
    if buys(text):
        parts.append("buys")
    if subject and relation:
        parts.append(f"said|{subject.casefold()}|{relation.casefold()}")
    digests = (blake2b(part.encode(), key=key, digest_size=8).digest() for part in dict.fromkeys(parts))
    return tuple(dict.fromkeys(int.from_bytes(digest, "big", signed=True) for digest in digests))


def least_with_words() -> float:
    """Return the minimum cosine of texts that share a rare word, depending on whether a classifier is installed."""
    return MIN_COSINE_CLASSIFIED if models.can_classify() else MIN_COSINE_UNCLASSIFIED


def least_of_nearest() -> float:
    """Return the minimum cosine of candidates found by vector, depending on whether a classifier is installed."""
    return MIN_COSINE_NEAREST if models.can_classify() else MIN_COSINE


def may_oppose(one: str, other: str, fingerprint: Fingerprint | None) -> bool:
    """Return True if two standing orders may conflict; without semantic vectors they must share a word."""
    by_meaning = fingerprint is not None and fingerprint.by_meaning
    return by_meaning or not tokens(one).isdisjoint(tokens(other))


def contradicts_use(one: str, other: str) -> bool:
    """Return True if one text says that a thing is no longer used and the other uses it, whatever their cosine."""
    sides = [respell(text).text for text in (one, other)]
    return any(left_behind(said) and given_up(used, said) for used, said in (sides, sides[::-1]))


class RareWords:
    """Index of the rare words of all texts. It finds names and unusual topics that vectors miss."""

    def __init__(self, texts: Sequence[str], rest: Callable[[], None] = lambda: None) -> None:
        """Index the texts, split into words by a simpler method than `tokens`, which takes ten times as long."""
        plain: defaultdict[str, list[int]] = defaultdict(list)  # words as written
        seen: defaultdict[str, list[int]] = defaultdict(list)  # words as returned by `tokens`
        for row, text in enumerate(texts):
            if not row % _MANY:
                rest()
            found, words = (plain, set(_WORD.findall(text.lower()))) if text.isascii() else (seen, tokens(text))
            for word in words:
                if len(found[word]) <= RARE:  # stores at most RARE + 1 rows, enough to show that a word is not rare
                    found[word].append(row)
        lists = wordlists()
        for word, rows in plain.items():
            if word not in lists.empty:
                seen[stem(lists.numbers.get(word, word))] += rows
        self._texts = texts
        self._rows_of = {word: sorted(set(rows)) for word, rows in seen.items() if 2 <= len(rows) <= 2 * RARE}

    def near(self, row: int, most: int) -> list[int]:
        """Return the rows that share the rarest words with a text, rarest first."""
        weights: defaultdict[int, float] = defaultdict(float)
        for word in sorted(tokens(self._texts[row])):
            rows = self._rows_of.get(word, ())
            for other in rows if 2 <= len(rows) <= RARE else ():
                weights[other] += log(2 * RARE / len(rows))
        weights.pop(row, None)
        return sorted(weights, key=lambda other: -weights[other])[:most]


@dataclass(frozen=True, slots=True)
class MemoryCandidates:
    """A memory and its candidates, each with the cosine if both have a vector."""

    memory: MemoryText
    embedded: bool
    hashes: tuple[int, ...]
    others: tuple[tuple[MemoryText, float | None], ...]


class Candidates:
    """Candidates found by reading all live memories of a store, with their vectors of one fingerprint."""

    def __init__(self, store: Store, fingerprint: Fingerprint | None, rest: Callable[[], None] = lambda: None) -> None:
        """Read all live memories: 4 s of CPU and 300 MB for 100,000. `rest` is called at intervals."""
        self._store, self._rest = store, rest
        self._key = store.replies.secret()
        self._fingerprint = fingerprint
        with store.sqlite() as connection:
            rows = connection.execute(
                "SELECT id, text, content_key, created_at, scope, subject, relation, given FROM memories"
                " WHERE +owner = ? AND +life = 'live' ORDER BY id",
                (store.owner,),
            ).fetchall()
        self._texts = [MemoryText(row[0], row[1], row[2], row[3]) for row in rows]
        self._scopes: list[str] = [row[4] for row in rows]
        self._said: list[tuple[str | None, str | None]] = [(row[5], row[6]) for row in rows]
        self._standing = [number for number, row in enumerate(rows) if row[7] == Given.ALWAYS][: -STANDING - 2 : -1]
        self._at = {text.memory: row for row, text in enumerate(self._texts)}
        self._embedded = np.zeros(len(rows), np.bool_)
        self._vectors = Vectors(self._read(fingerprint), least_of_nearest(), NEAREST, MIN_COSINE)
        self._words = RareWords([text.words for text in self._texts], rest)
        self._least_with_words = least_with_words()
        self._log_counts: dict[int, float] = {}
        self._done: dict[int, NDArray[np.int64]] = {}  # row of a memory -> rows it was compared with

    def _read(self, fingerprint: Fingerprint | None) -> NDArray[np.float32]:
        rows = np.zeros((len(self._at), 1 if fingerprint is None else fingerprint.dimension), np.float32)
        if fingerprint is not None and len(rows):
            for numbers, data in self._store.vectors.blocks(fingerprint):
                at = np.array([self._at.get(number, -1) for number in numbers], np.int64)
                there = at >= 0
                rows[at[there]] = np.frombuffer(data, np.float32).reshape(len(numbers), -1)[there]
                self._embedded[at[there]] = True
        return rows

    def batches(self, memories: Sequence[int]) -> Iterator[list[MemoryCandidates]]:
        """Yield these memories in batches of similar ones, each with its candidates.

        Each pair occurs once, except pairs with an alert, which occur with both memories. Memories that are not live
        are skipped. The caller must store the results of a batch before requesting the next one, because memories with
        equal statements are found through the store.
        """
        wanted = np.array(sorted(set(self._rows_of(memories))), np.int64)
        for rows, nearest in self._vectors.blocks(wanted):
            yield self._batch(rows.tolist(), nearest)

    def neighbour_density(self, one: int, other: int) -> float:
        """Return the mean of log1p(number of neighbours) of two memories; at most 2.4, for ten or more neighbours each.

        Each of the two counts as a neighbour of the other.
        """
        rows = [self._at[one], self._at[other]]
        for row in rows:
            if row not in self._log_counts:
                self._log_counts[row] = log1p(self._vectors.count(row))
        return sum(self._log_counts[row] for row in rows) / 2

    def _batch(self, rows: Sequence[int], nearest: Sequence[Sequence[int]]) -> list[MemoryCandidates]:
        own = {}
        for row in rows:
            self._rest()
            own[row] = statement_hashes(self._texts[row].words, self._key, *self._said[row])
        stating = self._stating(own)
        numbers = {self._texts[row].memory: row for row in rows}
        alerts = {
            numbers[memory]: self._rows_of([alert.b if alert.a == memory else alert.a for alert in found])
            for memory, found in self._store.alerts.unresolved(list(numbers)).items()
        }
        batch = []
        for row, near in zip(rows, nearest, strict=True):
            self._rest()
            by_words = [other for other in self._words.near(row, BY_WORDS) if self._may_match(row, other)]
            by_statement = [other for digest in own[row] for other in stating[digest] if other != row]
            standing = self._orders_beside(row) if row in self._standing else []
            scope = self._scopes[row]
            likely = (
                other for other in (*near, *by_words, *by_statement, *standing) if overlap(scope, self._scopes[other])
            )
            others = list(dict.fromkeys(likely))[: MAX_CANDIDATES + len(standing)]
            self._done[row] = np.array(others, np.int64)
            fresh = [other for other in others if row not in self._done.get(other, ())]
            fresh += [other for other in alerts.get(row, ()) if other not in others]
            pairs = tuple((self._texts[other], self._vectors.cosine(row, other)) for other in fresh)
            batch.append(MemoryCandidates(self._texts[row], bool(self._embedded[row]), own[row], pairs))
        return batch

    def _may_match(self, one: int, other: int) -> bool:
        """Return True if two texts with a common rare word may be about the same topic."""
        cosine = self._vectors.cosine(one, other)
        near = cosine is None or cosine >= self._least_with_words
        return near or contradicts_use(self._texts[one].words, self._texts[other].words)

    def _orders_beside(self, row: int) -> list[int]:
        """Return the rows of other standing orders that may conflict with one."""
        own = self._texts[row].words
        others = ((one, self._texts[one].words) for one in self._standing if one != row)
        return [one for one, words in others if may_oppose(own, words, self._fingerprint)]

    def _stating(self, own: dict[int, tuple[int, ...]]) -> dict[int, list[int]]:
        """Return, by hash, the first and last rows with it among memories compared earlier or in this batch."""
        here: defaultdict[int, list[int]] = defaultdict(list)
        for row, numbers in own.items():
            for digest in numbers:
                here[digest].append(row)
        known = self._store.compare_queue.stating(list(here), FIRST, LAST)
        found = {digest: self._rows_of(memories) for digest, memories in known.items()}
        for digest, rows in here.items():
            ordered = sorted({*rows, *found[digest]})
            found[digest] = list(dict.fromkeys((*ordered[:FIRST], *ordered[-LAST:])))
        return found

    def _rows_of(self, memories: Sequence[int]) -> list[int]:
        """Return the rows of the memories that were live when this object was created."""
        return [self._at[memory] for memory in memories if memory in self._at]
