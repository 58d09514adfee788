"""Untrusted text made safe to print."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.terminal_text import on_one_line, visible, width


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain [bold]text[/bold]", "plain [bold]text[/bold]"),
        ("\x1b[31mred\x07", "␛[31mred␇"),
        ("a\u202eb\u200bc", "a‹202e›b‹200b›c"),
        ("one\r\ntwo\tthree", "one two three"),
        ("\x9b31m\x7f", "‹009b›31m␡"),
        ("naïve 日本語 😀 שלום", "naïve 日本語 😀 שלום"),
    ],
)
def test_what_could_act_is_written_out(text: str, shown: str) -> None:
    assert on_one_line(text) == shown


@given(st.text())
def test_nothing_that_acts_on_a_terminal_is_left(text: str) -> None:
    shown = visible(text).replace("\n", "")
    assert not {"Cc", "Cs", "Zl", "Zp"} & set(map(unicodedata.category, shown))
    assert not {"RLO", "LRO", "RLE", "LRE", "PDF", "RLI", "LRI", "FSI", "PDI"} & set(
        map(unicodedata.bidirectional, shown)
    )


def test_width_counts_cells() -> None:
    assert [width(text) for text in ("tea", "日本", "e\u0301")] == [3, 4, 1]
