"""Candidates for comparison with a memory; their number is bounded, whatever the size of the store."""

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
from curator.compare.statement import statements
from curator.compare.wordings import given_up, left_behind
from curator.conflicts.alert_policy import MemoryText
from curator.conflicts.knn import Vectors
from curator.curation.names import overlap
from curator.text import plain_words, stem, tokens, wordlists
from store import Store
from store.model import Fingerprint, Given

MOST = 30
"""Maximum memories that one is compared with, not counting those of its alerts and standing ones."""
NEAREST, BY_WORDS = 10, 10
FIRST, LAST = 1, 4
"""Candidates by vector, by rare words, and with an equal statement: the first and the last of them by age."""
STANDING = 20
"""Candidates of a memory that is always given: the newest others. Opposite orders may share no topic and few words."""
LEAST_COSINE = 0.5
"""Minimum cosine of candidates by vector; more distant texts may still state the same."""
LEAST_WITH_WORDS, LEAST_UNREAD = 0.3, 0.4
"""Minimum cosine of texts that share a rare word: if a classifier reads pairs, and if they are judged by features only.

Of the conflicts of eight lives, .4 and five texts by words left out 35 of 100, .3 and ten leave out 23. Judged by
features, those added lower the precision of conflicts in `lives_chats.tsv` from .71 to .60.
"""
RARE = 30  # maximum texts with a rare word; bounds the work per memory
_NAMED = 6  # words of a value
_DENIED_AT_ONCE = ("allergic",)  # slots of which one text denies every value: "not allergic to anything"
_MANY = 100  # texts between two calls of `rest`
_WORD = re.compile(r"\w+(?:[.:'/@&_]\w+)*[+#*%]*")


def statement_hashes(text: str, key: bytes, subject: str | None = None, relation: str | None = None) -> tuple[int, ...]:
    """Return hashes of the statements of a text, and of `subject` and `relation`; texts with a common one are compared.

    The hashes are keyed with the store's `key`, since they are kept after the words are purged.
    """
    known = slots().by_name
    parts = [f"words|{' '.join(plain_words(text))}"]
    kinds = values().kinds
    for one in statements(text):
        slot = known.get(one.slot)
        # if only one value can be true at a time, any value of the same subject; else its kinds too: chicken is meat
        named = sorted(one.value)[:_NAMED]
        wider = {word for value in named for word in (value, *kinds.get(value, ()))}
        wider |= {""} if one.slot in _DENIED_AT_ONCE else set()
        for value in {""} if slot is not None and slot.one else wider:
            parts.append("|".join((one.slot, " ".join(sorted(one.subject)), " ".join(sorted(one.key)), value)))
    if subject and relation:
        parts.append(f"said|{subject.casefold()}|{relation.casefold()}")
    digests = (blake2b(part.encode(), key=key, digest_size=8).digest() for part in dict.fromkeys(parts))
    return tuple(dict.fromkeys(int.from_bytes(digest, "big", signed=True) for digest in digests))


def least_with_words() -> float:
    """Return the minimum cosine of texts that share a rare word, here."""
    return LEAST_WITH_WORDS if models.can_classify() else LEAST_UNREAD


def may_oppose(one: str, other: str, fingerprint: Fingerprint | None) -> bool:
    """Return whether two standing orders may be about the same: where meaning is not known, by a common word."""
    by_meaning = fingerprint is not None and fingerprint.by_meaning
    return by_meaning or not tokens(one).isdisjoint(tokens(other))


def drops_what_other_uses(one: str, other: str) -> bool:
    """Return whether one text says of a thing that the other uses that it is in use no more: they need not be near."""
    sides = [respell(text).text for text in (one, other)]
    return any(left_behind(said) and given_up(used, said) for used, said in (sides, sides[::-1]))


class RareWords:
    """Index of the rare words of all texts, which finds names and unusual topics that vectors miss."""

    def __init__(self, texts: Sequence[str], rest: Callable[[], None] = lambda: None) -> None:
        """Index the words with a simpler split than `tokens`, which would take ten times as long."""
        plain: defaultdict[str, list[int]] = defaultdict(list)  # words as written
        seen: defaultdict[str, list[int]] = defaultdict(list)  # words as returned by `tokens`
        for row, text in enumerate(texts):
            if not row % _MANY:
                rest()
            found, words = (plain, set(_WORD.findall(text.lower()))) if text.isascii() else (seen, tokens(text))
            for word in words:
                if len(found[word]) <= RARE:  # one more than RARE, to show that the word is not rare
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
    """All live memories of a store at construction time, with their vectors of one fingerprint."""

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
        self._vectors = Vectors(self._read(fingerprint), LEAST_COSINE, NEAREST)
        self._words = RareWords([text.words for text in self._texts], rest)
        self._least_with_words = least_with_words()
        self._log_counts: dict[int, float] = {}
        self._done: dict[int, NDArray[np.int64]] = {}  # by row: the rows a memory was compared with

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

        A pair occurs once; one with an alert occurs with either of its memories. Memories that are not live are
        skipped. Store the results of a batch before taking the next, since memories with the same statements are found
        through the store.
        """
        wanted = np.array(sorted(set(self._rows_of(memories))), np.int64)
        for rows, nearest in self._vectors.blocks(wanted):
            yield self._batch(rows.tolist(), nearest)

    def neighbour_density(self, one: int, other: int) -> float:
        """Return the mean log1p of the numbers of neighbours of two memories: 0 for none, 2.4 for ten or more each.

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
            others = list(dict.fromkeys(likely))[: MOST + len(standing)]
            self._done[row] = np.array(others, np.int64)
            fresh = [other for other in others if row not in self._done.get(other, ())]
            fresh += [other for other in alerts.get(row, ()) if other not in others]
            pairs = tuple((self._texts[other], self._vectors.cosine(row, other)) for other in fresh)
            batch.append(MemoryCandidates(self._texts[row], bool(self._embedded[row]), own[row], pairs))
        return batch

    def _may_match(self, one: int, other: int) -> bool:
        """Return whether two texts with a common rare word may be about the same topic."""
        cosine = self._vectors.cosine(one, other)
        near = cosine is None or cosine >= self._least_with_words
        return near or drops_what_other_uses(self._texts[one].words, self._texts[other].words)

    def _orders_beside(self, row: int) -> list[int]:
        """Return the other standing orders that one may oppose."""
        own = self._texts[row].words
        others = ((one, self._texts[one].words) for one in self._standing if one != row)
        return [one for one, words in others if may_oppose(own, words, self._fingerprint)]

    def _stating(self, own: dict[int, tuple[int, ...]]) -> dict[int, list[int]]:
        """Return for each hash its first and last rows among memories compared before and in this batch."""
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
        """Return the rows of those memories that were live at construction time."""
        return [self._at[memory] for memory in memories if memory in self._at]
