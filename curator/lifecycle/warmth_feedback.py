"""Update warmth without a model: from the person's marks of useful and useless memories, and from their checks."""

from collections.abc import Sequence

from store import Store

STEP = 0.1
"""Change of warmth by one mark; the same as by one score of the model."""
_HELD, _UNWANTED = 0.6, 0.4  # warmth after one mark


def mark_useful(store: Store, useful: Sequence[int] = (), useless: Sequence[int] = ()) -> dict[int, float]:
    """Raise and lower the warmth of memories; return their new warmth. Raises NotFound, Forbidden.

    Warmth is a counter, like use: it is not journaled, and drifts back by itself.
    """
    both = set(useful) & set(useless)
    if both:
        raise ValueError("a memory cannot be both useful and not useful; name it once")
    store.check_owned([*useful, *useless])
    return store.recalls.warm({**dict.fromkeys(useful, STEP), **dict.fromkeys(useless, -STEP)})


def apply_checks(store: Store, held: Sequence[int], unwanted: Sequence[int]) -> bool:
    """Update warmth from a run of the person's checks: memories included as required, and ones wrongly included.

    A check states what the person wants of recall, so its result counts as a permanent mark. It is worth one mark,
    however many checks agree and however often they run: `held` memories become at least as warm as after one mark,
    `unwanted` ones at most as cold, and those beyond that stay. Warmth drifts back between runs, so that the effect of
    a check that is no longer run fades. Memories that a check misses keep their warmth, as do those that one check
    wants and another does not. No use is counted.

    Return False, without any change, while another process is writing; the next run makes up for it.
    """
    warm, cold = set(held) - set(unwanted), set(unwanted) - set(held)
    bounds = {**dict.fromkeys(warm, (_HELD, 1.0)), **dict.fromkeys(cold, (0.0, _UNWANTED))}
    return not bounds or store.recalls.bound_warmth(bounds)
