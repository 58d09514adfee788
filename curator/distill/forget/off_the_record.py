"""Requests not to keep something, in the person's own words: "don't store that", "off the record"."""

import re

from curator.distill.language import CLEARLY, english, english_share
from curator.distill.other_languages import language_of, languages_in, unaccented
from curator.distill.requests.commands import forget_command
from curator.distill.statements.clauses import sentences

WITHHELD = "withheld"
"""The reason for refusing what the person asked not to keep."""
_HINT = re.compile(
    r"n't|dont\b|\bnot\b|never|no need|\bno (?:record|notes?)\b|between (?:us|you|our)|off[ -]the|confiden|secret"
    r"|private|if you|to yourself|without|nothing|none of|off your|memory off|stop|out of|nicht|unter uns|vertraulich"
    r"|\bpas\b|entre nous|entre nosotros|\bno [agmr]"
)
"""Words of which every such request has one."""
_ASIDE = frozenset(
    "please pls plz ok okay and so but also just thanks thank you then hey oh well sorry though for now can could would"
    " will this that it s is was all of everything what i said told conversation chat message bitte danke also und das"
    " stp merci et por favor gracias y".split()
)
"""Words around a request with no content to keep."""
_WHOLE = re.compile(r"(?<!rest of )\bthis (?:whole |entire )?message\b")
_CLOSES = re.compile(r"\s*(?:[^\w\s]|$|(?:please|pls|ok|okay|and|so|but|for|from|until|if|as|between|with)\b)")
"""The text after a request; "What comes next is private to my team" does not match, so it is not a request."""
_RESUMED = re.compile(
    r"\b(?:you (?:can|may)|feel free to) (?:\w+ ){0,2}?(?:save|store|remember|keep|note|record)\b[^.!?]*\b(?:again"
    r"|from (?:here|now)"
    r"|what follows|the rest)\b|\bback on the record\b|\b(?:end of|that was) the (?:private|secret"
    r"|confidential) (?:part|bit)\b"
    r"|\bthe rest (?:isn't|is not) (?:private|secret|confidential)\b"
)
"""The end of the text not to be kept."""
_POINTING = re.compile(r"(?:any(?:thing)? (?:of|about) )?(?:this|that|it)\b(?: please)?\s?(?:[,:;.!–—-]|$)")


def withheld_spans(low: str) -> list[tuple[int, int]]:
    """Return the spans of a lower-case text that the person asked not to keep, in order.

    These are the sentences with such a request. A sentence with nothing but the request also withholds the paragraph
    before it; if it begins the message or ends in a colon, the rest of its paragraph; if it is about what comes next,
    the rest of the message.
    """
    spans: list[tuple[int, int]] = []
    if not _HINT.search(low):
        return spans
    before: list[tuple[int, int]] = []
    until = 0
    for start, end, _ in sentences(low):
        if start < until and _RESUMED.search(low, start, end):
            until = start
        found = request_span(low, start, end) if start >= until else None
        ahead = english().cues["withhold_ahead"].search(low[start:end]) if start >= until else None
        if ahead and _CLOSES.match(low[start:end], ahead.end()):
            until = len(low)
            spans += before if _WHOLE.search(ahead[0]) else []
        elif found:
            rest = re.findall(r"[^\W\d_]+", f"{low[start : found[0]]} {low[found[1] : end]}")
            is_bare = _ASIDE.issuperset(rest)
            if is_bare and before and low[end - 1] != ":":
                paragraph = low.rfind("\n\n", 0, before[-1][0])
                spans += [one for one in before if one[0] > paragraph]
            elif is_bare or ":" in (low[found[1] - 1], low[end - 1]):
                paragraph = low.find("\n\n", end)
                until = paragraph if paragraph >= 0 else len(low)
        if found or start < until:
            spans.append((start, end))
        if found or start < until:
            before = []
        else:
            before.append((start, end))
    return spans


def request_span(low: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the span of the words of a sentence that ask not to keep something, or None.

    "Do not remember that I smoke" is a request to forget and does not count; "don't remember this" does.
    """
    said = low[start:end]
    if not _HINT.search(said):
        return None
    body = forget_command(low, start, end)
    if body is not None:
        pointing = _POINTING.match(low, body, end)
        return (start, pointing.end()) if pointing else None
    found = english().cues["withhold"].search(said)
    if not found and english_share(said) < 2 * CLEARLY:
        plain = unaccented(said)
        matches = (language_of(code).cues["withhold"].search(plain) for code in languages_in(plain, low))
        found = next(filter(None, matches), None)
    return (start + found.start(), start + found.end()) if found else None
