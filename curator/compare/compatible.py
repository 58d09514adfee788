"""Pairs of texts that look opposed and are about two matters: a visit and a home, a role and a job, two birthdays."""

import re
from datetime import date

from curator.compare.both_hold import two_conditions
from curator.compare.data import slots
from curator.compare.statement import statements
from curator.text import plain_words, tokens

_VISIT = re.compile(
    r"\b(?:trip|visit(?:ing)?|holidays?|vacation|weekend|flights?|fly(?:ing)?|travel(?:l?ing)?|city ?break)"
    r" (?:away )?(?:to|in) (?!live\b|move\b)"
)
_STAYS = re.compile(
    r"\b(?:mov(?:e|ed|ing)|relocat\w+|liv(?:e|es|ed|ing)|settl\w+|emigrat\w+|stayed|based|house|flat|apartment"
    r"|(?:my|our|new) home|home is|one.?way|for good)\b"
)
_ROLE = re.compile(
    r"^(?:(?:from now on|please|pls|always|you|should|can|must|now|i want you to) )*"
    r"(?:act|behave|respond|answer|reply|roleplay|role play|pretend) (?:as|like|to be) (?!\w+ as\b)"
)
_OWN = frozenset("i i'm im my we our".split())
_CLAUSE = re.compile(r"\b(?:i|we)\b")
_TO_MODEL = frozenset("you your you're youre answer answers reply replies response responses".split())
"""Words of a statement about the person that is a wish of the model, too: "I prefer long answers"."""
_AGE = re.compile(
    r"(?<![\w'’-])(?P<who>[^\W\d][\w-]{0,30}?)(?:['’](?:m|s))?(?: (?:is|am|has|have|just|now)){0,3}"
    r"(?P<turned> turn(?:ed|s)?)? (?P<age>[1-9]\d?)\b(?P<old>(?: years?)? old\b)?"
    r"(?= (?:today|yesterday|now|and)\b|[.!,]|$)(?: (?:today|yesterday|now))?(?: \((?P<day>\d{4}-\d\d-\d\d)\))?",
    re.IGNORECASE,
)
_DECIDES = re.compile(
    r"(?!(?:I|We|He|She|They|It|My|Our|The)\b)(?P<who>[A-Z][\w'’-]+) (?:has |just |also )*"
    r"(?:decided|wants?|plans?|chose|hopes|is (?:going|planning|hoping)) (?:to|on)\b"
)
"""What somebody else intends."""
_OURS = re.compile(r"(?:We|I)(?:['’](?:re|m|ll)| are| am| will| plan| want)\b", re.IGNORECASE)
_FOUND = re.compile(r"\bdiagnos(?:ed|is)\b")
_BEGUN = re.compile(r"\b(?:since|for (?:\d+|\w+) years)\b")
_OVER = re.compile(r"\b(?:not|no|never|without|used|gone|cured|over|former(?:ly)?|\w+n't|cannot)\b")
_IN_YEAR = re.compile(r"(?:19|20)\d\d")
_OF_ILLNESS = frozenset(
    "i i've ive i'm im my we have had has been was were is am got get a an the with in since from of for at and on by"
    " diagnosed diagnosis disease syndrome illness condition years year when age now still live living suffer".split()
)
"""Words of a text about an illness that name none."""
_MORE = re.compile(r"\w")
_YEAR = 365.25
_BIRTHDAY = 0.1
"""Share of a year by which people are early or late with saying that somebody has a birthday."""


def about_two_matters(a: str, b: str, gap: float | None) -> bool:
    """Return True if the texts are about two matters, or about ages years apart.

    One plans a visit, or changes to another tool or day, and the other names a home; one gives a model a role; one
    joins a club and the other names a job; two people have plans; or one person has two conditions.

    `gap` is the number of days from `a` to `b`, if known.
    """
    return (
        any(
            visit_and_home(one, other)
            or role_and_life(one, other)
            or club_and_work(one, other)
            or change_and_home(one, other)
            or plans_of_two(one, other)
            for one, other in ((a, b), (b, a))
        )
        or two_conditions(a, b)
        or grew_older(a, b, gap)
    )


def visit_and_home(a: str, b: str) -> bool:
    """Return True if `a` is about a visit to some place, and `b` about where somebody lives."""
    plain = " ".join(plain_words(a))
    return (
        _VISIT.search(plain) is not None
        and _STAYS.search(plain) is None
        and _VISIT.search(" ".join(plain_words(b))) is None
        and "home" in (slots := _slots(b))
        and not slots & _slots(a) - {"home"}
        and len(_CLAUSE.findall(plain)) < 2
    )


def club_and_work(a: str, b: str) -> bool:
    """Return True if `a` says that somebody joined a club, and `b` where somebody works."""
    plain = " ".join(plain_words(a))
    return (
        "join" in plain
        and re.search(rf"\bjoin(?:ed|ing|s)? (?:[^ ]+ ){{0,4}}?{slots().club}(?: |$)", plain) is not None
        and "employer" not in _slots(a)
        and "employer" in _slots(b)
    )


def change_and_home(a: str, b: str) -> bool:
    """Return True if `a` says that somebody changed to another tool, version, day or plan, and `b` where they live."""
    plain = " ".join(plain_words(a))
    return (
        "mov" in plain
        and re.search(rf"\bmov(?:e|ed|ing) (?:[a-z]+ ){{0,3}}?to (?:the |an? )?{slots().no_place}", plain) is not None
        and "home" in _slots(b)
        and "home" not in _slots(a)
    )


def plans_of_two(a: str, b: str) -> bool:
    """Return True if `a` tells the person's plan, and `b` that of somebody by name; they have no word in common."""
    other = _DECIDES.match(b)
    return other is not None and _OURS.match(a) is not None and tokens(a).isdisjoint(tokens(b))


def _slots(text: str) -> set[str]:
    return {one.slot for one in statements(text) if one.slot and not one.implied}


def role_and_life(a: str, b: str) -> bool:
    """Return True if `a` tells a model which role to play, and `b` is a statement of the person about themselves."""
    other = plain_words(b)
    if not _ROLE.search(" ".join(plain_words(a))) or not other:
        return False
    return other[0] in _OWN and _TO_MODEL.isdisjoint(other) and _ROLE.search(" ".join(other)) is None


def found_later(a: str, b: str) -> bool:
    """Return True if one text says when an illness was diagnosed, and the other since when it has been there."""
    for one, other in ((a, b), (b, a)):
        found, begun = " ".join(plain_words(one)), " ".join(plain_words(other))
        if not _FOUND.search(found) or _FOUND.search(begun) or not _BEGUN.search(begun):
            continue
        years = [*_IN_YEAR.findall(found)[:1], *_IN_YEAR.findall(begun)[:1]]
        names, others = (
            {word for word in text.split() if word.isalpha() or "'" in word} - _OF_ILLNESS for text in (found, begun)
        )
        ordered = len(years) < 2 or years[0] >= years[1]
        same = bool(names and others) and (names <= others or others <= names)
        if ordered and same and not (_OVER.search(found) or _OVER.search(begun)):
            return True
    return False


def grew_older(a: str, b: str, gap: float | None) -> bool:
    """Return True if two texts give the age of one person, and as many years passed between them as it differs by.

    The days come from the texts, else from when they were said. Not if both go on about something else.
    """
    ages = {found["who"].casefold(): found for found in _AGE.finditer(a)}
    for found in _AGE.finditer(b):
        first = ages.get(found["who"].casefold())
        if first is None or not any(one["turned"] or one["old"] or one["day"] for one in (first, found)):
            continue
        days = gap
        if first["day"] and found["day"]:
            try:
                days = (date.fromisoformat(found["day"]) - date.fromisoformat(first["day"])).days
            except ValueError:  # no such day
                continue
        years = int(found["age"]) - int(first["age"])
        least = years - (_BIRTHDAY if first["turned"] else 1)
        if _MORE.search(a, first.end()) and _MORE.search(b, found.end()):
            continue
        if days is not None and years > 0 and least < days / _YEAR < years + 1:
            return True
    return False
