"""The list of memories: draws only the lines that are seen, whatever the number of rows."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.events import Click, Resize
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from curator.tui import text
from curator.tui.glyphs import Glyphs
from curator.tui.listing import Listing, find
from store.model import Memory, Review

PAGE = 256
KEPT = 40 * PAGE  # rows held in memory
_WIDE = 76  # columns from which there is room for the kind
_LOOKS = ("plain", "found", "muted", "accent", "good", "warn", "mark", "core", "medium", "low")


class MemoryList(ScrollView, can_focus=True, inherit_bindings=False):
    """Ids in order, rows as they come, a cursor, and marks.

    It never reads: rows that it lacks are asked for by `Wanted` and given by `fill`.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *(f"memory-list--{look}" for look in _LOOKS),
        "memory-list--cursor",
    }
    DEFAULT_CSS = """
    MemoryList {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
        background: $background;
        & > .memory-list--plain { color: $text; }
        & > .memory-list--found { color: $accent; text-style: underline; }
        & > .memory-list--muted { color: $muted; }
        & > .memory-list--accent { color: $accent; }
        & > .memory-list--good { color: $good; }
        & > .memory-list--warn { color: $warn; text-style: bold; }
        & > .memory-list--mark { color: $mark; text-style: bold; }
        & > .memory-list--core { color: $tier-core; }
        & > .memory-list--medium { color: $tier-medium; }
        & > .memory-list--low { color: $tier-low; }
        & > .memory-list--cursor { background: $cursor; }
    }
    """

    class Moved(Message):
        """The cursor is on another memory, or on none."""

        def can_replace(self, message: Message) -> bool:
            """Only the last place matters."""
            return isinstance(message, MemoryList.Moved)

    class Marked(Message):
        """The number of marks has changed."""

    @dataclass
    class Wanted(Message):
        """Rows that are needed, in pages: first those in view, then those next to them."""

        pages: tuple[tuple[int, ...], ...]

    def __init__(self, glyphs: Glyphs, now: int) -> None:
        super().__init__()
        self.now = now  # microseconds; ages are counted from here
        self.sought = ""  # shown where it stands in a text
        self.ids: array[int] = array("q")
        self.marks: set[int] = set()
        self.cursor = 0
        self._glyphs = glyphs
        self._rows: dict[int, Memory] = {}
        self._alerted: frozenset[int] = frozenset()
        self._window = range(0)
        self._looks: dict[tuple[str, bool], Style] = {}

    # What is shown

    @property
    def current(self) -> int | None:
        """The memory under the cursor."""
        return self.ids[self.cursor] if self.ids else None

    def row(self, memory: int) -> Memory | None:
        """What is known of a memory without asking."""
        return self._rows.get(memory)

    def show(self, listing: Listing, without: set[int]) -> None:
        """Take a new list, the cursor staying on its memory and its line; `without` have left since it was read."""
        current, line = self.current, self.cursor - round(self.scroll_y)
        in_view = 0 <= line < self.page
        ids = array("q", (m for m in listing.ids if m not in without)) if without else listing.ids
        cursor = listing.cursor
        if without or current != listing.anchor:
            near = [] if current is None or listing.anchor is None else [current]
            cursor = find(ids, near, cursor)
        self.ids, self._alerted = ids, listing.alerted
        self._rows = {memory.id: memory for memory in listing.rows}
        self._window = range(0)
        self.cursor = cursor
        self.marks -= listing.unlisted
        self.virtual_size = Size(1, len(ids))
        if listing.anchor is None:
            self._scroll_to_cursor()
        elif in_view:
            self._scroll_to_cursor(line)
        self._want_rows()
        self.refresh()
        self.post_message(self.Moved())

    def fill(self, memories: Iterable[Memory]) -> None:
        """Take rows, new or changed."""
        given = {memory.id: memory for memory in memories}
        self._rows |= given
        while len(self._rows) > KEPT:
            del self._rows[next(iter(self._rows))]
        top = round(self.scroll_y)
        for place, memory in enumerate(self.ids[top : top + self.page], top):
            if memory in given:
                self.refresh_line(place)

    def drop(self, place: int) -> None:
        """Take one row out; the cursor stays on its line."""
        self.ids = self.ids[:place] + self.ids[place + 1 :]
        self.virtual_size = Size(1, len(self.ids))
        self.move_to(self.cursor)
        self._window = range(0)
        self._want_rows()
        self.refresh()

    # Cursor and marks

    def move(self, lines: int) -> None:
        """Move the cursor, staying inside the list."""
        self.move_to(self.cursor + lines)

    def move_to(self, place: int) -> None:
        """Put the cursor on a place, or on the nearest there is."""
        place = max(min(place, len(self.ids) - 1), 0)
        if place != self.cursor:
            self.refresh_line(self.cursor)
            self.refresh_line(place)
            self.cursor = place
        self._scroll_to_cursor()
        self.post_message(self.Moved())

    def mark(self, memories: Iterable[int]) -> None:
        """Mark these and nothing else."""
        former, self.marks = self.marks, set(memories)
        if former != self.marks:
            self.refresh()
            self.post_message(self.Marked())

    def toggle_mark(self) -> None:
        """Mark or unmark the memory under the cursor."""
        if (memory := self.current) is not None:
            self.marks ^= {memory}
            self.refresh_line(self.cursor)
            self.post_message(self.Marked())

    @property
    def page(self) -> int:
        """The lines in view."""
        return max(self.scrollable_content_region.height, 1)

    def _scroll_to_cursor(self, line: int | None = None) -> None:
        """Bring the cursor into view, on a line of the view if one is given."""
        top = round(self.scroll_y)
        if line is not None:
            top = self.cursor - line
        top = max(min(top, self.cursor), self.cursor - self.page + 1)
        top = max(min(top, len(self.ids) - self.page), 0)
        if top != self.scroll_y:
            self.scroll_to(y=top, animate=False, force=True)

    # Rows

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Ask for the rows that came into view."""
        super().watch_scroll_y(old_value, new_value)
        self._want_rows()

    def on_resize(self, _event: Resize) -> None:
        """Keep the cursor in view."""
        self._scroll_to_cursor()
        self._want_rows()

    def _want_rows(self) -> None:
        """Ask for the pages in view and their neighbours, once per window."""
        top = round(self.scroll_y)
        first, last = top // PAGE, (top + self.page) // PAGE
        if self._window == range(first, last + 1):
            return
        self._window = range(first, last + 1)
        order = (*self._window, last + 1, first - 1)
        pages = [self._missing(number) for number in order if number >= 0]
        if any(pages):
            self.post_message(self.Wanted(tuple(page for page in pages if page)))

    def _missing(self, number: int) -> tuple[int, ...]:
        """The rows of a page that are not here; those that are become the last to be let go."""
        page = self.ids[number * PAGE : (number + 1) * PAGE]
        self._rows |= {memory: self._rows.pop(memory) for memory in page if memory in self._rows}
        return tuple(memory for memory in page if memory not in self._rows)

    # Drawing

    def notify_style_update(self) -> None:
        """Another theme: work the styles out anew."""
        super().notify_style_update()
        self._looks.clear()

    def _styles(self) -> dict[tuple[str, bool], Style]:
        """The styles by name, and whether the cursor is on the line; worked out once for each theme."""
        if not self._looks:
            cursor = self.get_component_rich_style("memory-list--cursor", partial=True)
            for look in _LOOKS:
                style = self.rich_style + self.get_component_rich_style(f"memory-list--{look}", partial=True)
                self._looks[look, False], self._looks[look, True] = style, style + cursor
        return self._looks

    def render_line(self, y: int) -> Strip:
        """One line of the view."""
        place = y + round(self.scroll_y)
        width = self.scrollable_content_region.width
        if place >= len(self.ids):
            return Strip.blank(width, self.rich_style)
        number, here = self.ids[place], place == self.cursor
        memory = self._rows.get(number)
        cells = self._signs(number, memory) + self._words(memory, width - 6)
        cells.insert(0, (self._glyphs.cursor if here else " ", "accent"))
        looks = self._styles()
        return Strip([Segment(word, looks[look, here]) for word, look in cells], width)

    def _signs(self, number: int, memory: Memory | None) -> list[tuple[str, str]]:
        glyphs = self._glyphs
        marked = (glyphs.mark if number in self.marks else " ", "mark")
        if memory is None:
            return [marked, ("    ", "muted")]
        attention = glyphs.quarantined if memory.flag else glyphs.alert if number in self._alerted else " "
        validated = glyphs.validated if memory.review is Review.VALIDATED else " "
        return [marked, (f" {attention}", "warn"), (f"{validated} ", "good")]

    def _words(self, memory: Memory | None, width: int) -> list[tuple[str, str]]:
        """Text, kind where there is room, tier and age, in `width` cells."""
        if memory is None:
            return [(text.fit("…", width), "muted")]
        kind = f"  {memory.kind:<12}" if width >= _WIDE else ""
        tier = f"  {memory.tier + (self._glyphs.pinned if memory.pinned else ''):<7}"
        old = f"{text.age(memory.created_at, self.now):>5} "
        words = text.fit(text.one_line(memory.text), max(width - len(kind) - len(tier) - len(old), 0))
        return [*_lit(words, self.sought), (kind, "muted"), (tier, memory.tier), (old, "muted")]

    def on_click(self, event: Click) -> None:
        """Put the cursor where the mouse is."""
        place = event.y + round(self.scroll_y)
        if place < len(self.ids):
            self.move_to(place)


def _lit(words: str, sought: str) -> list[tuple[str, str]]:
    """A text with what is searched for in a colour of its own."""
    place = words.lower().find(sought.lower()) if sought else -1
    if place < 0:
        return [(words, "plain")]
    end = place + len(sought)
    return [(words[:place], "plain"), (words[place:end], "found"), (words[end:], "plain")]
