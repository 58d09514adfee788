"""Transcript widget of a conversation: speakers, times, and passages that became memories or were refused."""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len
from textual.events import Resize
from textual.message import Message

from curator.tui import text_format
from curator.tui.glyphs import Glyphs
from curator.tui.sources.queries import PassageFate, PassageMark
from curator.tui.sources.transcript_layout import TranscriptLayout, TranscriptLine
from curator.tui.widgets.virtual_list import Cells, VirtualList

_SIGNS = {PassageFate.KEPT: "quote", PassageFate.INACTIVE: "muted", PassageFate.REFUSED: "muted"}
_WORDS = {PassageFate.KEPT: "quote", PassageFate.INACTIVE: "gone", PassageFate.REFUSED: "plain"}
_CHOSEN = {PassageFate.KEPT: "chosen", PassageFate.INACTIVE: "pointed", PassageFate.REFUSED: "pointed"}
_EDGE = 4  # cells next to the text: cursor, sign, space, and one at the end


class Transcript(VirtualList[None]):
    """Lists the lines of a layout. The cursor is on a line, and on one of its marks."""

    DEFAULT_CSS = """
    Transcript { height: 1fr; width: 1fr; scrollbar-gutter: stable; }
    """

    @dataclass
    class Sized(Message):
        """The transcript is on the screen, perhaps with a new width."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.laid: TranscriptLayout | None = None
        self._chosen: int | None = None  # a mark selected by `step`
        self._signs = {
            PassageFate.KEPT: glyphs.kept,
            PassageFate.INACTIVE: glyphs.gone,
            PassageFate.REFUSED: glyphs.refused,
        }

    @property
    def columns(self) -> int:
        """The width of the text in cells; 0 while the widget is not on the screen."""
        return max(self.scrollable_content_region.width - _EDGE, 0)

    def show(
        self,
        laid: TranscriptLayout | None,
        cursor: int = 0,
        mark: int | None = None,
        line: int | None = None,
        still: bool = False,
    ) -> None:
        """Show new lines, with the cursor on one of them and on `mark`; `line` is its line on the screen.

        `still` keeps the scroll position.
        """
        self.laid, self._chosen = laid, mark
        self.show_rows(array("q", range(0 if laid is None else laid.height)), {}, cursor, line, still)

    def on_resize(self, _event: Resize) -> None:
        """Request a layout, unless the one shown has this width and conversation."""
        self.post_message(self.Sized())

    def _need_rows(self) -> None:
        """Do nothing: no row is ever missing."""

    # The cursor

    @property
    def mark_number(self) -> int | None:
        """The number of the mark under the cursor in the conversation."""
        here = self.laid.line(self.cursor).marks if self.laid is not None and self.ids else ()
        return self._chosen if self._chosen in here else next(iter(here), None)

    @property
    def mark_here(self) -> PassageMark | None:
        """The mark under the cursor."""
        number = self.mark_number
        return None if number is None or self.laid is None else self.laid.marked.marks[number]

    @property
    def at_heading(self) -> bool:
        """True if the cursor is on a heading, or on a folded message."""
        return self.laid is not None and bool(self.ids) and self.laid.at_heading(self.cursor)

    def move_to(self, index: int) -> None:
        """Move the cursor, and redraw if another mark is highlighted."""
        former = self.mark_number
        super().move_to(index)
        if self.mark_number != former:
            self.refresh()

    def step(self, direction: int) -> bool:
        """Go to the next or the previous mark; return False if there is none."""
        if self.laid is None:
            return False
        here, lines = self.mark_number, self.laid.of_mark
        if here is not None:
            target = here + direction
        elif direction > 0:
            target = next((number for number, line in enumerate(lines) if line >= self.cursor), len(lines))
        else:
            target = next((n for n in range(len(lines) - 1, -1, -1) if lines[n] <= self.cursor), -1)
        if not 0 <= target < len(lines):
            return False
        self._chosen = target
        self.move_to(lines[target])
        self.refresh()
        return True

    # Drawing

    def cells(self, row_id: int, row: None, width: int) -> Cells:
        """Return the sign of the mark, and the text; until the next layout, text that does not fit is cut off."""
        assert self.laid is not None
        line, chosen = self.laid.line(row_id), self.mark_number
        signs = [self.laid.marked.marks[mark].fate for mark in line.marks]
        sign = next((sign for sign in PassageFate if sign in signs), None)
        cells: Cells = [(" " if sign is None else self._signs[sign], "plain" if sign is None else _SIGNS[sign])]
        cells.append((" ", "plain"))
        room = width - 2
        for word, look in self._words(line, chosen):
            size = cell_len(word)
            cells.append((word if size <= room else text_format.fit(word, max(room, 0)), look))
            room -= min(size, max(room, 0))
        return [*cells, (" " * room, "plain")]

    def _words(self, line: TranscriptLine, chosen: int | None) -> Iterator[tuple[str, str]]:
        if not line.body:
            for run in line.runs:
                yield (f"{self.glyphs.folded} " if line.folded else "") + run.text, "accent" if line.own else "muted"
            return
        assert self.laid is not None
        marks = self.laid.marked.marks
        for run in line.runs:
            signs = [marks[mark].fate for mark in run.marks]
            if run.highlighted:
                yield run.text, "found"
            elif chosen is not None and chosen in run.marks:
                yield run.text, _CHOSEN[marks[chosen].fate]
            else:
                yield run.text, next((_WORDS[sign] for sign in PassageFate if sign in signs), "plain")
