"""The queue of conflicts as far as it is read, and the place in it."""

from collections.abc import Sequence

from curator.tui.conflicts import queries
from curator.tui.conflicts.queries import ConflictDetail
from curator.tui.cursor import place_of

_AHEAD = 10  # conflicts before the end of what is listed at which more are read


class ConflictQueue:
    """Open conflicts, strongest first. `known` are those read in full, `left` those resolved since.

    At most `limit` are read; None for all.
    """

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.place = 0
        self.limit: int | None = queries.WINDOW
        self.known: dict[int, ConflictDetail] = {}
        self.left: set[int] = set()
        self._more: int | None = 0  # not read; None if not counted

    @property
    def current(self) -> int | None:
        """The conflict at the place."""
        return self.ids[self.place] if self.place < len(self.ids) else None

    @property
    def whole(self) -> bool:
        """True if all are read."""
        return self._more == 0

    @property
    def total(self) -> int | None:
        """The number of open conflicts, None if not counted."""
        return None if self._more is None else len(self.ids) + self._more

    def extend(self) -> bool:
        """Raise the limit if the place is near the end of what is read and there is more; return whether it was."""
        if self.whole or self.limit is None or self.place < len(self.ids) - _AHEAD:
            return False
        self.limit *= 2
        return True

    def take(self, found: queries.Queue, near: Sequence[int], place: int) -> None:
        """Take a queue that was read; the place is that of the first of `near` in it, else a given one."""
        self.ids = [alert for alert in found.ids if alert not in self.left]
        self._more = None if found.total is None else found.total - len(found.ids)
        self.place = place_of(self.ids, near, place)
        self.known.clear()

    def go_to(self, place: int) -> None:
        """Go to a place, or the nearest there is."""
        self.place = max(min(place, len(self.ids) - 1), 0)

    def leave(self, alert: int) -> None:
        """Remove a conflict that is being resolved; the next takes its place."""
        self.left.add(alert)
        if alert in self.ids:
            place = self.ids.index(alert)
            del self.ids[place]
            self.go_to(self.place - (place < self.place))
