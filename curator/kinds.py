"""What the kinds of memories differ in over time: how long each holds, and how fast it fades."""

from store.clock import DAY
from store.model import Kind

LASTS: dict[Kind, int] = {
    Kind.COMMITMENT: 90,
    Kind.TASK: 30,
    Kind.EVENT: 90,
    Kind.CONTEXT: 30,
}
"""Days after which a memory of a kind expires, unless it has a date of its own; the others never do."""

HALF_LIFE: dict[Kind, int] = {
    Kind.PREFERENCE: 180,
    Kind.CONSTRAINT: 180,
    Kind.RELATIONSHIP: 180,
    Kind.PROJECT: 90,
    Kind.DECISION: 180,
    Kind.COMMITMENT: 45,
    Kind.TASK: 15,
    Kind.ENTITY: 180,
    Kind.SKILL: 180,
    Kind.FACT: 180,
    Kind.EVENT: 45,
    Kind.CONTEXT: 15,
}
"""Days in which a memory of a kind loses half its freshness: half of what it lasts, where that is limited. Who somebody
is (identity, trait) does not fade."""


def decay(kind: Kind, said_at: int, now: int) -> float:
    """How fresh a memory is, from 1 down to 0: a half after each half-life. Computed when asked, so never out of date."""
    half = HALF_LIFE.get(kind)
    return 1.0 if half is None else float(0.5 ** (max(now - said_at, 0) / DAY / half))


def ends_at(kind: Kind, said_at: int, expires_at: int | None) -> int | None:
    """When a memory stops holding: at its own date, else as its kind does; None for never.

    Who somebody is never expires, whatever date it has.
    """
    if kind is Kind.IDENTITY:
        return None
    if expires_at is not None:
        return expires_at
    days = LASTS.get(kind)
    return None if days is None else said_at + days * DAY
