"""Detectors: a kind of secret, the literals that announce it, and its pattern."""

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
    """Texts in which a detector is tried."""

    TOKEN = auto()
    """Those with a long run of letters and digits that holds a literal."""
    RUN = auto()
    """Those with a long run of letters and digits, at the start of each; needs no literal."""
    WORD = auto()
    """Those with a literal in any case, as a word of its own or, for `pass` and its like, in part of one."""
    DIGITS = auto()
    """Those with a literal after digits became `0`, capitals `A`, and blanks, points, hyphens and slashes went."""
    SEED = auto()
    """Those with a dozen words of a seed phrase."""


@dataclass(frozen=True, slots=True)
class Detector:
    """A kind of secret. `name` is what settings call it, `label` what a person reads.

    The pattern is tried at each literal, or from so many characters `before` it; for literals in lower case it sees the
    text in lower case. The secret is its `group`, as far as `trim` leaves it, if `check` agrees. With `find` there is
    no pattern.
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
    """Return the compiled pattern; patterns are compiled when a literal is met, since there are many."""
    return re.compile(pattern)
