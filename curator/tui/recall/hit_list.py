"""The list of what a model would be given with a prompt, and, below a line, of what was left out."""

from array import array
from collections.abc import Sequence

from curator.tui import formatting
from curator.tui.glyphs import Glyphs
from curator.tui.recall.queries import GROUPS, Line
from curator.tui.widgets.virtual_list import Cells, VirtualList, find
from store.model import Review

RULE = 0  # the number of the line between the two, which is no memory's
_LOOKS = ("accent", "good", "quote", "mark")  # of the groups, as their signs go from full to faint
_WIDE = 56  # columns from which there is room for the bar beside the words
_REASON = 19  # cells
_FAINT = ("floor", "floor (weak)", "limit")  # reasons that are nobody's doing


def signs(glyphs: Glyphs) -> list[tuple[str, str, str]]:
    """Each group of parts: its name, its sign in a bar, and its look."""
    return [(name, sign, look) for name, sign, look in zip(GROUPS, glyphs.shades[:0:-1], _LOOKS, strict=True)]


class HitList(VirtualList[Line]):
    """Place, move, text and the bar of each hit; the reason before each of the others."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.compared = False  # whether there is another preset to have moved against
        self.checked = False  # whether the person keeps a check of this prompt
        self._left_out = 0

    def show(self, above: Sequence[Line], below: Sequence[Line], near: Sequence[int] = (), fresh: bool = False) -> None:
        """Take new lines; the cursor goes to the first of `near`, else stays on its memory, or begins anew.

        Marks stay, also on what is not listed for the moment: `keep_marks` takes those off.
        """
        lines = {line.memory.id: line for line in (*above, *below)}
        rule = [RULE] if below else []
        ids = array("q", [*(line.memory.id for line in above), *rule, *(line.memory.id for line in below)])
        self._left_out = len(below)
        current = self.current
        anchors = [*near, *(() if fresh or current is None else (current,))]
        place = find(ids, anchors, 0 if fresh else self.cursor)
        if ids and ids[place] == RULE:
            place += 1
        self.show_rows(ids, lines, place)

    def keep_marks(self) -> None:
        """Take the marks off what is not listed."""
        self.mark(self.marks.intersection(self.ids) - {RULE})

    @property
    def settled(self) -> bool:
        """Whether all that is marked is listed."""
        return self.marks.issubset(self.ids)

    def move_to(self, place: int) -> None:
        """Put the cursor on a place; the line between is passed over."""
        place = max(min(place, len(self.ids) - 1), 0)
        if self.ids and self.ids[place] == RULE:
            place += 1 if place >= self.cursor or place == 0 else -1
        super().move_to(place)

    def mark_all(self) -> None:
        """Mark every memory, or nothing if all are marked."""
        every = {number for number in self.ids if number != RULE}
        self.mark(() if self.marks == every else every)

    def _mark_range(self, anchor: int, former: int) -> None:
        """The line between is no memory."""
        super()._mark_range(anchor, former)
        self.marks.discard(RULE)

    def cells(self, number: int, row: Line | None, width: int) -> Cells:
        """What the width has room for; the words always."""
        if number == RULE:
            told = f"{self.glyphs.rule * 2} {formatting.counted(self._left_out, 'memory')} left out "
            return [((told + self.glyphs.rule * width)[: max(width, 0)], "muted")]
        if row is None:
            return [(formatting.fit("…", width), "muted")]
        bar: Cells = []
        score = " " * 8 if row.score is None else f" {row.score:>6.2f} "
        before: Cells = [(self.glyphs.mark if number in self.marks else " ", "mark")]
        if row.reason:
            look = "muted" if row.reason in _FAINT or row.reason[:1].isdigit() else "warn"
            before.append((f"{formatting.fit(formatting.one_line(row.reason), _REASON)} ", look))
        else:
            before += [(f"{row.place:>2} ", "muted"), *self._moved(row)]
            bar = self._bar(row, width // 4) if width >= _WIDE else []
        sign = self.glyphs.validated if row.memory.review is Review.VALIDATED else " "
        before.append((f"{sign} ", "good"))
        if self.checked:
            before.append(self._check(row))
        room = width - sum(len(words) for words, _ in (*before, *bar)) - len(score)
        words = formatting.fit(formatting.one_line(row.memory.text), max(room, 0))
        return [*before, (words, "muted" if row.reason else "plain"), *bar, (score, "muted")]

    def _moved(self, row: Line) -> Cells:
        if not self.compared:
            return []
        if row.moved is None:
            return [("new ", "accent")]
        look = "good" if row.moved > 0 else "bad" if row.moved < 0 else "muted"
        return [(f"{row.moved:>+3} " if row.moved else "  = ", look)]

    def _check(self, row: Line) -> tuple[str, str]:
        """Whether it is where the check wants it."""
        if row.expected is None:
            return ("  ", "plain")
        sign = self.glyphs.after if row.expected else self.glyphs.before
        return (f"{sign} ", "good") if row.as_expected else (f"{self.glyphs.alert} ", "bad")

    def _bar(self, row: Line, width: int) -> Cells:
        """The groups one after the other, so rounded that the whole is right."""
        cells: Cells = [(" ", "plain")]
        ends, length = 0, 0.0
        for part, (_, sign, look) in zip(row.bar, signs(self.glyphs), strict=True):
            length += part
            end = round(length * width)
            cells.append((sign * (end - ends), look))
            ends = end
        return [*cells, (" " * (width - ends), "plain")]
