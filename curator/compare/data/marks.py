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
    """`split` finds where clauses begin, `taken` finds by name every mark that is taken out.

    The others say what another person said, what turned, what allows no exception, what holds for a while, some
    days or part of the time only, what was left behind, and which verbs tell the time.
    """

    split: re.Pattern[str]
    taken: re.Pattern[str]
    reported: re.Pattern[str]
    turned: re.Pattern[str]
    sweeping: re.Pattern[str]
    passing: re.Pattern[str]
    briefly: re.Pattern[str]
    partly: re.Pattern[str]
    leaving: re.Pattern[str]
    lately: re.Pattern[str]
    past_verbs: frozenset[str]
    present_verbs: frozenset[str]


@cache
def marks() -> Marks:
    """The English marks, read once."""
    text = (files("curator.compare.data") / "marks.toml").read_text("utf-8")
    read = tomllib.loads(text)
    data = {name: value.replace("\n", "").replace("_", " ") for name, value in read.items() if isinstance(value, str)}
    split = "|".join(read["split"]).replace("{who}", data["who"]).replace("{does}", data["does"])
    taken = "|".join(rf"(?P<{name}>{data[name]})" for name in _TAKEN)
    return Marks(
        split=re.compile(split),
        taken=re.compile(rf"(?<!\S)(?:{taken})(?!\S)"),
        reported=re.compile(data["reported"]),
        turned=re.compile(rf"(?<!\S)(?:{data['turned']})(?!\S)"),
        sweeping=re.compile(rf"(?<!\S)(?:{data['sweeping']})(?!\S)"),
        passing=re.compile(rf"(?<!\S)(?:{data['passing']})(?!\S)"),
        briefly=re.compile(rf"(?<!\S)(?:{data['briefly']})(?!\S)"),
        partly=re.compile(rf"(?<!\S)(?:{data['partly']})(?!\S)"),
        leaving=re.compile(rf"(?<!\S)(?:{data['leaving']})(?!\S)"),
        lately=re.compile(data["lately"]),
        past_verbs=frozenset(read["past_verbs"].split()),
        present_verbs=frozenset(read["present_verbs"].split()),
    )
