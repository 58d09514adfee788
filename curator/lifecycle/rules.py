"""Rules of upkeep: expiry and rank of a memory, and caps on all memories; pure functions."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from curator.curation.expiry import expired_at
from store import Value, clock
from store.clock import DAY
from store.model import Aging, Life, Rank, Review, is_protected

_ENOUGH = 10  # recalls from which more do not count
_STALE = 90  # days without a recall from which use counts for nothing, and a memory of high rank may be demoted
_HIGH, _HIGH_USES = 0.7, 3  # worth and recalls from which a new memory is raised
_BACK, _BACK_USES = 0.6, 5  # the same for one that was demoted
_LOW, _LOW_DAYS = 0.4, 14  # worth below which a memory is demoted; days for which a new one is spared
_NOTHING, _NOTHING_DAYS = 0.3, 30  # worth below which one is removed that was never recalled in so many days


def worth(aging: Aging, now: int) -> float:
    """Return 0 to 1: 0.35 recalls (of ten) + 0.25 score + 0.25 recency of use (over 90 days) + 0.15 if validated.

    A memory that was never recalled counts as used when it was added.
    """
    idle = max(now - _last_used(aging), 0) / DAY
    return (
        0.35 * min(aging.times / _ENOUGH, 1.0)
        + 0.25 * aging.score
        + 0.25 * max(1.0 - idle / _STALE, 0.0)
        + 0.15 * (aging.review is Review.VALIDATED)
    )


def _last_used(aging: Aging) -> int:
    """Return when a memory was last recalled or, if later, added."""
    return max(aging.last_at or 0, aging.added_at)


def rounded(value: float) -> str:
    """Return two decimals, rounded down: 0.396 is less than 0.4."""
    return f"{int(100 * value) / 100:.2f}"


GRACE = 14 * DAY
"""Minimum time from adding a memory to expiring it by its kind, so that those of an old log can be reviewed first."""


class Step(StrEnum):
    """Steps that upkeep may take automatically."""

    RAISE = "raise"
    DEMOTE = "demote"
    EXPIRE = "expire"
    REMOVE = "remove"
    EVICT = "evict"

    @property
    def after(self) -> dict[str, Value]:
        """The columns that change, with their new values."""
        if self in (Step.RAISE, Step.DEMOTE):
            return {"rank": (Rank.HIGH if self is Step.RAISE else Rank.LOW).value}
        return {"life": (Life.EXPIRED if self is Step.EXPIRE else Life.FORGOTTEN).value}


@dataclass(frozen=True, slots=True)
class Limits:
    """Caps: `age` in days and `count` of live memories; 0 is no limit."""

    age: int = 0
    count: int = 0


def ranked(aging: Aging, now: int) -> tuple[Step, str] | None:
    """Return the step for a memory according to its use, with the reason.

    Memories that the person decided on, and those that are always given, are only raised. Removal applies only to
    memories the person has seen, which the caller must check in the store; it precedes demotion, so that an earlier
    demotion does not prevent it.
    """
    value = worth(aging, now)
    days, idle = (now - aging.added_at) // DAY, (now - _last_used(aging)) // DAY
    least, uses = (_HIGH, _HIGH_USES) if aging.rank is Rank.NEW else (_BACK, _BACK_USES)
    if aging.rank is not Rank.HIGH and value >= least and aging.times >= uses:
        return Step.RAISE, f"worth {rounded(value)} of at least {least}, recalled {aging.times:,} times"
    if is_protected(aging) or aging.always_given:
        return None
    if aging.rank is not Rank.HIGH and value < _NOTHING and days >= _NOTHING_DAYS and not aging.times:
        return Step.REMOVE, f"worth {rounded(value)} of less than {_NOTHING}, never recalled in {days:,} days"
    if value < _LOW and aging.rank is Rank.NEW and days >= _LOW_DAYS:
        return Step.DEMOTE, f"worth {rounded(value)} of less than {_LOW}, {days:,} days after it came in"
    if value < _LOW and aging.rank is Rank.HIGH and idle >= _STALE:
        return Step.DEMOTE, f"worth {rounded(value)} of less than {_LOW}, not recalled for {idle:,} days"
    return None


def expiring(aging: Aging, now: int) -> tuple[Step, str] | None:
    """Return the step for an expired memory, with the reason; None if it has not expired."""
    end = None if is_protected(aging) else expired_at(aging, now)
    own = aging.expires_at is not None
    if end is None or not (own or now >= aging.added_at + GRACE):
        return None
    day = clock.to_iso(end)[:10]
    return Step.EXPIRE, f"it was valid until {day}" if own else f"memories of kind {aging.kind} expire: due {day}"


def capped(found: Iterable[Aging], limits: Limits, now: int) -> dict[int, str]:
    """Return the memories to remove as too old or too many, with reasons; least valuable first.

    Memories that the person decided on, and those that are always given, count and stay. Of equal worth, the less
    important go first, then the older.
    """
    out: dict[int, str] = {}
    kept: list[tuple[float, int, int, int]] = []
    total = 0
    for aging in found:
        idle = (now - max(aging.said_by, aging.last_at or 0)) // DAY
        stays = is_protected(aging) or aging.always_given
        if limits.age and idle >= limits.age and not stays:
            out[aging.memory] = f"{idle:,} days old and unused, of {limits.age:,} that may be"
            continue
        total += 1
        if limits.count and not stays:
            kept.append((worth(aging, now), aging.importance, aging.said_by, aging.memory))
    over = max(total - limits.count, 0) if limits.count else 0
    for value, _, _, memory in sorted(kept)[:over]:
        out[memory] = f"worth {rounded(value)}, among the least of {total:,}, of which {limits.count:,} may be"
    return out
