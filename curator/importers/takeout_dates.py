"""Parser of dates in pages of Google Takeout, in the language and time zone of the account."""

import re
from datetime import UTC, datetime, timedelta, timezone

from curator.importers.json_stream import as_time

_MONTHS = (  # without listopad and lip-, which are different months in Polish and Croatian
    "january januar janvier janeiro enero gennaio januari stycznia ocak января",
    "february februar février fevereiro febrero febbraio februari lutego şubat февраля",
    "march märz mrz mars março marzo maart mrt marec marca mart марта",
    "april avril abril aprile kwietnia nisan апреля",
    "may mai maio mayo maggio mei maj maja mayıs мая",
    "june juni juin junho junio giugno junij czerwca haziran июня",
    "july juli juillet julho julio luglio julij temmuz июля",
    "august août agosto augustus augusti avgust sierpnia ağustos августа",
    "september septembre setembro septiembre settembre września eylül сентября",
    "october oktober octobre outubro octubre ottobre października ekim октября",
    "november novembre novembro noviembre kasım ноября",
    "december dezember décembre dezembro diciembre dicembre desember grudnia aralık декабря",
)
_ZONES = {  # in hours; an unknown one is read as UTC, at most half a day off
    "WEST": 1, "BST": 1, "CET": 1, "MEZ": 1, "CEST": 2, "MESZ": 2, "EET": 2, "SAST": 2, "EEST": 3, "MSK": 3, "TRT": 3,
    "IST": 5.5, "ICT": 7, "WIB": 7, "SGT": 8, "HKT": 8, "PHT": 8, "AWST": 8, "JST": 9, "KST": 9, "AEST": 10,
    "AEDT": 11, "NZST": 12, "NZDT": 13, "BRT": -3, "ART": -3, "ADT": -3, "AST": -4, "EDT": -4, "EST": -5, "CDT": -5,
    "CST": -6, "MDT": -6, "MST": -7, "PDT": -7, "PST": -8, "AKDT": -8, "AKST": -9, "HST": -10,
}  # fmt: skip
_CLOCK = re.compile(r"(?<!\d)(\d{1,2})([:.])(\d{2})\2(\d{2})(?!\d)")
_YEAR_FIRST = re.compile(r"(\d{4})\s?[-/.年]\s?(\d{1,2})\s?[-/.月]\s?(\d{1,2})")
_DAY_FIRST = re.compile(r"(\d{1,2})[./-]\s?(\d{1,2})[./-]\s?(\d{4})")
_AFTERNOON = re.compile(r"\bp\.?\s?m\b|午後|下午|오후", re.IGNORECASE)
_MORNING = re.compile(r"\ba\.?\s?m\b|午前|上午|오전", re.IGNORECASE)
_OFFSET = re.compile(r"(?:GMT|UTC)\s?([+\u2212-])(\d{1,2})(?::?(\d{2}))?$")


def is_date(line: str) -> bool:
    """Return True for a line that is only a date with a time of day."""
    return len(line) <= 60 and bool(_CLOCK.search(line)) and bool(re.search(r"\b\d{4}\b|\d{4}年", line))


def date_of(line: str) -> int | None:
    """Return a date in microseconds; None if its month is in an unknown language."""
    line = re.sub(r"\s", " ", line).strip()
    time = _CLOCK.search(line)
    if time is None:
        return None
    day = line[: time.start()]
    if numbers := _YEAR_FIRST.search(day):
        year, month, date = map(int, numbers.groups())
    elif numbers := _DAY_FIRST.search(day):
        date, month, year = map(int, numbers.groups())
    else:
        words = [word.lower() for word in re.findall(r"[^\W\d_]{3,}", day)]
        named = (
            n for n, names in enumerate(_MONTHS, 1) for word in words for name in names.split() if name.startswith(word)
        )
        month = next(named, 0)
        digits = [int(number) for number in re.findall(r"\d+", day)]
        year = max(digits, default=0)
        date = min(digits, default=0)
    hour = int(time[1])
    if _AFTERNOON.search(line) and hour < 12:
        hour += 12
    elif _MORNING.search(line) and hour == 12:
        hour = 0
    zone = timedelta(hours=_ZONES.get(line.rpartition(" ")[2], 0))
    if offset := _OFFSET.search(line):
        minutes = int(offset[2]) * 60 + int(offset[3] or 0)
        zone = timedelta(minutes=minutes if offset[1] == "+" else -minutes)
    try:
        at = datetime(year, month, date, hour, int(time[3]), int(time[4]), tzinfo=timezone(zone))
        return as_time(at.astimezone(UTC).timestamp())
    except (ValueError, OverflowError):
        return None
