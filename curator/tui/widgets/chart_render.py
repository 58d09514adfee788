"""Rendering of charts as characters. Heights, lengths and shades carry the meaning; colour is not needed.

All functions are pure. A count above zero is always visible, and a larger count is never drawn smaller than a smaller
one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import ceil

from rich.cells import cell_len

from curator.tui.glyphs import Glyphs
from curator.tui.text_format import fit

WIDEST = 6  # maximum cells per column, including the gap
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
GUTTER = 4  # cells for the names of the days
_LEAST_BAR = 3  # minimum cells of a bar


@dataclass(frozen=True, slots=True)
class Ink:
    """A piece of a line: its text, the name of its style, and the number of its mark, or -1.

    The cursor is drawn in a piece with the style `sign` (next to a mark), `foot` (on the axis below it) or `under`
    (over the labels below it).
    """

    text: str
    look: str
    mark: int = -1


Row = list[Ink]


# Numbers in words


def short(number: int) -> str:
    """Return a count in few cells: `9,999`, `12.3 k`, `1.2 M`."""
    if number < 10_000:
        return f"{number:,}"
    value, units = number / 1000, "kMG"
    while value >= 999.5 and len(units) > 1:
        value, units = value / 1000, units[1:]
    return f"{value:,.{1 if value < 99.95 else 0}f}".removesuffix(".0") + f" {units[0]}"


def percent(part: int, whole: int) -> str:
    """Return a share as `34%`; 0% and 100% stand only for exactly 0 and 1."""
    rounded = round(100 * part / whole) if whole else 0
    if rounded == 0 and part:
        return "<1%"
    return ">99%" if rounded == 100 and part < whole else f"{rounded}%"


# One number


def bar(amount: float, most: float, width: int, running: str) -> str:
    """Return a bar of `amount` on a scale up to `most`, at most `width` cells long; empty for zero."""
    if amount <= 0 or most <= 0 or width < 1:
        return ""
    steps = len(running)
    whole, rest = divmod(max(round(min(amount / most, 1) * width * steps), 1), steps)
    return running[-1] * whole + (running[rest - 1] if rest else "")


def column(amount: float, most: float, height: int, rising: str) -> str:
    """Return the cells of a column from the bottom up, `height` of them; blank for zero."""
    return bar(amount, most, height, rising).ljust(height)


def shade(count: int, most: int, shades: str) -> str:
    """Return the shade of a count, on a logarithmic scale."""
    return shades[sum(count >= least for least in _leasts(most, len(shades) - 1))]


def ranges(most: int, shades: str) -> list[tuple[str, str]]:
    """Return the legend of the shades for counts up to `most`: `("░", "1")`, `("▒", "2-5")` …."""
    leasts = [*_leasts(most, len(shades) - 1), most + 1]
    legend = []
    for tone, least, above in zip(shades[1:], leasts, leasts[1:], strict=False):
        if least < above:
            legend.append((tone, short(least) if above == least + 1 else f"{short(least)}-{short(above - 1)}"))
    return legend


def _leasts(most: int, levels: int) -> list[int]:
    """Return the minimum count of each level, on a log scale so that a large count does not flatten the rest."""
    return [max(ceil(round(most ** (level / levels), 9)), 1) for level in range(levels)]


# Several numbers


def split(counts: Sequence[int], width: int) -> list[int]:
    """Divide `width` cells in proportion to the counts; counts above zero get at least one cell if possible."""
    total = sum(counts)
    largest = sorted(range(len(counts)), key=lambda n: -counts[n])
    cells = [int(count > 0 and largest.index(n) < width) for n, count in enumerate(counts)]
    if (spare := width - sum(cells)) <= 0 or not total:
        return cells
    exact = [spare * count / total for count in counts]
    cells = [own + int(more) for own, more in zip(cells, exact, strict=True)]
    for n in sorted(largest, key=lambda n: int(exact[n]) - exact[n])[: width - sum(cells)]:
        cells[n] += 1
    return cells


def slide(start: int, cursor: int, room: int, count: int) -> int:
    """Return the start of a window of `room` of `count` items, moved as little as needed to show the cursor."""
    start = max(min(start, cursor), cursor - room + 1)
    return max(min(start, count - room), 0)


def columns(
    counts: Sequence[int],
    names: Sequence[str],
    ticks: Sequence[str],
    width: int,
    height: int,
    signs: Glyphs,
    start: int = 0,
) -> list[Row]:
    """Return columns above an axis with labels: as many as fit, starting at column `start`.

    `ticks` are written wherever there is room. Without them, the first visible column has its full name; if all columns
    have room, each has the first word of its name.
    """
    if not counts or width < 1:
        return []
    pitch = max(min(width // len(counts), WIDEST), 1)
    thick = pitch - 1 if pitch > 2 else pitch
    shown = range(start, min(start + width // pitch, len(counts)))
    rows = _stacks(counts, max(counts), max(height - 2, 1), shown, pitch, signs)
    gap = [Ink(signs.rule, "rule")] if thick < pitch else []
    rows.append([ink for n in shown for ink in (Ink(signs.rule * thick, "foot", n), *gap)])
    rows.append([Ink(_axis(shown, names, ticks, pitch, width, signs), "muted")])
    return rows[: max(height, 1)]


def _stacks(
    counts: Sequence[int], most: int, height: int, shown: range, pitch: int, signs: Glyphs, first: int = 0
) -> list[Row]:
    """Return the visible columns line by line; their marks are numbered from `first`."""
    thick = pitch - 1 if pitch > 2 else pitch
    stacks = {n: column(counts[n], most, height, signs.rising) for n in shown}
    gap = [Ink(" ", "plain")] if thick < pitch else []
    lines = reversed(range(height))
    return [[ink for n in shown for ink in (Ink(stacks[n][line] * thick, "bar", first + n), *gap)] for line in lines]


def series_cells(names: Sequence[str], notes: Sequence[str], across: int, width: int) -> tuple[int, int, int]:
    """Return the widths of the names, of the notes at the right, and of each of `across` columns, in cells."""
    note_width = max(map(len, notes)) if width >= 4 * WIDEST else 0
    name_width = min(max(map(cell_len, names)), max(width // 3, 1))
    return name_width, note_width, max(min((width - name_width - note_width - 3) // across, WIDEST), 1)


def series(
    names: Sequence[str],
    rows: Sequence[Sequence[int]],
    spans: Sequence[str],
    ticks: Sequence[str],
    width: int,
    height: int,
    signs: Glyphs,
    start: int = 0,
    here: int | None = None,
) -> list[Row]:
    """Return a row of columns for each name, all on the same scale, with the last number at the right.

    The labels below are as in `columns`. Marks are numbered row by row; the cursor is on the mark `here`, and is shown
    at its name and below its column.
    """
    across, notes = len(spans), [short(row[-1]) for row in rows]
    named, noted, pitch = series_cells(names, notes, across, width)
    thick = pitch - 1 if pitch > 2 else pitch
    shown = range(start, min(start + max((width - named - noted - 3) // pitch, 1), across))
    most, high = max(map(max, rows)), max((height - 1) // len(rows), 1)
    drawn: list[Row] = []
    for index, (name, row) in enumerate(zip(names, rows, strict=True)):
        for line, cells in enumerate(_stacks(row, most, high, shown, pitch, signs, index * across), 1 - high):
            pointed = -1 if here is None or here // across != index or line else here
            label, note = ("", "") if line else (name, notes[index])
            drawn.append([Ink(" ", "sign", pointed), Ink(fit(label, named) + " ", "label"), *cells])
            drawn[-1] += [Ink(" " + note.rjust(noted), "note")] if noted else []
    axis = _axis(shown, spans, ticks, pitch, len(shown) * pitch, signs).ljust(len(shown) * pitch)
    left = 0 if here is None else (here % across - start) * pitch
    below = Ink(axis[left : left + thick], "under", -1 if here is None else here)
    return [
        *drawn[: max(height - 1, 0)],
        [Ink(" " * (named + 2) + axis[:left], "muted"), below, Ink(axis[left + thick :], "muted")],
    ]


def _axis(shown: range, names: Sequence[str], ticks: Sequence[str], pitch: int, width: int, signs: Glyphs) -> str:
    """Return the labels below the columns, with gaps between them, and signs for hidden columns at the sides."""
    words = [" "] * width
    _write(words, 0, signs.before if shown.start else "")
    _write(words, len(shown) * pitch - 1, signs.after if shown.stop < len(names) else "")
    for index, n in enumerate(shown):
        _write(words, index * pitch, ticks[n])
    firsts = [names[n].partition(" ")[0] for n in shown]
    each = all(len(first) < pitch for first in firsts)
    if not (each and any(ticks[n] for n in shown)):
        _write(words, 2 if shown.start else 0, names[shown[0]])
    for index, first in enumerate(firsts if each else []):
        _write(words, index * pitch, first)
    return "".join(words).rstrip()


def _write(words: list[str], at: int, text: str) -> None:
    """Write a text if it fits without touching another."""
    around = words[max(at - 1, 0) : at + len(text) + 1]
    if text and at + len(text) <= len(words) and not "".join(around).strip():
        words[at : at + len(text)] = text


def bars(
    labels: Sequence[str],
    amounts: Sequence[float],
    notes: Sequence[str],
    width: int,
    signs: Glyphs,
    most: float | None = None,
) -> list[Row]:
    """Return a line for each bar: label, bar (on a scale up to the longest, or `most`), and a note at the right."""
    if not labels:
        return []
    most = max(amounts) if most is None else most
    noted = max(map(cell_len, notes))
    room = width - 3 - noted
    named = max(map(cell_len, labels))
    if room - named < _LEAST_BAR:
        named = min(named, max(room * 3 // 5, 1))
    long = room - named
    if long < _LEAST_BAR:
        return entries(labels, notes, width)
    return [
        [
            Ink(" ", "sign", n),
            Ink(fit(label, named) + " ", "label", n),
            Ink(bar(amounts[n], most, long, signs.running).ljust(long), "bar", n),
            Ink(" " + notes[n].rjust(noted), "note", n),
        ]
        for n, label in enumerate(labels)
    ]


def entries(labels: Sequence[str], notes: Sequence[str], width: int) -> list[Row]:
    """Return a line for each entry: its label, and a note at the right."""
    return [
        [
            Ink(" ", "sign", n),
            Ink(fit(label, max(width - 2 - cell_len(note), 1)), "label", n),
            Ink(" " + note, "note", n),
        ]
        for n, (label, note) in enumerate(zip(labels, notes, strict=True))
    ]


def parts(labels: Sequence[str], counts: Sequence[int], width: int, signs: Glyphs, lines: int = 2) -> list[Row]:
    """Return a stacked bar, its first part the darkest, with a legend below.

    The legend has several lines if `lines` allows it, else its words are cut.
    """
    tones = [signs.shades[max(len(signs.shades) - 1 - n, 1)] for n in range(len(labels))]
    drawn = [
        Ink(tone * cells, "bar", n)
        for n, (tone, cells) in enumerate(zip(tones, split(counts, width), strict=True))
        if cells
    ]
    long = [f"{label} {short(count)}" for label, count in zip(labels, counts, strict=True)]
    room = width - 2 * len(labels)
    words = long if sum(map(cell_len, long)) + len(long) <= room else list(labels)
    gap = " " if sum(map(cell_len, words)) + len(words) <= room else ""
    if lines > 2 and sum(map(cell_len, words)) > room:
        words, gap = [fit(word, min(cell_len(word), max(width - 3, 1))) for word in words], " "
    while lines <= 2 and sum(map(cell_len, words)) > max(room, len(words)) and not gap:
        longest = max(range(len(words)), key=lambda n: cell_len(words[n]))
        words[longest] = fit(words[longest], cell_len(words[longest]) - 1)
    legend: list[Row] = [[]]
    left = width
    for n, word in enumerate(words):
        item = [Ink(" ", "sign", n), Ink(tones[n], "bar", n), Ink(gap + word, "note", n)]
        long_item = sum(cell_len(ink.text) for ink in item)
        if long_item > left < width and lines > 2:
            legend.append([])
            left = width
        legend[-1] += item
        left -= long_item
    return [drawn, *legend]


# Days


def monday(day: date) -> date:
    """Return the Monday of a date's week."""
    return day - timedelta(days=day.weekday())


def calendar(counts: Sequence[int], first: date, width: int, signs: Glyphs, start: int = 0) -> list[Row]:
    """Return a calendar: a column for each week, a row for each day, months above, and the legend of shades below.

    `counts` are those of the days from `first`, a Monday; `start` is the first visible week.
    """
    weeks = -(-len(counts) // 7)
    pitch = 2 if width >= GUTTER + 2 * weeks else 1
    shown = range(start, min(start + (width - GUTTER) // pitch, weeks))
    most = max(counts, default=0)
    months = [" "] * (len(shown) * pitch)
    for index, week in enumerate(shown):
        ends = first + timedelta(days=7 * week + 6)
        if ends.day <= 7:
            _write(months, index * pitch, f"{ends:%b}")
    rows: list[Row] = [[Ink(" " * GUTTER + "".join(months).rstrip(), "muted")]]
    for weekday, name in enumerate(DAYS):
        row = [Ink(name.ljust(GUTTER) if weekday % 2 == 0 else " " * GUTTER, "muted")]
        for week in shown:
            n = 7 * week + weekday
            if n < len(counts):
                look = "bar" if counts[n] else "rule"
                row += [Ink(shade(counts[n], most, signs.shades), look, n), *[Ink(" ", "plain")] * (pitch - 1)]
        rows.append(row)
    legend = [Ink(" " * GUTTER, "plain"), Ink(signs.shades[0], "rule"), Ink(" none", "muted")]
    for tone, meant in ranges(most, signs.shades):
        legend += [Ink("  ", "plain"), Ink(tone, "bar"), Ink(f" {meant}", "muted")]
    return [*rows, [], legend]
