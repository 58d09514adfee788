"""Rules of upkeep for one memory, or for all together, at a time: pure functions of what is known of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from curator.lifecycle.expiry import ends_at
from curator.lifecycle.rank import reason_to_lower, reason_to_raise, reason_to_remove, rounded, worth
from store import Value, clock
from store.clock import DAY
from store.model import Aging, Life, Rank, is_over, is_protected

GRACE = 14 * DAY
"""What expires as its kind does stays at least so long after it came in: an old log is not gone before it was seen."""


class Step(StrEnum):
    """Steps that upkeep may take without a person."""

    RAISE = "raise"
    DEMOTE = "demote"
    EXPIRE = "expire"
    REMOVE = "remove"
    EVICT = "evict"

    @property
    def after(self) -> dict[str, Value]:
        """The columns that change."""
        if self in (Step.RAISE, Step.DEMOTE):
            return {"rank": (Rank.HIGH if self is Step.RAISE else Rank.LOW).value}
        return {"life": (Life.EXPIRED if self is Step.EXPIRE else Life.FORGOTTEN).value}


@dataclass(frozen=True, slots=True)
class Limits:
    """Caps: `age` in days and `count` of live memories; 0 is none."""

    age: int = 0
    count: int = 0


def decided(aging: Aging) -> bool:
    """Return whether the person decided that a memory stays: no machine demotes, expires or removes it."""
    return is_protected(aging)


def ranked(aging: Aging, now: int) -> tuple[Step, str] | None:
    """Return the step that the use of a memory calls for, and the reason.

    Removal is only for what the person has seen, which the caller must ask the store: here it comes before demotion.
    """
    if (why := reason_to_raise(aging, now)) is not None:
        return Step.RAISE, why
    if decided(aging):
        return None
    if (why := reason_to_remove(aging, now)) is not None:
        return Step.REMOVE, why
    if (why := reason_to_lower(aging, now)) is not None:
        return Step.DEMOTE, why
    return None


def expiring(aging: Aging, now: int) -> tuple[Step, str] | None:
    """Return the step for a memory that has expired, and the reason; None if it has not."""
    end = ends_at(aging.kind, aging.said_by, aging.expires_at)
    if end is None or decided(aging):
        return None
    own = aging.expires_at is not None
    if not (is_over(aging, now) if own else now >= max(end, aging.added_at + GRACE)):
        return None
    day = clock.to_iso(end)[:10]
    return Step.EXPIRE, f"it was valid until {day}" if own else f"memories of kind {aging.kind} expire: due {day}"


def capped(found: Iterable[Aging], limits: Limits, now: int) -> dict[int, str]:
    """Return the memories to remove since they are too old or too many, with reasons; the least valuable first.

    What the person decided is counted and stays. Of equal worth the less important goes, then the older.
    """
    out: dict[int, str] = {}
    kept: list[tuple[float, int, int, int]] = []
    total = 0
    for aging in found:
        idle = (now - max(aging.said_by, aging.last_at or 0)) // DAY
        if limits.age and idle >= limits.age and not decided(aging):
            out[aging.memory] = f"{idle:,} days old and unused, of {limits.age:,} that may be"
            continue
        total += 1
        if limits.count and not decided(aging):
            kept.append((worth(aging, now), aging.importance, aging.said_by, aging.memory))
    over = max(total - limits.count, 0) if limits.count else 0
    for value, _, _, memory in sorted(kept)[:over]:
        out[memory] = f"worth {rounded(value)}, among the least of {total:,}, of which {limits.count:,} may be"
    return out
