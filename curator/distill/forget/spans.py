"""Spans of requests to forget: the part to forget, and what replaces it ("forget the 900 euros: we agreed on 750")."""

import re

from curator import safety
from curator.distill.forget.wordings import asks_silence, points_at_subject
from curator.distill.language import english
from curator.distill.requests.commands import end_of_forgotten, forget_command
from curator.text import plain_words, stem

_RESTATED = re.compile(r"\s?(?P<mark>[,;:–—-])\s(?=\S)")
_POINTS = re.compile(
    r"(?:(?:the|this|these|that|those|it|following|things?|facts?|about|me|one|ones|all|of|too|please|what|i|told|said"
    r"|you|before|earlier|yesterday)[ ,]?)*"
)
"""Words that only introduce the part to forget: "forget the following: ..."."""
_SUBJECT = re.compile(
    r"(?:(?:and|but|actually|because|since|as|now) )*(?:i|we|you|he|she|it|they|that|there|nobody|no one|it's|its"
    r"|(?:(?:my|our|his|her|their|the|an?) )?[\w']+(?: [\w']+)? (?:is|are|was|were|has|have|will|says|said"
    r"|found))(?:'\w+)?\b"
)
_HOLDS = re.compile(
    r"\b(?:instead|now|no longer|any ?more|again|agreed|settled|decided|actually|meanwhile|moved|changed to"
    r"|rather)\b|\d"
)
"""Words of a statement that replaces the forgotten one."""
_OF_REQUEST = re.compile(
    r"\b(?:don't|do not|didn't|never) (?:want|need|like)\b|\b(?:reads?|sees?|looks?|shares?|uses?|kept|saved|stored"
    r"|forgotten|deleted|erased|removed|wiped|nobody's business|none of your business)\b"
)
"""Words of a reason for the request."""
_GIVEN = re.compile(
    r"(?:(?:and|so|oh|ok|also|btw|by the way|well|hey)[, ]+)*(?:(?:i (?:once |just )?(?:told|said|mentioned)|what i"
    r"(?:'ve)? (?:once |just )?(?:told|said|mentioned|wrote))(?: (?:to )?you)?(?: (?:once|before|earlier|yesterday))?"
    r" (?:about|on|of)|the (?:thing|stuff|bit|part|story|business) (?:about|with|on|of)) "
)


_OF_ANSWERS = (
    r"(?:answer|reply|respond|write|speak|talk|explain|use|stick (?:to|with)|switch|go back|call me|address me"
    r"|(?:give|show|tell|send) me|keep (?:your|my|the|all|every|answers|replies|it (?:short|brief|simple))|convert"
    r"|format"
    r"|be (?!my\b|a\b|there\b)\w)"
)
_ORDER = re.compile(
    r"(?:\s?[,;:–—-]\s|\s(?=(?:and|but|then) ))(?:(?:and|but|so|then|just|please|pls|instead|now)[, ]{1,2}){0,3}"
    r"(?P<order>(?:(?:from now on|going forwards?|in (?:the )?future|by default),? )?(?:(?:please|just) )?"
    r"(?:(?:always|never) (?!(?:mention|bring|raise|remind|say|store|save|keep|remember|speak of|talk about)\b)[a-z]+"
    rf"|{_OF_ANSWERS})\b"
    r"(?!\s(?:it|that|this|them|him|her|about|of|up|out|me (?:it|that|about))\b(?! (?:short|brief"
    r"|simple)\b))(?! ?[.,;!?]|$))"
)
"""An order for later answers after a request to forget: "scrap that, answer in English again"."""


_OF_SOMEBODY = re.compile(r"\b(?:i|i'm|i've|i'd|im|we|we're|he|he's|she|she's|they|who)\b")
_TO_ASSISTANT = re.compile(
    r"(?:from now on|going forwards?|in (?:the )?future|by default|please)\b"
    r"|(?:(?:always|never|just) )?(?:(?:call|address|give|show|tell|send) me\b"
    r"|(?:answer|reply|respond|explain)(?: everything| me| to me| back)? (?:in|with|without|as|like|briefly|only)\b)"
)
"""Orders that nobody takes for what the person does: "I smoke and use drugs" is one thing to forget."""


_OWN_FACT = re.compile(
    r"\s?(?:[,;:–—-]\s|(?=because |since |cos ))(?:(?:and|but|because|since|cos|as|btw|by the way|also|oh)[, ]+)*"
    r"(?=(?:i|i'm|i've|im|we|we're|(?:my|our) [\w'-]+(?: [\w'-]+)?)\b)"
)
"""The start of a statement of the person's own after a request to forget."""
_OF_HEALTH = re.compile(
    r"\b(?:health\w*|medic\w+|diagnos\w+|ill|illness\w*|sick\w*|disease\w*|condition\w*|disorder\w*|disabilit\w+"
    r"|allerg\w+|intoleran\w+|symptoms?|pills?|tablets?|drugs?|dos(?:e|es|age)|treatments?|therap\w+|surger\w+"
    r"|operations?|hospital\w*|doctors?|gp|clinics?|diets?|diagnosis|prescriptions?|blood|test results?|seizures?"
    r"|body|mental|weakness\w*|problems?|issues?|struggles?|troubles?|past|bits?|parts?|things?|stuff|secrets?|confession|details?|news|facts?|info|information|that|this|it"
    r"|these|those|everything|anything|all|what|last|messages?|sentences?|words?|chats?|conversations?)\b"
)
"""Things to forget that the statement after them may be about."""
_SMALL = frozenset("i i'm im my our we a an the of to and in is am are at for by with".split())


def _safety_after(low: str, body: int, last: int, end: int) -> int | None:
    """Return the start of a safety fact of the person after a thing to forget, if it is about something else, or None.

    "Forget my number, I have epilepsy by the way" has one; "forget my diagnosis, I have epilepsy" says what to forget.
    """
    found = _OWN_FACT.match(low, last, end)
    said = low[found.end() : end] if found else ""
    if not safety.states(said, (*safety.LASTING, "treatment")) or _OF_REQUEST.search(said):
        return None
    thing = low[body:last]
    shared = {stem(word) for word in plain_words(thing)} & {stem(word) for word in plain_words(said)} - _SMALL
    about_it = shared or _OF_HEALTH.search(thing) or safety.states(thing, (*safety.LASTING, "treatment"))
    return found.end() if found and not about_it else None


def order_after(low: str, body: int, end: int) -> tuple[int, int] | None:
    """Return the end of a request to forget in `low[body:end]` and the start of an order after it; None without one."""
    for found in _ORDER.finditer(low, body, end):
        if not _OF_SOMEBODY.search(low, body, found.start()) or _TO_ASSISTANT.match(low, found.start("order")):
            return found.start(), found.start("order")
    return None


def restated(low: str, body: int, end: int) -> tuple[int, int] | None:
    """Return the end of the part to forget in `low[body:end]` and the start of its replacement; None without one."""
    for found in _RESTATED.finditer(low, body + 1, end):
        rest = found.end()
        if _POINTS.fullmatch(low, body, found.start()) or not _SUBJECT.match(low, rest, end):
            continue
        if _OF_REQUEST.search(low, rest, end):
            return None
        if found["mark"] == ":" or _HOLDS.search(low, rest, end):
            return found.start(), rest
    return None


def forgotten_part(low: str, body: int, end: int) -> tuple[int, int | None]:
    """Return the end of the part to forget that starts at `body`, and the start of its replacement, if any."""
    found = (restated(low, body, end), order_after(low, body, end))
    instead = min((one for one in found if one), default=None)
    if instead:
        return instead
    last = end_of_forgotten(low, body, end)
    return last, _safety_after(low, body, last, end)


def forgotten_before(low: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the span of a part to forget before the request ("my debts, please forget that"), or None."""
    found = english().cues["forget_before"].search(low, start + 1, end)
    if not found or forget_command(low, start, end) is not None:
        return None
    given = _GIVEN.match(low, start, found.start())
    return (given.end() if given else start), found.start()


def unmatched_request(low: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the end of a request to forget that `forget_command` does not match ("scrap the bit about Ed"), or None.

    The second offset is the start of the replacement, or `end`.
    """
    if asks_silence(low[start:end], "", "") and points_at_subject(low[start:end]):
        return end, end  # another sentence says what it is about
    found = english().cues["unwanted"].match(low, start, end)
    if not found:
        return None
    last = end_of_forgotten(low, found.end(), end)
    rest = _safety_after(low, found.start(), last, end)
    return restated(low, found.end(), end) or ((last, rest) if rest else (end, end))
