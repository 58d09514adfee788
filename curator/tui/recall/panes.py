"""Panes of the Recall view: the hits with the omissions, and the block."""

from array import array
from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from curator.display import counted
from curator.recall.types import OmissionKind
from curator.terminal_text import visible
from curator.tui.cursor import cursor_index
from curator.tui.dispatch import ErrorBoundary
from curator.tui.glyphs import Glyphs
from curator.tui.recall import queries
from curator.tui.recall.queries import GROUPS, RecallAnswer, RecallRow
from curator.tui.text_format import fit, one_line
from curator.tui.widgets.virtual_list import Cells, VirtualList
from store.model import Review

RULE = 0  # row number of the line between hits and omissions; never the ID of a memory
_LOOKS = ("accent", "good", "quote", "mark")  # styles of the groups, from full to faint signs
_WIDE = 56  # columns from which the bar is shown
_REASON = 19  # cells
_MUTED = (OmissionKind.UNRELATED, OmissionKind.WEAK, OmissionKind.LIMIT, OmissionKind.OTHER_PRESET)


def signs(glyphs: Glyphs) -> list[tuple[str, str, str]]:
    """Return the name, the sign in a bar, and the style of each group of score parts."""
    return [(name, sign, look) for name, sign, look in zip(GROUPS, glyphs.shades[:0:-1], _LOOKS, strict=True)]


class HitList(VirtualList[RecallRow]):
    """List of hits with position, move, text and score bar; below a line, the omissions, each with its reason."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.compared = False  # True if compared with another preset
        self.checked = False  # True if this prompt has a check
        self.alerted: frozenset[int] = frozenset()
        self._left_out = 0

    def show(self, answer: RecallAnswer | None, near: Sequence[int] = (), fresh: bool = False) -> None:
        """Show an answer; the cursor goes to the first of `near`, else stays, or starts at the top if `fresh`.

        Marks are kept, even on memories that are not listed at the moment; `keep_marks` removes those.
        """
        above, below = ((), ()) if answer is None else (answer.above, answer.below)
        self.compared = answer is not None and answer.question.against is not None
        self.checked = answer is not None and answer.checked is not None
        self.alerted = frozenset() if answer is None else answer.alerted
        self._left_out = len(below)
        numbers = [line.memory.id for line in (*above, *below)]
        ids = array("q", [*numbers[: len(above)], *([RULE] if below else []), *numbers[len(above) :]])
        anchors = [*near, *(() if fresh or self.current is None else (self.current,))]
        index = cursor_index(ids, anchors, 0 if fresh else self.cursor)
        index += bool(ids) and ids[index] == RULE
        self.show_rows(ids, dict(zip(numbers, (*above, *below), strict=True)), index)

    def keep_marks(self) -> None:
        """Remove the marks of memories that are not listed."""
        self.mark(self.marks.intersection(self.ids) - {RULE})

    def move_to(self, index: int) -> None:
        """Move the cursor to an index, skipping the line between hits and omissions."""
        index = max(min(index, len(self.ids) - 1), 0)
        if self.ids and self.ids[index] == RULE:
            index += 1 if index >= self.cursor or index == 0 else -1
        super().move_to(index)

    def mark_all(self) -> None:
        """Mark every memory, or none if all are marked."""
        every = {number for number in self.ids if number != RULE}
        self.mark(() if self.marks == every else every)

    def _mark_range(self, anchor: int, former: int) -> None:
        """Mark a range, without the line between hits and omissions."""
        super()._mark_range(anchor, former)
        self.marks.discard(RULE)

    def cells(self, number: int, row: RecallRow | None, width: int) -> Cells:
        """Return the cells that fit the width; the text is always included."""
        if number == RULE:
            title = f"{self.glyphs.rule * 2} {counted(self._left_out)} left out "
            return [((title + self.glyphs.rule * width)[: max(width, 0)], "muted")]
        if row is None:
            return [(fit("…", width), "muted")]
        score = " " * 8 if row.score is None else f" {row.score:>6.2f} "
        before: Cells = [(self.glyphs.mark if number in self.marks else " ", "mark")]
        bar: Cells = []
        if row.reason is not None:
            before.append((f"{fit(one_line(row.label), _REASON)} ", "muted" if row.reason in _MUTED else "warn"))
        else:
            before += [
                (f"{row.position or self.glyphs.always:>2} ", "muted"),
                *(self._moved(row) if row.position else ()),
            ]
            bar = self._bar(row, width // 4) if width >= _WIDE else []
        validated = row.memory.review is Review.VALIDATED
        before.append((self.glyphs.alert if number in self.alerted else " ", "warn"))
        before.append((f"{self.glyphs.validated if validated else ' '} ", "good"))
        if self.checked and row.expected is None:
            before.append(("  ", "plain"))
        elif self.checked:
            sign = self.glyphs.after if row.expected else self.glyphs.before
            before.append((f"{sign} ", "good") if row.as_expected else (f"{self.glyphs.alert} ", "bad"))
        room = width - sum(len(words) for words, _ in (*before, *bar)) - len(score)
        words = fit(one_line(row.memory.text), max(room, 0))
        return [*before, (words, "plain" if row.reason is None else "muted"), *bar, (score, "muted")]

    def _moved(self, row: RecallRow) -> Cells:
        """Return the number of positions gained compared with the other preset."""
        if not self.compared:
            return []
        if row.moved is None:
            return [("new ", "accent")]
        look = "good" if row.moved > 0 else "bad" if row.moved < 0 else "muted"
        return [(f"{row.moved:>+3} " if row.moved else "  = ", look)]

    def _bar(self, row: RecallRow, width: int) -> Cells:
        """Return the stacked bar of the groups, rounded so that the total length is exact."""
        cells: Cells = [(" ", "plain")]
        ends, length = 0, 0.0
        for part, (_, sign, look) in zip(row.bar, signs(self.glyphs), strict=True):
            length += part
            end = round(length * width)
            cells.append((sign * (end - ends), look))
            ends = end
        return [*cells, (" " * (width - ends), "plain")]


class BlockPane(ErrorBoundary, Vertical):
    """Pane with the block as a model receives it, below its token counts; scrolls without focus."""

    DEFAULT_CSS = """
    BlockPane { background: $background; padding: 0 1 0 1; }
    BlockPane > #tokens { height: auto; max-height: 4; color: $muted; border-bottom: solid $rule; }
    BlockPane > VerticalScroll { scrollbar-size-vertical: 1; }
    BlockPane #block { height: auto; width: 1fr; color: $quote; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._tokens, self._block = Static(id="tokens", markup=False), Static(id="block", markup=False)
        self.scroll = VerticalScroll(self._block, can_focus=False)

    def compose(self) -> ComposeResult:
        """Lay out the token counts and the text."""
        return (self._tokens, self.scroll)

    def show(self, answer: RecallAnswer | None) -> None:
        """Show the block of an answer, or none."""
        self._tokens.update("" if answer is None else Content.styled(queries.summary(answer), "$muted"))
        nothing = Content.styled("" if answer is None else "Empty: a model would get no memories.", "$muted")
        text = "" if answer is None else visible(answer.block.text)
        self._block.update(Content(text) if text else nothing)
