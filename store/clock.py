"""Times of the store: whole microseconds since 1970-01-01 UTC."""

import time
from datetime import UTC, date, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
SECOND = 1_000_000
DAY = 86_400 * SECOND
EARLIEST = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND
LATEST = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND


def now() -> int:
    """Return the present time in microseconds."""
    return time.time_ns() // 1000


def to_iso(micros: int) -> str:
    """Return a time as ISO 8601 in UTC, e.g. `2026-05-18T09:30:00+00:00`; microseconds only if nonzero.

    Times outside the years 1 to 9999, which ISO 8601 cannot represent, are clamped.
    """
    return (_EPOCH + timedelta(microseconds=min(max(micros, EARLIEST), LATEST))).isoformat()


def day_of(micros: int) -> date:
    """Return the UTC date of a time, clamped to the years 1 to 9999."""
    return date.fromisoformat(to_iso(micros)[:10])


def end_of(day: date) -> int:
    """Return the end of a UTC day, which is the start of the next day."""
    return (day.toordinal() + 1 - _EPOCH.toordinal()) * DAY


def from_iso(text: str) -> int:
    """Parse an ISO 8601 time; one without a zone is read as UTC.

    Raises ValueError, also if the zone moves the time outside the years 1 to 9999.
    """
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    micros = (moment - _EPOCH) // _MICROSECOND
    if not EARLIEST <= micros <= LATEST:
        raise ValueError(f"{text} is outside of the years 1 to 9999 in UTC")
    return micros


def from_seconds(seconds: float) -> int:
    """Return the microseconds of a Unix time in seconds, rounded to the nearest."""
    return round(seconds * SECOND)
