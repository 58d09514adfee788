"""Finding words again however they are cased, spaced or composed, and covering them code point for code point."""

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence

from store.record.word_variants import BLOT, LETTER, UNSPACED, Span, Variants

_TOKEN = re.compile(rf"{LETTER}+|[{UNSPACED}]+")
_DENSE = re.compile(rf"[{UNSPACED}]")
_EDGES = " \t\n\r.,;:!?…\"'“”‘’«»„()[]*_`"
_ELLIPSIS = re.compile(r"\s*(…|\.{3})\s*$")
_MANY = 8  # from here on one reading of every text costs less than this many searches by SQLite
_CUT = 20  # cells from which a title that begins like a longer text is taken for its cut, though nothing says so
_WORD = re.compile(r"[^\W_]+")
_STEM = 5  # letters that two forms of one word have in common
_ENDING = 3


class Words:
    """The words that a purge erases. What they are found in is read once, however many they are.

    Not every text is looked for beyond where it was said: a quote like "Rust" or "I do" stands in too much that has
    nothing to do with it (`telling`).
    """

    def __init__(self, texts: Iterable[str], variants: bool = False, labels: Iterable[str] = ()) -> None:
        needles = {" ".join(_composed(text).split()).strip(_EDGES) for text in texts}
        self.wide = variants
        self._labels = {_folded(label) for label in labels}
        self._by_token: dict[str, list[str]] = {}
        tokens = {needle: _tokens(needle) for needle in sorted(filter(telling, needles))}
        common = Counter(token for found in tokens.values() for token in found)
        for needle, found in tokens.items():
            rarest = min(found, key=lambda token: (common[token], -len(token), token))
            self._by_token.setdefault(rarest, []).append(needle)
        self._patterns: dict[str, re.Pattern[str]] = {}
        self._folded = sorted(_folded(needle) for part in self._by_token.values() for needle in part)
        self._variants = Variants(needle for part in self._by_token.values() for needle in part)

    def __bool__(self) -> bool:
        return bool(self._by_token)

    def spans(self, text: str) -> list[Span]:
        """Return the places of the words in a text, with `wide` also where they are written differently."""
        return self._exact(text) + (self._variants.spans(text) if self.wide else [])

    def differ(self, text: str, known: Sequence[Span] = ()) -> list[Span]:
        """Return where the words stand in a text, written differently, beyond those places that are known."""
        if not self._variants.spans(text):
            return []
        return self._variants.spans(covered(text, [*known, *self._exact(text)]))

    def differ_title(self, title: str) -> bool:
        """Return whether a title that is not covered for its exact words would be for those written differently."""
        rest = self._exactly_blotted(title)
        return rest != BLOT * len(title) and (self._is_label(rest) or bool(self.differ(rest)))

    def _exact(self, text: str) -> list[Span]:
        if len(self._by_token) <= _MANY:
            folded = _composed(text).casefold()
            if not any(token in folded for token in self._by_token):
                return []
        found = []
        for token in _tokens(text) & self._by_token.keys():
            for needle in self._by_token[token]:
                if needle not in self._patterns:
                    self._patterns[needle] = _pattern(needle)
                found += [match.span() for match in self._patterns[needle].finditer(text)]
        return found

    def blotted(self, text: str) -> str:
        """The text with the words covered."""
        return covered(text, self.spans(text))

    def blotted_title(self, title: str) -> str:
        """The title with the words covered; all of it if it is the beginning of them, cut."""
        title = self._exactly_blotted(title)
        if not self.wide:
            return title
        return BLOT * len(title) if self._is_label(title) else self.blotted(title)

    def _is_label(self, title: str) -> bool:
        """Return whether a title is one of the labels, or the cut beginning of the words, written differently."""
        bare = _ELLIPSIS.sub("", title)
        cut = self._variants.begins(bare) and telling(bare) and (bare != title or _cells(bare) >= _CUT)
        return cut or _folded(title) in self._labels

    def _exactly_blotted(self, title: str) -> str:
        bare = _ELLIPSIS.sub("", title)
        folded = _folded(bare.strip(_EDGES))
        place = bisect_left(self._folded, folded)
        cut = place < len(self._folded) and self._folded[place].startswith(folded)
        if cut and telling(bare) and (bare != title or _cells(bare) >= _CUT):
            return BLOT * len(title)
        return covered(title, self._exact(title))

    def like(self, column: str) -> tuple[str, list[str]]:
        """An SQL test, with its parameters, that is true of every text that holds some of the words."""
        runs = [_plain_run(needle) for part in self._by_token.values() for needle in part]
        if self.wide or len(runs) > _MANY or "" in runs:
            return "1", []
        tests = [f"{column} LIKE ?" for _ in runs]
        return f"({' OR '.join(['0', *tests])})", [f"%{run}%" for run in runs]


def covered(text: str, spans: Iterable[Span]) -> str:
    """The text with these spans covered, as far as it reaches."""
    for start, end in spans:
        start, end = max(start, 0), min(end, len(text))
        if start < end:
            text = text[:start] + BLOT * (end - start) + text[end:]
    return text


def covered_title(title: str, text: str, spans: Sequence[Span]) -> str:
    """The title, covered whole if it is the cut beginning of a text, and a span of that begins within it."""
    start = _body(_ELLIPSIS.sub("", title).strip())
    match = re.match(r"\s*" + start, text, re.IGNORECASE) if start else None
    return BLOT * len(title) if match and any(begin < match.end() for begin, _ in spans) else title


def is_about(title: str, texts: Iterable[str]) -> bool:
    """Return whether every word of a title stands in the texts, inflected perhaps, and one is long enough to tell.

    "Hazelnut allergy" is about "I am allergic to hazelnuts".
    """
    words = _WORD.findall(_folded(title))
    said = {word for text in texts for word in _WORD.findall(_folded(text))}
    return any(len(word) >= _STEM for word in words) and all(
        any(word == other or _is_inflected(word, other) for other in said) for word in words
    )


def _is_inflected(word: str, other: str) -> bool:
    """Return whether two words begin alike and differ in their last letters only."""
    same = 0
    for a, b in zip(word, other, strict=False):
        if a != b:
            break
        same += 1
    return same >= _STEM and max(len(word), len(other)) - same <= _ENDING


def telling(text: str) -> bool:
    """Whether words can be looked for anywhere without covering what has nothing to do with them.

    Two characters of a script without spaces are enough; several words, if one has a digit or four cells; of one word
    alone it takes eight cells, or four and a digit.
    """
    words = ["".join(filter(str.isalnum, word)) for word in _composed(text).split()]
    words = [word for word in words if word]
    if len(_DENSE.findall(text)) >= 2:
        return True
    digit = any(character.isdigit() for word in words for character in word)
    longest = max(map(_cells, words), default=0)
    if len(words) == 1:
        return longest >= (4 if digit else 8)
    return longest >= 4 or (digit and bool(words))


def _cells(text: str) -> int:
    """How many cells of a terminal a text takes."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _folded(text: str) -> str:
    return " ".join(_composed(text).casefold().split())


def _tokens(text: str) -> set[str]:
    """The words of a text, and the pairs of neighbours where a script does not set words apart; without case."""
    found: set[str] = set()
    for token in _TOKEN.findall(_composed(text).casefold()):
        if _DENSE.match(token):
            found.update(token[n : n + 2] for n in range(max(len(token) - 1, 1)))
        else:
            found.add(token)
    return found


def _pattern(needle: str) -> re.Pattern[str]:
    """The words in any case, composed or not, with any space between them, and not as a part of other words."""
    before = rf"(?<!{LETTER})" if re.match(LETTER, needle[0]) else ""
    after = rf"(?!{LETTER}|[\u0300-\u036f])" if re.match(LETTER, needle[-1]) else ""
    return re.compile(before + _body(needle) + after, re.IGNORECASE)


def _body(text: str) -> str:
    return r"\s+".join("".join(map(_forms, word)) for word in _composed(text).split())


def _forms(character: str) -> str:
    """One character in each of the ways it may be written."""
    forms = {character, unicodedata.normalize("NFD", character)}
    folded = character.casefold()
    if len(folded) > 1:  # ß and ss
        forms.add(folded)
    return "|".join(map(re.escape, forms)) if len(forms) == 1 else f"(?:{'|'.join(map(re.escape, sorted(forms)))})"


def _plain_run(needle: str) -> str:
    """The longest part that SQLite finds in every writing of the words; empty if there is none worth a search."""
    runs = "".join(c if _is_plain(c) else " " for c in needle).split()
    longest = max(runs, key=len, default="")
    return longest if len(longest) > 1 else ""


def _is_plain(character: str) -> bool:
    """Letters and digits that SQLite compares without case (ASCII), or that have neither case nor parts."""
    if character.isascii():
        return character.isalnum()
    cased = character.lower() != character.upper()
    return character.isalnum() and not cased and unicodedata.normalize("NFD", character) == character
