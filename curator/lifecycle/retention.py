"""Memories forgotten long enough ago to be purged. They are listed here; only a person purges."""

from dataclasses import dataclass

from store import Store, clock


@dataclass(frozen=True, slots=True)
class Outdated:
    """A memory that was let go at `since`, or a conversation that came in then."""

    id: int
    since: int


def outdated(store: Store, days: int, now: int | None = None) -> tuple[Outdated, ...]:
    """The memories that are forgotten or expired for more than so many days, the first first."""
    return tuple(Outdated(*found) for found in store.forgotten_before(cutoff(days, now)))


def outdated_logs(store: Store, days: int, now: int | None = None) -> tuple[Outdated, ...]:
    """The conversations that came in more than so many days ago, the first first, unless their words are erased."""
    return tuple(Outdated(*found) for found in store.raw.logs_before(cutoff(days, now)))


def cutoff(days: int, now: int | None = None) -> int:
    """The moment so many days ago."""
    return (clock.now() if now is None else now) - days * clock.DAY
