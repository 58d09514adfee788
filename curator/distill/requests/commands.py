"""Commands to remember or to forget something: which sentences are one, and what they are about."""

import re

from curator.distill.forget.groups import is_rule
from curator.distill.language import Language, english
from curator.text import unmarked

_COURTESY = re.compile(r",?\s(?:please|pls|plz|thanks|thank you)$", re.IGNORECASE)
_WHEN = re.compile(
    r"(?<=\w),?\s(?:once|as soon as|now that|when)\s(?:i|we)"
    r"(?:['’]m|m|['’]re|['’]ve|ve| am| are| have| move| leave| get)\b"
    r"(?:(?!\b(?:and|or|but|plus)\b)[^,;.])*$",
    re.IGNORECASE,
)
"""The end of a request that says when: "my old address once I'm moved"."""
_AFTERTHOUGHT = re.compile(
    r",?\s(?:please|pls|plz)(?=\s?[,;:–—-]).*"
    r"|\s?[,;–—-]\s(?:(?:and|but|because|since|as|cos|so) )?"
    r"(?:(?:i|we|you|he|she|it|they|that|there)(?:'\w+)?|its|nobody|no one"
    r"|(?:(?:my|our|his|her|the|an?) )?[\w']+(?: [\w']+)? (?:is|are|was|were|has|have|needs?|uses?|reads?|sees?|looks?"
    r"|might|may|can|could|will|shares?|knows?|shouldn't|mustn't|[a-z]+(?:ed|es|s) (?:it|them|that|this)))\b.*"
    r"|(?:\s?[,;–—-]|\s(?=and|so))\s(?:(?:and|so|please|pls) )?(?:you )?"
    r"(?:don't|dont|do not|never) (?:ever )?(?:mention|bring|remind|raise)\b.*"
    r"|\s(?:because|since|cos) .*"
    r"|\s?[,;–—-]\s(?:(?:and|but|so) )?(?:no longer (?:my|an?|our|the|true|relevant|needed|important|valid|current"
    r"|interest\w*|an issue)\b"
    r"|not (?:relevant|true|needed|important|valid|interest\w*|(?:my|a|an|our|any of my) (?:problem|business|thing"
    r"|concern"
    r"|issue|job))\b|(?:does|did|is|was|wo|will|has)(?:n't|nt| not) (?:matter|exist|apply|need|relevant|true|important"
    r"|correct|right|been|happen\w*|my)\b|(?:(?:it's|its|all|long|already|fully|finally|now|that's) )*(?:paid|over|gone"
    r"|sorted|solved|done|healed|outdated|obsolete|irrelevant|settled|resolved|old news|history|behind (?:me"
    r"|us))\b(?! and\b)"
    r").*"
    r"|\s?(?::-?[)(DP/|]|;-?[)D]|\^\^|<3|[\U0001F300-\U0001FAFF\u2600-\u27BF])+\s*$"
)
"""Text after the thing to forget: "..., I don't want that kept", "..., my son uses this laptop"."""
_GIVEN = re.compile(
    r" (?:that |which )?i(?:'ve| have)?(?: just| once)? (?:gave|told|given|sent|mentioned|shared|said)(?: to)?(?: you)?"
    r"(?: (?:about|earlier|before|once|yesterday|last \w+))?[.!]*$"
)
"""Relative clauses after the thing to forget: "the postcode I gave you"."""
SHORTEST_ORDER = 8
"""Minimum characters of a text to remember."""
PURPOSE = re.compile(
    r"\s?(?:(?:in mind|of (?:this|that|it)(?: one)?|(?:this|that)(?: one)?) )?for (?:when(?:ever)?"
    r"|(?:the )?next time|any ?time)\b[^:,.;!?\n]{3,60}(?:[:,]\s+(?!(?:it|he|she|they|that|this)\b)|[.!]*$)"
)
"""Purpose of a request to remember: "of this one for when you write to my boss"."""


def remember_command(low: str, start: int, end: int, language: Language) -> tuple[int, int] | None:
    """Return the span of the text that the sentence `low[start:end]` asks to remember, or None."""
    if low[end - 1] == "?":
        found = language.cues["remember_asked"].match(low, start, end)
        return (found.end(), end - 1) if found else None
    if after := language.cues["remember_after"].search(low, start, end):
        opener = language.cues["opener"].match(low, start, after.start())
        body, end = opener.end() if opener else start, after.start()
    else:
        found = language.cues["remember"].match(low, start, end)
        if not found or language.cues["not_remember"].match(low, start, end):
            return None
        body = start if low.startswith("to ", found.end()) else found.end()
        if purpose := PURPOSE.match(low, body, end):
            body = purpose.end()
    return (body, end) if end - body >= SHORTEST_ORDER else None


def to_remember(low: str, start: int, end: int, certain: bool) -> tuple[int, int] | None:
    """Return the span after the request in a sentence whose score says that it asks to remember something.

    If no request is found in it: the whole sentence if `certain`, else None.
    """
    end -= low[end - 1] == "?"
    found = english().cues["remember_other"].match(low, start, end)
    if found and end - found.end() >= SHORTEST_ORDER:
        return found.end(), end
    return (start, end) if certain else None


_INSTEAD = re.compile(
    r"[,;:–—-] ?(?:and |then |just |let's |please )*(?:use|try|do|go with|write|make|sum|focus on|give me)\b"
)
_OWN = re.compile(r"(?<= )(?:my|i(?! (?:ever |even |just |never )*(?:said|told|mentioned|gave|wrote)\b)) ")
_OF_PERSON = re.compile(r"\b(?:i|i'm|i've|my|we|our|you)\b")


def end_of_forgotten(low: str, start: int, end: int) -> int:
    """Return the end of the thing to forget in `low[start:end]`, before a reason that may follow it."""
    after = _AFTERTHOUGHT.search(low, start + 1, end)
    end = after.start() if after else end
    given = _GIVEN.search(low, start + 1, end)
    return given.start() if given else end


def forget_query(said: str) -> str:
    """Return the thing to forget of a request, on one line, without a polite phrase or full stop at its end."""
    return _COURTESY.sub("", unmarked(said).rstrip(".!。"))


def without_time(said: str) -> str:
    """Return the thing to forget without the clause at its end that says when: "once I'm moved"."""
    when = _WHEN.search(said)
    return said[: when.start()] if when else said


def forget_command(low: str, start: int, end: int) -> int | None:
    """Return the start of the text that a sentence asks to forget, or None; "my" and "I" belong to it."""
    found = english().cues["forget"].match(low, start, end)
    asks = low[end - 1] == "?" and not english().cues["asked"].match(low, start, end)  # not: can you forget that ...?
    if not found or asks:
        return None
    stop = low.find("; ", found.end(), end)  # each of several requests in a sentence is read separately
    if english().cues["not_forget"].search(low, start, stop if stop >= 0 else end):
        return None
    if _INSTEAD.search(low, found.end(), end) and not _OF_PERSON.search(low, found.end(), end):
        return None  # about a text at hand: "forget about numpy, use polars"
    if not low[found.end() : end].strip(" .!?") or is_rule(low[start:end]):
        return None  # a rule is also an order, which the reader must see
    own = _OWN.search(low, found.end() - 3, end)
    return own.start() if own and own.end() == found.end() else found.end()
