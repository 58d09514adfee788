"""The words that say how a statement is meant and when it holds, as patterns."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_TAKEN = (
    "ended", "past", "hypothetical", "wish", "doubt", "plan", "must", "lasting", "begun",
    "seldom", "always", "often", "sometimes", "filler",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Marks:
    """`taken` finds every mark that is taken out, by name; the others say what another person said, what turned,
    what allows no exception, and what holds for a while or some days
    only."""

    taken: re.Pattern[str]
    reported: re.Pattern[str]
    turned: re.Pattern[str]
    sweeping: re.Pattern[str]
    passing: re.Pattern[str]
    briefly: re.Pattern[str]


@cache
def marks() -> Marks:
    """The English marks, read once."""
    text = (files("curator.compare.data") / "marks.toml").read_text("utf-8")
    data = {name: value.replace("\n", "").replace("_", " ") for name, value in tomllib.loads(text).items()}
    taken = "|".join(rf"(?P<{name}>{data[name]})" for name in _TAKEN)
    return Marks(
        taken=re.compile(rf"(?<!\S)(?:{taken})(?!\S)"),
        reported=re.compile(data["reported"]),
        turned=re.compile(rf"(?<!\S)(?:{data['turned']})(?!\S)"),
        sweeping=re.compile(rf"(?<!\S)(?:{data['sweeping']})(?!\S)"),
        passing=re.compile(rf"(?<!\S)(?:{data['passing']})(?!\S)"),
        briefly=re.compile(rf"(?<!\S)(?:{data['briefly']})(?!\S)"),
    )
