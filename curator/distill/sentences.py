"""Cutting a message into sentences, with offsets."""

import re
from collections.abc import Iterator

from curator.distill.language import Language

_STOP = re.compile(r"[.!?…]{1,20}[\"')\]”’*]{0,3}(?=\s)|[。！？]")
_LEAD = re.compile(r"(?:[ \t]{0,20}(?:[-*+•‣◦–—]|\d{1,3}[.)]|[a-z][.)]|#{1,6}|\[[ x]\])[ \t]{1,8}){0,3}[ \t]{0,200}")
_WORD_BEFORE = re.compile(r"([\w.]+)$")
WRAPPED = 50


def sentences(low: str, language: Language) -> Iterator[tuple[int, int, bool]]:
    """Spans of the sentences of a blanked, lower-case text, and whether each is an entry of a list.

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
        while end < size and _wrapped(low, start, end):
            following = low.find("\n", end + 1)
            end = size if following < 0 else following
        lead = _LEAD.match(low, start, end)
        body = lead.end() if lead else start
        is_item = bool(low[start:body].strip())
        yield from ((a, b, is_item) for a, b in _in_line(low, body, end, language))
        start = end + 1


def _wrapped(low: str, start: int, end: int) -> bool:
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
    at = start
    for stop in _STOP.finditer(low, start, end):
        if stop[0] == "." and _abbreviated(low, at, stop.start(), language):
            continue
        if span := _trimmed(low, at, stop.end()):
            yield span
        at = stop.end()
    if span := _trimmed(low, at, end):
        yield span


def _abbreviated(low: str, start: int, stop: int, language: Language) -> bool:
    word = _WORD_BEFORE.search(low, max(start, stop - 12), stop)
    return bool(
        word and (word[1] in language.abbreviations or (len(word[1]) == 1 and word[1].isalpha() and word[1] != "i"))
    )


def _trimmed(low: str, start: int, end: int) -> tuple[int, int] | None:
    while start < end and low[start].isspace():
        start += 1
    while end > start and low[end - 1].isspace():
        end -= 1
    return (start, end) if start < end else None
