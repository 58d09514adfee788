"""Progress callbacks of long operations."""

from collections.abc import Callable

Report = Callable[[str, int, int], None]
"""Called with the stage, the number of items done, and the total."""


def no_report(stage: str, done: int, total: int) -> None:
    """Ignore progress."""
