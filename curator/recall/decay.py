"""How much of a memory's weight is left after a time, by its kind."""

from store.model import Kind

HALF_LIFE: dict[Kind, float] = {
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
"""Days until half is left. What is not here does not fade: who somebody is stays true."""


def decay(kind: Kind, days: float) -> float:
    """What is left after so many days: 1 at once, 0.5 after the half-life of the kind."""
    return 0.5 ** (max(days, 0.0) / HALF_LIFE[kind]) if kind in HALF_LIFE else 1.0
