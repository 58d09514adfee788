"""Warmth without a model: the person says which recalled memories were of use, and which were not."""

from collections.abc import Sequence

from store import Store

STEP = 0.1
"""What one mark adds or takes; as much as a score of the model."""


def mark_useful(store: Store, useful: Sequence[int] = (), useless: Sequence[int] = ()) -> dict[int, float]:
    """Make memories warmer and others colder; returns how warm each is now. Raises NotFound, Forbidden.

    Warmth is a counter, like use: it is not journaled, and drifts back by itself.
    """
    both = set(useful) & set(useless)
    if both:
        raise ValueError(f"memory {min(both)} cannot be of use and of none")
    store.check_owned([*useful, *useless])
    return store.warm({**dict.fromkeys(useful, STEP), **dict.fromkeys(useless, -STEP)})
