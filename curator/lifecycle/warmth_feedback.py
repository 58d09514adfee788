"""Warmth without a model: what the person marked as of use or not, and what their checks say."""

from collections.abc import Sequence

from store import Store

STEP = 0.1
"""What one mark adds or takes; as much as a score of the model."""
_HELD, _UNWANTED = 0.6, 0.4  # as after one mark


def mark_useful(store: Store, useful: Sequence[int] = (), useless: Sequence[int] = ()) -> dict[int, float]:
    """Make memories warmer and others colder; returns how warm each is now. Raises NotFound, Forbidden.

    Warmth is a counter, like use: it is not journaled, and drifts back by itself.
    """
    both = set(useful) & set(useless)
    if both:
        raise ValueError(f"memory {min(both)} cannot be both useful and not useful")
    store.check_owned([*useful, *useless])
    return store.recalls.warm({**dict.fromkeys(useful, STEP), **dict.fromkeys(useless, -STEP)})


def heed_checks(store: Store, held: Sequence[int], unwanted: Sequence[int]) -> bool:
    """Let warmth follow from a run of the person's checks: what was given as it must be, and what must not be given.

    A check says what the person wants of recall, so that what it finds is a mark that they have made once and mean ever
    since. It is worth one mark and no more, however many checks say so and however often they are run: what is held is
    as warm as after one mark at least, what is unwanted as cold as after one at most, and what is beyond stays. Between
    two runs it drifts back, so that of a check that is not run any more nothing is left. What is missing was of no use
    to anybody, and is left alone; as is what one check wants and another does not, since that says where it is of use
    and not whether. No use is counted.

    False, with nothing done, while another process is writing: the next run makes up for it.
    """
    warm, cold = set(held) - set(unwanted), set(unwanted) - set(held)
    bounds = {**dict.fromkeys(warm, (_HELD, 1.0)), **dict.fromkeys(cold, (0.0, _UNWANTED))}
    return not bounds or store.recalls.bound_warmth(bounds)
