"""What keeps two alike texts from being the same: other numbers, dates, names, negation, polarity and the like."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from curator.text import plain_words, stem, wordlists
from curator.text.english import WordLists
from curator.text.normalize import words

_ISO = re.compile(r"(\d{4})-(\d\d?)-(\d\d?)$")
_DAY = re.compile(r"(\d\d?)(?:st|nd|rd|th)?$")
_YEAR = re.compile(r"(?:19|20)\d\d$")
_CURRENCY = {
    "$": "dollar",
    "€": "euro",
    "¥": "yen",
    "£": "gbp",
    "usd": "dollar",
    "eur": "euro",
    "dollars": "dollar",
    "euros": "euro",
}
_CAPITAL = re.compile(r"[^\W_](?:[\w'’.&/+#-]*[\w+#])?")
_OPENS = re.compile(r"(?:^|[.!?:;\n]\s*)[\"'“(*\-]*$")


class Guard(StrEnum):
    """What differs."""

    NUMBER = "number"
    UNIT = "unit"
    DATE = "date"
    NAME = "name"
    NEGATION = "negation"
    POLARITY = "polarity"
    DIRECTION = "direction"
    ORDER = "order"
    PERSON = "person"
    TENSE = "tense"
    MODALITY = "modality"
    QUANTITY = "quantity"
    QUESTION = "question"


@dataclass(frozen=True, slots=True)
class Difference:
    """One guard that fired, with what stands on either side."""

    guard: Guard
    a: str
    b: str

    @property
    def narrower(self) -> bool:
        """Whether both name the same month, and one of them the day as well."""
        if self.guard is not Guard.DATE:
            return False
        month, day = sorted((self.a, self.b), key=lambda side: not side.startswith("month "))
        return month.startswith("month ") and day.partition("-")[0] == month.removeprefix("month ")

    def __str__(self) -> str:
        return f"{self.guard.value}: {self.a or '–'} / {self.b or '–'}"


@dataclass(frozen=True, slots=True)
class _Facts:
    plain: tuple[str, ...]
    numbers: frozenset[str]
    units: frozenset[str]
    dates: frozenset[str]
    names: frozenset[str]


def differences(a: str, b: str) -> tuple[Difference, ...]:
    """Every guard that tells `a` from `b`. Empty when nothing hard differs; that alone does not make them equal."""
    lists = wordlists()
    left, right = _facts(a), _facts(b)
    found = [
        _sets(Guard.NUMBER, left.numbers, right.numbers),
        _sets(Guard.DATE, left.dates, right.dates),
        _sets(Guard.UNIT, left.units, right.units) if left.numbers == right.numbers and left.numbers else None,
        _sets(Guard.NAME, left.names - set(right.plain), right.names - set(left.plain)),
        *_polarity(left, right, lists),
        _sets(Guard.PERSON, _stems(left, lists.people), _stems(right, lists.people)),
        _tense(left, right),
        _sets(Guard.MODALITY, _only(left, lists.modality), _only(right, lists.modality)),
        _sets(Guard.QUANTITY, _only(left, lists.quantity), _only(right, lists.quantity)),
        _sets(Guard.QUESTION, _only(left, frozenset("?")), _only(right, frozenset("?"))),
        _direction(left, right, lists),
        _order(left, right, lists),
    ]
    return tuple(difference for difference in found if difference)


def _sets(guard: Guard, a: frozenset[str] | set[str], b: frozenset[str] | set[str]) -> Difference | None:
    if a == b:
        return None
    return Difference(guard, ", ".join(sorted(a - b)), ", ".join(sorted(b - a)))


def _only(facts: _Facts, listed: frozenset[str]) -> set[str]:
    return {word for word in facts.plain if word in listed}


def _stems(facts: _Facts, listed: frozenset[str]) -> set[str]:
    return {word for word in facts.plain if word in listed or word.removesuffix("s") in listed}


@lru_cache(maxsize=8192)
def _facts(text: str) -> _Facts:
    lists = wordlists()
    plain = plain_words(text)
    dates, rest = _dates(plain, lists)
    numbers: set[str] = set()
    units: set[str] = set()
    counted, before = False, ""
    for word in rest:
        digits = lists.numbers.get(word, word)
        if any(char.isdigit() for char in digits):
            numbers.add(_number(digits))
            if before in _CURRENCY:
                units.add(_CURRENCY[before])
            tail = digits.lstrip("0123456789.,-+")
            if tail in lists.units:
                units.add(tail)
            counted = True
        else:
            if counted and word in lists.units:
                units.add(_CURRENCY.get(word, stem(word)))
            counted = False
        before = word
    return _Facts(tuple(plain), frozenset(numbers), frozenset(units), frozenset(dates), frozenset(_names(text)))


def _number(digits: str) -> str:
    """`3.50` and `3.5` are one number, `5km` and `5` as well (the unit is a guard of its own)."""
    found = re.match(r"[-+]?[\d.,:/-]*\d", digits)
    number = found[0] if found else digits
    if number.count(".") == 1 and number.replace(".", "").lstrip("-").isdigit():
        number = number.rstrip("0").rstrip(".")
    tail = digits[found.end() :] if found else ""
    return number if not tail or tail in wordlists().units else number + tail


def _dates(plain: Sequence[str], lists: WordLists) -> tuple[set[str], list[str]]:
    """Dates in one form (`15 march` as `3-15`), and the words that are not part of any."""
    dates: set[str] = set()
    used: set[int] = set()
    for at, word in enumerate(plain):
        if iso := _ISO.match(word):
            dates |= {f"{int(iso[2])}-{int(iso[3])}", iso[1]}
            used.add(at)
        elif word in lists.months and not (word == "may" and not _day_near(plain, at)):
            near = _day_near(plain, at)
            dates.add(f"{lists.months[word]}-{near[1]}" if near else f"month {lists.months[word]}")
            used |= {at, near[0]} if near else {at}
        elif word in lists.days or word.removesuffix("s") in lists.days:
            dates.add(word.removesuffix("s"))
        elif _YEAR.match(word):
            dates.add(word)
            used.add(at)
    return dates, [word for at, word in enumerate(plain) if at not in used]


def _day_near(plain: Sequence[str], at: int) -> tuple[int, int] | None:
    for near in (at + 1, at - 1, at - 2):
        if 0 <= near < len(plain) and (day := _DAY.match(plain[near])) and 1 <= int(day[1]) <= 31:
            if near == at - 2 and plain[at - 1] != "of":
                continue
            return near, int(day[1])
    return None


def _names(text: str) -> set[str]:
    """Words written as names, in normal form: a capital within a sentence, or capitals inside the word."""
    if text.isupper():
        return set()
    found: set[str] = set()
    for match in _CAPITAL.finditer(text):
        word = match[0]
        inner = any(char.isupper() for char in word[1:])
        if not (inner or (word[0].isupper() and not _OPENS.search(text, max(0, match.start() - 4), match.start()))):
            continue
        if word.split("'")[0].split("’")[0] != "I":
            found.update(words(word.removesuffix("'s").removesuffix("’s")))
    lists = wordlists()
    days = {f"{day}s" for day in lists.days}
    return found - lists.months.keys() - lists.days - days - {"i", "user"}


def _polarity(a: _Facts, b: _Facts, lists: WordLists) -> list[Difference | None]:
    """Negation and antonyms cancel each other out: `don't like` against `dislike` is no difference."""
    left = [word for word in a.plain if word in lists.negations]
    right = [word for word in b.plain if word in lists.negations]
    ours, theirs = set(map(stem, a.plain)), set(map(stem, b.plain))
    gone, come = ours - theirs, theirs - ours
    opposed = [(one, other) for one in gone for other in lists.antonyms.get(one, frozenset()) & come]
    found: list[Difference | None] = []
    odd = (len(left) - len(right)) % 2 == 1
    if odd and not opposed:
        found.append(Difference(Guard.NEGATION, " ".join(left), " ".join(right)))
    if opposed and not odd:
        one, other = min(opposed)
        found.append(Difference(Guard.POLARITY, one, other))
    if opposed and odd and not (set(left) ^ set(right)) & {"not", "no"}:
        one, other = min(opposed)
        found.append(Difference(Guard.POLARITY, one, other))
    return found


def _tense(a: _Facts, b: _Facts) -> Difference | None:
    """The same verb in the past on one side only, or `was` against `is`."""
    left, right = set(a.plain), set(b.plain)
    for now, then in (({"is", "are", "am"}, {"was", "were"}), ({"have", "has"}, {"had"}), ({"do", "does"}, {"did"})):
        if left & now and right & then and not left & then:
            return Difference(Guard.TENSE, min(left & now), min(right & then))
        if right & now and left & then and not right & then:
            return Difference(Guard.TENSE, min(left & then), min(right & now))
    ours, theirs = _by_tense(left - right), _by_tense(right - left)
    for one, other in ((ours[True], theirs[False]), (ours[False], theirs[True])):
        if shared := one.keys() & other.keys():
            verb = min(shared)
            return Difference(Guard.TENSE, one[verb], other[verb])
    return None


def _by_tense(listed: set[str]) -> dict[bool, dict[str, str]]:
    """Words by their stem, those in -ed and the others."""
    found: dict[bool, dict[str, str]] = {True: {}, False: {}}
    for word in sorted(listed):
        found[word.endswith("ed")][stem(word)] = word
    return found


def _direction(a: _Facts, b: _Facts, lists: WordLists) -> Difference | None:
    """The same two words the other way round: `tea over coffee`, `from Vim to Emacs`, `I owe him` and `he owes me`."""
    turned = _compared(a, lists) & {(other, one) for one, other in _compared(b, lists)}
    if not turned:
        ours, theirs = _first_person(a), _first_person(b)
        return Difference(Guard.DIRECTION, ours, theirs) if {ours, theirs} == {"I …", "… me"} else None
    one, other = min(turned)
    return Difference(Guard.DIRECTION, f"{one} … {other}", f"{other} … {one}")


def _first_person(facts: _Facts) -> str:
    """Whether the person is said to do something, or something is done to them."""
    does, done = not {"i", "we"}.isdisjoint(facts.plain), not {"me", "us"}.isdisjoint(facts.plain)
    return "" if does == done else "I …" if does else "… me"


def _compared(facts: _Facts, lists: WordLists) -> set[tuple[str, str]]:
    """What stands before and after each word like `over` or `to`."""
    counted = [word for word in facts.plain if word in lists.comparing or word not in lists.empty]
    places = [at for at, word in enumerate(counted) if word in lists.comparing and 0 < at < len(counted) - 1]
    return {(counted[at - 1], counted[at + 1]) for at in places}


def _order(a: _Facts, b: _Facts, lists: WordLists) -> Difference | None:
    """Shared words in another order, or with `from` for `to`: perhaps only reworded, perhaps who does what to whom."""
    place = {word: at for at, word in enumerate(b.plain)}
    shared = [word for word in dict.fromkeys(a.plain) if word in place and word not in lists.empty]
    for one, other in pairwise(shared):
        if place[one] > place[other]:
            return Difference(Guard.ORDER, f"{one} … {other}", f"{other} … {one}")
    left, right = _ways(a, lists), _ways(b, lists)
    for way, back in (("from", "to"), ("to", "from")):
        if where := {word for word, ways in left.items() if ways == {way} and right.get(word) == {back}}:
            return Difference(Guard.ORDER, f"{way} {min(where)}", f"{back} {min(where)}")
    return None


def _ways(facts: _Facts, lists: WordLists) -> dict[str, set[str]]:
    """What is gone to, and come from: each word that stands behind `to` or `from`."""
    found: dict[str, set[str]] = {}
    for at, word in enumerate(facts.plain):
        if word in ("to", "from"):
            where = next((one for one in facts.plain[at + 1 : at + 4] if one not in lists.empty), None)
            if where:
                found.setdefault(where, set()).add(word)
    return found
