"""The month that a day without one is of: "nothing in the first week of January, I fly on the 2nd"."""

import re
from dataclasses import dataclass

from curator.text.date_expressions import BRIEF, EXPRESSION, MONTHS, ORDINAL
from curator.text.tense import RESCHEDULED, tense

_SENTENCE_END = re.compile(r"[.!?]\s|\n")
_NAMED = re.compile(
    r"(?<![\w'’-])(?P<cue>(?:in|of|during|until|till|since|from|for|by|before|after|last|next|this|early|mid|late)"
    r"[ -])?"
    rf"(?P<before>\d{{1,2}}{ORDINAL} (?:of )?)?(?P<month>{BRIEF})(?![\w'’-])"
    rf"(?P<after> (?:the )?\d{{1,2}}{ORDINAL}(?![\d:%]))?(?:,? (?P<year>(?:19|20)\d\d))?",
    re.IGNORECASE,
)
_CERTAIN = {"january", "february", "july", "september", "october", "november", "december"}
"""Months that are neither names of people nor other words."""
_MOVED = re.compile(
    rf"{RESCHEDULED} (?:to|until|till|for)"
    r"(?: (?:the )?(?:(?:first|second|third|last) week|start|beginning|end|early|mid|late)"
    r"(?: of)?)?(?: the)? $",
    re.IGNORECASE,
)
"""A participle right before a date that says nothing of its tense."""

_PART = re.compile(
    r"\b(?:week|weekend|days?|half|start|beginning|middle|end)(?: of)?(?: the)? $|\b(?:early|mid|late)[ -]$",
    re.IGNORECASE,
)
"""Text before a month of which a part is named."""
_NEXT = re.compile(r"\bnext (?!to\b)", re.IGNORECASE)
"""A word for the nearest of several: "due in May, the next scan is on the 12th"."""


@dataclass(frozen=True, slots=True)
class NamedMonth:
    """A month named in a text, with its year if that is said, and the tense of its clause.

    It is `exact` if a day or a part of it is named: "in April, and a talk on the 8th" may be the 8th of another month.
    """

    month: int
    year: int | None
    tense: int
    exact: bool


def month_before(said: str) -> NamedMonth | None:
    """Return the last month named in the last sentence of a text; None if another kind of date follows it."""
    start = max((one.end() for one in _SENTENCE_END.finditer(said)), default=0)
    certain = [
        one
        for one in _NAMED.finditer(said, start)
        if one["cue"] or one["before"] or one["after"] or one["month"].casefold() in _CERTAIN
    ]
    if not certain:
        return None
    named = certain[-1]
    if _NEXT.search(said, named.end()) or any(not one["nth"] for one in EXPRESSION.finditer(said, named.end())):
        return None
    cue, offset = (named["cue"] or "").casefold().strip(" -"), named.start()
    way = -1 if cue in ("since", "last") else 1 if cue == "next" else tense(said, offset)
    way = 0 if _MOVED.search(said[start : named.start("month")]) else way
    exact = bool(named["before"] or named["after"] or _PART.search(said[start : named.start("month")]))
    return NamedMonth(MONTHS[named["month"].casefold()], int(named["year"]) if named["year"] else None, way, exact)
