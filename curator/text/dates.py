"""Dates written behind the words of English statements that are relative to the day they were said.

A resolved date stands in parentheses after what it resolves: `due in March (2026)`, `since Monday (2026-05-04)`. The
person's words stay as they are, and `without_dates` gives them back.
"""

import re
from functools import lru_cache

from curator.text.date_expressions import EXPRESSION, NUMBER
from curator.text.date_resolution import resolve
from store.clock import day_of

_NOTE = re.compile(r" \((?:(?:about|week of) )?(?:[A-Z][a-z]+ |Q[1-4] )?\d{4}(?:-\d\d){0,2}(?:/\d\d)?(?: or [\d-]+)?\)")
_YEAR = re.compile(r"\d{4}")
_COUNTED = re.compile(
    rf"\b(?:yesterday|today|tonight|tomorrow|this|last|past|next|ago|from now|in (?:{NUMBER}) \w+)\b", re.IGNORECASE
)


def with_dates(text: str, said_at: int | None, *, counted: bool = False, before: str = "") -> str:
    """Return a text with its relative dates resolved; unchanged if it is not known when it was said.

    `before` is what its sentence says before the text.
    With `counted`, only those that count from the day are: "last month", not "in March", which may be any year's.
    """
    if said_at is None:
        return text
    pieces, at = [], 0
    for found in resolve(text, day_of(said_at), before):
        if counted and not _COUNTED.search(text, found.start, found.end):
            continue
        pieces.append(f"{text[at : found.end]} ({found.note})")
        at = found.end
    return "".join([*pieces, text[at:]])


@lru_cache(maxsize=8192)
def without_dates(text: str) -> str:
    """Return a text without the dates that `with_dates` added."""
    if "(" not in text:
        return text
    pieces, at = [], 0
    for note in _NOTE.finditer(text):
        words = list(EXPRESSION.finditer(text, max(0, note.start() - 60), note.start() + 1))
        if words and words[-1].end() == note.start():
            pieces.append(text[at : note.start()])
            at = note.end()
    return "".join([*pieces, text[at:]])


def comparable(a: str, b: str) -> tuple[str, str]:
    """Return two texts to compare: if only one has resolved dates, and the other not their years, without those."""
    for dated, plain in ((a, b), (b, a)):
        bare = without_dates(dated)
        if bare != dated and without_dates(plain) == plain:
            years = set(_YEAR.findall(dated)) - set(_YEAR.findall(bare))
            if not any(year in plain for year in years):
                return (bare, plain) if dated is a else (plain, bare)
    return a, b
