"""Sanitizing of text of unknown origin before it is printed (I10)."""

import unicodedata

from store.sanitize import replace_invisible


def visible(text: str) -> str:
    """Return the text with everything that would act on the terminal, or hide, shown as a sign.

    Controls become control pictures (ESC is ␛), the rest their code (`‹200b›`): invisible and bidirectional
    characters, tags, fillers. Line feeds stay, tabs become spaces; joiners stay between letters of
    scripts that need them, and selectors after emoji.
    """

    def sign(character: str) -> str:
        code = ord(character)
        if code < 0x20:
            return chr(0x2400 + code)
        return "␡" if code == 0x7F else f"‹{code:04x}›"

    return replace_invisible(text.replace("\r\n", "\n").expandtabs(4), sign, emoji=False)


def on_one_line(text: str) -> str:
    """Return the same, with line feeds as spaces."""
    return visible(text).replace("\n", " ")


def width(text: str) -> int:
    """Return the terminal cells a text takes: wide East Asian characters take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )
