"""Text from logs made safe to look at, cut to a width, and times in few letters."""

import re
import unicodedata
from datetime import UTC, datetime

from rich.cells import cell_len, chop_cells, set_cell_size

from store import clock

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


def one_line(text: str, limit: int = 400) -> str:
    """The beginning of a text on one line, `limit` characters at most, safe to look at."""
    return " ".join(visible(text[:limit]).split())


def fit(text: str, width: int) -> str:
    """The text in exactly `width` cells: padded, or cut with an ellipsis."""
    if text.isascii():
        return text.ljust(width) if len(text) <= width else text[: max(width - 1, 0)] + "…" * (width > 0)
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(chop_cells(text, width - 1)[0] + "…", width) if width > 1 else "…" * width


def age(at: int, now: int) -> str:
    """How long ago in one number: `now`, `5 h`, `2 d`, `3 w`, `8 mo`, `2 y`. Times in microseconds."""
    hours = max(now - at, 0) // (3600 * clock.SECOND)
    if hours < 24:
        return f"{hours} h" if hours else "now"
    days = hours // 24
    if days < 7:
        return f"{days} d"
    if days < 60:
        return f"{days // 7} w"
    return f"{days // 30} mo" if days < 730 else f"{days // 365} y"


def day(at: int) -> str:
    """A date in UTC: `3 Mar 2026`."""
    moment = datetime.fromtimestamp(at / clock.SECOND, UTC)
    return f"{moment.day} {moment:%b %Y}"


def counted(number: int, noun: str = "memory") -> str:
    """`1 memory`, `1,204 memories`."""
    if number != 1:
        noun = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{number:,} {noun}"
