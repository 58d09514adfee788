"""Progress of a review session: number of decisions since the app was opened, and their duration."""

from collections.abc import Collection

from textual.content import Content

from curator.tui.text_format import lasted
from store import clock


class ReviewSession:
    """Decisions made in a view, by ID of the memory or conflict; those in `reopened` do not count."""

    def __init__(self) -> None:
        self.reopened: frozenset[int] = frozenset()
        self._decided: dict[int, None] = {}  # in order of decision
        self._began: int | None = None
        self._last = 0

    @property
    def numbers(self) -> tuple[int, ...]:
        """IDs of the subjects of all decisions, the latest last."""
        return tuple(self._decided)

    @property
    def begun(self) -> bool:
        """True after the first decision, even if it failed."""
        return self._began is not None

    @property
    def done(self) -> int:
        """The number of decisions that were not reopened."""
        return len(self._decided.keys() - self.reopened)

    def count(self, numbers: Collection[int], now: int) -> None:
        """Add decisions."""
        self._began, self._last = self._began or now, now
        for number in numbers:
            self._decided.pop(number, None)
            self._decided[number] = None
        self.reopened = self.reopened.difference(numbers)

    def drop(self, numbers: Collection[int]) -> None:
        """Remove decisions that failed."""
        for number in numbers:
            self._decided.pop(number, None)

    def progress(self, left: str) -> Content:
        """Return `31 reviewed in 2 m 10 s · 12 left · 2 duplicates folded`; `left` is `12 · 2 duplicates folded`.

        Times under a minute are omitted.
        """
        spent, (number, *rows) = self._last - (self._began or self._last), left.split(" ", 1)
        took = f" in {lasted(spent)}" if spent >= 60 * clock.SECOND else ""
        return Content.assemble(
            (f"{self.done:,} reviewed{took}", "$good"), (f" · {' '.join((number, 'left', *rows))}", "$muted")
        )
