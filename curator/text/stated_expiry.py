"""Expiry that a statement itself names: "until May 2025"."""

import re
from datetime import date

from curator import safety
from curator.text.date_expressions import BRIEF, MONTHS, ORDINAL
from curator.text.date_resolution import day_of_month, month_days, resolve
from curator.text.dates import without_dates
from curator.text.tense import tense
from store.clock import day_of, end_of

_LASTING = re.compile(
    rf"\b(?:until|till|up to) (?:the end of )?(?:(?P<iso>\d{{4}}-\d\d-\d\d)|(?:(?P<day>\d{{1,2}}){ORDINAL} (?:of )?)?"
    rf"(?P<month>{BRIEF})(?: (?P<late>\d{{1,2}}){ORDINAL}(?!\d))?,? (?P<year>(?:19|20)\d\d)"
    r"|(?P<only>(?:19|20)\d\d))\b",
    re.IGNORECASE,
)


def last_stated_day(text: str, said_at: int | None) -> date | None:
    """Return the last day on which a statement holds by its own words ("until May 2025"), or None.

    A statement about the past ("I lived there until 2020") does not expire.
    """
    day = None if said_at is None else day_of(said_at)
    ends: list[tuple[int, date]] = []
    for found in _LASTING.finditer(text):
        if found["iso"]:
            last: date | None = day_of_month(*map(int, found["iso"].split("-")))
        elif found["only"]:
            last = date(int(found["only"]), 12, 31)
        else:
            number = found["day"] or found["late"]
            year, month = int(found["year"]), MONTHS[found["month"].casefold()]
            last = day_of_month(year, month, int(number)) if number else month_days(year, month)[1]
        if last is not None:
            ends.append((found.start(), last))
    if day is not None:
        ends += [
            (one.start, one.last)
            for one in resolve(text, day)
            if text[one.start : one.end].casefold().startswith(("until ", "till "))
        ]
    ahead = [last for start, last in ends if tense(text, start) != -1 and (day is None or last >= day)]
    return max(ahead, default=None)


def stated_expiry(text: str, said_at: int | None) -> int | None:
    """Return the moment after the last day on which a statement holds by its own words, in microseconds, or None.

    A statement of several clauses that mentions a safety fact does not expire.
    """
    plain = without_dates(text)
    last = None if safety.fact_clauses(plain) else last_stated_day(plain, said_at)
    return None if last is None else end_of(last)
