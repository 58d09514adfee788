"""The machine's opinion of a memory, from its use and age: the rank rises and falls, and what has none goes."""

from store.clock import DAY
from store.model import Aging, Rank, Review

_ENOUGH = 10  # recalls from which more say nothing more
_STALE = 90  # days
_HIGH, _HIGH_USES = 0.7, 3
_LOW, _LOW_DAYS = 0.4, 14
_NOTHING, _NOTHING_DAYS = 0.3, 30
_BACK, _BACK_USES = 0.6, 5


def worth(aging: Aging, now: int) -> float:
    """0 to 1: 0.35 of ten recalls, 0.25 of how sure it is, 0.25 of how lately it was of use, 0.15 if it was validated.

    What was never recalled counts from when it came in.
    """
    idle = max(now - last_used(aging), 0) / DAY
    return (
        0.35 * min(aging.times / _ENOUGH, 1.0)
        + 0.25 * aging.score
        + 0.25 * max(1.0 - idle / _STALE, 0.0)
        + 0.15 * (aging.review is Review.VALIDATED)
    )


def last_used(aging: Aging) -> int:
    """When a memory was recalled last, or came in."""
    return max(aging.last_at or 0, aging.added_at)


def reason_to_raise(aging: Aging, now: int) -> str | None:
    """Return the reason to rank a memory high; None if there is none, or it is high."""
    value = worth(aging, now)
    if aging.rank is Rank.NEW and value >= _HIGH and aging.times >= _HIGH_USES:
        return f"worth {rounded(value)} of at least {_HIGH}, recalled {aging.times:,} times"
    if aging.rank is Rank.LOW and value >= _BACK and aging.times >= _BACK_USES:
        return f"worth {rounded(value)} of at least {_BACK}, recalled {aging.times:,} times"
    return None


def reason_to_lower(aging: Aging, now: int) -> str | None:
    """Return the reason to rank a memory low, or None. The caller spares what the person decided on."""
    value = worth(aging, now)
    if value >= _LOW:
        return None
    days = (now - aging.added_at) // DAY
    if aging.rank is Rank.NEW and days >= _LOW_DAYS:
        return f"worth {rounded(value)} of less than {_LOW}, {days:,} days after it came in"
    idle = (now - last_used(aging)) // DAY
    if aging.rank is Rank.HIGH and idle >= _STALE:
        return f"worth {rounded(value)} of less than {_LOW}, not recalled for {idle:,} days"
    return None


def reason_to_remove(aging: Aging, now: int) -> str | None:
    """Return the reason to remove a memory, or None. The caller spares what the person decided or has yet to see.

    That it was ranked low on the way, which comes sooner, does not save it.
    """
    value = worth(aging, now)
    days = (now - aging.added_at) // DAY
    if aging.rank is not Rank.HIGH and value < _NOTHING and days >= _NOTHING_DAYS and not aging.times:
        return f"worth {rounded(value)} of less than {_NOTHING}, never recalled in {days:,} days"
    return None


def rounded(value: float) -> str:
    """In two decimals, not rounded up: 0.396 is less than 0.4."""
    return f"{int(100 * value) / 100:.2f}"
