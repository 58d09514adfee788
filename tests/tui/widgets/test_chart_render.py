"""Charts drawn in characters, compared character by character; and properties of all of them."""

from collections.abc import Sequence
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from curator.tui.glyphs import ASCII, UNICODE, Glyphs
from curator.tui.widgets.chart_render import (
    Row,
    bar,
    bars,
    calendar,
    column,
    columns,
    entries,
    monday,
    parts,
    percent,
    ranges,
    shade,
    short,
    slide,
    split,
)

COUNTS = st.lists(st.integers(0, 10**7), min_size=1, max_size=40)
WIDTHS = st.integers(10, 200)
BOTH = st.sampled_from([UNICODE, ASCII])
MONTHS = ("Mar 2025", "Apr 2025", "May 2025", "Jun 2025", "Jul 2025", "Aug 2025", "Sep 2025", "Oct 2025")


def drawn(rows: Sequence[Row]) -> list[str]:
    """Return the text of each line."""
    return ["".join(ink.text for ink in row).rstrip() for row in rows]


def cells(rows: Sequence[Row], mark: int, look: str = "bar") -> str:
    """Return the characters of one mark."""
    return "".join(ink.text for row in rows for ink in row if ink.mark == mark and ink.look == look)


# Number formats


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "0"),
        (9_999, "9,999"),
        (10_000, "10 k"),
        (12_345, "12.3 k"),
        (123_456, "123 k"),
        (999_499, "999 k"),
        (999_500, "1 M"),
        (1_234_567, "1.2 M"),
        (99_960_000, "100 M"),
        (1_234_567_890, "1.2 G"),
        (1_234_567_890_123, "1,235 G"),
    ],
)
def test_a_count_in_few_cells(number: int, words: str) -> None:
    assert short(number) == words


@pytest.mark.parametrize(
    ("part", "whole", "words"),
    [(0, 0, "0%"), (0, 9, "0%"), (1, 3, "33%"), (1, 900, "<1%"), (899, 900, ">99%"), (900, 900, "100%")],
)
def test_a_share_is_all_or_nothing_only_where_it_is(part: int, whole: int, words: str) -> None:
    assert percent(part, whole) == words


# A single number


def test_a_column_grows_by_eighths() -> None:
    assert [column(n, 16, 2, UNICODE.rising) for n in (0, 1, 7, 8, 9, 16)] == ["  ", "▁ ", "▇ ", "█ ", "█▁", "██"]
    assert [column(n, 6, 2, ASCII.rising) for n in range(7)] == ["  ", ". ", ": ", "# ", "#.", "#:", "##"]


def test_a_bar_grows_by_halves_and_is_never_longer_than_its_room() -> None:
    assert [bar(n, 4, 2, UNICODE.running) for n in (0, 1, 2, 3, 4, 5)] == ["", "╸", "━", "━╸", "━━", "━━"]
    assert bar(1, 1_000_000, 5, UNICODE.running) == "╸"
    assert bar(0, 0, 5, UNICODE.running) == ""


@given(COUNTS, st.integers(1, 30), BOTH)
def test_heights_rise_with_the_numbers_and_more_than_nothing_shows(counts: list[int], height: int, to: Glyphs) -> None:
    most = max(counts)
    for draw, signs in ((column, to.rising), (bar, to.running)):
        lines = [draw(n, most, height, signs).rstrip() for n in sorted(counts)]
        sizes = [sum(signs.index(sign) + 1 for sign in line) for line in lines]
        assert sizes == sorted(sizes)
        assert [bool(line) for line in lines] == [n > 0 for n in sorted(counts)]
        assert not most or lines[-1] == signs[-1] * height


@given(COUNTS, BOTH)
def test_shades_darken_with_the_numbers(counts: list[int], to: Glyphs) -> None:
    most = max(counts)
    tones = [to.shades.index(shade(n, most, to.shades)) for n in sorted(counts)]
    assert tones == sorted(tones)
    assert all((n > 0) == (shade(n, most, to.shades) != to.shades[0]) for n in counts)
    assert not most or shade(most, most, to.shades) == to.shades[-1]


@pytest.mark.parametrize(
    ("most", "meant"),
    [
        (0, []),
        (1, [("█", "1")]),
        (2, [("░", "1"), ("█", "2")]),
        (14, [("░", "1"), ("▒", "2-3"), ("▓", "4-7"), ("█", "8-14")]),
        (1_000_000, [("░", "1-31"), ("▒", "32-999"), ("▓", "1,000-31.6 k"), ("█", "31.6 k-1 M")]),
    ],
)
def test_the_shades_say_what_they_mean(most: int, meant: list[tuple[str, str]]) -> None:
    assert ranges(most, UNICODE.shades) == meant


@given(st.integers(1, 5_000))
def test_a_count_has_the_shade_whose_range_it_is_in(most: int) -> None:
    for tone, meant in ranges(most, UNICODE.shades):
        ends = [int(end.replace(",", "")) for end in meant.split("-")]
        assert {shade(end, most, UNICODE.shades) for end in ends} == {tone}


# Several bars


@given(st.lists(st.integers(0, 10**7), min_size=1, max_size=6), st.integers(0, 200))
def test_a_bar_of_parts_is_shared_out_fairly(counts: list[int], width: int) -> None:
    cells = split(counts, width)
    assert sum(cells) == (width if any(counts) else 0) or width < len(counts)
    assert sum(cells) <= width
    for one, its in zip(counts, cells, strict=True):
        assert its == 0 or one > 0
        assert its > 0 or one == 0 or width < len(counts)
        assert all(its >= other_its for other, other_its in zip(counts, cells, strict=True) if one > other)


@pytest.mark.parametrize(
    ("start", "cursor", "room", "count", "expected"),
    [(0, 3, 5, 9, 0), (0, 7, 5, 9, 3), (4, 2, 5, 9, 2), (99, 8, 5, 9, 4), (3, 0, 20, 9, 0)],
)
def test_a_window_moves_as_little_as_shows_the_cursor(
    start: int, cursor: int, room: int, count: int, expected: int
) -> None:
    assert slide(start, cursor, room, count) == expected


def test_columns_with_a_month_of_nothing_between() -> None:
    rows = columns((1, 2, 0, 5, 8, 40, 3, 9), MONTHS, ("",) * 8, 42, 6, UNICODE)
    assert drawn(rows) == [
        "                         ████",
        "                         ████",
        "                         ████",
        "▁▁▁▁ ▂▂▂▂      ▄▄▄▄ ▆▆▆▆ ████ ▂▂▂▂ ▇▇▇▇",
        "────────────────────────────────────────",
        "Mar 2025  May  Jun  Jul  Aug  Sep  Oct",
    ]


def test_one_column_and_none() -> None:
    assert drawn(columns((7,), ("May 2026",), ("",), 20, 4, UNICODE)) == ["█████", "█████", "──────", "May 2026"]
    assert drawn(columns((0,), ("May 2026",), ("",), 20, 4, UNICODE))[:2] == ["", ""]
    assert columns((), (), (), 20, 4, UNICODE) == []


def test_columns_of_equal_numbers_are_equal() -> None:
    rows = columns((3,) * 4, ("a", "b", "c", "d"), ("",) * 4, 10, 4, ASCII)
    assert drawn(rows) == ["########", "########", "--------", "a b c d"]


def test_columns_that_do_not_fit_are_a_window() -> None:
    counts = tuple(range(1, 61))
    names = tuple(f"{month} {2021 + n // 12}" for n, month in enumerate(("Jan", *"bcdefghijkl") * 5))
    ticks = tuple(name[-4:] if name.startswith("Jan") else "" for name in names)
    rows = columns(counts, names, ticks, 20, 4, UNICODE, start=30)
    assert drawn(rows) == [
        " ▁▁▁▁▂▂▂▂▃▃▃▃▄▄▄▅▅▅▅",
        "████████████████████",
        "────────────────────",
        "‹     2024         ›",
    ]
    assert {ink.mark for row in rows for ink in row} == {-1, *range(30, 50)}


@given(COUNTS, WIDTHS, st.integers(3, 30), BOTH)
def test_columns_stay_in_their_cells(counts: list[int], width: int, height: int, to: Glyphs) -> None:
    names = [f"Mar {n}" for n in range(len(counts))]
    rows = columns(counts, names, [name[-1] for name in names], width, height, to)
    assert len(rows) == height
    assert all(sum(cell_len(ink.text) for ink in row) <= width for row in rows)
    for n in range(min(len(counts), width)):
        assert bool(cells(rows, n).strip()) == (counts[n] > 0)


def test_bars_say_how_much() -> None:
    labels, notes = ("preference", "relationship", "fact", "task"), ("1.2 M", "31", "1", "0")
    rows = bars(labels, (1_234_567, 310_000, 1, 0), notes, 34, UNICODE)
    assert drawn(rows) == [
        " preference   ━━━━━━━━━━━━━━ 1.2 M",
        " relationship ━━━╸              31",
        " fact         ╸                  1",
        " task                            0",
    ]


def test_bars_of_shares_are_as_long_as_the_share() -> None:
    rows = bars(("1 · 3 Mar", "2 · 4 Mar"), (0.5, 0.0), ("50%", "0%"), 26, UNICODE, 1.0)
    assert drawn(rows) == [" 1 · 3 Mar ━━━━━╸      50%", " 2 · 4 Mar              0%"]


def test_bars_give_way_to_what_they_are_called() -> None:
    assert drawn(bars(("preference",), (3,), ("3",), 18, UNICODE)) == [" preference ━━━━ 3"]
    assert drawn(bars(("preference",), (3,), ("3",), 14, UNICODE)) == [" prefe… ━━━━ 3"]
    assert drawn(bars(("preference",), (3,), ("3",), 10, UNICODE)) == [" pr… ━━━ 3"]
    assert bars((), (), (), 30, UNICODE) == []


def test_entries_are_cut_by_cells() -> None:
    rows = entries(("喜欢在早上写作，不喜欢开会", "tea"), ("25×", "1×"), 20)
    assert drawn(rows) == [" 喜欢在早上写作… 25×", " tea              1×"]


def test_parts_are_told_apart_by_their_shades() -> None:
    counts = (44, 701, 459)
    assert drawn(parts(("core", "medium", "low"), counts, 40, UNICODE)) == [
        "██▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒",
        " █ core 44 ▓ medium 701 ▒ low 459",
    ]
    assert drawn(parts(("core", "medium", "low"), counts, 30, ASCII))[1] == " # core * medium + low"
    assert drawn(parts(("open", "validated", "rejected"), counts, 28, UNICODE))[1] == " █open ▓validated ▒rejected"
    names = ("not reviewed", "validated", "rejected")
    assert drawn(parts(names, counts, 28, UNICODE))[1] == " █not re… ▓valida… ▒rejected"
    assert drawn(parts(names, counts, 28, UNICODE, 4))[1:] == [" █ not reviewed ▓ validated", " ▒ rejected"]
    assert drawn(parts(names, counts, 10, UNICODE, 4))[1:] == [" █ not re…", " ▓ valida…", " ▒ rejected"[:9] + "…"]
    assert drawn(parts(("core", "medium", "low"), (0, 5, 0), 12, UNICODE))[0] == "▓" * 12
    assert drawn(parts(("core", "medium", "low"), (0, 0, 0), 12, UNICODE))[0] == ""


@given(st.lists(st.integers(0, 10**7), min_size=3, max_size=3), WIDTHS, BOTH)
def test_lines_stay_in_their_cells(counts: list[int], width: int, to: Glyphs) -> None:
    labels, notes = ("a", "some words", "喜欢在早上写作"), [short(count) for count in counts]
    bar_rows = bars(labels, counts, notes, width, to)
    for rows in (
        bar_rows,
        entries(labels, notes, width),
        parts(labels, counts, width, to),
        parts(labels, counts, width, to, 4),
    ):
        assert all(sum(cell_len(ink.text) for ink in row) <= width for row in rows)
    if width >= 30:
        assert all(bool(cells(bar_rows, n).strip()) == (counts[n] > 0) for n in range(3))


# Days


def test_a_calendar() -> None:
    counts = [0] * 37
    counts[0], counts[8], counts[30], counts[36] = 1, 3, 9, 20
    assert drawn(calendar(counts, date(2026, 2, 23), 14, UNICODE)) == [
        "    Mar",
        "Mon ░·····",
        "    ·▒···█",
        "Wed ····▓",
        "    ·····",
        "Fri ·····",
        "    ·····",
        "Sun ·····",
        "",
        "    · none  ░ 1-2  ▒ 3-4  ▓ 5-9  █ 10-20",
    ]
    assert drawn(calendar(counts, date(2026, 2, 23), 7, ASCII, start=3))[:4] == ["", "Mon ...", "    ..#", "Wed .*"]
    assert drawn(calendar(counts, date(2026, 2, 23), 16, UNICODE))[2] == "    · ▒ · · · █"
    assert drawn(calendar([], date(2026, 2, 23), 16, UNICODE))[1] == "Mon"


def test_a_calendar_of_two_years_has_every_month() -> None:
    months = drawn(calendar([0] * 371, date(2025, 5, 26), 58, UNICODE))[0]
    assert months.split() == "Jun Jul Aug Sep Oct Nov Dec Jan Feb Mar Apr May".split()


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=380), WIDTHS, BOTH)
def test_every_day_in_view_is_drawn_once(counts: list[int], width: int, to: Glyphs) -> None:
    rows = calendar(counts, date(2025, 5, 26), width, to)
    assert len(rows) == 10
    assert all(sum(cell_len(ink.text) for ink in row) <= width for row in rows[:8])
    for n in range(min(len(counts), (width - 4) * 7)):
        assert cells(rows, n) + cells(rows, n, "rule") == shade(counts[n], max(counts), to.shades)


def test_a_week_begins_on_monday() -> None:
    assert monday(date(2026, 6, 1)) == monday(date(2026, 6, 7)) == date(2026, 6, 1)
