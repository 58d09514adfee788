"""Comparison of the amounts and times in two texts: amounts of different kinds do not replace each other."""

import re

from curator.compare.clauses import clauses
from curator.compare.traits import content, traits
from curator.text import fold, plain_words

MOST = 500
"""Maximum characters of a text that are searched for amounts."""
_N = r"(?<![\w.,])\d+(?:[.,]\d+)*"
_KINDS = {
    "money": re.compile(
        rf"[$€£]\s?\d[\d.,]*|{_N} ?(?:euros?|dollars?|pounds?|quid|bucks|grand|eur|usd|gbp)\b"
        rf"|\b(?:charge[sd]?|costs?|pays?|paid|price[sd]?|rent|fees?|earns?|worth)\b(?: (?!and\b|for\b)[a-z]+){{0,2}}"
        rf" {_N}"
        r"(?! ?(?:%|percent|years?|months?|weeks?|days?|hours?|min))"
    ),
    "length of time": re.compile(
        rf"{_N} ?-?(?:h|hrs?|hours?|mins?|minutes?|secs?|seconds?|ms|days?|weeks?|months?|years?)\b"
    ),
    "time of day": re.compile(
        r"\b(?:half|quarter (?:past|to)) \d{1,2}\b|\b(?:[01]?\d|2[0-3]):[0-5]\d(?: ?[ap]m)?\b(?!:)"
        r"|\b(?:at|by|from|until) \d{1,2}\.\d{2}\b|\b\d{1,2} ?(?:[ap]m|o'?clock)\b"
        r"|\b(?:at|around|by|until|till) (?:[1-9]|1\d|2[0-4])\b(?![.,:]?\d)(?! ?(?:%|[a-z]*s\b|percent|k\b|kg|g\b|m\b))"
    ),
    "weight": re.compile(rf"{_N} ?(?:kg|kilos?|stone|lbs?|grams?|g|mg)\b"),
    "distance": re.compile(
        rf"{_N} ?(?:km|kilomet(?:re|er)s?|miles?|met(?:re|er)s?|cm|mm|feet|ft|inch(?:es)?|square [a-z]+)\b"
    ),
    "frequency": re.compile(
        rf"\b(?:once|twice|(?:{_N}|two|three|four|five|six|seven) times) (?:a|per|every|each) [a-z]+"
    ),
    "count": re.compile(rf"{_N} (?!the\b|is\b|as\b|was\b)[a-z]+s\b"),
}
_MOVED = re.compile(r"\b(?:moved|changed|switched|postponed|later|earlier|brought|pushed)\b")
_YEAR = re.compile(r"(?:19|20)\d\d")
_DIGITS = re.compile(_N)
_NOT = re.compile(rf"\bnot (?:the )?(?P<number>{_N})")


def unlike_amounts(a: str, b: str) -> bool:
    """Return True if all amounts of two texts are of different kinds, or are times of day of different things.

    Numbers without a unit may be of any kind. Plans and abandoned things never count, since they concern more than an
    amount.
    """
    (ours, bare, rest), (theirs, others, other_rest) = _amounts(a), _amounts(b)
    if traits(a).pending or any(one.ended for one in clauses(b)):
        return False
    replaced = _NOT.search(fold(b)[:MOST])
    if replaced is not None and theirs and ours.isdisjoint(theirs):  # "two hours, not 90 minutes"
        return replaced["number"] not in bare
    if "time of day" in ours & theirs:
        return (
            not bare
            and _MOVED.search(fold(b)[:MOST]) is None
            and content(_plain(rest)).keys().isdisjoint(content(_plain(other_rest)))
        )
    return bool(ours and theirs and ours.isdisjoint(theirs) and not bare and not others)


def _amounts(text: str) -> tuple[frozenset[str], frozenset[str], str]:
    """Return the kinds of the amounts of a text, its numbers of unknown kind, and the text without amounts."""
    rest, kinds = fold(text)[:MOST], set[str]()
    for kind, pattern in _KINDS.items():
        rest, found = pattern.subn(" ", rest)
        if found:
            kinds.add(kind)
    return frozenset(kinds), frozenset(_DIGITS.findall(rest)), rest


def only_numbers_shared(a: str, b: str) -> bool:
    """Return True if two texts share a number but no other content word."""
    shared = content(_plain(a)).keys() & content(_plain(b)).keys()
    return bool(shared) and all(one.isdigit() and not _YEAR.fullmatch(one) for one in shared)


def _plain(text: str) -> str:
    return " ".join(plain_words(text))
