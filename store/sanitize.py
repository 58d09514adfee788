"""Removal of characters that cannot be stored, are invisible, or control a terminal.

Invisible characters are controls except tab and line feed, format characters (zero width, bidirectional, tags),
fillers, variation selectors and surrogates.
"""

import re
import unicodedata
from collections.abc import Callable
from typing import TypeVar

Text = TypeVar("Text", str, str | None)
RANGES = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\ud800-\udfff"
)
INVISIBLE = re.compile(f"[{RANGES}]")
_NON_JOINER, _JOINER = "\u200c", "\u200d"
_EMOJI_SELECTORS = "\ufe0e\ufe0f"
_KEYCAP = "\u20e3"
_ACCENTS = re.compile("[\u0300-\u036f]")


def is_invisible(char: str) -> bool:
    """Return True if a character is invisible, regardless of its context."""
    return (char > "\x7e" and INVISIBLE.match(char) is not None) or (char < " " and char not in "\t\n")


def replace_invisible(text: str, replacement: Callable[[str], str] | str = "", *, emoji: bool = True) -> str:
    """Return `text` with each invisible character replaced, except where spelling requires it.

    Required are joiners between emoji and between letters of scripts with contextual forms, and one variation selector
    after an emoji, a keycap, an ideograph or a Mongolian letter. With `emoji=False`, joiners between emoji are replaced
    too, because terminals disagree on the width of joined emoji.
    """
    if not INVISIBLE.search(text):
        return text

    def replaced(found: re.Match[str]) -> str:
        if _is_needed(text, found.start(), emoji):
            return found[0]
        return replacement if isinstance(replacement, str) else replacement(found[0])

    return INVISIBLE.sub(replaced, text)


def _is_needed(text: str, at: int, emoji: bool) -> bool:
    char = text[at]
    before = text[at - 1 : at]
    after = text[at + 1 : at + 2]
    if not before:
        return False
    if char in (_NON_JOINER, _JOINER):
        if not after:
            return False
        if _changes_shape(before) and _changes_shape(after):
            return True
        return emoji and char == _JOINER and _is_picture(after) and (before == "\ufe0f" or _is_picture(before))
    if char in _EMOJI_SELECTORS:
        return _is_picture(before) or after == _KEYCAP or unicodedata.category(before) == "Sm" or _is_ideograph(before)
    if "\ufe00" <= char <= "\ufe0d":
        return _is_ideograph(before) or unicodedata.category(before) == "Sm"
    if "\u180b" <= char <= "\u180f":
        return "\u1820" <= before <= "\u18aa"
    return "\U000e0100" <= char <= "\U000e01ef" and _is_ideograph(before)


def _changes_shape(char: str) -> bool:
    """Return True for letters and marks from Hebrew (U+0590) up to Greek Extended (U+1F00, exclusive)."""
    return "\u0590" <= char < "\u1f00" and unicodedata.category(char)[0] in "LM"


def _is_picture(char: str) -> bool:
    return char > "\x7f" and unicodedata.category(char) in ("So", "Sk", "Po", "Pd")


def _is_ideograph(char: str) -> bool:
    return "\u3400" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or "\U00020000" <= char <= "\U0003ffff"


def storable(text: Text) -> Text:
    """Replace NUL and lone surrogates, which SQLite or UTF-8 cannot represent, by U+FFFD."""
    if text is None or (text.isascii() and "\0" not in text):
        return text
    return text.replace("\0", "�").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def unaccented(text: str) -> str:
    """Return a text without accents: "Tomás" as "Tomas". Registered as a function of SQLite connections."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", text)))
