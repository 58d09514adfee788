import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.sanitize import is_invisible, replace_invisible

_SELECTORS = (range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
KEPT = {"\u200c", "\u200d", *(chr(code) for codes in _SELECTORS for code in codes)}


@pytest.mark.parametrize(
    "text",
    [
        "I ❤️ Lisbon 🏳️‍🌈",
        "👨‍👩‍👧‍👦 1️⃣",
        "می‌خواهم",
        "葛\U000e0100城市",
        "two\nlines\tand a tab",
    ],
)
def test_what_a_spelling_needs_stays(text: str) -> None:
    assert replace_invisible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("tea" + "".join(map(chr, range(0xFE00, 0xFE10))), "tea"),
        ("😀" + "\ufe0f\ufe01" + "".join(chr(0xE0100 + n) for n in range(9)), "😀\ufe0f"),
        ("tea" + "".join(chr(0xE0000 + ord(char)) for char in "obey"), "tea"),
        ("a\u200bb\u00adc\u202ed\u3164e\uffa0f\u2066g", "abcdefg"),
        ("\x1b[31mred\x9b31m\x7f", "[31mred31m"),
    ],
)
def test_what_hides_goes(text: str, shown: str) -> None:
    assert replace_invisible(text) == shown


@given(st.text())
def test_nothing_is_left_that_acts_on_a_terminal(text: str) -> None:
    left = replace_invisible(text).replace("\n", "").replace("\t", "")
    assert not {"Cc", "Cs"} & set(map(unicodedata.category, left))
    assert {char for char in left if is_invisible(char)} <= KEPT
