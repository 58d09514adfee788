"""A calendar whose days are the darker the more was said on them."""

from curator.tui import charting
from curator.tui.charting import GUTTER, Row
from curator.tui.widgets.picture import Picture


class HeatMap(Picture):
    """Weeks side by side, as many of the last as fit; every day can be pointed at."""

    def can_point(self, place: int) -> bool:
        """An empty day is a day."""
        return True

    def step(self, dx: int, dy: int) -> int | None:
        """A week to the side, a day down; after a Sunday comes a Monday."""
        place = self.cursor + 7 * dx + dy
        return place if 0 <= place < len(self.marks) else None

    def body(self, width: int, height: int) -> list[Row]:
        """The weeks around the cursor."""
        since = self.view.since
        if since is None or not self.marks or width <= GUTTER:
            return []
        weeks, room = -(-len(self.marks) // 7), width - GUTTER
        start = self._starts[0] = charting.slide(self._starts.get(0, weeks), self.cursor // 7, room, weeks)
        rows = charting.calendar([mark.count for mark in self.marks], since, width, self.signs, start)
        return rows if len(rows) <= height else [*rows[:8], rows[-1]][:height]
