"""An area with a list: the keys that move its cursor."""

from typing import Any

from curator.tui.areas.area import Area
from curator.tui.widgets.rows import RowList


class Listed(Area):
    """The keys move the cursor of `moving`."""

    @property
    def moving(self) -> RowList[Any]:
        """The list that has the keys. Every area says which."""
        raise NotImplementedError

    def action_move(self, lines: int) -> None:
        """Move the cursor."""
        self.moving.move(lines)

    def action_page(self, pages: float) -> None:
        """Move the cursor by screens."""
        self.moving.move(round(self.moving.page * pages))

    def action_first(self) -> None:
        """To the beginning."""
        self.moving.move_to(0)

    def action_last(self) -> None:
        """To the end."""
        self.moving.move_to(len(self.moving.ids) - 1)
