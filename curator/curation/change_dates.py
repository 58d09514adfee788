"""Draft dated rewordings so that both memories of a conflict are true."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from curator import safety
from curator.curation.pairs import Pair
from curator.curation.unique_statements import beyond, denies, lost_with, pieces
from store import clock

if TYPE_CHECKING:
    from curator.text.date_resolution import ResolvedDate

_ROUGHLY = r"(?:the |early |mid |late |about |around |end of )*"
_STARTS = re.compile(
    r"\b(?:since|as of|from|starting|effective|(?:start|starts|started|begin|begins|began) (?:on|in|at)?) ?"
    rf"{_ROUGHLY}$",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\s*(?:to|until|till|[-–])", re.IGNORECASE)
_ENDS = re.compile(rf"\b(?:until|till|up to) ?{_ROUGHLY}$", re.IGNORECASE)
_TO = re.compile(rf" to {_ROUGHLY}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ChangeDate:
    """The date of a change in words, and whether the texts of A and B name it themselves."""

    words: str
    in_a: bool = False
    in_b: bool = False


def dated(pair: Pair) -> tuple[str, str]:
    """Return both texts with the period in which each was true: a draft for the person to correct.

    The date of the change is the one that the texts name, else the day on which B was said. A text that names the date
    is unchanged, and so is one whose changed clause is uncertain; both are unchanged if no date is known.
    """
    change = change_of(pair)
    if change is None:
        return pair.a.text, pair.b.text
    a, b = pair.a.text, pair.b.text
    until = None if change.in_a else _with(a, f"until {change.words}", lost_with(b, a))
    if until is not None and safety.states(a) and not denies(b, a):
        until = None  # nothing but a denial ends an allergy
    since = None if change.in_b else _with(b, f"since {change.words}", beyond(a, b))
    return until or a, since or b


def undatable(pair: Pair) -> str:
    """Return the reason why `dated` leaves the text of A, or both texts, unchanged; empty if it does not."""
    change, drafted = change_of(pair), dated(pair)
    if change is not None and not change.in_a and drafted[0] == pair.a.text:
        return "only part of A changed"
    return "no date found" if drafted == (pair.a.text, pair.b.text) else ""


def change_of(pair: Pair) -> ChangeDate | None:
    """Return the date of the change, or None; it is neither before A was said nor after the start that B names."""
    from curator.text.named_dates import in_words

    a_said, b_said = pair.a.created_at, pair.b.created_at
    begun, ended = begins(pair.b.text, b_said), ends(pair.a.text, a_said)
    if begun is not None and (a_said is None or begun.last >= clock.day_of(a_said)):
        return ChangeDate(in_words(begun), in_b=True, in_a=ended is not None)
    if ended is not None:
        return ChangeDate(in_words(ended), in_a=True, in_b=begun is not None)
    if a_said is None or b_said is None:
        return None  # it is not known which is newer
    return ChangeDate(clock.to_iso(b_said)[:10], in_b=begun is not None)


def begins(text: str, said_at: int | None) -> "ResolvedDate | None":
    """Return the date from which a text is true by its own words: a start, or the day of a change it mentions."""
    from curator.compare.data import marks
    from curator.text import plain_words
    from curator.text.dates import without_dates
    from curator.text.named_dates import named_dates
    from curator.text.tense import clause_around

    plain = without_dates(text)
    found = named_dates(plain, said_at)
    for one in found:
        started = _STARTS.search(plain[: one.start]) or _STARTS.match(plain[one.start : one.end].split(" ")[0])
        if started and not _RANGE.match(plain, one.end):
            return _exact(one, found)
    for one in found:
        first, last = clause_around(plain, one.start)
        over = said_at is None or one.first <= clock.day_of(said_at)
        if over and marks().turned.search(" ".join(plain_words(plain[first:last]))):
            return _exact(one, found)
    return None


def ends(text: str, said_at: int | None) -> "ResolvedDate | None":
    """Return the date until which a text is true by its own words."""
    from curator.text.dates import without_dates
    from curator.text.named_dates import named_dates

    plain = without_dates(text)
    found = named_dates(plain, said_at)
    for one in found:
        to = one.start + 3 * plain[one.start : one.end].startswith("to ")
        if any(other.end < to and _TO.fullmatch(plain, other.end, to) for other in found):
            return one  # from one date to another
        if _ENDS.search(plain[: one.start]) or _ENDS.match(plain[one.start : one.end].split(" ")[0]):
            return one
    return None


def _exact(one: "ResolvedDate", found: Sequence["ResolvedDate"]) -> "ResolvedDate":
    """Return the day that follows a date in parentheses: "two weeks ago (17 May)"."""
    return next((other for other in found if 0 < other.start - one.end <= 1), one)


def _with(text: str, remark: str, beside: Sequence[str]) -> str | None:
    """Return a text with a remark after its only clause that is not among `beside`; None if there are several."""
    said = list(pieces(text))
    clashing = [piece for piece in said if not any(one in piece for one in beside)]
    if len(clashing) != 1 or text.count(clashing[0]) != 1:
        return None
    end = text.index(clashing[0]) + len(clashing[0].rstrip("."))
    return f"{text[:end]} ({remark}){text[end:]}"
