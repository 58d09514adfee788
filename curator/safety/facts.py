"""Detection of safety facts in statements, of the grave ones, and of what denies them."""

import re

from curator.safety.idioms import without_idioms, without_jokes
from curator.safety.vocabulary import GRAVE, LASTING, UNSPACED, pattern_of, phrase_pattern, plain_text, roots_of

_PART = re.compile(r"\w+")
CLAUSE_BREAK = re.compile(r"[,;:.!?]\s+|\s[-–—]\s|\s(?:and|but|while|so|plus)\s|\n+", re.IGNORECASE)
_NOT_GRAVE = re.compile(
    r"\b(?:work|works|worked|working|volunteer|volunteers|job|nurse|doctor|shifts?) (?:in|at|for) "
    r"(?:(?:an?|the|our|my) )?(?:[\w'-]+ )?hospital\b"
    r"|\b(?:not|no|never|isn't|aren't|wasn't|don't|doesn't|didn't) (?:(?:an?|any|been|even|have|in|me|put|really"
    r"|send|sent|so|that|the|to|too|very) ){0,5}"
    r"(?:severe|severely|life-threatening|deadly|deathly|fatal|hospital|emergency room|intensive care)\b"
)
"""Places of work, and denials that a fact is grave."""
_ENDED = re.compile(r"\b(?:outgr[eo]wn?|any ?more|gone|cured)\b")
_DENIED = re.compile(r"(?:\b(?:no|not|never|without)|n't) ((?:[\w'-]+ ){0,6}[\w'-]+)")


def states(text: str, kinds: tuple[str, ...] = LASTING) -> bool:
    """Return True for a statement of a safety fact: an allergy, a diet, an illness, a medication, a disability.

    Most texts have none of the words, which is known in a tenth of the time.
    """
    typed = text.casefold()
    if roots_of(kinds).isdisjoint(_PART.findall(typed)) and max(typed, default="") < UNSPACED:
        return False
    return pattern_of(kinds).search(_meant(text)) is not None


def _meant(text: str) -> str:
    return without_idioms(plain_text(without_jokes(text)))


def words_in(plain: str, kinds: tuple[str, ...]) -> set[str]:
    """Return the words and phrases of safety facts in a text in lower case, without those in idioms."""
    return {found[0] for found in pattern_of(kinds).finditer(without_idioms(plain))}


def is_grave(text: str) -> bool:
    """Return True for a statement of a life-threatening fact, which nothing milder replaces."""
    if not states(text):
        return False
    meant = _NOT_GRAVE.sub("", _meant(text))
    return phrase_pattern(tuple(GRAVE.split(", "))).search(meant) is not None


def may_deny(text: str) -> bool:
    """Return True for a statement that denies or ends a safety fact: "no longer allergic", "my allergy is gone"."""
    if not states(text):
        return False
    plain, fact = plain_text(text), pattern_of(LASTING)
    return _ENDED.search(plain) is not None or any(fact.search(one[1]) for one in _DENIED.finditer(plain))


def fact_clauses(text: str) -> list[str]:
    """Return the clauses of a text that state safety facts, if it has several clauses; none if it has one."""
    found = clauses(text)
    return [clause for clause in found if states(clause)] if len(found) > 1 else []


def clauses(text: str) -> list[str]:
    """Return the clauses of a text."""
    return [clause for clause in CLAUSE_BREAK.split(text) if _PART.search(clause)]
