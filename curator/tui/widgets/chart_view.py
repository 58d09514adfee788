"""Chart widget: a question, its answer, and a chart with a cursor on one of its marks."""

from collections.abc import Mapping
from dataclasses import dataclass

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import on
from textual.events import Blur, Click, Focus, Resize
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from curator.tui.glyphs import Glyphs
from curator.tui.text_format import fit
from curator.tui.widgets import chart_model
from curator.tui.widgets.chart_model import Chart, Form, Mark
from curator.tui.widgets.chart_render import Ink, Row, short

_LOOKS: Mapping[str, str] = {
    "plain": "$text",
    "title": "bold $muted",
    "asked": "bold $text",
    "answer": "$muted",
    "muted": "$muted",
    "rule": "$rule",
    "label": "$text",
    "note": "$muted",
    "bar": "$accent",
    "sign": "$accent",
    "foot": "$rule",
    "under": "$muted",
}
_BARE = (Form.COLUMNS, Form.DAYS, Form.SERIES)  # forms whose marks show no number
_FEET = ("foot", "under")  # styles of pieces below a mark
_ROOMY = 12  # lines from which a blank line is below the answer


class ChartView(Widget, can_focus=True, inherit_bindings=False):
    """A question, its answer in one line, and the chart."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "ChartView { padding: 0 1; background: $background; }"

    @dataclass
    class Moved(Message):
        """The cursor has moved, or its mark has changed."""

        picture: "ChartView"

    class Chosen(Message):
        """The mark under the cursor was clicked twice."""

    def __init__(self, chart: Chart, signs: Glyphs) -> None:
        super().__init__()
        self.chart, self.signs, self.cursor = chart, signs, 0
        self._starts: dict[int, int] = {}
        self._rows: list[Row] | None = None
        self._looks: dict[tuple[str, bool], Style] = {}

    # Content

    @property
    def current(self) -> Mark | None:
        """The mark under the cursor."""
        return self.chart.marks[self.cursor] if self.cursor < len(self.chart.marks) else None

    def show(self, chart: Chart) -> None:
        """Show a new chart; the cursor stays on its mark, or at its index."""
        self.cursor = chart.find(self.chart, self.cursor)
        self.chart = chart
        self._change()

    def move(self, dx: int, dy: int) -> None:
        """Move the cursor a step to the side or down."""
        if self.chart.marks:
            self._point(chart_model.step(self.chart, self.cursor, dx, dy))

    def move_to_end(self, last: bool) -> None:
        """Move the cursor to the first or the last mark."""
        if self.chart.marks:
            self._point(self.chart.nearest(self.chart.last if last else 0))

    def _point(self, index: int | None) -> None:
        if index is not None and index != self.cursor:
            self.cursor = index
            self._change()

    def _change(self) -> None:
        self._draw_again()
        self.post_message(self.Moved(self))

    @on(Resize)
    @on(Focus)
    @on(Blur)
    def _draw_again(self) -> None:
        """Redraw for a new size or focus; the cursor is shown only with the focus."""
        self._rows = None
        self.refresh()

    def on_click(self, event: Click) -> None:
        """Move the cursor to the mark under the mouse; a double click chooses it."""
        offset = event.get_content_offset(self)
        if offset is None or offset.y >= len(self.rows):
            return
        column = 0
        for ink in self.rows[offset.y]:
            column += cell_len(ink.text)
            if offset.x < column:
                if ink.mark >= 0 and self.chart.can_point(ink.mark):
                    self._point(ink.mark)
                    if event.chain > 1:
                        self.post_message(self.Chosen())
                return

    # Drawing

    @property
    def rows(self) -> list[Row]:
        """All lines as currently drawn."""
        if self._rows is None:
            width, height = self.size
            head = [self._title(width), [Ink(fit(self.chart.answer, width), "answer")]]
            head += [[]] if height >= _ROOMY else []
            body = chart_model.draw(self.chart, width, height - len(head), self.cursor, self._starts, self.signs)
            self._rows = [*head, *body]
        return self._rows

    def _title(self, width: int) -> Row:
        """Return the question, and at the right the mark under the cursor if its form shows no number."""
        question, here = self.chart.question, self.current
        row = [Ink(question, "asked" if self.has_focus else "title")]
        if self.has_focus and here is not None and self.chart.sections[self.chart.section(self.cursor)].form in _BARE:
            aside, room = f"{here.label} · {short(here.count)}", width - len(question)
            if len(aside) + 2 <= room:
                row.append(Ink(aside.rjust(room), "label"))
        return row

    def notify_style_update(self) -> None:
        """Drop the cached styles after a change of theme."""
        super().notify_style_update()
        self._looks.clear()

    def _style(self, look: str, here: bool) -> Style:
        if (look, here) not in self._looks:
            parse = self.app.stylesheet.parse_style
            style = self.rich_style + parse(_LOOKS[look]).rich_style
            if here:
                style += parse("bold on $cursor" if self.chart.since is None else "bold $text on $cursor").rich_style
            self._looks[look, here] = style
        return self._looks[look, here]

    def render_line(self, y: int) -> Strip:
        """Return one line of the chart."""
        width = self.size.width
        if y >= len(self.rows):
            return Strip.blank(width, self.rich_style)
        segments = []
        for ink in self.rows[y]:
            here = self.has_focus and ink.mark == self.cursor
            look = "sign" if here and ink.look in _FEET else ink.look
            text = ink.text
            if here and self.chart.since is not None:  # the cursor must be visible without colour
                text = self.signs.day
            elif here and ink.look == "sign":
                text = self.signs.cursor
            elif here and ink.look in _FEET:
                text = self.signs.caret.center(len(text), self.signs.rule if ink.look == "foot" else " ")
            segments.append(Segment(text, self._style(look, here)))
        return Strip(segments).adjust_cell_length(width, self.rich_style)
