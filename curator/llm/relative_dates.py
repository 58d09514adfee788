"""Days denoted by words like "yesterday" or "last Friday", relative to the day they were said."""

import re
from collections.abc import Iterator
from datetime import date, timedelta

from curator.text.date_expressions import NUMBER_WORDS, WEEKDAYS
from curator.text.date_resolution import STEPS
from store.clock import day_of

ISO = re.compile(r"\b(\d{4})-(\d\d)(?:-(\d\d))?\b")

_COUNTS = NUMBER_WORDS | {"a": 1, "an": 1, "twelve": 12}
_NEAR = {"today": 0, "tonight": 0, "this morning": 0, "tomorrow": 1, "yesterday": -1, "last night": -1}
_DAY = re.compile(rf"\b({'|'.join(_NEAR)})\b")
_NAMED = re.compile(rf"\b(?:(last|next|this|on|by|until)\s+)?({'|'.join(WEEKDAYS)})\b")
_AMOUNT = rf"(\d{{1,3}}|{'|'.join(_COUNTS)})\s+(day|week|month|year)s?"
_AGO = re.compile(rf"\b{_AMOUNT}\s+ago\b")
_AHEAD = re.compile(rf"\bin\s+{_AMOUNT}\b")
_SPAN = re.compile(r"\b(last|this|next)\s+(week|month|year)\b")


def meant(text: str, said_at: int) -> frozenset[str]:
    """Return the days (YYYY-MM-DD) and months (YYYY-MM) that relative dates in an English text can denote.

    A weekday can be the one before or after the day it was said.
    """
    low, day = text.lower(), day_of(said_at)
    days: list[date] = []
    for found in _DAY.finditer(low):
        days += _moved(day, _NEAR[found[1]], "day")
    for found in _NAMED.finditer(low):
        ahead = (WEEKDAYS[found[2]] - day.weekday()) % 7
        for number in (ahead - 7, ahead, ahead + 7):
            days += _moved(day, number, "day")
    for pattern, sign in ((_AGO, -1), (_AHEAD, 1)):
        for found in pattern.finditer(low):
            number = _COUNTS.get(found[1]) or int(found[1])
            days += _moved(day, sign * number, found[2])
    for found in _SPAN.finditer(low):
        days += _moved(day, STEPS[found[1]], found[2])
    return frozenset(name for one in days for name in (one.isoformat(), one.isoformat()[:7]))


def checked(text: str, said: str, said_at: int | None) -> tuple[str, bool]:
    """Remove the ISO dates from `text` that follow from `said`; also return whether there were any."""
    days = meant(said, said_at) if said_at is not None else frozenset()
    if not days:
        return text, False
    bare = ISO.sub(lambda found: "" if found[0] in days else found[0], text)
    return bare, bare != text


def _moved(day: date, number: int, unit: str) -> Iterator[date]:
    """Yield `day` moved by `number` units; nothing outside the calendar."""
    try:
        if unit in ("day", "week"):
            yield day + timedelta(days=number * (7 if unit == "week" else 1))
            return
        months = day.year * 12 + day.month - 1 + number * (12 if unit == "year" else 1)
        yield date(months // 12, months % 12 + 1, min(day.day, 28))
    except (ValueError, OverflowError):
        return
