"""Statements on the health, diet or disability of people close to the person, anywhere in a sentence."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from curator import safety
from curator.distill.clauses import StatementSpan, sentences
from curator.distill.language import english

_BEFORE = re.compile(
    r"[,;:)–—-]{1,2}\s{1,2}(?:and |but |so |because |since |as |plus |also )*"
    r"|\s(?:and|but|because|since|as|so|for|with|to|from|plus|where|that) (?=\S)"
)
"""Separators before such a statement within a sentence."""
_UNSURE = re.compile(
    r"\b(?:if|whether|unless|suppose|imagine|say|assuming|in case|pretend|is it true|what happens when)\b"
)
_END = re.compile(
    r"[?;]|[,–—-]{1,2}\s{1,2}(?:and |so |but )?(?=(?:what|how|which|where|when|why|can|could|should|would|will|is|are"
    r"|do|does|any|please|pls|suggest|recommend|give|tell|help|ideas?|i|we|i'm|we're|i've)\b)"
    r"|\s(?:so|and) (?=(?:what|how|which|where|can|could|should|would|i|i'm|i've|we|we're|please)\b)"
)
_NAME = re.compile(r" [A-Z]\w+")
_WITH = re.compile(
    r"\b(?:[Ff]or|[Ww]ith|[Ii]nvit(?:ed?|ing)|[Mm]eeting|[Ss]eeing|[Dd]ating|called|named) ([A-Z][a-z]+)\b"
)
_PRONOUN = re.compile(r"(?P<she>she)|(?P<he>he)|they")
_WOMAN = re.compile(r"\b(?:wife|girlfriend|\w*mother|mom|mum|\w*daughter|sister|grandma|aunt|niece)\b")
_MAN = re.compile(r"\b(?:husband|boyfriend|\w*father|dad|(?:step|grand)?son|brother|grandpa|uncle|nephew)\b")
OF_WHOM = "health of whom"
LONGEST_PRONOUN = len("they ")
FAMILIES = ("health of others", "health of family", OF_WHOM)


def named(low: str, text: str, found: Sequence[StatementSpan]) -> Iterator[StatementSpan]:
    """Yield the statements `found`, of "she", "he" or "they" only those whose subject is known, with that subject."""
    for one in found:
        if one.family.name != OF_WHOM:
            yield one
        elif subject := _named_before(low, text, one.start):
            pronoun = _PRONOUN.match(low, one.start)
            start = pronoun.end() if pronoun else one.start
            start += low[start] == " "
            yield replace(one, start=start, subject=subject)


def _named_before(low: str, text: str, end: int) -> tuple[int, int] | None:
    """Return the span of the only person named in the sentence before `end`, if the pronoun there fits."""
    pronoun = _PRONOUN.match(low, end)
    before = [(start, stop) for start, stop, _ in sentences(low[:end])][-1:]
    if not pronoun or not before:
        return None
    people = []
    for found in english().cues["relative"].finditer(low, *before[0]):
        name = _NAME.match(text, found.end(), before[0][1])
        people.append((found.start(), name.end() if name else found.end()))
    for found in _WITH.finditer(text, *before[0]):
        if found[1].lower() not in english().date_words:
            people.append(found.span(1))
    if len(people) != 1:
        return None
    said = low[slice(*people[0])]
    odd = (pronoun["she"] and _MAN.search(said)) or (pronoun["he"] and _WOMAN.search(said))
    return None if odd else people[0]


def health_of_others(
    low: str, text: str, start: int, end: int, found: Sequence[StatementSpan]
) -> Iterator[StatementSpan]:
    """Yield the statements on the health of others in `text[start:end]` that lie outside of those `found` in it."""
    if not safety.states(low[start:end], safety.LASTING) or _UNSURE.search(low, start, end):
        return
    at = start
    for place in [start, *(found.end() for found in _BEFORE.finditer(low, start, end))]:
        if place < at or any(one.start - LONGEST_PRONOUN <= place < one.end for one in found):
            continue
        family = english().family(low, place, end, text)
        if family is None or family.name not in FAMILIES:
            continue
        found_here = family.match(low, place, end)
        stop = _END.search(low, found_here.end() if found_here else place, end)
        at = stop.start() if stop else end
        yield from named(low, text, [StatementSpan(place, at, family)])
