"""Words found again in another writing: other marks, emphasis, case, spaces, entities."""

import html
import re
import unicodedata
from collections.abc import Iterable
from itertools import groupby

from store.sanitize import RANGES

MASK = "█"
UNSPACED = (  # scripts that put no spaces between words: Thai to Khmer, Japanese, Chinese, Korean (letters come apart)
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
LETTER = rf"(?-i:[^\W{UNSPACED}])"  # that it has no case saves a walk over the whole class for every pattern
Span = tuple[int, int]

_VOWELS = "\u0900-\u0963\u0966-\u0dff\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3099\u309a"  # signs that are no letters
_DROPPED = re.compile(rf"[^\w{MASK}{_VOWELS}]+|_+")
_UNSEEN = re.compile(rf"[\u0300-\u036f{RANGES}]*")
_ENTITY = r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
_TAG = r"</?[A-Za-z][A-Za-z0-9]{0,15}(?:\s[^<>]{0,200})?/?>"
_MARKUP = re.compile(f"{_ENTITY}|{_TAG}")
_UNIT = re.compile(rf"{_ENTITY}|{_TAG}|.", re.DOTALL)
_FEW = 8  # from here on one walk over a text costs less than a search for each of the words
_GRAM = 8


class Variants:
    """Words to look for in every writing. A text is read once, however many they are."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._keys = sorted({key for text in texts if (key := squeezed(text))})
        self._width = min([_GRAM, *map(len, self._keys)])
        grams = groupby(self._keys, key=lambda key: key[: self._width])
        self._by_gram = {gram: list(keys) for gram, keys in grams}

    def spans(self, text: str) -> list[Span]:
        """Return where the words stand in a text, not as a part of other words."""
        if not self._keys or not self._found(squeezed(text)):
            return []
        units = [(_folded(_plain(match[0])), match.span()) for match in _UNIT.finditer(text)]
        letters = "".join(folded for folded, _ in units)
        origins = [span for folded, span in units for _ in folded]  # of each letter
        spans = []
        for start, end in self._found(letters):
            if self._is_edge(text, letters, origins, start) and self._is_edge(text, letters, origins, end):
                last = _UNSEEN.match(text, origins[end - 1][1])
                spans.append((origins[start][0], last.end() if last else origins[end - 1][1]))
        return spans

    def begins(self, text: str) -> bool:
        """Return whether a text, cut anywhere, is the beginning of one of the words."""
        start = squeezed(text)
        return bool(start) and any(key.startswith(start) for key in self._keys)

    def _found(self, letters: str) -> list[Span]:
        if len(self._keys) <= _FEW:
            keys = [key for key in self._keys if key in letters]
            return [match.span(1) for key in keys for match in re.finditer(f"(?=({re.escape(key)}))", letters)]
        grams = [letters[place : place + self._width] for place in range(len(letters) - self._width + 1)]
        if self._by_gram.keys().isdisjoint(grams):
            return []
        return [
            (place, place + len(key))
            for place, gram in enumerate(grams)
            for key in self._by_gram.get(gram, ())
            if letters.startswith(key, place)
        ]

    @staticmethod
    def _is_edge(text: str, letters: str, origins: list[Span], place: int) -> bool:
        """Return whether no word of a script with spaces goes on across a place."""
        if not 0 < place < len(letters):
            return True
        end, start = origins[place - 1][1], origins[place][0]
        if start < end:  # in the middle of one character, as ß is of ss
            return False
        if not (re.match(LETTER, letters[place - 1]) and re.match(LETTER, letters[place])):
            return True
        return _UNSEEN.fullmatch(text, end, start) is None


def squeezed(text: str) -> str:
    """Return the letters and digits of a text alone, without case, accents and width."""
    if "&" in text or "<" in text:
        text = _MARKUP.sub(lambda match: _plain(match[0]), text)
    return _folded(text)


def _plain(unit: str) -> str:
    """Return the character an entity stands for; nothing for a tag."""
    if len(unit) == 1:
        return unit
    return html.unescape(unit) if unit[0] == "&" else ""


def _folded(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text)
    return _DROPPED.sub("", text.casefold())
