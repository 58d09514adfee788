"""Sentences of a message, with offsets."""

import re
from collections.abc import Iterator
from itertools import pairwise

from curator.distill.language import Language

_STOP = re.compile(r"[.!?…]{1,20}[\"')\]”’*]{0,3}(?=\s)|[。！？]")
_LEAD = re.compile(r"(?:[ \t]{0,20}(?:[-*+•‣◦–—]|\d{1,3}[.)]|[a-z][.)]|#{1,6}|\[[ x]\])[ \t]{1,8}){0,3}[ \t]{0,200}")
_WORD_BEFORE = re.compile(r"([\w.]+)$")
WRAPPED = 50


def sentences(low: str, language: Language) -> Iterator[tuple[int, int, bool]]:
    """Yield the spans of the sentences of a blanked, lower-case text, and whether each is an entry of a list.

    A line ends a sentence unless it looks wrapped: long, without a full stop, and the next begins with a letter.
    """
    start = 0
    size = len(low)
    while start < size:
        end = low.find("\n", start)
        end = size if end < 0 else end
        if not low[start:end].strip():
            start = end + 1
            continue
        while end < size and _is_wrapped(low, start, end):
            following = low.find("\n", end + 1)
            end = size if following < 0 else following
        lead = _LEAD.match(low, start, end)
        body = lead.end() if lead else start
        is_item = bool(low[start:body].strip())
        yield from ((a, b, is_item) for a, b in _in_line(low, body, end, language))
        start = end + 1


def _is_wrapped(low: str, start: int, end: int) -> bool:
    after = low[end + 1 : end + 3]
    before = low[max(start, end - 1) : end]
    line_start = max(low.rfind("\n", 0, end) + 1, start)
    return bool(
        end - line_start > WRAPPED
        and after[:1].isalpha()
        and after[1:2] not in ".)"
        and before
        and before not in ".!?:;…"
    )


def _in_line(low: str, start: int, end: int, language: Language) -> Iterator[tuple[int, int]]:
    """Yield the spans of the sentences in a line, without blanks around them."""
    stops = [stop.end() for stop in _STOP.finditer(low, start, end) if not _abbreviates(low, start, stop, language)]
    for first, last in pairwise([start, *stops, end]):
        said = low[first:last]
        if not said.isspace() and said:
            yield first + len(said) - len(said.lstrip()), first + len(said.rstrip())


def _abbreviates(low: str, start: int, stop: re.Match[str], language: Language) -> bool:
    word = _WORD_BEFORE.search(low, max(start, stop.start() - 12), stop.start()) if stop[0] == "." else None
    if not word:
        return False
    return word[1] in language.abbreviations or (len(word[1]) == 1 and word[1].isalpha() and word[1] != "i")
