"""Filter languages of memories, conflicts and history: `kind:preference said:2026-03 score:>=0.5 is:pinned words`."""

import re
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from curator.curation.pairs import ConflictFilter
from curator.display import truncate
from curator.history_text import shown_verb
from store import Filter, LogFilter, Store, clock
from store.filter import close_quote, parse_terms, split_terms
from store.model import Actor, Given, Kind, Life, Origin, Rank, Relation, Review, Tier
from store.record.command_log import LONGEST

if TYPE_CHECKING:
    from curator.topics import Topics

_UNITS = {"h": clock.DAY // 24, "d": clock.DAY, "w": 7 * clock.DAY, "m": 30 * clock.DAY, "y": 365 * clock.DAY}
_LONGEST = 1_000  # characters of a pattern; SQLite accepts 50,000 bytes
_LONGEST_HINT = 30  # characters of a term that is repeated in an error
_MADE = tuple(origin for origin in Origin if origin is not Origin.PERSON)
_ENUMS: dict[str, tuple[str, type[StrEnum]]] = {
    "kind": ("kinds", Kind),
    "tier": ("tiers", Tier),
    "origin": ("origins", Origin),
    "review": ("reviews", Review),
    "given": ("given", Given),
}
_TEXTS = {"project": "projects", "source": "sources", "scope": "scopes", "tag": "tags", "topic": "topics"}
_STATES: dict[str, dict[str, object]] = {
    "is:validated": {"reviews": (Review.VALIDATED,)},
    "is:open": {"reviews": (Review.OPEN,)},
    "is:rejected": {"reviews": (Review.REJECTED,), "lives": ()},
    "is:pinned": {"pinned": True},
    "is:flagged": {"flagged": True},
    "is:quarantined": {"quarantine": True},
    "has:conflict": {"conflict": True},
    **{f"is:{life}": {"lives": (life,)} for life in Life if life is not Life.EXPIRED},
}
"""Fields of `Filter` set by terms with a fixed value."""
_LOWER_BOUNDS = ("created_after", "score_least", "score_above", "used_least")


class BadFilter(ValueError):
    """A filter with an unknown term or value; the message lists the valid ones."""


def parse_filter(words: str, base: Filter | None = None, now: int | None = None) -> Filter:
    """Parse a filter, on top of `base`. Ages are relative to `now`.

    Words without a colon must all occur in the text, in any order; quotes keep a value with spaces together. Several
    bounds of one kind (age and said are one) all apply. Topics are only named: `with_topics` finds their memories.
    Raises BadFilter.
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
    if (length := len(" ".join(free))) > _LONGEST:
        raise BadFilter(f"search words may have at most {_LONGEST:,} characters, not {length:,}")
    return replace(found, words=tuple(filter(None, free)))


def with_topics(store: Store, memory_filter: Filter) -> Filter:
    """Return a filter with the memories of its topics; several topics match any of them. Raises BadFilter.

    Takes a second for 10,000 memories, when asked first, and nothing for a filter without topics.
    """
    if not memory_filter.topics:
        return memory_filter
    from curator.topics import topics_of

    return among_topics(topics_of(store), memory_filter)


def among_topics(there: "Topics", memory_filter: Filter) -> Filter:
    """Return a filter with the memories of its topics, which are `there`. Raises BadFilter."""
    if not memory_filter.topics:
        return memory_filter
    ids = set[int]()
    for name in memory_filter.topics:
        found = there.called(name)
        if not found:
            quoted = "" if name.isalnum() else "; a name of several words needs quotes"
            raise BadFilter(f"no topic is named {truncate(name)}; `curator topics` lists them{quoted}")
        ids.update(memory for topic in found for memory in topic.memories)
    among = ids if memory_filter.among is None else ids.intersection(memory_filter.among)
    return replace(memory_filter, topics=(), among=tuple(sorted(among)))


def with_term(text: str, term: str) -> str:
    """Return a filter text with one or more terms added, unless an equivalent one is present."""
    there = split_terms(text)
    new = [part for part in split_terms(term) if not any(_same(part, other) for other in there)]
    return " ".join((*map(close_quote, there), *new)) if new else text


def without_term(text: str, term: str) -> str:
    """Return a filter text without one or more terms and their equivalents."""
    dropped = split_terms(term)
    return " ".join(part for part in split_terms(text) if not any(_same(part, other) for other in dropped))


def _same(first: str, other: str) -> bool:
    """Return True if two terms are equivalent, as `tag:work` and `tag:#Work` are."""
    if first == other:
        return True
    now = clock.now()
    try:
        return parse_filter(first, now=now) == parse_filter(other, now=now)
    except BadFilter:
        return False


def _narrow(found: Filter, name: str, value: str, now: int) -> Filter:
    """Return the filter narrowed by one term. Raises BadFilter."""
    folded = value.casefold()
    if name in _ENUMS:
        field, values = _ENUMS[name]
        if folded not in set(values):
            raise BadFilter(f"{name} is one of {', '.join(values)}, not {truncate(value)}")
        inbox = field == "origins" and found.origins == _MADE  # narrowed, not added to
        return _with(found, field, values(folded), anew=inbox)
    if name in _TEXTS:
        return _with(found, _TEXTS[name], folded.lstrip("#") if name == "tag" else value)
    match name:
        case "is" if folded == "inbox":
            return replace(found, reviews=(Review.OPEN,), origins=found.origins or _MADE, due_by=now)
        case "is" if folded in ("snoozed", "later"):
            return replace(found, reviews=(Review.OPEN,), deferred_at=now)
        case "is" if folded == "expired":
            return replace(found, lives=(), ended_at=now)
        case "is" | "has":
            if f"{name}:{folded}" not in _STATES:
                raise BadFilter(
                    f"{truncate(f'{name}:{value}')} is not a filter; is: takes validated, open, rejected, pinned, "
                    f"quarantined (or flagged), inbox, snoozed, forgotten, superseded, expired; has: takes conflict"
                )
            changes: dict[str, Any] = _STATES[f"{name}:{folded}"]
            return replace(found, **changes)
        case "state":
            if folded in set(Rank):
                return replace(found, ranks=(*found.ranks, Rank(folded)))
            if folded not in (*Life, "any"):
                raise BadFilter(f"state is one of {', '.join((*Rank, *Life, 'any'))}, not {truncate(value)}")
            return replace(found, lives=() if folded == "any" else (Life(folded),))
        case "age":
            match = re.fullmatch(r"([<>])(\d{1,9})([hdwmy])", value)
            if match is None:
                raise BadFilter(f"age is written like <90d or >2w (h, d, w, m, y), not {truncate(value)}")
            moment = now - int(match[2]) * _UNITS[match[3]]
            if moment < clock.EARLIEST:
                raise BadFilter(f"age reaches back to the year 1 at most, not {value}")
            return _bounded(found, **{"created_after" if match[1] == "<" else "created_before": moment})
        case "said":
            return _said(found, value)
        case "score":
            match = re.fullmatch(r"(>=|[<>])(\d*\.?\d+%?)", value, re.ASCII)
            if match is None:
                raise BadFilter(f"score is written like >50%, >=0.5 or <30%, not {truncate(value)}")
            field = {">=": "score_least", ">": "score_above", "<": "score_below"}[match[1]]
            return _bounded(found, **{field: _share(match[2])})
        case "used":
            match = re.fullmatch(r"([<>]?)(\d{1,9})", value)
            if match is None or match.groups() == ("<", "0"):
                raise BadFilter(f"used is how often it was recalled, written like 0, >3 or <2, not {truncate(value)}")
            times = int(match[2])
            bounds = {
                "": {"used_least": times, "used_most": times},
                ">": {"used_least": times + 1},
                "<": {"used_most": times - 1},
            }
            return _bounded(found, **bounds[match[1]])
    term = f'"{name}:{value}"'
    hint = f"; {term} in quotes searches for these words (in a shell '{term}')" if len(term) <= _LONGEST_HINT else ""
    raise BadFilter(
        f"{truncate(name)} is not a filter; filters are kind, tier, state, review, origin, project, source, scope, "
        f"tag, topic, age, said, score, used, is, has{hint}"
    )


def _with(found: Filter, field: str, value: object, anew: bool = False) -> Filter:
    changes: dict[str, Any] = {field: (*(() if anew else getattr(found, field)), value)}
    return replace(found, **changes)


def _share(text: str) -> float:
    """Return `80%` or `0.8` as a number from 0 to 1. Raises BadFilter."""
    share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    if share > 1:
        raise BadFilter(f"score is from 0 to 100%, not {truncate(text)}")
    return share


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
            f"said is a year, a month or a day (UTC) like 2026, 2026-03 or 2026-03-31, not {truncate(value)}"
        ) from None
    begin, end = clock.end_of(first) - clock.DAY, clock.end_of(last)
    return _bounded(found, created_after=begin, created_before=end)


def _bounded(found: Filter, **bounds: float) -> Filter:
    """Return the filter with bounds added; the strictest of each field applies."""
    changes: dict[str, Any] = {}
    for field, bound in bounds.items():
        former = getattr(found, field)
        strictest = max if field in _LOWER_BOUNDS else min
        changes[field] = bound if former is None else strictest(former, bound)
    return replace(found, **changes)


def _memory_id(value: str) -> int:
    """Return the id of a `memory:` term. Raises BadFilter."""
    if not (value.isascii() and value.isdecimal() and len(value) < 20 and int(value) < 2**63):
        raise BadFilter(f"memory takes an id, like memory:7, not {truncate(value)}")
    return int(value)


_CLASSES = (Relation.DUPLICATE, Relation.UPDATE, Relation.CONTRADICTION, Relation.UNSURE)


def parse_conflicts(words: str) -> ConflictFilter:
    """Parse a filter. Words without a colon must occur in either text.

    Several classes or memories match any of them. Raises BadFilter.
    """
    found = ConflictFilter()
    for name, value in parse_terms(words):
        match name.casefold():
            case "":
                found = replace(found, words=(*found.words, value))
            case "class":
                if value.casefold() not in _CLASSES:
                    raise BadFilter(f"class is one of {', '.join(_CLASSES)}, not {truncate(value)}")
                found = replace(found, relations=(*found.relations, Relation(value.casefold())))
            case "score":
                match = re.fullmatch(r"(?:>=)?(\d*\.?\d+%?)", value, re.ASCII)
                if match is None:
                    raise BadFilter(f"score is written like >=80% or >=0.8, not {truncate(value)}")
                found = replace(found, least_score=max(found.least_score, _share(match[1])))
            case "source":
                found = replace(found, source=value)
            case "memory":
                found = replace(found, memories=(*found.memories, _memory_id(value)))
            case "is" if value.casefold() in ("snoozed", "later"):
                found = replace(found, snoozed=True)
            case "is" if value.casefold() in ("resolved", "settled"):
                found = replace(found, resolved=True)
            case _:
                term = truncate(f"{name}:{value}")
                filters = "class, score, source, memory, is:snoozed, is:resolved"
                raise BadFilter(f"{term} is not a filter for conflicts; filters are {filters}")
    return found


_ACTORS = {actor.value: actor for actor in Actor} | {"you": Actor.PERSON, "me": Actor.PERSON, "program": Actor.SERVER}


def parse_history(words: str, verbs: Sequence[str]) -> LogFilter:
    """Parse a filter. `verbs` are the existing verbs (`Store.journal.verbs`).

    A verb alone, `undone` and `standing` are terms; any other word alone must be the command's id, begin its verb, or
    occur in its summary or in a memory that it changed. Raises BadFilter.
    """
    found = LogFilter()
    other = {shown: verb for verb in verbs if (shown := shown_verb(verb)) != verb}
    stored = {verb: verb for verb in verbs} | other
    for name, value in parse_terms(words):
        match name.casefold():
            case "":
                word = value.casefold()
                if word in ("undone", "standing"):
                    if found.undone not in (None, word == "undone"):
                        raise BadFilter("give undone or standing, not both")
                    found = replace(found, undone=word == "undone")
                elif word in stored:
                    found = replace(found, verbs=(*found.verbs, stored[word]))
                elif len(word) > 2 and (
                    begun := {verb for shown, verb in stored.items() if shown != verb and shown.startswith(word)}
                ):
                    found = replace(found, verbs=(*found.verbs, *begun))
                elif len(value) > LONGEST:
                    raise BadFilter(f"a word to find is at most {LONGEST:,} characters, this is {len(value):,}")
                else:
                    found = replace(found, words=(*found.words, value))
            case "verb":
                if value.casefold() not in stored:
                    there = f"there are {', '.join(map(shown_verb, verbs))}" if verbs else "no commands yet"
                    raise BadFilter(f"{truncate(value)} is not a command; {there}")
                found = replace(found, verbs=(*found.verbs, stored[value.casefold()]))
            case "by":
                if value.casefold() not in _ACTORS:
                    raise BadFilter(f"by is one of {', '.join(Actor)}, not {truncate(value)}")
                found = replace(found, actors=(*found.actors, _ACTORS[value.casefold()]))
            case "memory":
                found = replace(found, memories=(*found.memories, _memory_id(value)))
            case _:
                raise BadFilter(
                    f"{truncate(name)} is not a filter for the history; filters are verb, by, memory, undone, standing"
                )
    return found
