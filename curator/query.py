"""The filter language: `kind:preference tier:core age:<90d score:>0.5 tag:work is:pinned words to find`."""

import re
from dataclasses import replace
from typing import TypeVar

from store import Filter, clock
from store.model import Kind, Life, Origin, Rank, Review, Tier

_UNITS = {"h": clock.DAY // 24, "d": clock.DAY, "w": 7 * clock.DAY, "m": 30 * clock.DAY, "y": 365 * clock.DAY}
_Named = TypeVar("_Named", Kind, Tier, Origin, Review)
_LONGEST = 1_000  # characters of a pattern; SQLite takes 50,000 bytes
_MADE = (Origin.RULES, Origin.MODEL, Origin.IMPORT)


class BadFilter(ValueError):
    """A filter that means nothing; the text says what could be meant."""


def parse_filter(words: str, base: Filter | None = None, now: int | None = None) -> Filter:
    """What a line of filter words means, on top of `base`. `now` is the time ages count from.

    Words without a colon must occur in the text; quotes hold a value with spaces together. Raises BadFilter.
    """
    found = base or Filter()
    free: list[str] = []
    for name, quoted, bare in re.findall(r'(?:(\w+):)?(?:"([^"]*)"|(\S+))', words):
        value = quoted or bare
        if not name:
            free.append(value)
        else:
            found = _narrow(found, name.casefold(), value, clock.now() if now is None else now)
    if not free:
        return found
    text = " ".join(free)
    if len(text) > _LONGEST:
        raise BadFilter(f"words to find in a text are at most {_LONGEST:,} characters, these are {len(text):,}")
    return replace(found, text=text)


def _narrow(found: Filter, name: str, value: str, now: int) -> Filter:
    if name == "kind":
        return replace(found, kinds=(*found.kinds, _one(Kind, name, value)))
    if name == "tier":
        return replace(found, tiers=(*found.tiers, _one(Tier, name, value)))
    if name == "origin":
        return replace(found, origins=(*found.origins, _one(Origin, name, value)))
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
    if name == "score":
        return _scored(found, value)
    if name in ("is", "has"):
        return _being(found, f"{name}:{value}")
    raise BadFilter(
        f"no filter is called {_brief(name)}; there are kind, tier, state, review, origin, project, source, scope, "
        f"tag, age, score, is, has"
    )


def _one(values: type[_Named], name: str, value: str) -> _Named:
    try:
        return values(value.casefold())
    except ValueError:
        raise BadFilter(f"{name} is one of {', '.join(values)}, not {_brief(value)}") from None


def _in_state(found: Filter, value: str) -> Filter:
    state = value.casefold()
    if state in set(Rank):
        return replace(found, ranks=(*found.ranks, Rank(state)))
    if state == "any":
        return replace(found, lives=())
    if state in set(Life):
        return replace(found, lives=(Life(state),))
    raise BadFilter(f"state is one of {', '.join((*Rank, *Life, 'any'))}, not {_brief(value)}")


def _of_age(found: Filter, value: str, now: int) -> Filter:
    match = re.fullmatch(r"([<>])(\d{1,9})([hdwmy])", value)
    if match is None:
        raise BadFilter(f"age is written like <90d or >2w (h, d, w, m, y), not {_brief(value)}")
    moment = now - int(match[2]) * _UNITS[match[3]]
    if moment < clock.EARLIEST:
        raise BadFilter(f"age reaches back to the year 1 at most, not {value}")
    return replace(found, created_after=moment) if match[1] == "<" else replace(found, created_before=moment)


def _scored(found: Filter, value: str) -> Filter:
    match = re.fullmatch(r"([<>])(\d*\.?\d+)", value)
    if match is None:
        raise BadFilter(f"score is written like >0.5 or <0.3, not {_brief(value)}")
    bound = float(match[2])
    if bound > 1:
        raise BadFilter(f"score is from 0 to 1, not {_brief(match[2])}")
    return replace(found, score_above=bound) if match[1] == ">" else replace(found, score_below=bound)


def _being(found: Filter, term: str) -> Filter:
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
        return replace(found, reviews=(Review.OPEN,), origins=_MADE)
    if term == "has:conflict":
        return replace(found, conflict=True)
    raise BadFilter(
        f"{_brief(term)} means nothing; there are is:validated, is:open, is:rejected, is:pinned, is:flagged, is:inbox, "
        f"is:forgotten, is:superseded, is:expired, has:conflict"
    )


def _brief(value: str) -> str:
    return value if len(value) <= 40 else value[:40] + "…"
