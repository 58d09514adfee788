"""Texts that share rare words: what vectors miss of names and of things that are seldom spoken of."""

from collections import Counter
from collections.abc import Sequence
from math import log

from curator.compare import tokens

RARE = 30  # texts that may share a word for it to say anything; so the work for each stays the same


class RareWords:
    """The rare words of all texts, by place."""

    def __init__(self, texts: Sequence[str]) -> None:
        seen: dict[str, list[int]] = {}
        for place, text in enumerate(texts):
            for word in tokens(text):
                places = seen.setdefault(word, [])
                if len(places) <= RARE:  # one more, which says that it is not rare
                    places.append(place)
        self._texts = texts
        self._places = {word: places for word, places in seen.items() if 2 <= len(places) <= RARE}

    def near(self, place: int, most: int) -> list[int]:
        """The places with which a text shares the rarest words, the rarest first."""
        weights: Counter[int] = Counter()
        for word in sorted(tokens(self._texts[place])):
            places = self._places.get(word, ())
            weight = log(2 * RARE / len(places)) if places else 0.0
            for other in places:
                weights[other] += weight  # type: ignore[assignment]
        del weights[place]
        return [other for other, _ in weights.most_common(most)]
