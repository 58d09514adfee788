"""A picture of numbers under the question that it answers, with a cursor on one of its marks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.events import Click, Resize
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from curator.tui import charting
from curator.tui.areas.area import Target
from curator.tui.charting import Ink, Row, short
from curator.tui.glyphs import Glyphs
from curator.tui.text import fit

_LOOKS: Mapping[str, str] = {
    "plain": "color: $text;",
    "title": "color: $muted; text-style: bold;",
    "asked": "color: $text; text-style: bold;",
    "answer": "color: $muted;",
    "muted": "color: $muted;",
    "rule": "color: $rule;",
    "label": "color: $text;",
    "note": "color: $muted;",
    "bar": "color: $accent;",
    "sign": "color: $accent;",
    "foot": "color: $rule;",
}


class Form(StrEnum):
    """How a section is drawn."""

    COLUMNS = "columns"
    BARS = "bars"
    PARTS = "parts"
    ENTRIES = "entries"
    DAYS = "days"


@dataclass(frozen=True, slots=True)
class Goal:
    """Where enter leads, and what that does: `lists them`."""

    area: str
    target: Target
    does: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A bar, a day, a line: what it is called there, what it counts, and what describes it, the weightiest first.

    `length` is that of its bar where that is not the count, a share from 0 to 1; `note` stands at its right, `tick`
    below it, `more` after all other words.
    """

    label: str
    count: int
    words: tuple[str, ...]
    goal: Goal | None = None
    length: float | None = None
    note: str = ""
    tick: str = ""
    more: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Marks that are drawn in one way, below a heading if there is one."""

    form: Form
    marks: tuple[Mark, ...]
    heading: str = ""


@dataclass(frozen=True, slots=True)
class View:
    """What a picture shows; `ends` puts a new cursor on the last mark. `since` is the Monday of a calendar's first."""

    question: str
    answer: str = ""
    sections: tuple[Section, ...] = ()
    ends: bool = False
    since: date | None = None


class Picture(Widget, can_focus=True, inherit_bindings=False):
    """The question, the answer in a line, and what it was read from."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {*(f"picture--{look}" for look in _LOOKS), "picture--cursor"}
    DEFAULT_CSS = (
        "Picture { padding: 0 1; background: $background; "
        + " ".join(f"& > .picture--{name} {{ {look} }}" for name, look in _LOOKS.items())
        + " & > .picture--cursor { background: $cursor; color: $text; text-style: bold; } }"
    )

    @dataclass
    class Moved(Message):
        """The cursor of a picture is elsewhere, or the picture has got the keys."""

        picture: "Picture"

    @dataclass
    class Chosen(Message):
        """The mark under the cursor was clicked twice."""

        picture: "Picture"

    def __init__(self, question: str, signs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.signs = signs
        self.cursor = 0
        self.view = View(question)
        self.marks: tuple[Mark, ...] = ()
        self._starts: dict[int, int] = {}  # where the window on a section begins
        self._rows: list[Row] | None = None
        self._looks: dict[tuple[str, bool], Style] = {}

    # What is shown

    @property
    def current(self) -> Mark | None:
        """The mark under the cursor."""
        return self.marks[self.cursor] if self.cursor < len(self.marks) else None

    def show(self, view: View) -> None:
        """Draw something else; the cursor stays on its mark, or where that was."""
        place, here = self._section(self.cursor), self.current
        former = None if here is None else (place, here.label, here.goal)
        self.view, self.marks = view, tuple(mark for section in view.sections for mark in section.marks)
        known = [
            self._first(place) + n
            for place, section in enumerate(view.sections)
            for n, mark in enumerate(section.marks)
            if (place, mark.label, mark.goal) == former
        ]
        if known:
            self.cursor = known[0]
        elif former is None:
            self.cursor = len(self.marks) - 1 if view.ends else 0
        self.cursor = self._nearest(min(self.cursor, max(len(self.marks) - 1, 0)))
        self.changed()

    def changed(self) -> None:
        """Draw anew, and say so."""
        self._rows = None
        self.refresh()
        self.post_message(self.Moved(self))

    def can_point(self, place: int) -> bool:
        """Whether the cursor stops at a mark; it passes over what counts nothing."""
        return bool(self.marks[place].count) or self.marks[place].goal is not None

    # Cursor

    def point(self, place: int) -> None:
        """Put the cursor on a mark."""
        if place != self.cursor:
            self.cursor = place
            self.changed()

    def move(self, dx: int, dy: int) -> None:
        """Move the cursor to the next mark in a direction; where the picture has none there, in its order."""
        if self.marks and (place := self.step(dx, dy)) is not None:
            self.point(place)

    def move_to_end(self, last: bool) -> None:
        """To the first or the last mark."""
        if self.marks:
            self.point(self._nearest(len(self.marks) - 1 if last else 0))

    def step(self, dx: int, dy: int) -> int | None:
        """Where a step leads, None for nowhere."""
        here = self._section(self.cursor)
        upright = self._is_upright(here)
        if dy and (upright or (place := self._within(here, dy)) is None):
            if (place := self._beyond(here, dy)) is not None or not upright:
                return place
            return self._within(here, dy)
        return self._within(here, dx or dy)

    def _within(self, section: int, by: int) -> int | None:
        """The next mark of a section that the cursor stops at."""
        place = self.cursor + by
        while self._first(section) <= place < self._first(section + 1):
            if self.can_point(place):
                return place
            place += by
        return None

    def _beyond(self, section: int, by: int) -> int | None:
        """The mark of the next section that is nearest to the cursor."""
        share = (self.cursor - self._first(section)) / max(len(self.view.sections[section].marks) - 1, 1)
        upright = self._is_upright(section)
        section += by
        while 0 <= section < len(self.view.sections):
            first, last = self._first(section), self._first(section + 1) - 1
            near = round(first + share * (last - first)) if upright else first
            if not self._is_upright(section):
                near = first if by > 0 else last
            if first <= last and self.can_point(place := self._nearest(near)) and first <= place <= last:
                return place
            section += by
        return None

    def _nearest(self, place: int) -> int:
        """The nearest mark that the cursor stops at; the place itself if there is none."""
        stops = (near for near in range(len(self.marks)) if self.can_point(near))
        return min(stops, key=lambda near: abs(near - place), default=place)

    def _is_upright(self, section: int) -> bool:
        """Whether marks stand side by side."""
        return self.view.sections[section].form in (Form.COLUMNS, Form.PARTS)

    def _first(self, section: int) -> int:
        """The place of a section's first mark."""
        return sum(len(earlier.marks) for earlier in self.view.sections[:section])

    def _section(self, place: int) -> int:
        """The section that a mark belongs to."""
        found = 0
        for number, section in enumerate(self.view.sections):
            if section.marks and self._first(number) <= place:
                found = number
        return found

    # Drawing

    def body(self, width: int, height: int) -> list[Row]:
        """The picture itself, in the cells there are."""
        rows: list[Row] = []
        sections = self.view.sections
        given = share_out([_needs(section) for section in sections], height)
        spaced = sum(given) + len(sections) - 1 <= height
        for number, (section, lines) in enumerate(zip(sections, given, strict=True)):
            if lines:
                rows += [[]] if rows and spaced else []
                first = self._first(number)
                for row in self._drawn(number, section, width, lines):
                    rows.append([replace(ink, mark=ink.mark + first) if ink.mark >= 0 else ink for ink in row])
        return rows

    def _drawn(self, number: int, section: Section, width: int, lines: int) -> list[Row]:
        """A section in so many lines, scrolled to where the cursor is."""
        marks, here = section.marks, self.cursor - self._first(number)
        if not marks:
            return []
        if section.form is Form.COLUMNS:
            start = self._window(number, here, width // max(min(width // len(marks), charting.WIDEST), 1))
            counts, names, ticks = (
                [m.count for m in marks],
                [m.label for m in marks],
                [m.tick for m in marks],
            )
            return charting.columns(counts, names, ticks, width, lines, self.signs, start)
        labels = [mark.label for mark in marks]
        if section.form is Form.PARTS:
            return charting.parts(labels, [mark.count for mark in marks], width, self.signs)[:lines]
        notes = [mark.note or short(mark.count) for mark in marks]
        if section.form is Form.ENTRIES:
            rows = charting.entries(labels, notes, width)
        else:
            lengths = [mark.count if mark.length is None else mark.length for mark in marks]
            rows = charting.bars(
                labels, lengths, notes, width, self.signs, None if marks[0].length is None else 1.0
            )
        room = lines - bool(section.heading)
        cropped = len(rows) > room
        if cropped and not section.heading:
            room -= 1
        start = self._window(number, here, max(room, 1))
        shown = rows[start : start + max(room, 1)]
        if section.heading:
            note = f"{start + 1}-{start + len(shown)} of {len(rows)}" if cropped else ""
            return [_heading(section.heading, note, width), *shown][:lines]
        return [*shown, [Ink(f" and {len(rows) - len(shown)} more", "muted")]][:lines] if cropped else shown

    def _window(self, section: int, here: int, room: int) -> int:
        """Where a section that does not fit begins; it follows the cursor, also when that is elsewhere."""
        count = len(self.view.sections[section].marks)
        start = self._starts.get(section, count - room if self.view.ends else 0)
        if 0 <= here < count:
            start = charting.slide(start, here, room, count)
        self._starts[section] = start = max(min(start, count - room), 0)
        return start

    def _head(self, width: int) -> list[Row]:
        """The question, at its right the mark under the cursor where no number stands beside it, and the answer."""
        look = "asked" if self.has_focus else "title"
        row = [Ink(fit(self.view.question, min(len(self.view.question), width)), look)]
        here = self.current
        if self.has_focus and here is not None and self.view.sections[self._section(self.cursor)].form in _BARE:
            aside = f"{here.label} · {short(here.count)}"
            room = width - len(self.view.question) - 2
            if len(aside) <= room:
                row.append(Ink(aside.rjust(room + 2), "label"))
        return [row, [Ink(fit(self.view.answer, width), "answer")]]

    @property
    def rows(self) -> list[Row]:
        """All lines, as they were drawn last."""
        if self._rows is None:
            width, height = self.size
            head = self._head(width)
            head += [[]] if height >= _ROOMY else []
            self._rows = [*head, *self.body(width, height - len(head))]
        return self._rows

    def notify_style_update(self) -> None:
        """Another theme: work the styles out anew."""
        super().notify_style_update()
        self._looks.clear()

    def on_resize(self, _event: Resize) -> None:
        """Draw for other cells."""
        self._rows = None

    def on_focus(self) -> None:
        """The cursor shows only where the keys are."""
        self.changed()

    def on_blur(self) -> None:
        """The cursor is not shown without the keys."""
        self._rows = None
        self.refresh()

    def _style(self, look: str, here: bool) -> Style:
        if (look, here) not in self._looks:
            style = self.rich_style + self.get_component_rich_style(f"picture--{look}", partial=True)
            if here:
                style += self.get_component_rich_style("picture--cursor", partial=True)
            self._looks[look, here] = style
        return self._looks[look, here]

    def render_line(self, y: int) -> Strip:
        """One line of the picture."""
        width = self.size.width
        if y >= len(self.rows):
            return Strip.blank(width, self.rich_style)
        segments = []
        for ink in self.rows[y]:
            here = self.has_focus and ink.mark == self.cursor >= 0 and ink.mark >= 0
            text = self._pointed(ink) if here else ink.text
            segments.append(Segment(text, self._style("sign" if here and ink.look == "foot" else ink.look, here)))
        return Strip(segments).adjust_cell_length(width, self.rich_style)

    def _pointed(self, ink: Ink) -> str:
        """A piece of the mark under the cursor: its signs say so without colour."""
        if ink.look == "sign":
            return self.signs.cursor
        return self.signs.caret.center(len(ink.text), self.signs.rule) if ink.look == "foot" else ink.text

    def on_click(self, event: Click) -> None:
        """Point at what is under the mouse."""
        offset = event.get_content_offset(self)
        if offset is None or offset.y >= len(self.rows):
            return
        place = 0
        for ink in self.rows[offset.y]:
            place += len(ink.text)
            if offset.x < place:
                if ink.mark >= 0 and self.can_point(ink.mark):
                    self.point(ink.mark)
                    if event.chain > 1:
                        self.post_message(self.Chosen(self))
                return


_BARE = (Form.COLUMNS, Form.DAYS)  # no number stands beside their marks
_ROOMY = 12  # lines from which one is left empty below the answer


def share_out(needs: Sequence[tuple[int, int]], room: int) -> list[int]:
    """Lines for each, from the least to the most that it can use; the first come first, and what is left goes round.

    A line between two is kept free where that leaves everyone the least.
    """
    given = []
    spare = room - max(len(needs) - 1, 0)
    if sum(least for least, _ in needs) > spare:
        spare = room
    for least, _ in needs:
        given.append(max(min(least, spare), 0))
        spare -= given[-1]
    while spare > 0 and any(lines < most for lines, (_, most) in zip(given, needs, strict=True)):
        for number, (_, most) in enumerate(needs):
            if spare > 0 and given[number] < most:
                given[number] += 1
                spare -= 1
    return given


def _needs(section: Section) -> tuple[int, int]:
    """The least and the most lines that a section can use."""
    count, heading = len(section.marks), bool(section.heading)
    if not count:
        return 0, 0
    match section.form:
        case Form.COLUMNS:
            return 5, 1_000
        case Form.PARTS:
            return 2, 2
        case Form.BARS:
            return min(count, 4) + heading, count + heading
    return min(count, 1) + heading, count + heading


def _heading(text: str, note: str, width: int) -> Row:
    return [Ink(f" {fit(text, max(width - len(note) - 2, 1))}{note}", "title")]
