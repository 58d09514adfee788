"""Symbols on the screen, with ASCII replacements for terminals that cannot draw them."""

import os
import sys
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Glyphs:
    """Symbols of one cell each; those of charts are ordered from low to high."""

    cursor: str
    mark: str
    validated: str
    alert: str
    quarantined: str
    pinned: str
    always: str  # given in every block
    once_validated: str  # given in every block from then on
    never: str
    made: str
    quote: str
    kept: str
    gone: str
    refused: str
    folded: str
    unfolded: str
    rising: str  # of a column
    running: str  # of a bar
    shades: str  # the first stands for zero
    rule: str
    caret: str
    day: str  # the one under the cursor
    before: str
    after: str
    undone: str
    own: str  # brackets around words that only one of two texts has


UNICODE = Glyphs(
    cursor="▌",
    mark="✓",
    validated="◆",
    alert="!",
    quarantined="?",
    pinned="▴",
    always="●",
    once_validated="◐",
    never="∅",
    made="○",
    quote="▏",
    kept="┃",
    gone="╎",
    refused="·",
    folded="▸",
    unfolded="▾",
    rising="▁▂▃▄▅▆▇█",
    running="╸━",
    shades="·░▒▓█",
    rule="─",
    caret="▴",
    day="◆",
    before="‹",
    after="›",
    undone="↶",
    own="⟦⟧",
)
ASCII = Glyphs(
    cursor=">",
    mark="*",
    validated="v",
    alert="!",
    quarantined="?",
    pinned="^",
    always="a",
    once_validated="o",
    never="n",
    made="m",
    quote="|",
    kept="|",
    gone=":",
    refused=".",
    folded="+",
    unfolded="-",
    rising=".:#",
    running="#",
    shades=".:+*#",
    rule="-",
    caret="^",
    day="@",
    before="<",
    after=">",
    undone="<",
    own="[]",
)


def glyphs() -> Glyphs:
    """Return symbols, or ASCII if the locale is not UTF-8 or the terminal has its own limited font."""
    encoding = (getattr(sys.__stdout__, "encoding", None) or "utf-8").lower().replace("-", "")
    poor = os.environ.get("TERM", "") in {"dumb", "linux", "vt100", "vt220", "ansi", "cygwin"}
    return ASCII if poor or encoding != "utf8" else UNICODE
