"""Short texts for people: counts with their nouns, dates, shortened words. Loads nothing heavy."""

from collections.abc import Callable
from datetime import datetime

from store import clock


def plural(noun: str) -> str:
    """Return the plural of a noun: `memories`, `days`."""
    return f"{noun[:-1]}ies" if noun.endswith("y") and not noun.endswith("ay") else f"{noun}s"


def counted(number: int, noun: str = "memory") -> str:
    """Return a number with its noun: `1 memory`, `1,204 memories`, `5 days`."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def iso_date(at: int | None, unknown: str = "–") -> str:
    """Return a date in UTC as `2026-03-03`, or `unknown`. Time in microseconds."""
    return unknown if at is None else clock.to_iso(at)[:10]


def short_date(at: int) -> str:
    """Return a date in UTC as `3 Mar 2026`. Time in microseconds."""
    moment = datetime.fromisoformat(clock.to_iso(at))
    return f"{moment.day} {moment:%b %Y}"


def short_time(at: int) -> str:
    """Return a date and time in UTC as `3 Mar 2026 14:02`. Time in microseconds."""
    return f"{short_date(at)} {clock.to_iso(at)[11:16]}"


def said_date(at: int | None, date: Callable[[int], str] = short_date) -> str:
    """Return the date that a memory was said: `said 3 Mar 2026`, or `no date`. Time in microseconds."""
    return "no date" if at is None else f"said {date(at)}"


def on_day(at: int | None, date: Callable[[int], str] = short_date) -> str:
    """Return " on " and the day of a time in microseconds, or nothing if it is not known."""
    return "" if at is None else f" on {date(at)}"


def with_every_prompt(scope: str) -> str:
    """Describe the prompts that get an always given memory of a scope: `with every prompt in blog`."""
    sort, _, name = scope.partition(":")
    where = {"project": f" in {name}", "session": f" in session {name}"}
    return f"with every prompt{where.get(sort, '')}"


def truncate(text: str, limit: int = 40) -> str:
    """Return a text of at most `limit` characters, with an ellipsis if it was cut."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def as_of(moment: int) -> str:
    """Return a note on the time of a snapshot, to the minute."""
    return f"as of {clock.to_iso(moment)[:16].replace('T', ' ')} UTC"
