"""Score of a sentence of a coding session: the higher, the likelier it outlasts the session."""

import re
from dataclasses import dataclass
from functools import cache

from curator.text import read_toml


@dataclass(frozen=True, slots=True)
class Cue:
    """A pattern and its weight; `cased` patterns are matched in the original case."""

    name: str
    pattern: re.Pattern[str]
    weight: float
    cased: bool

    def has(self, text: str) -> bool:
        """Return True if a sentence matches the cue."""
        return bool(self.pattern.search(text if self.cased else text.lower().replace("’", "'")))


@dataclass(frozen=True, slots=True)
class Scale:
    """The cues; a sentence is kept from a score of `least`, and refused below `doubtful` even if a family matches."""

    cues: tuple[Cue, ...]
    bias: float
    least: float
    doubtful: float

    def score(self, text: str) -> float:
        """Return the sum of the weights of a sentence's cues."""
        return self.bias + sum(cue.weight for cue in self.cues if cue.has(text))


@cache
def scale() -> Scale:
    """Return the cues of `sessions.toml`, read once."""
    data = read_toml("curator.distill", "languages/sessions.toml")
    cues = (Cue(row["name"], re.compile(row["pattern"]), row["weight"], row.get("cased", False)) for row in data["cue"])
    return Scale(tuple(cues), **data["score"])
