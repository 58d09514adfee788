"""Differences that keep similar texts from being equal: numbers, dates, names, negation, polarity and more."""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from curator.text import joined_thousands, plain_words, stem, wordlists, words
from curator.text.dates import comparable

_ISO = re.compile(r"(\d{4})-(\d\d?)-(\d\d?)$")
_DAY = re.compile(r"(\d\d?)(?:st|nd|rd|th)?$")
_NUMBER = re.compile(r"[-+]?[\d.,:/-]*\d")
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
_PRESENT_PAST = (
    ({"is", "are", "am"}, {"was", "were"}),
    ({"have", "has"}, {"had"}),
    ({"do", "does"}, {"did"}),
)
_CAPITAL = re.compile(r"[^\W_](?:[\w'’.&/+#-]*[\w+#])?")
_BEATS = frozenset({"beat", "beats"})
_DEGREE = frozenset("more better rather much way far".split())
_OPENS = re.compile(r"(?:^|[.!?:;\n]\s*)[\"'“(*\-]*$")


class Guard(StrEnum):
    """A kind of difference."""

    NUMBER = "number"
    DATE = "date"
    UNIT = "unit"
    NAME = "name"
    NEGATION = "negation"
    POLARITY = "polarity"
    PERSON = "person"
    TENSE = "tense"
    MODALITY = "modality"
    QUANTITY = "quantity"
    QUESTION = "question"
    DIRECTION = "direction"
    ORDER = "order"


_PLACES = {guard: at for at, guard in enumerate(Guard)}


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference by its kind, with the differing words of each side."""

    guard: Guard
    a: str
    b: str

    @property
    def narrower(self) -> bool:
        """True if both name the same month and only one of them the day."""
        if self.guard is not Guard.DATE:
            return False
        month, day = sorted((self.a, self.b), key=lambda side: not side.startswith("month "))
        return month.startswith("month ") and day.partition("-")[0] == month.removeprefix("month ")

    def __str__(self) -> str:
        return f"{self.guard.value}: {self.a or '–'} / {self.b or '–'}"


def count_denials(words: Sequence[str]) -> int:
    """Return the number of denials; "no lifts, no heights" lists one."""
    return len(words) - max(words.count("no") - 1, 0)


@dataclass(frozen=True, slots=True)
class _Facts:
    """The words of a text, and its numbers, units, dates and names in normal form."""

    plain: tuple[str, ...]
    undated: frozenset[str]  # words that are no part of a date
    numbers: frozenset[str]
    units: frozenset[str]
    dates: frozenset[str]
    names: frozenset[str]

    def only(self, listed: frozenset[str]) -> frozenset[str]:
        """Return the words in `listed` that are not part of a date ("may" in "May 2024" is)."""
        return listed & self.undated

    @property
    def people(self) -> set[str]:
        people = wordlists().people
        return {word for word in self.plain if word in people or word.removesuffix("s") in people}

    @property
    def part(self) -> str:
        """The role of the person: subject ("I …") or object ("… me"); empty if both or neither."""
        does, done = not {"i", "we"}.isdisjoint(self.plain), not {"me", "us"}.isdisjoint(self.plain)
        return "" if does == done else "I …" if does else "… me"

    @property
    def compared(self) -> set[tuple[str, str]]:
        """The two words before and after a comparing word such as `over` or `to`, if they are on one side only."""
        comparing, empty = wordlists().comparing | _BEATS, wordlists().empty
        counted = [word for word in self.plain if word not in _DEGREE and (word in comparing or word not in empty)]
        found = [
            (counted[max(at - 2, 0) : at], counted[at + 1 : at + 3])
            for at, word in enumerate(counted)
            if word in comparing
        ]
        return {
            (one, other)
            for before, after in found
            for one in before
            for other in after
            if one not in after and other not in before
        }

    @property
    def prepositions(self) -> dict[str, set[str]]:
        """The words that follow `to` or `from`, each with the prepositions used."""
        found: dict[str, set[str]] = {}
        for at, word in enumerate(self.plain):
            if word in ("to", "from"):
                place = next((one for one in self.plain[at + 1 : at + 4] if one not in wordlists().empty), None)
                if place:
                    found.setdefault(place, set()).add(word)
        return found

    def polarity(self, against: "_Facts") -> Iterator[Difference]:
        """Yield differences of negation and antonyms, which cancel out: `don't like` and `dislike` do not differ."""
        lists = wordlists()
        left, right = ([word for word in facts.plain if word in lists.negations] for facts in (self, against))
        ours, theirs = set(map(stem, self.plain)), set(map(stem, against.plain))
        opposed = [
            (one, other) for one in ours - theirs for other in lists.antonyms.get(one, frozenset()) & theirs - ours
        ]
        odd = (count_denials(left) - count_denials(right)) % 2 == 1
        if odd and not opposed:
            yield Difference(Guard.NEGATION, " ".join(left), " ".join(right))
        if opposed and not (odd and (set(left) ^ set(right)) & {"not", "no"}):
            each = zip((self, against), min(opposed), strict=True)
            words = [next(word for word in facts.plain if stem(word) == root) for facts, root in each]
            yield Difference(Guard.POLARITY, *words)

    def tense(self, against: "_Facts") -> Iterator[Difference]:
        """Yield verbs that are in the past on one side only, or `was` against `is`."""
        left, right = set(self.plain), set(against.plain)
        for now, then in _PRESENT_PAST:
            if left & now and right & then and not left & then:
                yield Difference(Guard.TENSE, min(left & now), min(right & then))
                return
            if right & now and left & then and not right & then:
                yield Difference(Guard.TENSE, min(left & then), min(right & now))
                return
        ours, theirs = left - right, right - left
        for past in (True, False):
            one = {stem(word): word for word in sorted(ours) if word.endswith("ed") is past}
            other = {stem(word): word for word in sorted(theirs) if word.endswith("ed") is not past}
            if shared := one.keys() & other.keys():
                yield Difference(Guard.TENSE, one[min(shared)], other[min(shared)])
                return

    def direction(self, against: "_Facts") -> Iterator[Difference]:
        """Yield the same words in reverse: `tea over coffee` and `coffee over tea`, `I owe him` and `he owes me`."""
        turned = self.compared & {(other, one) for one, other in against.compared}
        if turned:
            one, other = min(turned)
            yield Difference(Guard.DIRECTION, f"{one} … {other}", f"{other} … {one}")
        elif {self.part, against.part} == {"I …", "… me"}:
            yield Difference(Guard.DIRECTION, self.part, against.part)

    def order(self, against: "_Facts") -> Iterator[Difference]:
        """Yield shared words in another order, or with `from` instead of `to`: a rewording, or swapped roles."""
        left, right = self.prepositions, against.prepositions
        for way, back in (("from", "to"), ("to", "from")):
            if where := {word for word, ways in left.items() if ways == {way} and right.get(word) == {back}}:
                yield Difference(Guard.ORDER, f"{way} {min(where)}", f"{back} {min(where)}")
                return
        place = {word: at for at, word in enumerate(against.plain)}
        shared = [word for word in dict.fromkeys(self.plain) if word in place and word not in wordlists().empty]
        for one, other in pairwise(shared):
            if place[one] > place[other]:
                yield Difference(Guard.ORDER, f"{one} … {other}", f"{other} … {one}")
                return


def differences(a: str, b: str) -> tuple[Difference, ...]:
    """Return every difference between `a` and `b`. An empty result alone does not make the texts equal.

    Resolved dates in one of them only are not a difference: the other was said at an unknown time.
    """
    lists = wordlists()
    a, b = map(joined_thousands, comparable(a, b))
    left, right = _facts(a), _facts(b)
    same_numbers = left.numbers == right.numbers and left.numbers
    sets: list[tuple[Guard, Set[str], Set[str]]] = [
        (Guard.NUMBER, left.numbers, right.numbers),
        (Guard.DATE, left.dates, right.dates),
        (Guard.UNIT, left.units if same_numbers else frozenset(), right.units if same_numbers else frozenset()),
        (Guard.NAME, left.names - set(right.plain), right.names - set(left.plain)),
        (Guard.PERSON, left.people, right.people),
        (Guard.MODALITY, left.only(lists.modality), right.only(lists.modality)),
        (Guard.QUANTITY, left.only(lists.quantity), right.only(lists.quantity)),
        (Guard.QUESTION, left.only(frozenset("?")), right.only(frozenset("?"))),
    ]
    found = [
        Difference(guard, ", ".join(sorted(ours - theirs)), ", ".join(sorted(theirs - ours)))
        for guard, ours, theirs in sets
        if ours != theirs
    ]
    found += [*left.polarity(right), *left.tense(right), *left.direction(right), *left.order(right)]
    return tuple(sorted(found, key=lambda one: _PLACES[one.guard]))


@lru_cache(maxsize=8192)
def _facts(text: str) -> _Facts:
    lists = wordlists()
    plain = plain_words(text)
    dates, rest = _dates(plain)
    numbers: set[str] = set()
    units: set[str] = set()
    counted, before = False, ""
    for word in two_word_numbers(rest):
        digits = lists.numbers.get(word, word)
        if any(char.isdigit() for char in digits):
            # `3.50` equals `3.5`, and `5km` has the number `5`: the unit has its own guard
            found = _NUMBER.match(digits)
            number, rest_of = (found[0], digits[found.end() :]) if found else (digits, "")
            number = plain_number(number)
            numbers.add(number if not rest_of or rest_of in lists.units else number + rest_of)
            tail = digits.lstrip("0123456789.,-+")
            units |= {_CURRENCY.get(before, ""), tail if tail in lists.units else ""} - {""}
            counted = True
        else:
            if counted and word in lists.units:
                units.add(_CURRENCY.get(word, stem(word)))
            counted = False
        before = word
    undated, names = frozenset(rest), frozenset(_names(text))
    return _Facts(plain, undated, frozenset(numbers), frozenset(units), frozenset(dates), names)


def two_word_numbers(words: Sequence[str]) -> Iterator[str]:
    """Yield the words, with two-word numbers as digits: `thirty two` is 32."""
    numbers, skip = wordlists().numbers, False
    for one, other in pairwise((*words, "")):
        tens, units = numbers.get(one, ""), numbers.get(other, "")
        if skip:
            skip = False
        elif len(tens) == 2 and tens[1] == "0" and tens != "10" and len(units) == 1 and units != "0":
            yield f"{tens[0]}{units}"
            skip = True
        else:
            yield one


def plain_number(number: str) -> str:
    """Return a number or version without trailing zeros: `3.50` is 3.5, and `v5.3.0` is 5.3."""
    number = number.removeprefix("v")
    while number.endswith(".0") and number.replace(".", "").lstrip("-").isdigit():
        number = number.removesuffix(".0")
    if number.count(".") == 1 and number.replace(".", "").lstrip("-").isdigit():
        number = number.rstrip("0").rstrip(".")
    return number


def _dates(plain: Sequence[str]) -> tuple[set[str], list[str]]:
    """Return dates in one form (`15 march` as `3-15`), and the words that are not part of a date."""
    lists = wordlists()
    dates: set[str] = set()
    used: set[int] = set()
    for at, word in enumerate(plain):
        if iso := _ISO.match(word):
            dates |= {f"{int(iso[2])}-{int(iso[3])}", iso[1]}
            used.add(at)
        elif word in lists.months:
            # an adjacent day: `march 15`, `15 march`, `15 of march`
            beside = (at + 1, at - 1, *([at - 2] if plain[at - 1 : at] == ("of",) else []))
            days = {near: _DAY.match(plain[near]) for near in beside if 0 <= near < len(plain)}
            day, near = next(((int(of[1]), near) for near, of in days.items() if of and 1 <= int(of[1]) <= 31), (0, at))
            if day or word != "may" or (plain[at + 1 : at + 2] and _YEAR.match(plain[at + 1])):
                dates.add(f"{lists.months[word]}-{day}" if day else f"month {lists.months[word]}")
                used |= {at, near}
        elif word in lists.days or word.removesuffix("s") in lists.days:
            dates.add(word.removesuffix("s"))
        elif _YEAR.match(word):
            dates.add(word)
            used.add(at)
    return dates, [word for at, word in enumerate(plain) if at not in used]


def _names(text: str) -> set[str]:
    """Return proper names in normal form: a capital within a sentence, or capitals inside the word."""
    if text.isupper():
        return set()
    found: set[str] = set()
    for match in _CAPITAL.finditer(text):
        word = match[0]
        begins = word[0].isupper() and not _OPENS.search(text, max(0, match.start() - 4), match.start())
        if (begins or any(map(str.isupper, word[1:]))) and word.split("'")[0].split("’")[0] != "I":
            found.update(words(word.removesuffix("'s").removesuffix("’s")))
    lists = wordlists()
    return found - lists.months.keys() - lists.days - {f"{day}s" for day in lists.days} - {"i", "user"}
