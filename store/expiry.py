"""Until when a memory holds by the date it was given, of whatever kind it is: one answer for all who ask.

Recall, upkeep and whatever shows a memory ask here. How long the kinds hold that were given no date is not told here.
"""

from typing import Protocol

from store.model import Review


class Dated(Protocol):
    """What is known of a memory that has to do with its end."""

    @property
    def expires_at(self) -> int | None:
        """The date it was given."""
        ...

    @property
    def pinned(self) -> bool:
        """Whether the person pinned it."""
        ...

    @property
    def review(self) -> Review:
        """What the person decided."""
        ...


def kept(memory: Dated) -> bool:
    """Return whether the person validated or pinned it, so that no machine lets it expire."""
    return memory.pinned or memory.review is Review.VALIDATED


def given_end(memory: Dated) -> int | None:
    """Return the end by its own date; None where it has none, or is pinned.

    A date is part of what a memory says ("due 15 February"): a person who validates it agrees to the date too. After it
    a validated memory leaves recall and nothing else.
    """
    return None if memory.pinned else memory.expires_at


def is_over(memory: Dated, now: int) -> bool:
    """Whether that was before `now`."""
    end = given_end(memory)
    return end is not None and end <= now


def not_over(now: int) -> str:
    """The same as an SQL condition on the rows that are not over."""
    return f"(expires_at IS NULL OR expires_at > {now} OR pinned)"
