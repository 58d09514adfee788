"""Times in a question: which days it is about, and whether it asks for one.

English, as the stop words of the index are. What is not understood counts for nothing.
"""

import calendar
import re
from dataclasses import dataclass
from datetime import date, timedelta

from store.clock import DAY, EARLIEST, LATEST

_EPOCH = date(1970, 1, 1).toordinal()
_MONTHS = {name.casefold(): number for number, name in enumerate(calendar.month_name) if name}
_MONTH = "|".join(name.title() for name in _MONTHS)
_COUNTS = {word: number for number, word in enumerate("one two three four five six seven eight nine ten".split(), 1)}
_COUNTS |= {"a": 1, "an": 1, "last": 1, "this": 0}
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_ISO = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_NAMED = re.compile(
    rf"\b(?:(?P<before>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? )?(?P<month>{_MONTH})\b"
    r"(?:,? (?P<year>(?:19|20)\d\d)\b| (?P<after>\d{1,2})(?:st|nd|rd|th)?\b(?:,? (?P<late>(?:19|20)\d\d)\b)?)?"
)
_YEAR = re.compile(r"\b(?:in|of|since|during) ((?:19|20)\d\d)\b", re.IGNORECASE)
_AGO = re.compile(rf"\b(\d{{1,3}}|{'|'.join(_COUNTS)}) ({'|'.join(_DAYS)})s? ago\b", re.IGNORECASE)
_NEAR = re.compile(rf"\b(last|this) ({'|'.join(_DAYS)})\b", re.IGNORECASE)
_DAY = re.compile(r"\b(today|yesterday)\b", re.IGNORECASE)
_ASKS = re.compile(r"\b(?:when|how long|(?:what|which) (?:date|day|month|year|time))\b", re.IGNORECASE)
_TELLS = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|ago|next|since|weekend|morning|evening|night|days?|weeks?|months?"
    rf"|years?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|{'|'.join(name for name in _MONTHS if name != 'may')}"
    r"|\d{4}|\d{1,2}(?:st|nd|rd|th)|\d{1,2}:\d\d|\d{1,2} ?[ap]m|(?-i:May))\b(?! I\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Span:
    """Some days: from `first` to before `end`. Without a `year` they are meant in any."""

    first: date
    end: date
    year: bool = True

    def gap(self, moment: int) -> float:
        """Days between a time (microseconds) and the span, 0 inside it."""
        if self.year:
            return _gap(self.first, self.end, moment)
        length = self.end - self.first
        year = _date(moment).year
        firsts = (_day(year + shift, self.first.month, self.first.day) for shift in (-1, 0, 1))
        return min(_gap(first, first + length, moment) for first in firsts if first is not None)


def spans(question: str, now: int) -> tuple[Span, ...]:
    """The days that a question names; `now` (microseconds) is what "last week" counts from."""
    found = [_days(_day(*map(int, match.groups())), 1) for match in _ISO.finditer(question)]
    found += [_named(match) for match in _NAMED.finditer(question)]
    if not any(found):
        found += [Span(date(year, 1, 1), date(year + 1, 1, 1)) for year in map(int, _YEAR.findall(question))]
    today = _date(now)
    for word in _DAY.findall(question):
        found.append(_days(today - timedelta(days=word.casefold() == "yesterday"), 1))
    for count, unit in (*_AGO.findall(question), *_NEAR.findall(question)):
        length = _DAYS[unit.casefold()]
        number = int(count) if count.isdigit() else _COUNTS[count.casefold()]
        middle = today.toordinal() - number * length
        if middle > length:
            found.append(_days(date.fromordinal(middle - length // 2), length))
    return tuple(span for span in found if span is not None)


def asks_when(question: str) -> bool:
    """Whether the answer is a time."""
    return _ASKS.search(question) is not None


def tells_when(text: str) -> bool:
    """Whether a text says when something is or was."""
    return _TELLS.search(text) is not None


def _named(match: re.Match[str]) -> Span | None:
    month, year = _MONTHS[match["month"].casefold()], match["year"] or match["late"]
    day = match["before"] or match["after"]
    if day is None and year is None and match["month"] == "May" and match.start() == 0:
        return None  # may I …
    first = _day(int(year or 2000), month, int(day or 1))
    if first is None:
        return None
    length = 1 if day else calendar.monthrange(first.year, month)[1]
    return Span(first, first + timedelta(days=length), year is not None)


def _days(first: date | None, length: int) -> Span | None:
    return None if first is None else Span(first, first + timedelta(days=length))


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, min(day, calendar.monthrange(year, month)[1]) if 1 <= month <= 12 else day)
    except ValueError:
        return None


def _date(moment: int) -> date:
    return date.fromordinal(_EPOCH + min(max(moment, EARLIEST), LATEST) // DAY)


def _gap(first: date, end: date, moment: int) -> float:
    start, stop = (day.toordinal() - _EPOCH for day in (first, end))
    at = moment / DAY
    return max(start - at, at - stop, 0.0)
