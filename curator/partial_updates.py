"""Parts of an order that a later statement, which conflicts with another part of it, does not replace.

Hooks use it, so it imports no word lists. English only.
"""

import re

from curator.stem import stem

_VERBS = (
    "always|never|don't|do not|no|only|use|write|answer|reply|call|keep|give|make|add|put|show|avoid|stop|end|start|ask"
    "|tell|run|explain|i|we|you"
)
_BREAK = re.compile(
    rf"([,;:.!?]+(?:\s+|$)|\s[-–—]+\s|\n+|,?\s(?:and|but|plus)\s(?=(?:also |then |please )?(?:{_VERBS})\b))",
    re.IGNORECASE,
)
_LEANS = re.compile(
    r"(?:not|instead|rather|except|unless|even|including|especially|like|than|as|so|because|since|until|till|while|which"
    r"|who|that|with|without|for|in|on|at|to|of|by|from|when|whenever|if|or|max(?:imum)?|at most|up to|under|about|over"
    r"|less|more|only if|just|my|the|it|this|those|these|have|has|had|am|is|are|was|were|been|every|each|daily"
    r"|weekly)\b"
    r"|\d+ (?:words?|sentences?|lines?|paragraphs?|pages?|characters?|points?)\b"
    r"|(?:i|we|they|he|she|that|you)(?:['’]\w+)?\b(?!.*\b(?:always|never|don't|don’t|do not|no|must|should|want|need"
    r"|prefer|only|expect)\b)",
    re.IGNORECASE,
)
"""The beginning of a part that says more about the one before it: "not pip", "even if I write", "they look bad"."""
_AHEAD = re.compile(
    r"(?:(?:please|and|so|also|hey|hi|ok) )*(?:if|when|whenever|while|before|after|unless|for|in|on|at|from|as|with"
    r"|during|until|once|going forward|remember|important|note|rule|my (?:one )?rule)\b",
    re.IGNORECASE,
)
"""The beginning of a part that says when the next one holds: "When you write code, …"."""
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_EMPTY = frozenset(
    map(
        stem,
        "a about all also always am an and any anymore anyway are as at be because been but by can could do does"
        " doesn't don't each even ever every everything for from going good had has have he her him his i i'd i'll"
        " i'm i've if in is it it's its just keep like make may me more most much must my need never new no not now"
        " of ok okay on only onwards or our out over please remember rule shall she should so still thank thanks"
        " that that's the their them then there they thing things this to too up us very want was way we were what"
        " when will with would you your yours".split(),
    )
)
_COVERED = 0.5
"""Minimum share of the words of a part in a later text that states or replaces it."""


def parts_left(order: str, newer: str) -> tuple[str, ...]:
    """Return the parts of an order of which a newer text says nothing, if it says something of another part.

    "Tobias left, Ragnhild reviews now" leaves "Never push to main directly" of "Never push to main directly, always a
    PR, Tobias reviews". If it shares too few words with every part, any may be the one it replaces: none is returned.
    """
    parts, newer_words = parts_of(order), content(newer)
    left = [part for part in parts if len((words := content(part)) & newer_words) < _COVERED * len(words)]
    return tuple(left) if len(left) < len(parts) else ()


def parts_of(text: str) -> list[str]:
    """Return the parts of a text that can each be kept or replaced."""
    parts: list[str] = []
    ahead = ""
    pieces = _BREAK.split(text)
    for piece, after in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
        plain = f"{ahead}, {piece}" if ahead else piece
        ahead = ""
        if not content(plain):
            continue
        if "," in after and _AHEAD.match(plain):
            ahead = plain
        elif parts and _LEANS.match(plain):
            parts[-1] = f"{parts[-1]}, {plain}"
        else:
            parts.append(plain)
    return [*parts, ahead] if ahead else parts


def content(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that say something."""
    found = (stem(word) for word in _WORD.findall(text.casefold().replace("’", "'")))
    return frozenset(word for word in found if word not in _EMPTY)
