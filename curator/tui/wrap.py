"""Word wrapping in terminal cells, fast even for a line of a million characters."""

import re
from collections.abc import Iterator

from rich.cells import get_character_cell_size

_NARROW = re.compile(
    "[\n -~\xa0-\xac\xae-\u02ff\u0370-\u0377\u0384-\u0482\u048a-\u052f"
    "\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u21ff]*"
)
"""Matches text in which every character takes one cell."""
_WIDENS = "\ufe0f"  # turns the preceding character into an emoji of two cells


def wrap(text: str, width: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of each line of a text, at most `width` cells wide, broken at spaces if possible."""
    narrow = _NARROW.fullmatch(text) is not None
    start, last = 0, len(text.rstrip())
    while start < last:
        stop = text.find("\n", start, last)
        stop = last if stop < 0 else stop
        while (far := min(start + width, stop) if narrow else _reach(text, start, stop, width)) < stop:
            space = text.rfind(" ", start + 1, far + 1)
            if space < 0 or text[start:space].isspace() or (not narrow and 2 * (space - start) < far - start):
                yield start, far
                start = far
            else:
                yield start, space
                start = space + 1
        yield start, stop
        start = stop + 1


def _reach(text: str, start: int, stop: int, width: int) -> int:
    """Return the index of the first character that does not fit on a line."""
    cells = 0
    for index in range(start, stop):
        character = text[index]
        cells += 1 if character == _WIDENS else get_character_cell_size(character)
        if cells > width:
            return max(index, start + 1)
    return stop
