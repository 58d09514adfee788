"""Two values of one slot: the same, one within the other, or different."""

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache

from curator.compare.data import slots, values
from curator.compare.statement import Statement
from curator.text import wordlists

_CLOCK = re.compile(r"(?:(quarter|half|[0-9]+) (?:minutes )?(past|to) )?([0-9]{1,2})(?::([0-9]{2}))?(?: ?(am|pm)\b)?")


class Fit(StrEnum):
    """Relation of two values."""

    SAME = "same"
    WITHIN = "within"  # the first is a kind or part of the second
    HOLDS = "holds"  # the other way round
    OTHER = "other"
    UNCLEAR = "unclear"


def compare_values(one: Statement, other: Statement) -> Fit:
    """Return the relation of the values of two statements. A name and "a hospital" may be the same."""
    fit = _compare_stems(one.value, other.value)
    if fit is Fit.OTHER and (ours := _clock(one.said)) and (theirs := _clock(other.said)):
        exact = ours[1] and theirs[1]
        same = ours[0] == theirs[0] or (not exact and ours[0] % 720 == theirs[0] % 720)
        return Fit.SAME if same else Fit.OTHER
    if fit is Fit.OTHER and is_dated(one.value) != is_dated(other.value):
        return Fit.UNCLEAR  # "in March" and "in Berlin" answer two questions
    if fit is not Fit.OTHER or not slots().by_name[one.slot].named:
        return fit
    known = values()
    vague = (
        one.indefinite != other.indefinite
        or one.said.startswith("the ") != other.said.startswith("the ")
        or bool(known.vague & (one.value | other.value))
        # one names a country or the like, and the other something that no list knows
        or (
            bool(one.value & known.regions) != bool(other.value & known.regions)
            and not (one.value & known.named and other.value & known.named)
        )
    )
    return Fit.UNCLEAR if vague else Fit.OTHER


def is_dated(value: Iterable[str]) -> bool:
    """Return whether any of these words is a number, a month or a day."""
    lists = wordlists()
    return any(word[:1].isdigit() or word in lists.months or word in lists.days for word in value)


@lru_cache(maxsize=16_384)
def _compare_stems(one: frozenset[str], other: frozenset[str]) -> Fit:
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
        return Fit.OTHER if _are_opposites(ours, theirs) else Fit.UNCLEAR
    return Fit.OTHER


def _are_opposites(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    """Return whether a word of one stands instead of a word of the other, or means its opposite."""
    groups, antonyms = values().rivals, wordlists().antonyms
    return any(
        groups.get(word, frozenset()) & groups.get(against, frozenset()) or against in antonyms.get(word, frozenset())
        for word in ours
        for against in theirs
    )


def _clock(said: str) -> tuple[int, bool] | None:
    """Return the minute of the day in a value, and whether it tells morning from evening; None without a time."""
    found = _CLOCK.search(said)
    if found is None or not (found[1] or found[4] or found[5]):
        return None
    part = {"quarter": 15, "half": 30}.get(found[1] or "") or int(found[1] or 0)
    minute = int(found[3]) * 60 + int(found[4] or 0) + (part if found[2] != "to" else -part)
    evening = found[5] == "pm" or "evening" in said or "afternoon" in said
    exact = bool(found[5]) or evening or "morning" in said or int(found[3]) > 12
    return (minute + 720 if evening and int(found[3]) < 12 else minute), exact
