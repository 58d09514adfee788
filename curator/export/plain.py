"""Text of unknown origin made safe to print (I10)."""

import re
import unicodedata

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U000110bd\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\ud800-\udfff]"
)
_JOINERS = "\u200c\u200d"


def visible(text: str) -> str:
    """The text with everything that would act on the terminal, or hide, shown as a sign.

    Controls become control pictures (ESC is ␛), the rest their code (`‹200b›`): invisible and bidirectional
    characters, tags, fillers. Line feeds stay, tabs become spaces; joiners stay between letters of scripts that
    need them to be spelled.
    """
    text = text.replace("\r\n", "\n").expandtabs(4)
    return _UNSEEN.sub(_sign, text) if _UNSEEN.search(text) else text


def _sign(found: re.Match[str]) -> str:
    character = found[0]
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if character in _JOINERS:
        start, end = found.span()
        around = found.string[start - 1 : start] + found.string[end : end + 1]
        if len(around) == 2 and all(map(_joined_letter, around)):
            return character
    return f"‹{code:04x}›"


def _joined_letter(character: str) -> bool:
    """Whether it belongs to a script in which letters change with their neighbours (Hebrew and after, not Latin)."""
    return "\u0590" <= character < "\u1f00" and unicodedata.category(character)[0] in "LM"


def on_one_line(text: str) -> str:
    """The same, with line feeds as spaces."""
    return visible(text).replace("\n", " ")


def width(text: str) -> int:
    """Terminal cells a text takes: wide East Asian characters take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )
