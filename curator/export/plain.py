"""Text of unknown origin made safe to print (I10)."""

import re
import unicodedata

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
    "|[\U000e0000-\U000e007f]|[\ud800-\udfff]"
)


def visible(text: str, keep_newlines: bool = False) -> str:
    """The text with control, escape, bidirectional and zero-width characters written out, e.g. `␛` or `⟨U+202E⟩`.

    Newlines become spaces unless they are to be kept; tabs become a space.
    """
    spaced = text.replace("\r\n", "\n").replace("\t", " ")
    if not keep_newlines:
        spaced = spaced.replace("\n", " ")
    return _UNSAFE.sub(_written_out, spaced)


def _written_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"⟨U+{code:04X}⟩"


def width(text: str) -> int:
    """Terminal cells a text takes: wide East Asian characters take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )
