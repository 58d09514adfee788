"""Model of a chart: marks in sections, their layout, and movement between them."""

from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from functools import cached_property

from rich.cells import cell_len

from curator.tui.glyphs import Glyphs
from curator.tui.messages import Target
from curator.tui.text_format import fit
from curator.tui.widgets import chart_render
from curator.tui.widgets.chart_render import Ink, Row, short


class Form(StrEnum):
    """Forms of a section."""

    COLUMNS = "columns"
    BARS = "bars"
    PARTS = "parts"
    ENTRIES = "entries"
    DAYS = "days"
    SERIES = "series"


@dataclass(frozen=True, slots=True)
class Goal:
    """The view that enter opens, and a description of the effect: `lists them`."""

    view: str
    target: Target
    does: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A bar, day or line of a chart: label, count, and description with the most important words first.

    `length` is the length of the bar (0-1), if it is not the count. `note` is at its right, `tick` below it, and `more`
    after the description.
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
    """Marks drawn in the same form, below an optional heading.

    A series has `names`; its marks are ordered by name, the same number for each. The `note` of a mark is the name of
    its column.
    """

    form: Form
    marks: tuple[Mark, ...]
    heading: str = ""
    names: tuple[str, ...] = ()

    @property
    def across(self) -> int:
        """The number of columns of a series."""
        return len(self.marks) // len(self.names)

    @property
    def counts(self) -> list[list[int]]:
        """The counts of a series, name by name."""
        columns = range(0, len(self.marks), self.across)
        return [[mark.count for mark in self.marks[first : first + self.across]] for first in columns]

    @property
    def upright(self) -> bool:
        """True if the marks are side by side."""
        return self.form in (Form.COLUMNS, Form.PARTS)

    def needs(self, width: int) -> tuple[int, int]:
        """Return the minimum and maximum number of lines of the section."""
        count, heading, names = len(self.marks), bool(self.heading), len(self.names)
        legend = 1 if sum(cell_len(mark.label) + 2 for mark in self.marks) <= width else count
        lines = {Form.COLUMNS: (5, 1_000), Form.PARTS: (2, 1 + legend), Form.SERIES: (names + 1, 3 * names + 1)}
        least = min(count, 4 if self.form is Form.BARS else 1) + heading
        return lines.get(self.form, (least, count + heading)) if count else (0, 0)

    def room(self, width: int, lines: int) -> int:
        """Return the number of marks that fit; for a series, of columns."""
        count, heading = len(self.marks), bool(self.heading)
        if self.form is Form.COLUMNS:
            return max(width // max(min(width // count, chart_render.WIDEST), 1), 1)
        if self.form is Form.SERIES:
            notes = [short(row[-1]) for row in self.counts]
            name_width, note_width, pitch = chart_render.series_cells(self.names, notes, self.across, width)
            return max((width - name_width - note_width - 3) // pitch, 1)
        return count if self.form is Form.PARTS else max(lines - (heading or lines < count), 1)


@dataclass(frozen=True)
class Chart:
    """A question, its answer, and sections of marks, which are numbered across sections.

    With `ends`, a new cursor is on the last mark; in a series, on the last mark of the first name. `since` is the
    Monday on which a calendar starts.
    """

    question: str
    answer: str = ""
    sections: tuple[Section, ...] = ()
    ends: bool = False
    since: date | None = None

    @cached_property
    def marks(self) -> tuple[Mark, ...]:
        """Marks of all sections."""
        return tuple(mark for section in self.sections for mark in section.marks)

    @cached_property
    def indices(self) -> tuple[range, ...]:
        """Numbers of the marks of each section."""
        indices, first = [], 0
        for section in self.sections:
            indices.append(range(first, first + len(section.marks)))
            first += len(section.marks)
        return tuple(indices)

    @property
    def last(self) -> int:
        """The mark of the present, if marks are in order of time."""
        series = self.sections and self.sections[0].form is Form.SERIES
        return max((self.sections[0].across if series else len(self.marks)) - 1, 0)

    def section(self, index: int) -> int:
        """Return the number of the section that a mark belongs to."""
        return next((number for number, indices in enumerate(self.indices) if index in indices), 0)

    def can_point(self, index: int) -> bool:
        """Return True if the cursor stops at a mark: it skips zero counts, except empty days."""
        mark = self.marks[index]
        grid = self.since is not None or self.sections[self.section(index)].form is Form.SERIES
        return mark.count > 0 or mark.goal is not None or grid

    def nearest(self, index: int, among: Sequence[int] | None = None) -> int:
        """Return the nearest mark, of those in `among`, that the cursor stops at; `index` if there is none."""
        stops = filter(self.can_point, range(len(self.marks)) if among is None else among)
        return min(stops, key=lambda near: abs(near - index), default=index)

    def find(self, other: "Chart", index: int) -> int:
        """Return the index of a mark of another chart in this one; if it is gone, the nearest to its position."""
        if index >= len(other.marks):
            return self.nearest(self.last if self.ends else 0)
        mark, section = other.marks[index], other.section(index)
        candidates = self.indices[section] if section < len(self.indices) else range(0)
        equal = (
            near for near in candidates if (self.marks[near].label, self.marks[near].goal) == (mark.label, mark.goal)
        )
        return self.nearest(next(equal, min(index, max(len(self.marks) - 1, 0))))


# Steps


def step(chart: Chart, index: int, dx: int, dy: int) -> int | None:
    """Return the mark one step to the side or down, else the next in order; None if there is none."""
    if chart.since is not None:
        days = index + 7 * dx + dy
        return days if 0 <= days < len(chart.marks) else None
    here = chart.section(index)
    upright = chart.sections[here].upright
    if chart.sections[here].form is Form.SERIES:
        indices, across = chart.indices[here], chart.sections[here].across
        if dx:
            return index + dx if 0 <= (index - indices.start) % across + dx < across else None
        there = index + dy * across
        return there if there in indices else _beyond(chart, here, index, dy)
    by, indices = dx or dy, chart.indices[here]
    ahead = range(index + by, indices.stop if by > 0 else indices.start - 1, by)
    within, beyond = next(filter(chart.can_point, ahead), None), None if dx else _beyond(chart, here, index, dy)
    if within is None or (upright and beyond is not None):
        return beyond
    return within


def _beyond(chart: Chart, section: int, index: int, by: int) -> int | None:
    """Return the nearest mark of the next section that has any; None if there is none."""
    here = chart.indices[section]
    share = (index - here.start) / max(len(here) - 1, 1) if chart.sections[section].upright else 0.0
    ahead = range(section + by, len(chart.sections) if by > 0 else -1, by)
    for other in ahead:
        indices = chart.indices[other]
        if not any(map(chart.can_point, indices)):
            continue
        if not chart.sections[other].upright:
            return chart.nearest(indices[0 if by > 0 else -1], indices)
        return chart.nearest(indices[round(share * (len(indices) - 1))], indices)
    return None


# Cells


def draw(
    chart: Chart, width: int, height: int, cursor: int, starts: MutableMapping[int, int], signs: Glyphs
) -> list[Row]:
    """Return the rows of all sections in `width` × `height` cells, with blank lines between them if there is room.

    `starts` stores the first visible mark of each section, so that the window moves only with the cursor.
    """
    rows: list[Row] = []
    if chart.since is not None:
        weeks, room = -(-len(chart.marks) // 7), width - chart_render.GUTTER
        if weeks and room > 0:
            start = starts[0] = chart_render.slide(starts.get(0, weeks), cursor // 7, room, weeks)
            rows = chart_render.calendar([mark.count for mark in chart.marks], chart.since, width, signs, start)
        return rows if len(rows) <= height else [*rows[:8], rows[-1]][:height]
    heights = share_out([section.needs(width) for section in chart.sections], height)
    used = [lines for lines in heights if lines]
    spaced = sum(used) + len(used) - 1 <= height
    for section_index, (section, lines) in enumerate(zip(chart.sections, heights, strict=True)):
        if not lines:
            continue
        rows += [[]] if rows and spaced else []
        indices = chart.indices[section_index]
        here = cursor - indices.start if cursor in indices else None
        room = section.room(width, lines)
        count = section.across if section.form is Form.SERIES else len(indices)
        shown = None if here is None else here % count
        start = starts.get(section_index, count - room if chart.ends else 0)
        start = max(min(start, count - room), 0) if shown is None else chart_render.slide(start, shown, room, count)
        starts[section_index] = start
        for row in _draw_section(section, width, lines, start, signs, here):
            rows.append([replace(ink, mark=ink.mark + indices.start) if ink.mark >= 0 else ink for ink in row])
    return rows


def _draw_section(section: Section, width: int, lines: int, start: int, signs: Glyphs, here: int | None) -> list[Row]:
    """Return the rows of a section in `lines` lines, starting at mark `start`; the cursor is at `here`."""
    marks = section.marks
    if section.form is Form.SERIES:
        columns = marks[: section.across]
        names, ticks = [mark.note for mark in columns], [mark.tick for mark in columns]
        return chart_render.series(section.names, section.counts, names, ticks, width, lines, signs, start, here)
    labels, counts = [mark.label for mark in marks], [mark.count for mark in marks]
    if section.form is Form.COLUMNS:
        return chart_render.columns(counts, labels, [mark.tick for mark in marks], width, lines, signs, start)
    if section.form is Form.PARTS:
        return chart_render.parts(labels, counts, width, signs, lines)[:lines]
    notes = [mark.note or short(mark.count) for mark in marks]
    if section.form is Form.ENTRIES:
        rows = chart_render.entries(labels, notes, width)
    else:
        shares = marks[0].length is not None
        lengths = [mark.count if mark.length is None else mark.length for mark in marks]
        rows = chart_render.bars(labels, lengths, notes, width, signs, 1.0 if shares else None)
    shown = rows[start : start + section.room(width, lines)]
    cropped = len(shown) < len(rows)
    if section.heading:
        note = f"{start + 1}-{start + len(shown)} of {len(rows)}" if cropped else ""
        words = fit(section.heading, max(width - len(note) - 2, 1))
        return [[Ink(f" {words} ", "title"), Ink(note, "muted")], *shown][:lines]
    return [*shown, [Ink(f" and {len(rows) - len(shown)} more", "muted")]][:lines] if cropped else shown


def share_out(needs: Sequence[tuple[int, int]], room: int) -> list[int]:
    """Return the number of lines of each section: minimums first, in order, then one each in turn up to the maximum.

    A line between two sections is kept free if every section still gets its minimum.
    """
    given: list[int] = []
    spare = room - max(sum(most > 0 for _, most in needs) - 1, 0)
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
