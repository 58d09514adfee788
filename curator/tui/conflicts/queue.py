"""The queue of conflicts as far as it is listed, and the place in it."""

from collections.abc import Sequence

from curator.tui.conflicts import queries
from curator.tui.conflicts.queries import ConflictDetail

_AHEAD = 10  # conflicts before the end of what is listed at which more are read


class ConflictQueue:
    """The conflicts that wait, strongest first. `known` are those that were read, `left` what was decided on since.

    At most `limit` are listed; None if all are.
    """

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.place = 0
        self.limit: int | None = queries.WINDOW
        self.known: dict[int, ConflictDetail] = {}
        self.left: set[int] = set()
        self._more: int | None = 0  # that wait and are not listed, None where nobody has counted

    @property
    def current(self) -> int | None:
        """The conflict at the place."""
        return self.ids[self.place] if self.place < len(self.ids) else None

    @property
    def whole(self) -> bool:
        """Whether all that wait are listed."""
        return self._more == 0

    @property
    def total(self) -> int | None:
        """How many wait, None where nobody has counted."""
        return None if self._more is None else len(self.ids) + self._more

    @property
    def ends_soon(self) -> bool:
        """Whether the place is near the end of what is listed, and there is more."""
        return not self.whole and self.limit is not None and self.place >= len(self.ids) - _AHEAD

    def take(self, found: queries.Queue, near: Sequence[int], place: int) -> None:
        """Take the queue as it was read; the place is that of the first of `near` that is listed, else a given one."""
        self.ids = [alert for alert in found.ids if alert not in self.left]
        self._more = None if found.total is None else found.total - len(found.ids)
        self.place = queries.place_of(self.ids, near, place)
        self.known.clear()

    def go_to(self, place: int) -> None:
        """To another place, or the nearest there is."""
        self.place = max(min(place, len(self.ids) - 1), 0)

    def leave(self, alert: int) -> None:
        """It is being decided on: what follows it takes its place."""
        self.left.add(alert)
        if alert in self.ids:
            place = self.ids.index(alert)
            del self.ids[place]
            self.go_to(self.place - (place < self.place))
