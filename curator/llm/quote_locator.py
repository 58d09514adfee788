"""Locate a model's quote in the original text. A quote that is not found was not said."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from curator.llm.data_fence import shapeless

LEAST = 4
"""Minimum length of a quote without blanks; two characters must be letters or digits."""

_AROUND = " \t\r\n\"'“”„«»‘’`….[]"
_MARKS = str.maketrans(
    dict.fromkeys("’‘‚‛ʼ`´′＇", "'") | dict.fromkeys("“”„‟«»″＂", '"') | dict.fromkeys("‐‑‒–—―−﹣－", "-")
)
_SIGNS = frozenset("*`|'\"")


def locate(quote: str, text: str) -> tuple[int, int] | None:
    """Return the offsets of the quote in `text`, on word boundaries, or None.

    Match exactly first, then with normalized spaces, quotation marks, dashes and letter forms, and finally without
    spaces, punctuation and case. The offsets always refer to the original `text`.
    """
    bare = quote.strip(_AROUND)
    if len("".join(bare.split())) < LEAST or sum(map(str.isalnum, bare)) < 2:
        return None
    for wanted in (quote.strip(), bare):
        for start in _occurrences(wanted, text):
            if _whole(text, start, start + len(wanted)):
                return start, start + len(wanted)
    for loosely in (False, True):
        wanted = "".join(chars for chars, _, _ in _folded(bare, loosely)).strip()
        plain, starts, ends = _mapped(text, loosely)
        if not wanted:
            continue
        for at in _occurrences(wanted, plain):
            start, end = starts[at], ends[at + len(wanted) - 1]
            if _whole(text, start, end):
                return start, end
    return None


def _occurrences(wanted: str, text: str) -> Iterator[int]:
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)


@lru_cache(maxsize=32)
def _mapped(text: str, loosely: bool) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """Return a text in normalized form, with the start and end of each of its characters in the original."""
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for chars, start, end in _folded(text, loosely):
        parts.append(chars)
        starts += [start] * len(chars)
        ends += [end] * len(chars)
    return "".join(parts), tuple(starts), tuple(ends)


def _folded(text: str, loosely: bool) -> Iterator[tuple[str, int, int]]:
    """Yield the text in normalized form, piece by piece, with offsets. Runs of spaces become one."""
    blank = False
    for start, end in _clusters(text):
        cluster = text[start:end]
        if cluster.isspace():
            if not blank and not loosely:
                yield " ", start, end
            blank = True
            continue
        if not cluster.isascii():
            cluster = "".join(char for char in cluster if not shapeless(char))
            cluster = unicodedata.normalize("NFKC", cluster.translate(_MARKS))
        elif cluster in "`":
            cluster = "'"
        if loosely:
            cluster = "".join(char for char in cluster.casefold() if char not in _SIGNS and not char.isspace())
        if cluster:
            yield cluster, start, end
            blank = False


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Yield characters with their combining marks, so that composed and decomposed letters compare equal."""
    if text.isascii():
        yield from ((at, at + 1) for at in range(len(text)))
        return
    start = 0
    for at in range(1, len(text)):
        if not (unicodedata.combining(text[at]) or "\u1161" <= text[at] <= "\u11ff"):
            yield start, at
            start = at
    yield start, len(text)


_LATIN = re.compile(r"[0-9A-Za-z\u00c0-\u024f\u0370-\u052f]")


def _whole(text: str, start: int, end: int) -> bool:
    """Return True if a span cuts no word; scripts without spaces have none to cut."""
    return not (_joins(text, start) or _joins(text, end))


def _joins(text: str, offset: int) -> bool:
    return 0 < offset < len(text) and bool(_LATIN.match(text[offset - 1]) and _LATIN.match(text[offset]))
