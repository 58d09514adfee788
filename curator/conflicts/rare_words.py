"""Texts that share rare words: what vectors miss of names and of things that are seldom spoken of."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from math import log

from curator.text import stem, tokens, wordlists

RARE = 30  # texts that may share a word for it to say anything; so the work for each stays the same
_MANY = 100  # texts between two rests
_WORD = re.compile(r"\w+(?:[.:'/@&_]\w+)*[+#*%]*")


class RareWords:
    """The rare words of all texts, by place."""

    def __init__(self, texts: Sequence[str], rest: Callable[[], None] = lambda: None) -> None:
        """Words are cut here more simply than `tokens` does it, which would take ten times as long for all texts."""
        plain: dict[str, list[int]] = {}  # as they are written
        seen: dict[str, list[int]] = {}  # as `tokens` gives them
        for place, text in enumerate(texts):
            if not place % _MANY:
                rest()
            if text.isascii():
                for word in set(_WORD.findall(text.lower())):
                    _note(plain, word, place)
            else:
                for word in tokens(text):
                    _note(seen, word, place)
        lists = wordlists()
        for word, places in plain.items():
            if word not in lists.empty:
                found = seen.setdefault(stem(lists.numbers.get(word, word)), [])
                found += places
        self._texts = texts
        self._places = {word: sorted(set(places)) for word, places in seen.items() if 2 <= len(places) <= 2 * RARE}

    def near(self, place: int, most: int) -> list[int]:
        """The places with which a text shares the rarest words, the rarest first."""
        weights: Counter[int] = Counter()
        for word in sorted(tokens(self._texts[place])):
            places = self._places.get(word, ())
            if not 2 <= len(places) <= RARE:
                continue
            weight = log(2 * RARE / len(places))
            for other in places:
                weights[other] += weight  # type: ignore[assignment]
        del weights[place]
        return [other for other, _ in weights.most_common(most)]


def _note(places: dict[str, list[int]], word: str, place: int) -> None:
    found = places.setdefault(word, [])
    if len(found) <= RARE:  # one more, which says that it is not rare
        found.append(place)
