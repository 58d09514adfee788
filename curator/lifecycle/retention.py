"""Memories forgotten long enough ago to be purged. They are only listed here; a person purges."""

from dataclasses import dataclass

from store import Store, clock


@dataclass(frozen=True, slots=True)
class Outdated:
    """A memory forgotten at `since`, or a conversation imported then."""

    id: int
    since: int


def outdated(store: Store, days: int, now: int | None = None) -> tuple[Outdated, ...]:
    """Return memories forgotten or expired more than `days` days ago, oldest first."""
    return tuple(Outdated(*found) for found in store.forgotten_before(cutoff(days, now)))


def outdated_logs(store: Store, days: int, now: int | None = None) -> tuple[Outdated, ...]:
    """Return conversations imported more than `days` days ago, oldest first, except erased ones."""
    return tuple(Outdated(*found) for found in store.raw.logs_before(cutoff(days, now)))


def cutoff(days: int, now: int | None = None) -> int:
    """Return the moment `days` days ago."""
    return (clock.now() if now is None else now) - days * clock.DAY
