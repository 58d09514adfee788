"""Markers of the block of memories in a Markdown file that other programs read."""

import re

BEGIN, END = "<!-- curator:begin -->", "<!-- curator:end -->"
"""The lines around the block; what stands between them is replaced at the next export."""
QUOTES = "<!-- curator:quotes -->"
"""The line before the quotes in the note of a memory."""
_MARKER = re.compile(rf"^\ufeff?[ \t]*({re.escape(BEGIN)}|{re.escape(END)})[ \t]*\r?$", re.MULTILINE)


def find_block(text: str) -> tuple[int, int] | None:
    """Return the start and end of the block with its markers, without the last line's end; None if there is none.

    Raises ValueError, with the line, if there are several, or one marker without the other.
    """
    found = list(_MARKER.finditer(text))
    if not found:
        return None
    if [one[1] for one in found] == [BEGIN, END]:
        return found[0].start(1), found[1].end(1)
    odd = next((one for place, one in enumerate(found) if one[1] != (BEGIN, END)[place % 2]), None)
    reason = "a marker of Curator's block without the other; delete it, or put back the other"
    if odd is None and len(found) % 2 == 0:
        odd, reason = found[2], "a second block of Curator; delete one of the two"
    odd = odd or found[-1]
    raise ValueError(f"line {text.count(chr(10), 0, odd.start()) + 1}: {reason}")
