"""Chart cursor and layout: where a step leads, where the cursor is drawn, and how lines are shared out."""

from collections.abc import Sequence
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.tui.glyphs import UNICODE
from curator.tui.messages import Target
from curator.tui.widgets.chart_model import Chart, Form, Goal, Mark, Section, draw, share_out, step
from curator.tui.widgets.chart_render import Row


def section(form: Form, *counts: int, heading: str = "") -> Section:
    marks = (Mark(f"{form}{n}", count, (f"{count}",), note=f"{count}") for n, count in enumerate(counts))
    return Section(form, tuple(marks), heading)


def follow_steps(chart: Chart, start: int, *steps: tuple[int, int]) -> list[int | None]:
    """Return the marks that steps lead to; after a step that leads nowhere the next one starts at the same mark."""
    places: list[int | None] = []
    here = start
    for dx, dy in steps:
        places.append(step(chart, here, dx, dy))
        here = here if places[-1] is None else places[-1]
    return places


def text(rows: Sequence[Row]) -> list[str]:
    return ["".join(ink.text for ink in row).rstrip() for row in rows]


LEFT, RIGHT, UP, DOWN = (-1, 0), (1, 0), (0, -1), (0, 1)


def test_columns_are_walked_both_ways_and_nothing_is_passed_over() -> None:
    chart = Chart("?", sections=(section(Form.COLUMNS, 3, 0, 0, 1),))
    assert follow_steps(chart, 0, RIGHT, RIGHT, LEFT, LEFT, DOWN, UP) == [3, None, 0, None, 3, 0]


def test_a_step_down_from_the_last_line_goes_on_in_the_next_section() -> None:
    chart = Chart("?", sections=(section(Form.BARS, 3, 2), section(Form.BARS), section(Form.PARTS, 0, 4, 1)))
    assert follow_steps(chart, 0, DOWN, DOWN, RIGHT, RIGHT, DOWN, UP, UP, UP) == [1, 3, 4, None, None, 1, 0, None]
    assert follow_steps(chart, 0, RIGHT, LEFT) == [1, 0], "lines are walked sideways as well"


def test_between_what_stands_side_by_side_the_place_is_kept() -> None:
    chart = Chart("?", sections=(section(Form.COLUMNS, *[1] * 9), section(Form.PARTS, 1, 1, 1)))
    assert follow_steps(chart, 4, DOWN, UP) == [10, 4]
    assert follow_steps(chart, 8, DOWN, UP) == [11, 8]


def test_days_are_walked_by_weeks_and_days_the_empty_too() -> None:
    chart = Chart("?", sections=(section(Form.DAYS, *[0] * 16),), since=date(2026, 3, 2))
    assert follow_steps(chart, 6, DOWN, UP, RIGHT, RIGHT, DOWN, DOWN, LEFT) == [7, 6, 13, None, 14, 15, 8]


def series(*rows: Sequence[int]) -> Section:
    marks = (Mark(f"row{y} · {x}", n, (f"{n}",), note=f"{x}") for y, row in enumerate(rows) for x, n in enumerate(row))
    return Section(Form.SERIES, tuple(marks), names=tuple(f"row{y}" for y in range(len(rows))))


def test_a_series_is_walked_like_a_field_the_empty_too() -> None:
    chart = Chart("?", sections=(series((0, 2, 3), (0, 0, 0)), section(Form.BARS, 4)), ends=True)
    assert chart.find(Chart("?"), 0) == chart.last == 2, "now, of the first name"
    assert follow_steps(chart, 2, RIGHT, LEFT, DOWN, DOWN, UP, LEFT) == [None, 1, 4, 6, 5, 4]
    assert follow_steps(chart, 3, UP, UP) == [0, None]


def test_a_series_has_one_scale_and_shows_the_cursor_at_its_name_and_its_column() -> None:
    chart = Chart("?", sections=(series((8, 4, 0), (0, 1, 2)),), ends=True)
    rows = draw(chart, 24, 3, 4, {}, UNICODE)
    assert text(rows)[:2] == [" row0 ████ ▄▄▄▄       0", " row1      ▁▁▁▁ ▂▂▂▂  2"]
    marked = [ink for row in rows for ink in row if ink.mark == 4 and ink.look in ("sign", "under")]
    assert [ink.look for ink in marked] == ["sign", "under"]
    assert text(draw(chart, 24, 5, 4, {}, UNICODE))[1].startswith(" row0 █"), "two lines for each where there is room"


@given(
    st.integers(1, 8).flatmap(
        lambda across: st.lists(st.lists(st.integers(0, 99), min_size=across, max_size=across), min_size=1, max_size=7)
    ),
    st.integers(0, 80),
    st.integers(0, 40),
    st.data(),
)
def test_a_series_stays_in_its_cells(rows: list[list[int]], width: int, height: int, data: st.DataObject) -> None:
    chart = Chart("?", sections=(series(*rows),), ends=True)
    cursor = data.draw(st.integers(0, len(chart.marks) - 1))
    drawn = draw(chart, width, height, cursor, {}, UNICODE)
    assert len(drawn) <= height and (width < 8 or all(len(line) <= width for line in text(drawn)))
    for by in (LEFT, RIGHT, UP, DOWN):
        there = step(chart, cursor, *by)
        assert there is None or (there != cursor and chart.can_point(there))


def test_a_cursor_stays_on_its_mark() -> None:
    def months(*names: str) -> Chart:
        marks = (Mark(name, 1, (), Goal("memories", Target(terms=name), "lists them")) for name in names)
        return Chart("?", sections=(Section(Form.COLUMNS, tuple(marks)),), ends=True)

    few, more = months("Mar", "Apr"), months("Jan", "Feb", "Mar", "Apr", "May")
    assert (more.find(few, 0), few.find(more, 2)) == (2, 0)
    assert few.find(more, 4) == 1, "where it was, or the nearest to it"
    assert few.find(Chart("?"), 0) == 1, "a new cursor is at the end"
    assert Chart("?", ends=True).find(few, 0) == 0


@pytest.mark.parametrize(
    ("needs", "room", "given"),
    [
        ([(5, 1000), (2, 2)], 12, [9, 2]),
        ([(4, 4), (2, 11), (2, 11)], 12, [4, 3, 3]),
        ([(4, 4), (2, 11), (2, 11)], 9, [4, 3, 2]),
        ([(4, 14), (0, 0)], 9, [9, 0]),
        ([(5, 1000), (2, 2)], 4, [4, 0]),
        ([(2, 2)], -1, [0]),
        ([], 5, []),
    ],
)
def test_lines_are_shared_out(needs: list[tuple[int, int]], room: int, given: list[int]) -> None:
    assert share_out(needs, room) == given


def test_a_list_that_does_not_fit_is_a_window_that_follows_the_cursor() -> None:
    chart = Chart("?", sections=(section(Form.BARS, 9, 8, 7, 6, 5, 4),))
    starts: dict[int, int] = {}
    lines = text(draw(chart, 20, 4, 0, starts, UNICODE))
    assert [line[:6] for line in lines] == [" bars0", " bars1", " bars2", " and 3"]
    assert text(draw(chart, 20, 4, 4, starts, UNICODE))[0].startswith(" bars2")
    assert text(draw(chart, 20, 4, 3, starts, UNICODE))[0].startswith(" bars2"), "it moves no more than it has to"
    chart = Chart("?", sections=(section(Form.BARS, 1, 1), section(Form.ENTRIES, *range(1, 11), heading="OLD")))
    assert text(draw(chart, 20, 6, 11, {}, UNICODE)) == [
        " bars0 ━━━━━━━━━━━ 1",
        " bars1 ━━━━━━━━━━━ 1",
        "",
        " OLD      9-10 of 10",
        " entries8          9",
        " entries9         10",
    ]


@given(
    st.lists(
        st.tuples(
            st.sampled_from([Form.COLUMNS, Form.BARS, Form.PARTS, Form.ENTRIES]),
            st.lists(st.integers(0, 99), max_size=12),
            st.sampled_from(["", "HEAD"]),
        ),
        max_size=4,
    ),
    st.integers(0, 60),
    st.integers(0, 40),
    st.data(),
)
def test_a_picture_stays_in_its_lines_and_every_step_is_to_a_mark(
    parts: list[tuple[Form, list[int], str]], width: int, height: int, data: st.DataObject
) -> None:
    chart = Chart("?", sections=tuple(section(form, *counts, heading=heading) for form, counts, heading in parts))
    if not chart.marks:
        assert draw(chart, width, height, 0, {}, UNICODE) == []
        return
    cursor = data.draw(st.integers(0, len(chart.marks) - 1))
    assert len(draw(chart, width, height, cursor, {}, UNICODE)) <= height
    for by in (LEFT, RIGHT, UP, DOWN):
        there = step(chart, cursor, *by)
        assert there is None or (there != cursor and chart.can_point(there))
