"""Progress callbacks of long operations."""

from collections.abc import Callable

Report = Callable[[str, int, int], None]
"""Called with the stage, and the numbers of items done and in all."""


def no_report(stage: str, done: int, total: int) -> None:
    """Report nothing."""
