"""Coding sessions as the rules read them, on the half of the labelled lines that they were not tuned on.

`tests/bench/session_lines.py` prints all of it.
"""

from labelled_lines import figures, lines, typed

HELD = [(line, bool(typed(line.text).candidates)) for line in lines() if line.half == "held"]


def test_there_are_enough_lines_to_mean_something() -> None:
    assert len(lines()) > 800
    assert len(HELD) > 130


def test_few_passing_lines_become_memories() -> None:
    assert figures(HELD)[0] >= 0.9


def test_most_lasting_lines_become_memories() -> None:
    _, recall, orders = figures(HELD)
    assert recall >= 0.8
    assert orders >= 0.85


def test_a_refused_line_has_a_reason() -> None:
    assert [line.text for line, kept in HELD if not kept and not typed(line.text).counts] == []
