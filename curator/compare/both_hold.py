"""Texts that both hold: two conditions of one person, a job and a move within its town, a tool and the change to it."""

import re
from collections.abc import Iterator

from curator import safety
from curator.compare.clauses import Mode, When, clauses
from curator.compare.statement import statements
from curator.safety.vocabulary import ANIMAL, RELATIVE
from curator.text import plain_words, tokens, wordlists

MOST = 500
"""Maximum characters of a text that are searched."""
STEM = 6
"""Letters of a stem that are compared: diabetes and diabetic share them."""
_CONDITIONS = ("allergy", "illness", "disability", "injury", "hearing", "treatment")
_HAS = re.compile(
    r"\b(?:has|have|had|got|is|am|are|was|uses?|suffers?|suffering|lives with|living with|diagnosed|wears?)\b"
)
_REMEDY = re.compile(r"\b(?:tak(?:e|es|ing)|on|switch\w*|prescri\w+|mg|tablets?|doctor|dos(?:e|es|age))\b")
_OVER = re.compile(
    r"\b(?:no|not|never|none|neither|cannot|\w+n't|recover\w*|cured?|gone|healed|over|turn(?:ed|s) out|instead|wrong"
    r"|misdiagnos\w*|actually|used to|better|false|negative|any ?more)\b"
)
_WHO = re.compile(rf"\b(?:{RELATIVE}|{ANIMAL})\b")
_NAMED = re.compile(rf"\b({RELATIVE}|{ANIMAL})(?:,? [A-Z][\w'’-]+)+")
_AT = re.compile(r"\b(?:in|at|near|around) (?P<place>[A-Z][\w'’-]+(?:[ -][A-Z][\w'’-]+)*)")
_MOVES = re.compile(r"\b(?:mov(?:e|ed|ing)|relocat(?:e|ed|ing))\b", re.IGNORECASE)
_THING = r"[a-z][\w+#.-]{0,40}"
_SWITCH = re.compile(
    r"\b(?:moved|moving|switched|switching|migrated|migrating|changed|went) (?:[a-z]+ ){0,3}?(?:away )?from (?:the )?"
    rf"(?P<old>{_THING}) to (?:the )?(?P<new>{_THING})"
    rf"|\breplaced (?:the )?(?P<replaced>{_THING}) (?:with|by) (?:the )?(?P<by>{_THING})"
)


def compatible_reasons(a: str, b: str) -> Iterator[str]:
    """Yield reasons why both texts hold, whichever was said first."""
    for one, other in ((a, b), (b, a)):
        if moves_within(one, other):
            yield "a move within the town of the job"
        if thing := agrees_with_switch(one, other):
            yield f"one says what the other uses now: {thing}"


def known_to_hold(a: str, b: str) -> bool:
    """Return True if one of these rules knows that both texts hold."""
    return two_conditions(a, b) or any(compatible_reasons(a, b))


def two_conditions(a: str, b: str) -> bool:
    """Return True if two texts tell of different illnesses, allergies or aids of one person, neither of them over."""
    ours, theirs = _conditions(a), _conditions(b)
    if not ours or not theirs or _whose(a) != _whose(b):
        return False
    named = [_WHO.sub(" ", text).split() for text in (ours, theirs)]
    first, second = ({word[:STEM] for word in tokens(" ".join(words)) - wordlists().light} for words in named)
    return bool(first and second) and first.isdisjoint(second)


def _conditions(text: str) -> str:
    """Return the clauses of a text that tell of a condition; empty if there are none, or one is denied or over."""
    plain = safety.plain_text(_NAMED.sub(r"\1", text[:MOST]))
    told = [clause for clause in safety.clauses(plain) if safety.states(clause, _CONDITIONS) and _HAS.search(clause)]
    if not told or any(_OVER.search(clause) or _REMEDY.search(clause) for clause in told) or "?" in text:
        return ""
    return "; ".join(told)


def _whose(text: str) -> frozenset[str]:
    """Return the relatives, animals and names that a text begins with."""
    first = next(iter(safety.clauses(text[:MOST])), "")
    return frozenset(found[0].rstrip("s") for found in _WHO.finditer(safety.plain_text(first)))


def moves_within(a: str, b: str) -> bool:
    """Return True if `a` tells a job and its town, and `b` of a move to another place in that town."""
    towns = {found["place"] for found in _AT.finditer(a)}
    jobs = [{one.slot for one in statements(text) if one.positive and not one.implied} for text in (a, b)]
    if not towns or "job" not in jobs[0] or jobs[1] & {"job", "home"} or _MOVES.search(b[:MOST]) is None:
        return False
    return any(
        re.search(rf"\b{re.escape(town)}\b", b) is not None
        and re.search(rf"\b(?:from|leave|left|leaving|out of) {re.escape(town)}\b", b) is None
        for town in towns
    )


def agrees_with_switch(a: str, b: str) -> str:
    """Return the thing that `a` uses and `b` says has replaced another one, of which `a` makes no use; else empty."""
    for found in _SWITCH.finditer(" ".join(plain_words(b[:MOST]))):
        old, new = found["old"] or found["replaced"], found["new"] or found["by"]
        used = {
            word
            for one in clauses(a)
            if not one.negative and one.when is When.NOW and one.mode in (Mode.FACT, Mode.MUST)
            for word in one.text.split()
        }
        if new in used and old not in used:
            return new
    return ""
