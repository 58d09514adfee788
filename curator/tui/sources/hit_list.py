"""The list of messages that a search found."""

import re

from curator.tui import formatting
from curator.tui.glyphs import Glyphs
from curator.tui.sources.queries import Hit
from curator.tui.widgets.virtual_list import Cells, VirtualList

_TITLED = 40  # columns from which there is room for the title of the conversation


class FoundList(VirtualList[Hit]):
    """Passages with the words that were sought lit, the conversation they are from, and their age."""

    def __init__(self, glyphs: Glyphs, now: int) -> None:
        super().__init__(glyphs)
        self.now = now  # microseconds; ages are counted from here
        self.sought: re.Pattern[str] | None = None

    def cells(self, number: int, row: Hit | None, width: int) -> Cells:
        """The passage first: its conversation stands above the transcript too."""
        if row is None:
            return [(formatting.fit(" …", width), "muted")]
        age = f"{'' if row.said_at is None else formatting.age(row.said_at, self.now):>6} "
        title = f"  {formatting.fit(row.title, width // 4)}" if width >= _TITLED else ""
        words = formatting.fit(f" {row.words}", max(width - len(age) - (width // 4 + 2 if title else 0), 0))
        return [*self._lit(words), (title, "muted"), (age, "muted")]

    def _lit(self, words: str) -> Cells:
        cells, last = [], 0
        for found in self.sought.finditer(words) if self.sought is not None else ():
            cells += [(words[last : found.start()], "plain"), (found[0], "found")]
            last = found.end()
        return [*cells, (words[last:], "plain")]
