"""Keys under which texts on one matter find each other: what they state, as numbers, and their rare words."""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from hashlib import blake2b
from math import log

from curator.compare.data import slots
from curator.compare.statement import statements
from curator.text import plain_words, stem, tokens, wordlists

RARE = 30  # texts that may share a word for it to say anything; so the work for each stays the same
_MANY = 100  # texts between two rests
_WORD = re.compile(r"\w+(?:[.:'/@&_]\w+)*[+#*%]*")


def marks(text: str, key: bytes, subject: str | None = None, relation: str | None = None) -> tuple[int, ...]:
    """Return numbers for what a text states, also as a distiller gave it; two texts with one in common are compared.

    They are hashes keyed with the store's `key`, since it keeps them after the words are purged.
    """
    known = slots().by_name
    parts = [f"words|{' '.join(plain_words(text))}"]
    for one in statements(text):
        if not one.implied:
            slot = known.get(one.slot)
            # where only one value holds at a time, any value of the same subject
            value = "" if slot is not None and slot.one else one.head
            parts.append("|".join((one.slot, " ".join(sorted(one.subject)), " ".join(sorted(one.key)), value)))
    if subject and relation:
        parts.append(f"said|{subject.casefold()}|{relation.casefold()}")
    digests = (blake2b(part.encode(), key=key, digest_size=8).digest() for part in dict.fromkeys(parts))
    return tuple(dict.fromkeys(int.from_bytes(digest, "big", signed=True) for digest in digests))


class RareWords:
    """Rare words of all texts, by place: they find what vectors miss of names and of things seldom spoken of."""

    def __init__(self, texts: Sequence[str], rest: Callable[[], None] = lambda: None) -> None:
        """Words are cut here more simply than `tokens` does it, which would take ten times as long for all texts."""
        plain: defaultdict[str, list[int]] = defaultdict(list)  # as they are written
        seen: defaultdict[str, list[int]] = defaultdict(list)  # as `tokens` gives them
        for place, text in enumerate(texts):
            if not place % _MANY:
                rest()
            found, words = (plain, set(_WORD.findall(text.lower()))) if text.isascii() else (seen, tokens(text))
            for word in words:
                if len(found[word]) <= RARE:  # one more, which shows that it is not rare
                    found[word].append(place)
        lists = wordlists()
        for word, places in plain.items():
            if word not in lists.empty:
                seen[stem(lists.numbers.get(word, word))] += places
        self._texts = texts
        self._places = {word: sorted(set(places)) for word, places in seen.items() if 2 <= len(places) <= 2 * RARE}

    def near(self, place: int, most: int) -> list[int]:
        """Return the places with which a text shares the rarest words, the rarest first."""
        weights: defaultdict[int, float] = defaultdict(float)
        for word in sorted(tokens(self._texts[place])):
            places = self._places.get(word, ())
            for other in places if 2 <= len(places) <= RARE else ():
                weights[other] += log(2 * RARE / len(places))
        weights.pop(place, None)
        return sorted(weights, key=lambda other: -weights[other])[:most]
