"""Queue of conflicts, partly or fully read, with a cursor."""

from collections.abc import Sequence

from curator.tui.conflicts import queries
from curator.tui.conflicts.queries import ConflictDetail
from curator.tui.cursor import cursor_index

_AHEAD = 10  # conflicts between cursor and end of the list at which more are read


class ConflictQueue:
    """Open conflicts, strongest first. `known` are read in full; `left` were resolved since the queue was read.

    At most `limit` are read, all if None. Conflicts about the same change are adjacent; a folded group counts as its
    first. `revision` changes with everything except the cursor.
    """

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.cursor = 0
        self.revision = 0
        self.limit: int | None = queries.WINDOW
        self.known: dict[int, ConflictDetail] = {}
        self.left: set[int] = set()
        self._more: int | None = 0  # number not read; None if not counted
        self._groups: dict[int, tuple[int, ...]] = {}  # groups of several conflicts, by each member
        self._folded: set[int] = set()  # conflicts of folded groups

    @property
    def current(self) -> int | None:
        """The conflict at the cursor."""
        return self.ids[self.cursor] if self.cursor < len(self.ids) else None

    @property
    def whole(self) -> bool:
        """True if all are read."""
        return self._more == 0

    @property
    def total(self) -> int | None:
        """The number of open conflicts, None if not counted."""
        return None if self._more is None else len(self.ids) + self._more

    @property
    def grouped(self) -> tuple[int, ...]:
        """The conflicts of the group at the cursor, including that at the cursor; empty without a group."""
        return () if self.current is None else self.group(self.current)

    def group(self, alert: int) -> tuple[int, ...]:
        """Return the conflicts of the queue about the same change, including itself; empty if there is no other."""
        return self._groups.get(alert, ())

    def folded(self, alert: int) -> bool:
        """Return True if a conflict is in a folded group."""
        return alert in self._folded and bool(self.group(alert))

    def fold(self) -> None:
        """Fold the group at the cursor and go to its first conflict, or unfold it."""
        group = self.grouped
        self.revision += 1
        if group and self.folded(group[0]):
            self._folded.difference_update(group)
        elif group:
            self._folded.update(group)
            self.cursor = self.ids.index(group[0])

    def next_index(self, by: int) -> int:
        """Return the index `by` conflicts down (up if negative), clamped to the list; a folded group counts as one."""
        last_shown = index = self.cursor
        for _ in range(abs(by)):
            index += 1 if by > 0 else -1
            while 0 <= index < len(self.ids) and self._is_hidden(self.ids[index]):
                index += 1 if by > 0 else -1
            if not 0 <= index < len(self.ids):
                break
            last_shown = index
        return last_shown

    def _is_hidden(self, alert: int) -> bool:
        """Return True if a conflict is in a folded group and not its first."""
        return self.folded(alert) and self.group(alert)[0] != alert

    def extend(self) -> bool:
        """Double the limit if the cursor is near the end of a partly read queue; return True if so."""
        if self.whole or self.limit is None or self.cursor < len(self.ids) - _AHEAD:
            return False
        self.limit *= 2
        return True

    def take(self, found: queries.Queue, near: Sequence[int], index: int) -> None:
        """Replace the queue by one just read; the cursor goes to the first of `near` in it, else to `index`."""
        self.ids = [alert for alert in found.ids if alert not in self.left]
        self.revision += 1
        self._more = None if found.total is None else found.total - len(found.ids)
        self._groups = {}
        for group in found.groups:
            self._regroup([alert for alert in group if alert not in self.left])
        self.go_to(cursor_index(self.ids, near, index))
        self.known.clear()

    def go_to(self, index: int) -> None:
        """Move the cursor to an index, clamped to the list; of a folded group to its first conflict."""
        self.cursor = max(min(index, len(self.ids) - 1), 0)
        if self.current is not None and self.folded(self.current):
            self.cursor = self.ids.index(self.grouped[0])

    def leave(self, alert: int) -> None:
        """Remove a conflict that is being resolved; the next takes its place."""
        self.left.add(alert)
        self.revision += 1
        self._regroup([other for other in self._groups.pop(alert, ()) if other != alert])
        if alert in self.ids:
            index = self.ids.index(alert)
            del self.ids[index]
            self.go_to(self.cursor - (index < self.cursor))

    def _regroup(self, alerts: list[int]) -> None:
        group = tuple(alerts) if len(alerts) > 1 else ()
        self._groups |= dict.fromkeys(alerts, group)
