"""A quote as a memory words it."""

import re

EDGES = " \t\n\r,;:-–—(?"
_MARKS = re.compile(r"(?<!\w)(\*{1,3}|_{2})(?=\S)([^*_\n]{1,200})(?<=\S)\1(?!\w)")


def worded(quote: str) -> str:
    """One line, without emphasis marks, beginning with a capital."""
    if "*" in quote or "__" in quote:
        quote = _MARKS.sub(r"\2", quote)
    plain = " ".join(quote.split()).strip(EDGES)
    return plain[:1].upper() + plain[1:]
