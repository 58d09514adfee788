"""Find words in any case, spacing or Unicode composition, and mask each of their code points.

`Variants` also finds spellings that differ in punctuation, markup, accents or entities.
"""

import html
import re
import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby

from store.sanitize import RANGES

MASK = "█"
UNSPACED = (  # scripts without spaces between words: Thai to Khmer, Japanese, Chinese, Korean (letters decompose)
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
LETTER = rf"(?-i:[^\W{UNSPACED}])"  # case-sensitive, which saves a scan of the whole class for every pattern
Span = tuple[int, int]

_VOWELS = "\u0900-\u0963\u0966-\u0dff\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3099\u309a"  # vowel signs
_DROPPED = re.compile(rf"[^\w{MASK}{_VOWELS}]+|_+")
_UNSEEN = re.compile(rf"[\u0300-\u036f{RANGES}]*")
_ENTITY = r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
_TAG = r"</?[A-Za-z][A-Za-z0-9]{0,15}(?:\s[^<>]{0,200})?/?>"
_MARKUP = re.compile(f"{_ENTITY}|{_TAG}")
_UNIT = re.compile(rf"{_ENTITY}|{_TAG}|.", re.DOTALL)
_FEW = 8  # number of words from which one scan of a text is faster than a search for each word
_GRAM = 8


class Variants:
    """Words to find in every spelling. A text is scanned once for any number of words."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._keys = sorted({key for text in texts if (key := squeezed(text))})
        self._width = min([_GRAM, *map(len, self._keys)])
        grams = groupby(self._keys, key=lambda key: key[: self._width])
        self._by_gram = {gram: list(keys) for gram, keys in grams}

    def spans(self, text: str) -> list[Span]:
        """Return the spans of the words in a text, except within other words."""
        if not self._keys or not self._found(squeezed(text)):
            return []
        units = [(_letters(_plain(match[0])), match.span()) for match in _UNIT.finditer(text)]
        letters = "".join(folded for folded, _ in units)
        origins = [span for folded, span in units for _ in folded]  # span of each letter
        spans = []
        for start, end in self._found(letters):
            if self._is_edge(text, letters, origins, start) and self._is_edge(text, letters, origins, end):
                last = _UNSEEN.match(text, origins[end - 1][1])
                spans.append((origins[start][0], last.end() if last else origins[end - 1][1]))
        return spans

    def begins(self, text: str) -> bool:
        """Return True if a text is the beginning of one of the words."""
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
        """Return True if no word of a script with spaces continues across a place."""
        if not 0 < place < len(letters):
            return True
        end, start = origins[place - 1][1], origins[place][0]
        if start < end:  # between letters of one character, like the ss of ß
            return False
        if not (re.match(LETTER, letters[place - 1]) and re.match(LETTER, letters[place])):
            return True
        return _UNSEEN.fullmatch(text, end, start) is None


def squeezed(text: str) -> str:
    """Return only the letters and digits of a text, without case, accents and width."""
    if "&" in text or "<" in text:
        text = _MARKUP.sub(lambda match: _plain(match[0]), text)
    return _letters(text)


def _plain(unit: str) -> str:
    """Return the character of an entity; nothing for a tag."""
    if len(unit) == 1:
        return unit
    return html.unescape(unit) if unit[0] == "&" else ""


def _letters(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text)
    return _DROPPED.sub("", text.casefold())


_TOKEN = re.compile(rf"{LETTER}+|[{UNSPACED}]+")
_DENSE = re.compile(rf"[{UNSPACED}]")
_EDGES = " \t\n\r.,;:!?…\"'“”‘’«»„()[]*_`"
_ELLIPSIS = re.compile(r"\s*(…|\.{3})\s*$")
_MANY = 8  # number of words from which a scan of every text is faster than searches by SQLite
_CUT = 20  # minimum terminal cells of a title without an ellipsis that counts as the cut beginning of a text
_WORD = re.compile(r"[^\W_]+")
_STEM = 5  # minimum letters that two forms of a word share
_ENDING = 3


class PurgedWords:
    """The words that a purge erases. A text is scanned once for any number of words.

    Texts that are not distinctive (`is_distinctive`), like "Rust" or "I do", occur in too many unrelated texts; they
    are only erased where they were said.
    """

    def __init__(self, texts: Iterable[str], variants: bool = False, labels: Iterable[str] = ()) -> None:
        needles = {" ".join(_composed(text).split()).strip(_EDGES) for text in texts}
        self._needles = sorted(filter(is_distinctive, needles))
        self._with_variants = variants
        self._labels = {_folded(label) for label in labels}
        tokens = {needle: _tokens(needle) for needle in self._needles}
        common = Counter(token for found in tokens.values() for token in found)
        self._by_token: defaultdict[str, list[str]] = defaultdict(list)
        for needle, found in tokens.items():
            self._by_token[min(found, key=lambda token: (common[token], -len(token), token))].append(needle)
        self._patterns: dict[str, re.Pattern[str]] = {}
        self._folded = sorted(map(_folded, self._needles))
        self._variants = Variants(self._needles)

    def __bool__(self) -> bool:
        return bool(self._needles)

    def spans(self, text: str) -> list[Span]:
        """Return the spans of the words in a text; with `variants`, including other spellings."""
        return self._exact(text) + (self._variants.spans(text) if self._with_variants else [])

    def differ(self, text: str, known: Sequence[Span] = ()) -> list[Span]:
        """Return the spans of other spellings of the words in a text, except the `known` ones."""
        if not self._variants.spans(text):
            return []
        return self._variants.spans(covered(text, [*known, *self._exact(text)]))

    def differ_title(self, title: str) -> bool:
        """Return True if a title is masked because of other spellings of the words only."""
        rest = self._cover_title_exactly(title)
        return rest != MASK * len(title) and (self._is_label(rest) or bool(self.differ(rest)))

    def cover(self, text: str) -> str:
        """Return the text with the words masked."""
        return covered(text, self.spans(text))

    def cover_title(self, title: str) -> str:
        """Return the title with the words masked; all of it if it is the cut beginning of them."""
        title = self._cover_title_exactly(title)
        if not self._with_variants:
            return title
        return MASK * len(title) if self._is_label(title) else self.cover(title)

    def sql_test(self, column: str) -> tuple[str, list[str]]:
        """Return an SQL condition, with its parameters, that is true of every text that contains some of the words."""
        runs = [self._plain_run(needle) for needle in self._needles]
        if self._with_variants or len(runs) > _MANY or "" in runs:
            return "1", []
        return f"({' OR '.join(['0', *(f'{column} LIKE ?' for _ in runs)])})", [f"%{run}%" for run in runs]

    def _exact(self, text: str) -> list[Span]:
        folded = _composed(text).casefold()
        if len(self._by_token) <= _MANY and not any(token in folded for token in self._by_token):
            return []
        needles = [needle for token in _tokens(text) & self._by_token.keys() for needle in self._by_token[token]]
        return [match.span() for needle in needles for match in self._pattern(needle).finditer(text)]

    def _pattern(self, needle: str) -> re.Pattern[str]:
        """Return a pattern of words in any case, composition and spacing, except within other words."""
        if needle not in self._patterns:
            before = rf"(?<!{LETTER})" if re.match(LETTER, needle[0]) else ""
            after = rf"(?!{LETTER}|[\u0300-\u036f])" if re.match(LETTER, needle[-1]) else ""
            self._patterns[needle] = re.compile(before + _body(needle) + after, re.IGNORECASE)
        return self._patterns[needle]

    def _is_label(self, title: str) -> bool:
        """Return True if a title is one of the labels, or another spelling of the words' cut beginning."""
        return self._variants.begins(self._cut_beginning(title)) or _folded(title) in self._labels

    def _cover_title_exactly(self, title: str) -> str:
        beginning = _folded(self._cut_beginning(title).strip(_EDGES))
        place = bisect_left(self._folded, beginning)
        if beginning and any(needle.startswith(beginning) for needle in self._folded[place : place + 1]):
            return MASK * len(title)
        return covered(title, self._exact(title))

    @staticmethod
    def _cut_beginning(title: str) -> str:
        """Return a title without its ellipsis if it may be the cut beginning of a longer text, or ""."""
        bare = _ELLIPSIS.sub("", title)
        return bare if is_distinctive(bare) and (bare != title or _cells(bare) >= _CUT) else ""

    @staticmethod
    def _plain_run(needle: str) -> str:
        """Return the longest part that SQLite finds in every spelling of the words; empty if none is worth a search.

        It consists of letters and digits that are ASCII, which SQLite compares without case, or caseless and not
        decomposable.
        """

        def is_plain(character: str) -> bool:
            caseless = character.lower() == character.upper() and unicodedata.normalize("NFD", character) == character
            return character.isalnum() and (character.isascii() or caseless)

        runs = "".join(character if is_plain(character) else " " for character in needle).split()
        return max((run for run in runs if len(run) > 1), key=len, default="")


def covered(text: str, spans: Iterable[Span]) -> str:
    """Return the text with these spans masked, clipped to its length."""
    for start, end in spans:
        start, end = max(start, 0), min(end, len(text))
        if start < end:
            text = text[:start] + MASK * (end - start) + text[end:]
    return text


def covered_passages(text: str) -> int:
    """Return the number of masked passages of a text."""
    return len(re.findall(f"{re.escape(MASK)}+", text))


def covered_title(title: str, text: str, spans: Sequence[Span]) -> str:
    """Return the title, masked completely if it is the cut beginning of a text and a span starts within it."""
    start = _body(_ELLIPSIS.sub("", title).strip())
    match = re.match(r"\s*" + start, text, re.IGNORECASE) if start else None
    return MASK * len(title) if match and any(begin < match.end() for begin, _ in spans) else title


def is_about(title: str, texts: Iterable[str]) -> bool:
    """Return True if every word of a title occurs in the texts, possibly inflected, and one is long enough to be
    specific.

    "Hazelnut allergy" is about "I am allergic to hazelnuts".
    """

    def same(word: str, other: str) -> bool:
        pairs = enumerate(zip(word, other, strict=False))
        stem = next((place for place, (a, b) in pairs if a != b), min(len(word), len(other)))
        return word == other or (stem >= _STEM and max(len(word), len(other)) - stem <= _ENDING)

    words = _WORD.findall(_folded(title))
    known = {word for text in texts for word in _WORD.findall(_folded(text))}
    return any(len(word) >= _STEM for word in words) and all(
        any(same(word, other) for other in known) for word in words
    )


def is_distinctive(text: str) -> bool:
    """Return True if a text is distinctive enough to be masked wherever it occurs.

    Two characters of a script without spaces are; several words are if one has a digit or four terminal cells; a
    single word needs eight cells, or four and a digit.
    """
    words = ["".join(filter(str.isalnum, word)) for word in _composed(text).split()]
    digit = any(map(str.isdigit, "".join(words)))
    longest = max(map(_cells, words), default=0)
    alone = sum(map(bool, words)) == 1
    enough = longest >= (4 if digit else 8) if alone else longest >= 4 or digit
    return enough or len(_DENSE.findall(text)) >= 2


def _cells(text: str) -> int:
    """Return the number of terminal cells of a text."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _folded(text: str) -> str:
    return " ".join(_composed(text).casefold().split())


def _tokens(text: str) -> set[str]:
    """Return the words of a text, and pairs of adjacent characters in scripts without word boundaries; case-folded."""
    found: set[str] = set()
    for token in _TOKEN.findall(_composed(text).casefold()):
        pairs = (token[n : n + 2] for n in range(max(len(token) - 1, 1)))
        found.update(pairs if _DENSE.match(token) else (token,))
    return found


def _body(text: str) -> str:
    """Return a pattern of the words with any space between them and each character in all its forms."""

    def forms(character: str) -> str:
        ways = {character, unicodedata.normalize("NFD", character)}
        ways |= {character.casefold()} if len(character.casefold()) > 1 else set()  # ß and ss
        pattern = "|".join(map(re.escape, sorted(ways)))
        return pattern if len(ways) == 1 else f"(?:{pattern})"

    return r"\s+".join("".join(map(forms, word)) for word in _composed(text).split())
