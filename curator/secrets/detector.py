"""Detectors: a kind of secret, its trigger literals and its pattern."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache

Span = tuple[int, int]
Check = Callable[[re.Match[str], str], bool]
Trim = Callable[[re.Match[str], str], str]
Find = Callable[[str], Iterator[Span]]


class Scan(Enum):
    """Texts to which a detector is applied."""

    TOKEN = auto()
    """Texts with a long run of letters and digits that contains a literal."""
    RUN = auto()
    """Texts with a long run of letters and digits, at the start of each run; needs no literal."""
    WORD = auto()
    """Texts with a literal in any case, as a whole word or, for `pass` and similar ones, as part of a word."""
    DIGITS = auto()
    """Texts with a literal once digits are `0`, capitals `A`, and spaces, dots, hyphens and slashes are removed."""
    SEED = auto()
    """Texts with twelve words of a seed phrase in a row."""


@dataclass(frozen=True, slots=True)
class Detector:
    """A kind of secret. `name` is used in settings, `label` is shown to people.

    The pattern is matched at each literal, or searched from `before` characters ahead of it; lower-case literals are
    matched against the text in lower case. The secret is `group`, shortened by `trim`, if `check` accepts it. `find`
    replaces the pattern.
    """

    name: str
    label: str
    literals: tuple[str, ...]
    pattern: str = ""
    scan: Scan = Scan.TOKEN
    group: int | str = 0
    check: Check | None = None
    trim: Trim | None = None
    before: int = 0
    find: Find | None = None


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return the compiled pattern, cached. Patterns are compiled on first use, since there are many."""
    return re.compile(pattern)
