"""Text of unknown origin, made safe to print in a terminal (I10), and its width."""

import unicodedata

from store.sanitize import replace_invisible


def visible(text: str) -> str:
    """Return the text with characters that act on the terminal, or hide, made visible.

    Controls become control pictures (ESC is ␛), the rest their code (`‹200b›`): invisible and bidirectional characters,
    tags, fillers. Line feeds stay, tabs become spaces; joiners stay between letters of scripts that need them, as do
    selectors after emoji.
    """

    def sign(character: str) -> str:
        code = ord(character)
        if code < 0x20:
            return chr(0x2400 + code)
        return "␡" if code == 0x7F else f"‹{code:04x}›"

    return replace_invisible(text.replace("\r\n", "\n").expandtabs(4), sign, emoji=False)


def on_one_line(text: str) -> str:
    """Return `visible` text with line feeds as spaces."""
    return visible(text).replace("\n", " ")


def width(text: str) -> int:
    """Return the width of a text in terminal cells: wide East Asian characters take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )
