"""The list of what was refused."""

from array import array

from textual.geometry import Size

from curator.tui import formatting
from curator.tui.glyphs import Glyphs
from curator.tui.sources.queries import Candidate
from curator.tui.widgets.virtual_list import Cells, VirtualList

_REASONED = 40  # columns from which there is room for the reason


class RefusalList(VirtualList[Candidate]):
    """Refused passages: mark, words, reason and age."""

    def __init__(self, glyphs: Glyphs, now: int) -> None:
        super().__init__(glyphs)
        self.now = now  # microseconds; ages are counted from here

    def extend_rows(self, numbers: "array[int]") -> None:
        """Take more at the end."""
        self.ids = self.ids + numbers
        self.virtual_size = Size(1, len(self.ids))
        self._window = range(0)
        self._want_rows()
        self.refresh()

    def cells(self, number: int, row: Candidate | None, width: int) -> Cells:
        """The words first; the reason stands below the transcript too."""
        marked = (f"{self.glyphs.mark if number in self.marks else ' '} ", "mark")
        if row is None:
            return [marked, (formatting.fit("…", width - 2), "muted")]
        age = f"{'' if row.said_at is None else formatting.age(row.said_at, self.now):>6} "
        reason = f"  {formatting.fit(formatting.one_line(row.refusal.reason), 14)}" if width >= _REASONED else ""
        words = formatting.fit(row.words, max(width - 2 - len(age) - len(reason), 0))
        return [marked, (words, "plain"), (reason, "muted"), (age, "muted")]
