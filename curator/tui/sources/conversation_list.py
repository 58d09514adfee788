"""The list of conversations."""

from curator.tui import formatting
from curator.tui.glyphs import Glyphs
from curator.tui.labels import source
from curator.tui.widgets.virtual_list import Cells, VirtualList
from store.model import Conversation

_DATED = 64  # columns from which there is room for a date instead of an age
_SOURCED = 48  # for the source
_COUNTED = 30  # for the number of messages


class ConversationList(VirtualList[Conversation]):
    """Conversations: title, source, date, messages, and the memories made of them."""

    def __init__(self, glyphs: Glyphs, now: int) -> None:
        super().__init__(glyphs)
        self.now = now  # microseconds; ages are counted from here

    def cells(self, number: int, row: Conversation | None, width: int) -> Cells:
        """What the width has room for; the memories always."""
        if row is None:
            return [(formatting.fit(" …", width), "muted")]
        memories = f" {self.glyphs.kept}{row.memories:>3,}" if row.memories else " " * 5
        messages = f"{row.messages:>5,}" if width >= _COUNTED else ""
        when = "" if row.created_at is None else self._when(row.created_at, width)
        date = f"{when:>13}" if width >= _DATED else f"{when:>7}"
        origin = f" {formatting.fit(formatting.one_line(source(row.source) or ''), 11)}" if width >= _SOURCED else ""
        title = formatting.one_line(row.title or "") or "without a title"
        room = width - len(memories) - len(messages) - len(date) - len(origin) - 2
        look = "plain" if row.title else "muted"
        return [
            (f" {formatting.fit(title, max(room, 0))}", look),
            (origin, "muted"),
            (date, "muted"),
            (messages, "muted"),
            (memories, "quote"),
            (" ", "plain"),
        ]

    def _when(self, at: int, width: int) -> str:
        return formatting.day(at) if width >= _DATED else formatting.age(at, self.now)
