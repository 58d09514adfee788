"""List widget that draws only the visible lines, for any number of rows."""

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from rich.segment import Segment
from rich.style import Style
from textual import on
from textual.events import Blur, Click, Focus, Resize
from textual.geometry import Region, Size, Spacing
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from curator.tui.dispatch import ErrorBoundary
from curator.tui.glyphs import Glyphs

PAGE = 256
KEPT = 40 * PAGE  # rows held in memory
_DRAWN = 1024  # drawn lines cached
_BAR_STEPS = 1024  # more than the number of positions of a scrollbar

LOOKS: Mapping[str, str] = {
    "plain": "$text",
    "strong": "bold $text",
    "found": "underline $accent",
    "muted": "$muted",
    "accent": "$accent",
    "good": "$good",
    "warn": "bold $warn",
    "bad": "$bad",
    "mark": "bold $mark",
    "quote": "$quote",
    "chosen": "bold underline $quote",
    "gone": "italic $muted",
    "pointed": "bold underline $text",
    "core": "$tier-core",
    "medium": "$tier-medium",
    "low": "$tier-low",
}
"""Styles of the pieces of a line, by theme token."""

Cells = list[tuple[str, str]]
"""The pieces of a line: text and the name of its style."""

Row = TypeVar("Row")


class VirtualList(ErrorBoundary, ScrollView, Generic[Row], can_focus=True, inherit_bindings=False):
    """IDs in order, their rows once they are read, a cursor, and marks.

    The list itself reads nothing: it requests missing rows with `RowsNeeded`, and `fill` supplies them. Subclasses
    define `cells`.
    """

    ALLOW_SELECT = False
    RESTS: ClassVar[bool] = True  # shows the cursor without the focus
    DEFAULT_CSS = """
    VirtualList {
        overflow-x: hidden; overflow-y: auto; scrollbar-size-vertical: 1; background: $background;
    }
    """

    @dataclass
    class Moved(Message):
        """The cursor of `rows` is on another row, or on no row."""

        rows: "VirtualList[Any]"

        def can_replace(self, message: Message) -> bool:
            """Return True for an older move of the same list: only the last index matters."""
            return isinstance(message, VirtualList.Moved) and message.rows is self.rows

    class Marked(Message):
        """The marks have changed."""

    @dataclass
    class RowsNeeded(Message):
        """Requests missing rows, in pages: first those in view, then their neighbours."""

        rows: "VirtualList[Any]"
        pages: tuple[tuple[int, ...], ...]

    class Chosen(Message):
        """The row under the cursor was clicked twice."""

    def __init__(self, glyphs: Glyphs, now: int = 0) -> None:
        super().__init__()
        self.now = now  # microseconds; ages are relative to it
        self.ids: array[int] = array("q")
        self.marks: set[int] = set()
        self.cursor = 0
        self.glyphs = glyphs
        self._marked = 0  # number of changes of the marks by the person
        self._anchor: int | None = None  # the index where a range of marks began
        self._before: frozenset[int] = frozenset()  # the marks when the range began
        self._rows: dict[int, Row] = {}
        self._window = range(0)
        self._looks: dict[tuple[str, bool], Style] = {}
        self._drawn: dict[tuple[object, ...], Strip] = {}

    def cells(self, row_id: int, row: Row | None, width: int) -> Cells:
        """Return a line of `width` cells; `row` is None until it is read."""
        raise NotImplementedError

    # Content

    @property
    def current(self) -> int | None:
        """The ID of the row under the cursor."""
        return self.ids[self.cursor] if self.ids else None

    def row(self, row_id: int | None) -> Row | None:
        """Return a row if it is read."""
        return None if row_id is None else self._rows.get(row_id)

    @property
    def current_row(self) -> Row | None:
        """The row under the cursor, if it is read."""
        return self.row(self.current)

    @property
    def concerned(self) -> list[int]:
        """The marked rows in list order, else the one under the cursor."""
        current = [] if self.current is None else [self.current]
        return [row_id for row_id in self.ids if row_id in self.marks] if self.marks else current

    def show_rows(
        self, ids: "array[int]", rows: Mapping[int, Row], cursor: int = 0, line: int | None = None, still: bool = False
    ) -> None:
        """Show a new list with its known rows; the cursor goes to an index, and to a line of the view if given.

        The widget owns `ids` afterwards. `still` keeps the scroll position. With `still` or `line`, a range of marks
        continues from the row where it began, if that is listed.
        """
        begun = self.ids[self._anchor] if self._anchor is not None and (still or line is not None) else None
        self.ids, self._rows = ids, dict(rows)
        self._window = range(0)
        self._anchor = ids.index(begun) if begun is not None and begun in ids else None
        self.cursor = max(min(cursor, len(ids) - 1), 0)
        self.virtual_size = Size(1, len(ids))
        if not still:
            self._scroll_to_cursor(line)
        self._need_rows()
        self.refresh()
        self.post_message(self.Moved(self))

    def show_again(self, ids: "array[int]", rows: Mapping[int, Row], cursor: int, fresh: bool = False) -> None:
        """Show a list that was read again.

        Unless `fresh`, the cursor keeps its line on the screen if it is in view; otherwise the scroll position stays.
        """
        line = self.cursor - round(self.scroll_y)
        in_view = 0 <= line < self.page
        self.show_rows(ids, rows, cursor, line if in_view and not fresh else None, still=not (in_view or fresh))

    def fill(self, rows: Mapping[int, Row]) -> None:
        """Store rows, new or changed, and redraw those in view."""
        self._rows |= rows
        while len(self._rows) > KEPT:
            del self._rows[next(iter(self._rows))]
        top = round(self.scroll_y)
        for index, row_id in enumerate(self.ids[top : top + self.page], top):
            if row_id in rows:
                self.refresh_line(index)

    def drop(self, index: int) -> None:
        """Remove one row and its mark; the cursor stays on its line."""
        self.marks.discard(self.ids.pop(index))
        self._anchor = None
        self._end_at(len(self.ids))
        self.move_to(self.cursor)
        self._window = range(0)
        self._need_rows()
        self.refresh()

    def _end_at(self, length: int) -> None:
        """Set the length, if possible without a layout of the screen, which takes as long as handling a key."""
        if length > self.size.height:  # the scrollbar stays
            self.set_reactive(VirtualList.virtual_size, Size(1, length))
            bar = self.vertical_scrollbar
            if abs(bar.window_virtual_size - length) * _BAR_STEPS >= length:  # otherwise it looks the same
                bar.window_virtual_size = length
        else:
            self.virtual_size = Size(1, length)

    # Cursor and marks

    def move(self, lines: int) -> None:
        """Move the cursor, clamped to the list."""
        self.move_to(self.cursor + lines)

    def move_to(self, index: int) -> None:
        """Move the cursor to an index, clamped to the list; a range of marks follows it."""
        index, former = max(min(index, len(self.ids) - 1), 0), self.cursor
        if index != self.cursor:
            self.refresh_line(self.cursor)
            self.refresh_line(index)
            self.cursor = index
        if self._anchor is not None:
            self._mark_range(self._anchor, former)
        self._scroll_to_cursor()
        self.post_message(self.Moved(self))

    def mark(self, ids: Iterable[int]) -> None:
        """Mark exactly these rows."""
        former, self.marks = self.marks, set(ids)
        self._anchor = None
        if former != self.marks:
            self.refresh()
            self._say_marked()

    def mark_all(self) -> None:
        """Mark every row, or none if all are marked."""
        self.mark(self.ids if len(self.marks) < len(self.ids) else ())

    def unmark(self, ids: Iterable[int]) -> None:
        """Remove these marks; marks set meanwhile stay."""
        self.mark(self.marks.difference(ids))

    def take_out(self, ids: Iterable[int]) -> None:
        """Remove rows, ignoring those not listed; the cursor stays on its row, or goes to the next one."""
        for row_id in ids:
            if row_id == self.current:
                self.drop(self.cursor)
            elif row_id in self.ids:
                index = self.ids.index(row_id)
                self.cursor -= index < self.cursor
                self.drop(index)

    def toggle_mark(self) -> None:
        """Mark or unmark the row under the cursor."""
        if (row_id := self.current) is not None:
            self._anchor = None
            self.marks ^= {row_id}
            self.refresh_line(self.cursor)
            self._say_marked()

    @property
    def ranging(self) -> bool:
        """True while a range of marks follows the cursor."""
        return self._anchor is not None

    def begin_range(self) -> None:
        """Start a range of marks at the cursor, in addition to existing marks; a second call ends it."""
        if self._anchor is None and self.ids:
            self._anchor, self._before = self.cursor, frozenset(self.marks)
            self._mark_range(self.cursor, self.cursor)
        else:
            self._anchor = None

    def _mark_range(self, anchor: int, former: int) -> None:
        """Mark from the anchor to the cursor, which was at `former`; only rows between the two change."""
        first, last = sorted((anchor, self.cursor))
        low, high = sorted((former, self.cursor))
        for index, row_id in enumerate(self.ids[low : high + 1], low):
            if first <= index <= last:
                self.marks.add(row_id)
            elif row_id not in self._before:
                self.marks.discard(row_id)
        self.refresh()
        self._say_marked()

    def _say_marked(self) -> None:
        self._marked += 1
        self.post_message(self.Marked())

    @property
    def state_of_marks(self) -> tuple[int, int]:
        """A value that changes with the marks, and is cheap to compute for any number of marks."""
        return self._marked, len(self.marks)

    @property
    def page(self) -> int:
        """The number of lines in view."""
        return max(self.scrollable_content_region.height, 1)

    def _scroll_to_cursor(self, line: int | None = None) -> None:
        """Scroll the cursor into view, to a line of the view if given."""
        top = round(self.scroll_y) if line is None else self.cursor - line
        top = max(min(top, self.cursor), self.cursor - self.page + 1)
        top = max(min(top, len(self.ids) - self.page), 0)
        if top != self.scroll_y:
            self.scroll_to(y=top, animate=False, force=True)

    # Rows

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Request the rows that came into view."""
        super().watch_scroll_y(old_value, new_value)
        self._need_rows()

    def on_resize(self, _event: Resize) -> None:
        """Keep the cursor in view."""
        self._scroll_to_cursor()
        self._need_rows()

    def _need_rows(self) -> None:
        """Request the pages in view and their neighbours, once per window."""
        top = round(self.scroll_y)
        first, last = top // PAGE, (top + self.page) // PAGE
        if self._window == range(first, last + 1):
            return
        self._window = range(first, last + 1)
        order = (*self._window, last + 1, first - 1)
        pages = [self._missing(index) for index in order if index >= 0]
        if any(pages):
            self.post_message(self.RowsNeeded(self, tuple(page for page in pages if page)))

    def _missing(self, page_index: int) -> tuple[int, ...]:
        """Return the IDs of a page whose rows are missing; mark its other rows as recently used."""
        page = self.ids[page_index * PAGE : (page_index + 1) * PAGE]
        self._rows |= {row_id: self._rows.pop(row_id) for row_id in page if row_id in self._rows}
        return tuple(row_id for row_id in page if row_id not in self._rows)

    # Drawing

    def notify_style_update(self) -> None:
        """Drop the cached styles after a change of theme."""
        super().notify_style_update()
        self._looks.clear()

    @on(Focus)
    @on(Blur)
    def _style_again(self) -> None:
        """Draw the cursor fainter without the focus."""
        self._looks.clear()
        self.refresh()

    def _styles(self) -> dict[tuple[str, bool], Style]:
        """Return the styles by name and by whether the cursor is on the line, computed once per theme."""
        if not self._looks:
            self._drawn.clear()
            parse = self.app.stylesheet.parse_style
            focused = "bold on $cursor" if self.app.current_theme.ansi else "on $cursor"
            cursor = parse(focused if self.has_focus else "on $raised").rich_style
            for look, css in LOOKS.items():
                style = self.rich_style + parse(css).rich_style
                self._looks[look, False], self._looks[look, True] = style, style + cursor
        return self._looks

    def render_line(self, y: int) -> Strip:
        """Return a line of the view; unchanged lines are the same `Strip` object, which caches Textual's work."""
        index = y + round(self.scroll_y)
        width, looks = self.scrollable_content_region.width, self._styles()
        if index >= len(self.ids):
            return Strip.blank(width, looks["plain", False])
        row_id, here = self.ids[index], index == self.cursor and (self.RESTS or self.has_focus)
        cells = self.cells(row_id, self._rows.get(row_id), width - 1)
        cells.insert(0, (self.glyphs.cursor if here else " ", "accent"))
        drawing = (here, width, *cells)
        strip = self._drawn.get(drawing)
        if strip is None:
            if len(self._drawn) >= _DRAWN:
                self._drawn.clear()
            strip = Strip([Segment(word, looks[look, here]) for word, look in cells]).crop(0, width)
            self._drawn[drawing] = strip
        return strip

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return lines of the view; without border and padding, bypass Textual's styling, which rebuilds every line."""
        if self.styles.gutter != Spacing():
            return super().render_lines(crop)
        _, background = self.background_colors
        filters, ground, (left, right) = self.get_line_filters(), self._styles()["plain", False], crop.column_span
        strips = []
        for y in crop.line_range:
            strip = self.render_line(y)
            for line_filter in filters:
                strip = strip.apply_filter(line_filter, background)
            strips.append(strip.crop_extend(left, right, ground))
        return strips

    def on_click(self, event: Click) -> None:
        """Move the cursor to the row under the mouse; a double click chooses it."""
        index = event.y + round(self.scroll_y)
        if index < len(self.ids):
            self.move_to(index)
            if event.chain > 1:
                self.post_message(self.Chosen())
