"""Two values of one slot: the same, one within the other, or different."""

import re
from enum import StrEnum
from functools import lru_cache

from curator.compare.data import slots, values
from curator.compare.statement import Statement
from curator.text import wordlists

_CLOCK = re.compile(r"(?:(quarter|half|[0-9]+) (?:minutes )?(past|to) )?([0-9]{1,2})(?::([0-9]{2}))?(?: ?(am|pm)\b)?")


class Fit(StrEnum):
    """How two values stand to each other."""

    SAME = "same"
    WITHIN = "within"  # the first is a kind or part of the second
    HOLDS = "holds"  # the other way round
    OTHER = "other"
    UNCLEAR = "unclear"


def fitting(one: Statement, other: Statement) -> Fit:
    """How the values of two statements stand to each other. A name and "a hospital" may be the same."""
    fit = _fitting(one.value, other.value)
    if fit is Fit.OTHER and (times := (_clock(one.said), _clock(other.said))) and None not in times:
        return Fit.SAME if _same_time(*times) else Fit.OTHER
    if fit is Fit.OTHER and _dated(one.value) != _dated(other.value):
        return Fit.UNCLEAR
    if fit is not Fit.OTHER or not slots().by_name[one.slot].named:
        return fit
    vague = (
        one.indefinite != other.indefinite
        or one.said.startswith("the ") != other.said.startswith("the ")
        or bool(values().vague & (one.value | other.value))
    )
    return Fit.UNCLEAR if vague or _unlike(one.value, other.value) else Fit.OTHER


def _dated(value: frozenset[str]) -> bool:
    """Whether a value is a time: "in March" and "in Berlin" answer two questions."""
    lists = wordlists()
    return any(word[:1].isdigit() or word in lists.months or word in lists.days for word in value)


def _unlike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether one names a country or the like, and the other something that no list knows."""
    known = values()
    return bool(one & known.regions) != bool(other & known.regions) and not (one & known.named and other & known.named)


@lru_cache(maxsize=16_384)
def _fitting(one: frozenset[str], other: frozenset[str]) -> Fit:
    if one == other:
        return Fit.SAME
    kinds, named = values().kinds, values().named
    ours, theirs = one - other, other - one
    numbers = {word for word in one if word[:1].isdigit()}, {word for word in other if word[:1].isdigit()}
    if all(numbers):
        return Fit.OTHER if numbers[0] != numbers[1] else Fit.UNCLEAR
    if not ours:
        return Fit.HOLDS
    if not theirs:
        return Fit.WITHIN
    if any(theirs <= kinds.get(word, frozenset()) for word in ours):
        return Fit.WITHIN
    if any(ours <= kinds.get(word, frozenset()) for word in theirs):
        return Fit.HOLDS
    if one & other and len(one & other) >= min(len(ours), len(theirs)) and not (ours & named and theirs & named):
        return Fit.UNCLEAR if not _opposites(ours, theirs) else Fit.OTHER
    return Fit.OTHER


def _opposites(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    groups, antonyms = values().rivals, wordlists().antonyms
    return any(
        groups.get(word, frozenset()) & groups.get(against, frozenset()) or against in antonyms.get(word, frozenset())
        for word in ours
        for against in theirs
    )


def _clock(said: str) -> tuple[int, bool] | None:
    """The minute of the day that a value says, and whether it tells morning from evening; None if it says none."""
    found = _CLOCK.search(said)
    if found is None or not (found[1] or found[4] or found[5]):
        return None
    part = {"quarter": 15, "half": 30}.get(found[1] or "") or int(found[1] or 0)
    minute = int(found[3]) * 60 + int(found[4] or 0) + (part if found[2] != "to" else -part)
    evening = found[5] == "pm" or "evening" in said or "afternoon" in said
    told = bool(found[5]) or evening or "morning" in said or int(found[3]) > 12
    return (minute + 720 if evening and int(found[3]) < 12 else minute), told


def _same_time(one: tuple[int, bool] | None, other: tuple[int, bool] | None) -> bool:
    if one is None or other is None:
        return False
    return one[0] == other[0] or (not (one[1] and other[1]) and one[0] % 720 == other[0] % 720)
