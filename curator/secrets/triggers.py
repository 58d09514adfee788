"""Patterns of what can start a detector: each matches all texts in which detectors of one sort can find anything.

They are regular expressions of Rust, as pydantic's validators use them: 3 ns for a character of a text, where looking
for the literals and words one by one takes 60. One for each sort, since the states of all in one do not fit its cache.
"""

import re
from collections.abc import Callable, Iterable

from pydantic_core import SchemaValidator, core_schema

Matches = Callable[[str], bool]
NOTHING = r"[^\s\S]"
LONG_RUN = r"[A-Za-z0-9_-]{16}"
_SPECIAL = re.compile(r"[.+*?^$()\[\]{}|\\]")  # an escaped letter or slash is an error
_NO_LETTER = "(?-i:[^A-Za-z])"
_BETWEEN = "[ ./-]*"  # characters that are left out when digits are looked for
_SHAPES = {"0": "[0-9]", "A": "[A-Z]"}


def matcher(pattern: str) -> Matches:
    """Return a function that searches a pattern in texts without lone surrogates, in which it finds nothing."""
    return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex")).isinstance_python


def any_literal(literals: Iterable[str], parts: Iterable[str]) -> str:
    """Return a pattern of texts with a literal, in any case; one of letters is a word there, except for `parts`."""
    inside = set(parts)
    others = [literal for literal in literals if not any(part in literal for part in inside)]
    alone = [literal for literal in others if literal.isascii() and literal.isalpha()]
    inside.update(_SPECIAL.sub(r"\\\g<0>", literal) for literal in others if literal not in alone)
    words = [f"(?:^|{_NO_LETTER})(?:{'|'.join(sorted(alone))})(?:{_NO_LETTER}|$)"] if alone else []
    return f"(?i:{'|'.join((*sorted(inside), *words))})" if inside or words else NOTHING


def any_shape(shapes: Iterable[str]) -> str:
    """Return a pattern of texts with digits (`0`) and capitals (`A`) in one of these orders, however separated."""
    return "|".join(_BETWEEN.join(map(_SHAPES.__getitem__, shape)) for shape in shapes) or NOTHING


def twelve_words(known: Iterable[str]) -> str:
    """Return a pattern of texts with twelve words in a row that have the length of known ones; of three letters, only
    known ones, which leaves out `the` and `and`.
    """
    longest = max(map(len, known))
    short = "|".join(sorted(word for word in known if len(word) == 3))
    word = f"(?i:{short}|[a-z]{{4,{longest}}})"
    return f"(?:^|{_NO_LETTER})(?:{word}{_NO_LETTER}+){{11}}{word}(?:{_NO_LETTER}|$)"
