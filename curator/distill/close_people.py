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
_OPENING = re.compile(r"(?:she|he)(?:'s|'d|'ll)? (?!who\b|that\b)")
"""A person whom only the sentence before may name."""
_PRONOUN = re.compile(r"(?P<she>she)|(?P<he>he)|they")
_WOMAN = re.compile(r"\b(?:wife|girlfriend|\w*mother|mom|mum|\w*daughter|sister|grandma|aunt|niece)\b")
_MAN = re.compile(r"\b(?:husband|boyfriend|\w*father|dad|(?:step|grand)?son|brother|grandpa|uncle|nephew)\b")
OF_WHOM = "health of whom"
LONGEST_PRONOUN = len("they ")
FAMILIES = ("health of others", "health of a name", "health of family", OF_WHOM)


def named(low: str, text: str, found: Sequence[StatementSpan], aside: bool = False) -> Iterator[StatementSpan]:
    """Yield the statements `found`, those of "she", "he" or "they" with the person that the sentence before names.

    Where it names several, or one whom the pronoun does not fit, they are dropped. Where it names nobody, statements on
    health are dropped, and those that a question states `aside`; others may be about somebody named further up.
    """
    for one in found:
        pronoun = _PRONOUN.match(low, one.start)
        is_health = one.family.name == OF_WHOM
        if not is_health and not (pronoun and _OPENING.match(low, one.start)):
            yield one
            continue
        people = _people_before(low, text, one.start)
        odd = _MAN if pronoun and pronoun["she"] else _WOMAN if pronoun and pronoun["he"] else None
        if len(people) == 1 and pronoun and not (odd and odd.search(low, *people[0])):
            start = pronoun.end() + (low[pronoun.end()] == " ")
            yield replace(one, start=start, subject=people[0])
        elif not people and not is_health and not aside:
            yield one


def _people_before(low: str, text: str, end: int) -> list[tuple[int, int]]:
    """Return the spans of the people named in the sentence before `end`."""
    people: list[tuple[int, int]] = []
    for start, stop, _ in list(sentences(low[:end]))[-1:]:
        for found in english().cues["relative"].finditer(low, start, stop):
            name = _NAME.match(text, found.end(), stop)
            people.append((found.start(), name.end() if name else found.end()))
        for found in _WITH.finditer(text, start, stop):
            if found[1].lower() not in english().date_words:
                people.append(found.span(1))
    return people


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
