"""Text made safe to display and cut to a width; ages."""

import sys
import unicodedata

import pytest
from rich.cells import cell_len

from curator.terminal_text import visible
from curator.tui.text_format import age, clipped, excerpt, fit, one_line
from effort import thorough
from store import clock


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, with ünïcödé and 日本語 🦊", "plain, with ünïcödé and 日本語 🦊"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("bell\x07 null\x00 delete\x7f", "bell␇ null␀ delete␡"),
        ("c1 \x9b31m", "c1 ‹009b›31m"),
        ("a\u200bb\u2060c\ufeffd\u00ade", "a‹200b›b‹2060›c‹feff›d‹00ad›e"),
        ("\u202egnp.exe\u2069", "‹202e›gnp.exe‹2069›"),
        ("hidden\U000e0041\U000e0042", "hidden‹e0041›‹e0042›"),
        ("line\u2028para\u2029", "line‹2028›para‹2029›"),
        ("one\r\ntwo\rthree\n", "one\ntwo␍three\n"),
        ("tab\tstop", "tab stop"),
        ("می‌خواهم", "می‌خواهم"),
        ("a\u200cb", "a‹200c›b"),
        ("[red]not markup[/red]", "[red]not markup[/red]"),
    ],
)
def test_what_acts_or_hides_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("forget my salary", "forget my salary"),
        ("forget what I told you about", "forget what I told…"),
        ("forget all of that, and more", "forget all of that…"),
        ("日本語" * 10, "日本語日本語日本語日本語日本語日本語日…"),
    ],
)
def test_a_long_text_is_cut_after_a_word_and_says_so(text: str, shown: str) -> None:
    assert clipped(text, 20) == shown and len(shown) <= 20


@thorough
def test_no_format_or_control_character_gets_through() -> None:
    signs = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110cd"
    drawn = set(signs) | {chr(code) for code in range(0x13430, 0x13456)}  # Arabic number signs, hieroglyph joiners
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") and character not in drawn | {"\n"}:
            assert character not in visible(f"a{character}b"), hex(code)


def test_one_line_is_one_line_and_short() -> None:
    assert one_line("a\nb\t c\r\n") == "a b c"
    assert len(one_line("x" * 100_000)) == 400


@pytest.mark.parametrize(
    "text", ["", "short", "exactly ten", "日本語日本語日本語", "a日本語", "e\u0301" * 30, "🦊🦊🦊🦊🦊🦊"]
)
@pytest.mark.parametrize("width", [0, 1, 2, 3, 9, 10, 11])
def test_fit_fills_its_width_exactly(text: str, width: int) -> None:
    assert cell_len(fit(text, width)) == width


def test_fit_cuts_with_an_ellipsis() -> None:
    assert fit("abcdef", 4) == "abc…"
    assert fit("日本語", 4) == "日… "


HOUR = 3600 * clock.SECOND


AGES = {-5: "now", 0: "now", 1: "1 h", 23: "23 h", 24: "1 d", 24 * 7: "1 w", 24 * 59: "8 w", 24 * 60: "2 mo"}


@pytest.mark.parametrize(("hours", "shown"), [*AGES.items(), (24 * 729, "24 mo"), (24 * 731, "2 y")])
def test_ages(hours: int, shown: str) -> None:
    assert age(0, hours * HOUR) == shown


@pytest.mark.parametrize(("minutes", "shown"), [(1, "1 m"), (28, "28 m"), (59, "59 m"), (119, "1 h")])
def test_the_age_of_what_was_within_the_hour_is_in_minutes(minutes: int, shown: str) -> None:
    assert age(0, minutes * HOUR // 60) == shown


def test_an_excerpt_is_one_line_with_an_ellipsis_if_it_was_cut() -> None:
    assert excerpt("walks\nfar") == "walks far"
    assert excerpt("walks far and wide", 10) == "walks far…"
