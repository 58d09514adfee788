"""Dates named in a text: full ones, ones without a year, and ones relative to the day it was said."""

import calendar
import re
from datetime import date

from curator.text.date_expressions import BRIEF, MONTHS, ORDINAL, SEASONS
from curator.text.date_resolution import ResolvedDate, day_of_month, month_days, resolve
from store.clock import day_of

_FULL = re.compile(
    r"(?<![\w-])(?:(?P<iso>\d{4}-\d\d-\d\d)"
    rf"|(?:(?P<before>\d{{1,2}}){ORDINAL} (?:of )?)?(?P<month>{BRIEF})\.?"
    rf"(?: (?:the )?(?P<after>\d{{1,2}}){ORDINAL}(?!\d))?"
    r",? (?P<year>(?:19|20)\d\d)"
    r"|(?:since|in|from|until|till|as of|(?<=(?:19|20)\d\d )to) (?P<only>(?:19|20)\d\d))(?![\w-]|[.,:/]\d)",
    re.IGNORECASE,
)
_BRACKETED = re.compile(
    rf"\((?:(?P<before>\d{{1,2}}){ORDINAL} (?P<month_1>{BRIEF})"
    rf"|(?P<month_2>{BRIEF}) (?P<after>\d{{1,2}}){ORDINAL})\)",
    re.IGNORECASE,
)


def named_dates(text: str, said_at: int | None) -> list[ResolvedDate]:
    """Return the certain dates of a text in order; those without a year only if it is known when it was said."""
    found = [one for match in _FULL.finditer(text) if (one := full_date(match)) is not None]
    if said_at is not None:
        day = day_of(said_at)
        found += [one for one in resolve(text, day) if " or " not in one.note]
        found += [one for match in _BRACKETED.finditer(text) if (one := bracketed_date(match, day)) is not None]
    return sorted(found, key=lambda one: (one.start, -one.end))


def in_words(dated: ResolvedDate) -> str:
    """Return a date as `2025-05-17`, `May 2025`, `Q2 2025`, `summer 2025`, `2025`, or one about it."""
    first, last, note = dated.first, dated.last, dated.note
    about = "about " if note.startswith(("about ", "week of ")) else ""
    if (first.month, first.day, last.month, last.day) == (1, 1, 12, 31) and first.year == last.year:
        return f"{about}{first.year}"
    if (last - first).days < 27:
        return f"{about}{first.isoformat()}"
    if (first.year, first.month) == (last.year, last.month):
        return f"{about}{calendar.month_name[first.month]} {first.year}"
    season = next((name for name, month in SEASONS.items() if month == first.month), "")
    return note if note.startswith("Q") else f"{season} {note}"


def full_date(match: re.Match[str]) -> ResolvedDate | None:
    """Return the days of a date with its year; None outside the calendar."""
    number = match["before"] or match["after"]
    if match["iso"]:
        first = last = day_of_month(*map(int, match["iso"].split("-")))
    elif match["only"]:
        first, last = date(int(match["only"]), 1, 1), date(int(match["only"]), 12, 31)
    elif number:
        first = last = day_of_month(int(match["year"]), MONTHS[match["month"].casefold()], int(number))
    else:
        first, last = month_days(int(match["year"]), MONTHS[match["month"].casefold()])
    return None if first is None or last is None else ResolvedDate(match.start(), match.end(), "", first, last)


def bracketed_date(match: re.Match[str], day: date) -> ResolvedDate | None:
    """Read "two weeks ago (17 May)": the day of that name nearest to when it was said."""
    month, number = MONTHS[(match["month_1"] or match["month_2"]).casefold()], int(match["before"] or match["after"])
    days = (day_of_month(year, month, number) for year in (day.year - 1, day.year, day.year + 1))
    near = min((one for one in days if one is not None), key=lambda one: abs(one - day), default=None)
    return None if near is None else ResolvedDate(match.start(), match.end(), "", near, near)
