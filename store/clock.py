"""Time as the store keeps it: whole microseconds since 1970-01-01 UTC."""

import time
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SECOND = 1_000_000
DAY = 86_400 * SECOND


def now() -> int:
    """The present, in microseconds."""
    return time.time_ns() // 1000


def to_iso(micros: int) -> str:
    """ISO 8601 in UTC, e.g. `2026-05-18T09:30:00+00:00`; microseconds only where there are any."""
    return (_EPOCH + timedelta(microseconds=micros)).isoformat()


def from_iso(text: str) -> int:
    """Microseconds of an ISO 8601 time; one without a zone is read as UTC. Raises ValueError."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // timedelta(microseconds=1)


def from_seconds(seconds: float) -> int:
    """Microseconds of a Unix time in seconds, rounded to the nearest."""
    return round(seconds * SECOND)
