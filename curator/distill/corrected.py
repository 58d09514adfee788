"""Corrections of a value in what the person said just before: "I meant 75 euro an hour, not 70"."""

import re
from dataclasses import replace

from curator.distill.clauses import StatementSpan
from curator.distill.collector import Collector
from curator.distill.language import english
from curator.distill.mask import lower

_CORRECTS = re.compile(
    r"(?:(?:sorry|oops|typo|correction|no|wait|actually|ah|oh|my bad),? ?:?)*(?P<said>i (?:meant|mean)(?: to (?:say"
    r"|write|type))?"
    r" (?P<new>[^,.!?\n]{1,60}),? not (?P<old>[^,.!?\n]{1,40}?))[.!]*"
)
_NUMBER = re.compile(r"\d[\d.,:]*")
_RECENT = 20
"""Number of statements of a message that are looked through: all of them would take quadratic time."""


def corrected_value(kept: Collector, previous: Collector | None, start: int, end: int) -> StatementSpan | None:
    """Return a sentence as a statement if it corrects a number in a statement of this or the previous message."""
    found = _CORRECTS.fullmatch(kept.low, start, end)
    old = {*_NUMBER.findall(found["old"])} if found else set()
    if found is None or not old or not _NUMBER.search(found["new"]):
        return None
    said = [*(previous.candidates[-_RECENT:] if previous else ()), *kept.candidates[-_RECENT:]]
    for one in reversed(said):
        if old <= {*_NUMBER.findall(lower(one.quote))} and not one.standing:
            family = replace(english().named("decision"), kind=one.kind, tier=one.tier, sure=True, strong=True)
            return StatementSpan(*found.span("said"), family)
    return None
