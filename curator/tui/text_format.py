"""Text formatting: sanitises log text, cuts text to a width, and formats short dates and durations."""

from rich.cells import cell_len, chop_cells, set_cell_size

from curator.display import truncate
from curator.terminal_text import visible
from store import clock


def one_line(text: str, limit: int = 400) -> str:
    """Return the sanitised start of a text on one line, at most `limit` characters."""
    return " ".join(visible(text[:limit]).split())


def excerpt(text: str, limit: int = 48) -> str:
    """Return the sanitised start of a text on one line, with an ellipsis if it was cut."""
    return truncate(one_line(text, limit + 400), limit)


def clipped(text: str, limit: int) -> str:
    """Return a text on one line of at most `limit` characters; a longer text is cut after a word, with an ellipsis."""
    line = one_line(text)
    if len(line) <= limit:
        return line
    words = line[:limit].rpartition(" ")[0] if " " in line[:limit] else line[: limit - 1]
    return f"{words.rstrip(' ,;:')}…"


def signed(text: str) -> str:
    """Return the text with each control or invisible character replaced by a sign, so that positions stay the same.

    Joiners and tabs are kept, since input fields handle them.
    """
    if text.isascii() and text.isprintable():
        return text
    kept = {"\n": "␊", "\t": "\t", "\u200c": "\u200c", "\u200d": "\u200d"}
    shown = (kept.get(character) or visible(character) for character in text)
    return "".join(sign if len(sign) == 1 else "�" for sign in shown)


def fit(text: str, width: int) -> str:
    """Return the text in exactly `width` cells: padded, or cut with an ellipsis."""
    if text.isascii():
        return text.ljust(width) if len(text) <= width else text[: max(width - 1, 0)] + "…" * (width > 0)
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(chop_cells(text, width - 1)[0] + "…", width) if width > 1 else "…" * width


_AGES = (  # minimum age, unit size, unit
    (730 * clock.DAY, 365 * clock.DAY, "y"),
    (60 * clock.DAY, 30 * clock.DAY, "mo"),
    (7 * clock.DAY, 7 * clock.DAY, "w"),
    (clock.DAY, clock.DAY, "d"),
    (3600 * clock.SECOND, 3600 * clock.SECOND, "h"),
    (60 * clock.SECOND, 60 * clock.SECOND, "m"),
)


def age(at: int, now: int) -> str:
    """Return an age as one number: `now`, `28 m`, `5 h`, `2 d`, `3 w`, `8 mo`, `2 y`. Times in microseconds."""
    return next((f"{(now - at) // size} {unit}" for least, size, unit in _AGES if now - at >= least), "now")


def lasted(microseconds: int) -> str:
    """Return a duration as one or two numbers: `41 s`, `2 m 10 s`, `1 h 5 m`."""
    seconds = max(microseconds, 0) // clock.SECOND
    if seconds < 60:
        return f"{seconds} s"
    return f"{seconds // 60} m {seconds % 60} s" if seconds < 3600 else f"{seconds // 3600} h {seconds % 3600 // 60} m"
