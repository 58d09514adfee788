"""Texts that confirm what an earlier one says, or tell the outcome of what it announces: both hold."""

import re

from curator.compare.clauses import Mode, When, clauses
from curator.compare.differences import Guard, differences
from curator.compare.traits import content
from curator.text import fold, plain_words

_IS = r"(?:(?:is|are|was|were|has been|have been|got|came back|stays|it is) )"
_SURE = (
    r"(?:(?:now|all|also|though|officially|definitely|still) )*(?:confirmed|verified|proven|positive)"
    r"(?=\W*$|[,.;:!?)]| (?:though|now|by|for|as|today|and|but|so|again|in|on|at|after|with)\b)"
)
_CONFIRMED = re.compile(rf"(?:^|[,.;:!?] |\band |\bso )(?P<what>[^,.;:!?]+?) {_IS}?{_SURE}")
_CONFIRMS = re.compile(
    r"(?<!\ba )(?<!\ban )(?<!\bthe )\b(?:confirm(?:s|ed)|verified|proved|proven)(?: that|:)? (?P<what>[^,.;:!?]+)"
)
"""Confirmations of an earlier statement, with the words that are confirmed."""
_UNEQUAL = frozenset({Guard.NUMBER, Guard.DATE, Guard.UNIT, Guard.NAME})
_MOSTLY = 0.5
"""Minimum share of what is said to be confirmed that the earlier text has."""
_SAYS_SO = re.compile(r"\b(?:confirm(?:s|ed)|verified|proved|proven|positive)\b")
_REFUTED = re.compile(r"\b(?:negative|false|wrong(?:ly)?|misdiagnos\w+)\b")
_TESTS = frozenset("test tests result results doctor allergist lab the my a it that this is which now though".split())

_LEAVES = (
    r"(?:(?:moving|going|move|go) (?:out of|away from|from)|leav(?:e|es|ing)|quitting|resigning from|selling|closing"
    r"(?: down)?|giving up|last day (?:at|in|of))"
)
_LEAVING = re.compile(rf"\b{_LEAVES} (?:the |my |our |this )?(?P<what>[a-z][\w-]+)")
_HEDGED = re.compile(
    r"\b(?:might|maybe|plan\w*|perhaps|thinking|want|hope|hoping|considering|not|never|if|could|would)\b"
)
_ENDED = re.compile(r"\b(?:any ?more|any longer|no longer)\b")

_STARTS = re.compile(
    r"\b(?:start(?:s|ing)?|begin(?:s|ning)?|join(?:s|ing)?|first day|new job|job offer|offer) (?:work |working )?"
    r"(?:at |with |for |as |from )?(?:the |my |our )?(?P<what>[a-z][\w-]+)"
)
_STARTED = re.compile(
    r"\b(?:first (?:day|shift|week|month|term|lesson)|started(?: work| working)?|joined|settled in)"
    r" (?:at |with |as )?(?:the |my |our )?(?P<what>[a-z][\w-]+)"
)
"""The announcement of a beginning, and what says that it is past."""
_HOLDER = re.compile(
    r"\b(?:my|our|the) (?:new )?(?P<role>doctor|gp|dentist|physio|surgeon|therapist|vet|midwife|consultant|boss|manager"
    r"|teacher|coach|landlord|accountant|lawyer|mechanic) is"
    r" (?P<name>(?:dr |doctor |mr |mrs |ms |professor )?[a-z][\w'-]+)"
)
"""Who does something for a person, by name."""
_DID = (
    r"(?!'s\b)(?: (?:has|had|just|also|then))* (?!is\b|was\b|left\b|retired\b|quit\b|died\b|moved\b|leaves\b|stopped"
    r"\b|resigned\b)[a-z]+(?:ed|t|ave|old|aid|ook|ut|ote|ays|ants|inks)\b"
)
"""A deed after a name, other than leaving."""


def begun(a: str, b: str) -> bool:
    """Return True if `b` says that a beginning is past that `a` announces: "first week at Nordhav done"."""
    first, then = (" ".join(plain_words(text)) for text in (a, b))
    known = {found["what"] for found in _STARTS.finditer(first)}
    return any(found["what"] in known and content(found["what"]) for found in _STARTED.finditer(then))


def holder_acts(a: str, b: str) -> str:
    """Return the role that `a` gives to somebody by name who did something in `b`, other than leave; else empty."""
    then = " ".join(plain_words(b)).replace(".", "")
    for found in _HOLDER.finditer(" ".join(plain_words(a)).replace(".", "")):
        name = found["name"].split()[-1]
        if re.search(rf"\b{re.escape(name)}{_DID}", then) and found["role"] not in then.split():
            return found["role"]
    return ""


def confirmed(a: str, b: str) -> bool:
    """Return True if `b` confirms what `a` says: "shrimp is confirmed" after "I'm allergic to shrimp"."""
    if (
        _SAYS_SO.search(fold(b)) is None
        or any(one.negative or one.ended for one in clauses(b))
        or any(one.negative for one in clauses(a))
    ):
        return False
    if _SAYS_SO.search(fold(a)) or any(_REFUTED.search(fold(text)) for text in (a, b)):
        return False  # both do; "a false positive", "negative" before "positive"
    known = content(" ".join(plain_words(a))).keys()
    for pattern, least in ((_CONFIRMED, 1.0), (_CONFIRMS, _MOSTLY)):
        for found in pattern.finditer(fold(b)):
            plain = " ".join(word for word in found["what"].split() if word not in _TESTS)
            said = {one for one in content(plain) if not one.startswith("allerg")}  # "allergic" has another stem
            if said and len(said & known) >= least * len(said):
                return not any(one.guard in _UNEQUAL and one.a and one.b for one in differences(a, b))
    return False


def carried_out(a: str, b: str) -> bool:
    """Return True if `b` says that `a` has come about: "I don't live in Sligo any more" after "moving out of Sligo"."""
    first = " ".join(plain_words(a))
    if _LEAVING.search(first) is None:
        return False
    if _HEDGED.search(first) or not any(one.when is When.NOW and one.mode is not Mode.IF for one in clauses(a)):
        return False
    announced = {word for found in _LEAVING.finditer(first) for word in content(found["what"])}
    if not announced:
        return False
    over = {word for one in clauses(b) if one.ended or _ENDED.search(one.whole) for word in content(one.text)}
    return not announced.isdisjoint(over)
