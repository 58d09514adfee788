"""When a sweep may run: its interval, and the hours of the day it is meant for."""

from datetime import datetime, time, timedelta

from curator.config import Sweep
from store import clock

HOUR = 3_600 * clock.SECOND


def due_at(wanted: Sweep, ran: int, now: int) -> int:
    """When a sweep that ran last at `ran` (0 for never) may run again, in microseconds; not before `now`."""
    return opens(wanted.window, max(now, ran + round(wanted.interval * HOUR) if ran else now))


def opens(window: str, moment: int) -> int:
    """The moment if the window is open then, else when it opens next. Windows are in local time, "" is always open."""
    if not window or is_open(window, moment):
        return moment
    begin, _ = _borders(window)
    here = datetime.fromtimestamp(moment / clock.SECOND)
    today = datetime.combine(here.date(), begin)
    return clock.from_seconds((today if today > here else today + timedelta(days=1)).timestamp())


def is_open(window: str, moment: int) -> bool:
    """Return whether a window ("22:00-07:00"; the end is outside) is open; one that begins when it ends always is."""
    if not window:
        return True
    begin, end = _borders(window)
    here = datetime.fromtimestamp(moment / clock.SECOND).time()
    return begin <= here < end if begin < end else here >= begin or here < end


def _borders(window: str) -> tuple[time, time]:
    begin, _, end = window.partition("-")
    return time.fromisoformat(begin), time.fromisoformat(end)
