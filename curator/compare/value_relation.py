"""Relation of the values of two statements of the same slot: the same, one within the other, or different."""

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache

from curator.compare.data import slots, values
from curator.compare.differences import plain_number
from curator.compare.statement import Statement
from curator.text import wordlists

_CLOCK = re.compile(r"(?:(quarter|half|[0-9]+) (?:minutes )?(past|to) )?([0-9]{1,2})(?::([0-9]{2}))?(?: ?(am|pm)\b)?")


class ValueRelation(StrEnum):
    """Relation of two values."""

    SAME = "same"
    WITHIN = "within"  # the first is a kind or part of the second
    HOLDS = "holds"  # the reverse
    OTHER = "other"
    UNCLEAR = "unclear"


def compare_values(one: Statement, other: Statement) -> ValueRelation:
    """Return the relation of the values of two statements. A name and an indefinite "a hospital" may be equal."""
    fit = _compare_stems(one.value, other.value)
    if fit is ValueRelation.OTHER and (ours := _clock(one.said)) and (theirs := _clock(other.said)):
        exact = ours[1] and theirs[1]
        same = ours[0] == theirs[0] or (not exact and ours[0] % 720 == theirs[0] % 720)
        return ValueRelation.SAME if same else ValueRelation.OTHER
    if fit is ValueRelation.OTHER and one.slot != "home" and is_dated(one.value) != is_dated(other.value):
        return ValueRelation.UNCLEAR  # "in March" and "in Berlin" answer two questions
    if fit is not ValueRelation.OTHER or not slots().by_name[one.slot].named:
        return fit
    known = values()
    vague = (
        one.indefinite != other.indefinite
        or one.said.startswith("the ") != other.said.startswith("the ")
        # "Ghent, Patershol area" is not vague beside a city, "a part of Belgium" is
        or (
            bool(known.vague & (one.value | other.value))
            and not (one.value & known.named - known.regions and other.value & known.named - known.regions)
        )
        # one names a country or the like, the other an unlisted place or thing
        or (
            bool(one.value & known.regions) != bool(other.value & known.regions)
            and not (one.value & known.named and other.value & known.named)
        )
    )
    return ValueRelation.UNCLEAR if vague else ValueRelation.OTHER


def is_dated(value: Iterable[str]) -> bool:
    """Return True if a word is a number, a month or a day."""
    lists = wordlists()
    return any(word[:1].isdigit() or word in lists.months or word in lists.days for word in value)


@lru_cache(maxsize=16_384)
def _compare_stems(one: frozenset[str], other: frozenset[str]) -> ValueRelation:
    if one == other:
        return ValueRelation.SAME
    kinds, named = values().kinds, values().named
    ours, theirs = one - other, other - one
    numbers = tuple({plain_number(word) for word in side if word.strip("v")[:1].isdigit()} for side in (one, other))
    if all(numbers):
        return ValueRelation.OTHER if numbers[0] != numbers[1] else ValueRelation.UNCLEAR
    if not ours:
        return ValueRelation.HOLDS
    if not theirs:
        return ValueRelation.WITHIN
    if any(theirs <= kinds.get(word, frozenset()) for word in ours):
        return ValueRelation.WITHIN
    if any(ours <= kinds.get(word, frozenset()) for word in theirs):
        return ValueRelation.HOLDS
    if one & other and len(one & other) >= min(len(ours), len(theirs)) and not (ours & named and theirs & named):
        return ValueRelation.OTHER if are_rivals(ours, theirs) or are_opposites(ours, theirs) else ValueRelation.UNCLEAR
    return ValueRelation.OTHER


def are_rivals(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    """Return True if a word of one excludes a word of the other."""
    groups = values().rivals
    return any(groups[word] & groups.get(other, frozenset()) for word in ours if word in groups for other in theirs)


def are_opposites(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    return any(wordlists().antonyms.get(word, frozenset()) & theirs for word in ours)


def _clock(said: str) -> tuple[int, bool] | None:
    """Return the minute of the day in a value, and True if a.m. or p.m. is known; None without a time."""
    found = _CLOCK.search(said)
    if found is None or not (found[1] or found[4] or found[5]):
        return None
    part = {"quarter": 15, "half": 30}.get(found[1] or "") or int(found[1] or 0)
    minute = int(found[3]) * 60 + int(found[4] or 0) + (part if found[2] != "to" else -part)
    evening = found[5] == "pm" or "evening" in said or "afternoon" in said
    exact = bool(found[5]) or evening or "morning" in said or int(found[3]) > 12
    return (minute + 720 if evening and int(found[3]) < 12 else minute), exact
