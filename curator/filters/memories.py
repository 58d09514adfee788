"""The filter language: `kind:preference tier:core said:2026-03 score:>=0.5 tag:work is:pinned words to find`."""

import re
from calendar import monthrange
from dataclasses import replace
from datetime import date
from typing import TypeVar

from store import Filter, clock
from store.filter import close_quote, parse_terms, split_terms
from store.model import Kind, Life, Origin, Rank, Review, Tier

__all__ = ["BadFilter", "parse_filter", "with_term", "without_term"]

_UNITS = {"h": clock.DAY // 24, "d": clock.DAY, "w": 7 * clock.DAY, "m": 30 * clock.DAY, "y": 365 * clock.DAY}
_Named = TypeVar("_Named", Kind, Tier, Origin, Review)
_Number = TypeVar("_Number", int, float)
_LONGEST = 1_000  # characters of a pattern; SQLite takes 50,000 bytes
_MADE = (Origin.RULES, Origin.MODEL, Origin.IMPORT)


class BadFilter(ValueError):
    """A filter that means nothing; the text says what could be meant."""


def parse_filter(words: str, base: Filter | None = None, now: int | None = None) -> Filter:
    """What a line of filter words means, on top of `base`. `now` is the time ages count from.

    Words without a colon must occur in the text; quotes hold a value with spaces together. Of several bounds of one
    sort (age and said are one) all hold. Raises BadFilter.
    """
    try:
        words.encode()
    except UnicodeEncodeError as error:
        raise BadFilter("the words are not UTF-8 text; type them again") from error
    found = base or Filter()
    present = clock.now() if now is None else now
    free: list[str] = []
    for name, value in parse_terms(words):
        if name:
            found = _narrow(found, name.casefold(), value, present)
        else:
            free.append(value)
    if not free:
        return found
    text = " ".join(free)
    if len(text) > _LONGEST:
        raise BadFilter(f"words to find in a text are at most {_LONGEST:,} characters, these are {len(text):,}")
    return replace(found, text=text)


def with_term(text: str, term: str) -> str:
    """A filter text with a term (or several) added; one that says what is there already adds nothing."""
    there = split_terms(text)
    new = [part for part in split_terms(term) if not any(_same(part, other) for other in there)]
    return " ".join((*map(close_quote, there), *new)) if new else text


def without_term(text: str, term: str) -> str:
    """A filter text without a term (or several), and without those that say the same in other words."""
    gone = split_terms(term)
    return " ".join(part for part in split_terms(text) if not any(_same(part, other) for other in gone))


def _same(one: str, other: str) -> bool:
    """Whether two terms are one, or mean the same, as `tag:work` and `tag:#Work` do."""
    if one == other:
        return True
    now = clock.now()
    try:
        return parse_filter(one, now=now) == parse_filter(other, now=now)
    except BadFilter:
        return False


def _narrow(found: Filter, name: str, value: str, now: int) -> Filter:
    if name == "kind":
        return replace(found, kinds=(*found.kinds, _one(Kind, name, value)))
    if name == "tier":
        return replace(found, tiers=(*found.tiers, _one(Tier, name, value)))
    if name == "origin":
        given = () if found.origins == _MADE else found.origins  # those of the inbox are narrowed, not added to
        return replace(found, origins=(*given, _one(Origin, name, value)))
    if name == "review":
        return replace(found, reviews=(*found.reviews, _one(Review, name, value)))
    if name == "state":
        return _in_state(found, value)
    if name == "project":
        return replace(found, projects=(*found.projects, value))
    if name == "source":
        return replace(found, sources=(*found.sources, value))
    if name == "scope":
        return replace(found, scopes=(*found.scopes, value))
    if name == "tag":
        return replace(found, tags=(*found.tags, value.lstrip("#").casefold()))
    if name == "age":
        return _of_age(found, value, now)
    if name == "said":
        return _said(found, value)
    if name == "score":
        return _scored(found, value)
    if name == "used":
        return _used(found, value)
    if name in ("is", "has"):
        return _being(found, f"{name}:{value}", now)
    raise BadFilter(
        f"no filter is called {brief(name)}; there are kind, tier, state, review, origin, project, source, scope, "
        f"tag, age, said, score, used, is, has"
    )


def _one(values: type[_Named], name: str, value: str) -> _Named:
    try:
        return values(value.casefold())
    except ValueError:
        raise BadFilter(f"{name} is one of {', '.join(values)}, not {brief(value)}") from None


def _in_state(found: Filter, value: str) -> Filter:
    state = value.casefold()
    if state in set(Rank):
        return replace(found, ranks=(*found.ranks, Rank(state)))
    if state == "any":
        return replace(found, lives=())
    if state in set(Life):
        return replace(found, lives=(Life(state),))
    raise BadFilter(f"state is one of {', '.join((*Rank, *Life, 'any'))}, not {brief(value)}")


def _of_age(found: Filter, value: str, now: int) -> Filter:
    match = re.fullmatch(r"([<>])(\d{1,9})([hdwmy])", value)
    if match is None:
        raise BadFilter(f"age is written like <90d or >2w (h, d, w, m, y), not {brief(value)}")
    moment = now - int(match[2]) * _UNITS[match[3]]
    if moment < clock.EARLIEST:
        raise BadFilter(f"age reaches back to the year 1 at most, not {value}")
    return _created(found, moment, None) if match[1] == "<" else _created(found, None, moment)


def _said(found: Filter, value: str) -> Filter:
    try:
        if re.fullmatch(r"\d{4}(-\d\d){0,2}", value, re.ASCII) is None:
            raise ValueError
        parts = [int(part) for part in value.split("-")]
        first = date(*[*parts, 1, 1][:3])
        month = 12 if len(parts) == 1 else first.month
        last = first if len(parts) == 3 else date(first.year, month, monthrange(first.year, month)[1])
    except ValueError:
        raise BadFilter(
            f"said is a year, a month or a day (UTC) like 2026, 2026-03 or 2026-03-31, not {brief(value)}"
        ) from None
    return _created(found, _midnight(first.toordinal()), _midnight(last.toordinal() + 1))


def _midnight(ordinal: int) -> int:
    return (ordinal - date(1970, 1, 1).toordinal()) * clock.DAY


def _created(found: Filter, after: int | None, before: int | None) -> Filter:
    return replace(
        found,
        created_after=_larger(found.created_after, after),
        created_before=_smaller(found.created_before, before),
    )


def _scored(found: Filter, value: str) -> Filter:
    match = re.fullmatch(r"(>=|[<>])(\d*\.?\d+)", value)
    if match is None:
        raise BadFilter(f"score is written like >0.5, >=0.5 or <0.3, not {brief(value)}")
    bound = float(match[2])
    if bound > 1:
        raise BadFilter(f"score is from 0 to 1, not {brief(match[2])}")
    if match[1] == ">=":
        return replace(found, score_least=_larger(found.score_least, bound))
    if match[1] == ">":
        return replace(found, score_above=_larger(found.score_above, bound))
    return replace(found, score_below=_smaller(found.score_below, bound))


def _used(found: Filter, value: str) -> Filter:
    match = re.fullmatch(r"([<>]?)(\d{1,9})", value)
    if match is None or match.groups() == ("<", "0"):
        raise BadFilter(f"used is how often it was recalled, written like 0, >3 or <2, not {brief(value)}")
    times = int(match[2])
    least = {"": times, ">": times + 1}.get(match[1])
    most = {"": times, "<": times - 1}.get(match[1])
    return replace(found, used_least=_larger(found.used_least, least), used_most=_smaller(found.used_most, most))


def _larger(one: _Number | None, other: _Number | None) -> _Number | None:
    return other if one is None else one if other is None else max(one, other)


def _smaller(one: _Number | None, other: _Number | None) -> _Number | None:
    return other if one is None else one if other is None else min(one, other)


def _being(found: Filter, term: str, now: int) -> Filter:
    if term in ("is:forgotten", "is:superseded", "is:expired", "is:purged", "is:live"):
        return replace(found, lives=(Life(term[3:]),))
    if term in ("is:validated", "is:open"):
        return replace(found, reviews=(Review(term[3:]),))
    if term == "is:rejected":
        return replace(found, reviews=(Review.REJECTED,), lives=())
    if term == "is:pinned":
        return replace(found, pinned=True)
    if term in ("is:flagged", "is:quarantined"):
        return replace(found, flagged=True)
    if term == "is:inbox":
        return replace(found, reviews=(Review.OPEN,), origins=found.origins or _MADE, due_by=now)
    if term == "is:later":
        return replace(found, reviews=(Review.OPEN,), deferred_at=now)
    if term == "has:conflict":
        return replace(found, conflict=True)
    raise BadFilter(
        f"{brief(term)} means nothing; is: takes validated, open, rejected, pinned, flagged (or quarantined), inbox, "
        f"later, forgotten, superseded, expired; has: takes conflict"
    )


def memory_id(value: str) -> int:
    """The id that the term `memory:` names. Raises BadFilter."""
    if not (value.isascii() and value.isdecimal() and len(value) < 20 and int(value) < 2**63):
        raise BadFilter(f"memory is the id of one, like memory:7, not {brief(value)}")
    return int(value)


def brief(value: str) -> str:
    """A term as an error names it, however long it is."""
    return value if len(value) <= 40 else value[:40] + "…"
