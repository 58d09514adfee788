"""Progress of a review session: number of decisions since the app was opened, and their duration."""

from collections.abc import Collection, Sequence

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
    def ids(self) -> tuple[int, ...]:
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

    def count(self, ids: Collection[int], now: int) -> None:
        """Add decisions."""
        self._began = self._began or now
        self._last = now
        for subject_id in ids:
            self._decided.pop(subject_id, None)
            self._decided[subject_id] = None
        self.reopened = self.reopened.difference(ids)

    def drop(self, ids: Collection[int]) -> None:
        """Remove decisions that failed."""
        for subject_id in ids:
            self._decided.pop(subject_id, None)

    def progress(self, left: str, more: Sequence[str] = ()) -> Content:
        """Return `31 reviewed in 2 m 10 s · 12 left · 2 duplicates folded`; `more` is what follows the number `left`.

        Times under a minute are omitted.
        """
        spent = self._last - (self._began or self._last)
        took = f" in {lasted(spent)}" if spent >= 60 * clock.SECOND else ""
        return Content.assemble(
            (f"{self.done:,} reviewed{took}", "$good"), (f" · {' · '.join((f'{left} left', *more))}", "$muted")
        )
