"""Normal form of texts, in which only spellings of one statement are equal; tokens, for similarity; and language."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Collection
from enum import StrEnum
from functools import lru_cache
from hashlib import blake2b

from curator.stem import stem
from curator.text.english import first_person, wordlists
from store.sanitize import is_invisible

KEPT_SIGNS = frozenset("%‰&@/?")
"""Punctuation that is meaningful by itself: `Q & A`, and a question is not a statement."""

EDGES = " \t\n\r,;:-–—(?"
"""Characters that are stripped from both ends of a memory."""

_MARKS = re.compile(r"(?<!\w)(\*{1,3}|_{2})(?=\S)([^*_\n]{1,200})(?<=\S)\1(?!\w)")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "`": "'", "´": "'", "“": '"', "”": '"', "−": "-"})
_EMPHASIS = re.compile(r"(?<!\w)(\*{1,3}|__?)(?=\S)([^*_\n]{1,200})(?<=\S)\1(?!\w)")
_PERCENT = re.compile(r"(?<=\d) (?=[%‰])")
_OVER_SPACES = re.compile(r"[*_%‰]")
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,]|\.\d{3})")
_SPACED_THOUSANDS = re.compile(
    r"(?<![\w.,+-])(?<!\d )[1-9]\d{0,2}(?:[ \u00a0\u2009\u202f]\d{3})+(?![\w:-])(?!\s\d)(?!\s?(?:mg|mcg|µg|ml)\b)"
)
"""A number with spaces between its groups: no telephone number, and not "2 500 mg tablets"."""
_WORD = re.compile(
    r"(?:(?<![\w.])-(?=\.?\d))?"  # a minus sign: before a number, not inside a word
    r"\w+(?:[.:'/@&_-]\w+)*[+#*%‰]*"
    r"|[^\w\s]"
)
_CONTRACTIONS = (
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"\bcan't\b"), "can not"),
    (re.compile(r"\bcannot\b"), "can not"),
    (re.compile(r"\bshan't\b"), "shall not"),
    (re.compile(r"(?<=\w)n't\b"), " not"),
    (re.compile(r"\bi'm\b"), "i am"),
    (re.compile(r"(?<=\w)'re\b"), " are"),
    (re.compile(r"(?<=\w)'ve\b"), " have"),
    (re.compile(r"(?<=\w)'ll\b"), " will"),
)


def fold(text: str) -> str:
    """Return `text` in NFKC and lower case, with straight quotes and without invisible characters or Markdown emphasis.

    Superscripts and vulgar fractions get a mark or space first, since NFKC would turn `10²` into 102 and `3½` into
    31/2.
    """
    if not text.isascii():
        text = "".join(map(_separate, text))
        text = unicodedata.normalize("NFKC", text).translate(_QUOTES)
        text = unicodedata.normalize("NFKC", text.casefold())
    else:
        text = text.lower().translate(_QUOTES)
    return _EMPHASIS.sub(r"\2", text)


def _separate(char: str) -> str:
    if char < "\x80":
        return char
    if unicodedata.category(char) == "Cf" or (is_invisible(char) and not char.isspace()):
        return ""
    tag = unicodedata.decomposition(char).partition(" ")[0]
    if tag == "<fraction>":
        return f" {char}"
    if tag in ("<super>", "<sub>"):
        return f"^{char}"
    return char


def joined_thousands(text: str) -> str:
    """Return a text without the spaces that separate thousands: `1 150 euros` becomes `1150 euros`."""
    return _SPACED_THOUSANDS.sub(lambda found: "".join(found[0].split()), text)


def words(text: str) -> list[str]:
    """Return the words of a text in `fold`ed form, with contractions expanded and meaningless punctuation removed.

    Numbers stay whole (`3.5`, `10:30`, `-5`, `2024-05-01`; `1,000` becomes `1000`), hyphens between letters split.
    """
    text = _THOUSANDS.sub(lambda found: found[0].replace(",", ""), _PERCENT.sub("", fold(text)))
    if "'" in text or "cannot" in text:
        for pattern, plain in _CONTRACTIONS:
            text = pattern.sub(plain, text)
    found: list[str] = []
    for word in _WORD.findall(text):
        if len(word) == 1 and word not in KEPT_SIGNS and unicodedata.category(word)[0] == "P":
            continue
        if "-" in word[1:] and not word.replace("-", "").isdigit():
            found += [part for part in word.split("-") if part]
        else:
            found.append(word)
    return found


def content_key(text: str) -> str:
    """Return 32 hexadecimal digits that are equal for texts that say exactly the same.

    Case, spacing, punctuation, quotes, emphasis and contractions are ignored. Everything else is significant: negation,
    numbers, names, word order, articles (`a few friends` is not `few friends`), and a question mark.
    """
    plain = " ".join(words(text)) or " ".join(fold(text).split())
    return blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def content_keys(text: str, begins: Collection[int], ends: Collection[int]) -> set[str]:
    """Return the content keys of the parts of a text from each of `begins` to each of `ends`, all after them.

    Words are normalized once, which takes an eighth of the time, unless signs may join words over a space.
    """
    first, last = min(begins), max(ends)
    if _OVER_SPACES.search(unicodedata.normalize("NFKC", text[first:last])):
        return {content_key(text[begin:end]) for begin in begins for end in ends}
    between = (offset for offset in {*begins, *ends} if first < offset < last)
    spaces = sorted(offset for offset in between if text[offset - 1].isspace() or text[offset].isspace())
    normal: dict[tuple[int, int], bytes] = {}

    def plain(begin: int, end: int) -> bytes:
        if (begin, end) not in normal:
            normal[begin, end] = " ".join(words(text[begin:end])).encode("utf-8", "surrogatepass")
        return normal[begin, end]

    found = set()
    for begin in begins:
        digest, offset, joint = blake2b(digest_size=16), begin, b""
        for end in sorted(ends):
            for edge in spaces[bisect_right(spaces, offset) : bisect_right(spaces, end)]:
                if part := plain(offset, edge):
                    digest.update(joint + part)
                    joint = b" "
                offset = edge
            whole, part = digest.copy(), plain(offset, end)
            if part:
                whole.update(joint + part)
            found.add(whole.hexdigest() if joint or part else content_key(text[begin:end]))
    return found


def unmarked(quote: str) -> str:
    """Return a quote in one line, without emphasis marks."""
    if "*" in quote or "__" in quote:
        quote = _MARKS.sub(r"\2", quote)
    return " ".join(quote.split()).strip(EDGES)


def worded(quote: str) -> str:
    """Return a quote as the text of a memory: one line, without emphasis marks, capitalized."""
    plain = unmarked(quote)
    return plain[:1].upper() + plain[1:]


def lower(text: str) -> str:
    """Return the text in lower case at the same length, so that offsets stay valid."""
    low = text.lower()
    return (
        low if len(low) == len(text) else "".join(small if len(small := char.lower()) == 1 else char for char in text)
    )


TOKENS = "tokens/1"
"""Version of `tokens`; increment it with every change of its results."""

_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\u0e00-\u0e7f]+")


@lru_cache(maxsize=8192)
def plain_words(text: str) -> tuple[str, ...]:
    """Return the words of `text` in normal form and order, "the user" as "i"."""
    return tuple(first_person(" ".join(words(text))).split())


@lru_cache(maxsize=8192)
def tokens(text: str) -> frozenset[str]:
    """Return stems of the content words, number words as digits; of all words if there are no content words."""
    found = plain_words(text)
    lists = wordlists()
    counted = [lists.numbers.get(word, word) for word in found if word not in lists.empty] or found
    result: set[str] = set()
    for word in counted:
        runs = _CJK.findall(word)
        if not runs:
            result.add(stem(word))
            continue
        result.update(part for part in _CJK.split(word) if part)
        for run in runs:
            result.update(run[at : at + 2] for at in range(max(1, len(run) - 1)))
    return frozenset(result)


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """Return the share of common tokens among all, 0-1; 0 for two empty sets."""
    together = len(a | b)
    return len(a & b) / together if together else 0.0


MOST = 60
"""Maximum words of a text to check."""

_NAMES = frozenset({"eu", "jest", "til"})
"""Words of other languages that are English, or names of regions and programs, as well: alone they show no language."""


class Language(StrEnum):
    """English, another language, or unknown: too short, or without a known frequent word."""

    ENGLISH = "English"
    OTHER = "another language"
    UNKNOWN = "unknown"


@lru_cache(maxsize=8192)
def language(text: str) -> Language:
    """Return the language according to frequent words and script."""
    lists = wordlists()
    found = [word for word in plain_words(text)[:MOST] if word not in lists.no_sign]
    english = sum(word in lists.empty or word in lists.small or word in lists.present for word in found)
    other = sum(
        word in lists.other or (not word.isascii() and any(char.isalpha() and not is_latin(char) for char in word[:4]))
        for word in found
    )
    if other and other >= english and not (other == 1 and _NAMES.intersection(found)):
        return Language.OTHER
    return Language.ENGLISH if english else Language.UNKNOWN


def is_latin(char: str) -> bool:
    """Return True if a character is a Latin letter by its Unicode name, or has no name."""
    return unicodedata.name(char, "LATIN").startswith("LATIN")
