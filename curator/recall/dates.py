"""Parsing of dates in English questions, and detection of questions about a time."""

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from curator.text.date_expressions import MONTHS, NUMBER_WORDS, SEASONS, WEEKDAYS
from store.clock import DAY, day_of, end_of

_FULL = {name: number for number, name in enumerate(calendar.month_name) if name}
_SHORT = {name[:3]: number for name, number in _FULL.items()} | {"Sept": 9}
_MONTH = "|".join(sorted(_FULL, key=len, reverse=True))
_BRIEF = "|".join(sorted(_SHORT, key=len, reverse=True))
_COUNTS = NUMBER_WORDS | {"a": 1, "an": 1, "last": 1, "this": 0}
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_NUMBER = rf"\d{{1,3}}|{'|'.join(_COUNTS)}"
_ANY_CASE = re.IGNORECASE | re.ASCII  # without ASCII, a dotless ı would match i
_ISO = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_ISO_MONTH = re.compile(r"\b((?:19|20)\d\d)-(\d\d)\b(?!-?\d)")
_NAMED = re.compile(
    rf"\b(?:(?P<before>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? )?(?P<month>{_MONTH})\b"
    r"(?:,? (?P<year>(?:19|20)\d\d)\b| (?P<after>\d{1,2})(?:st|nd|rd|th)?\b(?:,? (?P<late>(?:19|20)\d\d)\b)?)?"
)
_ABBREVIATED = re.compile(  # only with a number, since May, Mar and Jan are also names
    rf"\b(?:(?P<before>\d{{1,2}})(?:st|nd|rd|th)? )?(?P<month>{_BRIEF})\b\.?"
    r"(?:,? (?P<year>(?:19|20)\d\d)\b| (?P<after>\d{1,2})(?:st|nd|rd|th)?\b(?:,? (?P<late>(?:19|20)\d\d)\b)?)?"
)
_YEAR = re.compile(r"\b(?:in|of|since|during|before|after|until|between|from|and|to) ((?:19|20)\d\d)\b", _ANY_CASE)
_SEASON = re.compile(
    rf"\b(?:(?P<which>last|this|in|in the|over the|during the) )?(?P<season>{'|'.join(SEASONS)})\b"
    r"(?:(?: of|,)? (?P<year>(?:19|20)\d\d)\b)?",
    _ANY_CASE,
)
_AGO = re.compile(rf"\b({_NUMBER}) ({'|'.join(_DAYS)})s? ago\b", _ANY_CASE)
_NEAR = re.compile(rf"\b(last|this) ({'|'.join(_DAYS)})\b", _ANY_CASE)
_PAST = re.compile(rf"\b(?:past|last|previous) (?:({_NUMBER}) )?({'|'.join(_DAYS)})s?\b", _ANY_CASE)
_WEEKDAY = re.compile(rf"\b(?:last|on) ({'|'.join(WEEKDAYS)})\b", _ANY_CASE)
_WEEKEND = re.compile(r"\b(?:last|this|the|at the|over the) (weekend)\b", _ANY_CASE)
_DAY = re.compile(r"\b(today|yesterday)\b", _ANY_CASE)
_BETWEEN = re.compile(r"\b(?:between|from)\b.*\b(?:and|to|until|till)\b", _ANY_CASE)
_FROM = re.compile(r"\b(since|after)(?: (?:the|early|late|mid))?\s*$", _ANY_CASE)
_UNTIL = re.compile(r"\b(?:before|until|till|prior to)(?: (?:the|early|late|mid))?\s*$", _ANY_CASE)
_BESIDE = re.compile(
    rf"\b(?:(?:({_NUMBER}) )?({'|'.join(_DAYS)})s?|(weekend|{'|'.join(WEEKDAYS)})) (before|after)\s*$", _ANY_CASE
)
_FIRST = date(1970, 1, 1)  # the earliest date of a message
_ASKS = re.compile(r"\b(?:when|how long|(?:what|which) (?:date|day|month|year|time))\b", _ANY_CASE)
_TELLS = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|ago|next|since|weekend|morning|evening|night|days?|weeks?|months?"
    rf"|years?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|{'|'.join(name for name in _FULL if name != 'May')}"
    r"|\d{4}|\d{1,2}(?:st|nd|rd|th)|\d{1,2}:\d\d|\d{1,2} ?[ap]m|(?-i:May))\b(?! I\b)",
    _ANY_CASE,
)


@dataclass(frozen=True, slots=True)
class DateRange:
    """A range of days from `first` to `end` (exclusive); if `year` is False, it recurs every year."""

    first: date
    end: date
    year: bool = True

    def gap(self, moment: int) -> float:
        """Return the days between a time (microseconds) and the span, 0 inside it."""
        if self.year:
            return _gap(self.first, self.end, moment)
        length = self.end - self.first
        year = day_of(moment).year
        firsts = (_day(year + shift, self.first.month, self.first.day) for shift in (-1, 0, 1))
        return min(_gap(first, first + length, moment) for first in firsts if first is not None)


def spans(question: str, now: int) -> tuple[DateRange, ...]:
    """Return the ranges of days named in a question; "last week" is relative to `now` (microseconds).

    "Between" yields one range over both dates; "since" and "after" extend a range to now, "before" to 1970.
    """
    today = day_of(now)
    found = sorted(_placed(question, today), key=lambda item: item[0])
    if len(found) == 2 and found[1][1].year and _BETWEEN.search(question):
        (_, first), (_, last) = found
        if not first.year:  # use the year of the second date, or the year before
            size, day = (first.end - first.first).days, (first.first.month, first.first.day)
            begins = _day(last.first.year - (day > (last.first.month, last.first.day)), *day) or first.first
            first = DateRange(begins, _after(begins, size))
        return (DateRange(min(first.first, last.first), max(first.end, last.end)),)
    opened: list[DateRange] = []
    for place, span in found:  # open-ended if preceded by "since", "before" and the like
        before = question[:place]
        if span.year and (match := _BESIDE.search(before)) is not None:
            span = _beside(match, span)
        elif span.year and (match := _FROM.search(before)) is not None:
            start = span.end if match[1].casefold() == "after" else span.first
            span = DateRange(start, max(_after(today, 1), _after(start, 1)))
        elif span.year and span.first > _FIRST and _UNTIL.search(before):
            span = DateRange(_FIRST, span.first)
        opened.append(span)
    return tuple(opened)


def _placed(question: str, today: date) -> Iterator[tuple[int, DateRange]]:
    """Yield the days named, each with its position in the question."""
    days = ((match.start(), _day(*map(int, match.groups()))) for match in _ISO.finditer(question))
    exact: list[tuple[int, DateRange | None]] = [
        (place, DateRange(day, _after(day, 1))) for place, day in days if day is not None
    ]
    exact += [(match.start(), _month(int(match[1]), int(match[2]))) for match in _ISO_MONTH.finditer(question)]
    exact += [(match.start(), _named(match)) for match in _NAMED.finditer(question)]
    numbered = (
        match for match in _ABBREVIATED.finditer(question) if match["before"] or match["year"] or match["after"]
    )
    exact += [(match.start(), _named(match)) for match in numbered if match["month"] != "May"]
    exact += [(match.start(), _season(match, today)) for match in _SEASON.finditer(question)]
    taken = [(place, span) for place, span in exact if span is not None]
    for match in _YEAR.finditer(question):
        year = int(match[1])
        if not any(span.year and span.first.year == year for _, span in taken):
            taken.append((match.start(1), DateRange(date(year, 1, 1), date(year + 1, 1, 1))))
    yield from taken
    for match in _DAY.finditer(question):
        yield match.start(), DateRange(day := _after(today, -(match[1].casefold() == "yesterday")), _after(day, 1))
    if any(span.year for _, span in taken):
        return  # "last Friday, 23 January 2026" is not relative to today
    for match in (*_WEEKDAY.finditer(question), *_WEEKEND.finditer(question)):
        begins = WEEKDAYS.get(match[1].casefold())
        back = (today.weekday() - (5 if begins is None else begins) - 1) % 7 + 1
        yield match.start(), DateRange(day := _after(today, -back), _after(day, 2 if begins is None else 1))
    for match in (*_AGO.finditer(question), *_NEAR.finditer(question)):
        length = _DAYS[match[2].casefold()]
        middle = today.toordinal() - _number(match[1]) * length
        if middle > length:
            yield match.start(), DateRange(day := date.fromordinal(middle - length // 2), _after(day, length))
    for match in _PAST.finditer(question):
        length = _number(match[1]) * _DAYS[match[2].casefold()] if match[1] else 0
        if length and match[1].casefold() not in ("last", "this") and today.toordinal() > length:
            yield match.start(), DateRange(date.fromordinal(today.toordinal() - length), _after(today, 1))


def _beside(match: re.Match[str], span: DateRange) -> DateRange:
    """Return the span of "the week before", "three days after", "the Sunday before"."""
    number, unit, day, side = match.groups()
    later = side.casefold() == "after"
    if day:
        starts = WEEKDAYS.get(day.casefold(), 5)
        near = span.end if later else span.first
        away = (starts - near.weekday()) % 7 if later else -((near.weekday() - starts - 1) % 7 + 1)
        first = _after(near, away)
        return DateRange(first, _after(first, 2 if day.casefold() == "weekend" else 1))
    length = _DAYS[unit.casefold()]
    if number is None:
        return (
            DateRange(span.end, _after(span.end, length))
            if later
            else DateRange(_after(span.first, -length), span.first)
        )
    away = max(_number(number), 1) * length
    middle = _after(span.first, away if later else -away)
    return DateRange(_after(middle, -(length // 2)), _after(middle, length - length // 2))


def asks_when(question: str) -> bool:
    """Return True if a question asks for a time."""
    return _ASKS.search(question) is not None


def tells_when(text: str) -> bool:
    """Return True if a text states a time."""
    return _TELLS.search(text) is not None


def _named(match: re.Match[str]) -> DateRange | None:
    month, year = MONTHS[match["month"].casefold()], match["year"] or match["late"]
    day = match["before"] or match["after"]
    if day is None and year is None and match["month"] == "May" and match.start() == 0:
        return None  # the verb "may", as in "may I"
    if day is None:
        return _month(int(year or 2000), month, year is not None)
    first = _day(int(year or 2000), month, int(day))
    return None if first is None else DateRange(first, _after(first, 1), year is not None)


def _season(match: re.Match[str], today: date) -> DateRange | None:
    """Return the three months of a season, winter from December; None for the word alone."""
    which, year = (match["which"] or "").casefold(), match["year"]
    if not which and not year:
        return None
    begins = SEASONS[match["season"].casefold()]
    known, ends = bool(year) or which in ("last", "this"), (begins + 2) % 12 + 1
    begun = int(year) if year else today.year
    if which == "last" and not year and date(min(begun + (begins > 9), 9999), ends, 1) > today:
        begun = max(begun - 1, 1)
    return DateRange(date(begun, begins, 1), date(min(begun + (begins > 9), 9999), ends, 1), known)


def _month(year: int, month: int, known: bool = True) -> DateRange | None:
    first = _day(year, month, 1)
    return None if first is None else DateRange(first, _after(first, calendar.monthrange(year, month)[1]), known)


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _COUNTS[word.casefold()]


def _after(day: date, length: int) -> date:
    return date.fromordinal(min(max(day.toordinal() + length, 1), date.max.toordinal()))


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, min(day, calendar.monthrange(year, month)[1]) if 1 <= month <= 12 else day)
    except ValueError:
        return None


def _gap(first: date, end: date, moment: int) -> float:
    start, stop = end_of(first) - DAY, end_of(end) - DAY
    return max(start - moment, moment - stop, 0) / DAY
