"""List widgets for conversations, message hits, and refused passages."""

import re
from array import array
from typing import Generic, TypeVar

from textual.geometry import Size

from curator.display import short_date
from curator.tui.labels import source
from curator.tui.sources.queries import MessageHit, RefusedPassage
from curator.tui.text_format import age, fit, one_line
from curator.tui.widgets.virtual_list import Cells, VirtualList
from store.model import Conversation

_DATE_FROM = 64  # columns from which a date is shown instead of an age
_SOURCE_FROM = 48  # columns from which the source is shown
_COUNT_FROM = 30  # columns from which the number of messages is shown
_TITLE_FROM = 40  # columns from which the title of the conversation is shown
_REASON_FROM = 40  # columns from which the reason is shown

Row = TypeVar("Row")


class AgedList(VirtualList[Row], Generic[Row]):
    """Rows with an age."""

    def age(self, at: int | None) -> str:
        """Return an age in seven cells."""
        return f"{'' if at is None else age(at, self.now):>6} "


class ConversationList(AgedList[Conversation]):
    """Rows of conversations: title, source, date, numbers of messages and of memories."""

    def cells(self, row_id: int, row: Conversation | None, width: int) -> Cells:
        """Return the cells that fit the width; the number of memories is always included."""
        if row is None:
            return [(fit(" …", width), "muted")]
        memories = f" {self.glyphs.kept}{row.memories:>3,}" if row.memories else " " * 5
        messages = f"{row.messages:>5,}" if width >= _COUNT_FROM else ""
        dated = f"{'' if row.created_at is None else short_date(row.created_at):>13}"
        date = dated if width >= _DATE_FROM else self.age(row.created_at)
        origin = f" {fit(one_line(source(row.source) or ''), 11)}" if width >= _SOURCE_FROM else ""
        title, look = one_line(row.name), "plain" if row.title else "muted"
        room = width - len(memories) - len(messages) - len(date) - len(origin) - 2
        cells: Cells = [(f" {fit(title, max(room, 0))}", look), (origin, "muted"), (date, "muted")]
        return [*cells, (messages, "muted"), (memories, "quote"), (" ", "plain")]


class MessageHitList(AgedList[MessageHit]):
    """Rows of messages: text with highlighted search words, conversation, and age."""

    pattern: re.Pattern[str] | None = None

    def cells(self, row_id: int, row: MessageHit | None, width: int) -> Cells:
        """Return the cells; the text gets most of the width, since the transcript also shows the title."""
        if row is None:
            return [(fit(" …", width), "muted")]
        age = self.age(row.said_at)
        title = f"  {fit(row.title, width // 4)}" if width >= _TITLE_FROM else ""
        words = fit(f" {row.words}", max(width - len(age) - (width // 4 + 2 if title else 0), 0))
        cells, last = [], 0
        for found in self.pattern.finditer(words) if self.pattern is not None else ():
            cells += [(words[last : found.start()], "plain"), (found[0], "found")]
            last = found.end()
        return [*cells, (words[last:], "plain"), (title, "muted"), (age, "muted")]


class RefusalList(AgedList[RefusedPassage]):
    """Rows of refused passages: mark, words, reason and age."""

    def extend_rows(self, ids: "array[int]") -> None:
        """Append rows."""
        self.ids = self.ids + ids
        self.virtual_size = Size(1, len(self.ids))
        self._window = range(0)
        self._need_rows()
        self.refresh()

    def cells(self, row_id: int, row: RefusedPassage | None, width: int) -> Cells:
        """Return the cells; the text gets most of the width, since the note below the transcript shows the reason."""
        marked = (f"{self.glyphs.mark if row_id in self.marks else ' '} ", "mark")
        if row is None:
            return [marked, (fit("…", width - 2), "muted")]
        age = self.age(row.said_at)
        why = one_line(row.refusal.reason).replace("_", " ")
        reason = f"  {fit(why, 14)}" if width >= _REASON_FROM else ""
        words = fit(row.words, max(width - 2 - len(age) - len(reason), 0))
        return [marked, (words, "plain"), (reason, "muted"), (age, "muted")]
