"""What leaves recall with a compound memory: name, age, home, work and close people, and parts of an order."""

import re
from functools import lru_cache

from curator.curation.pairs import Pair, Side
from curator.curation.unique_statements import RELATIVE
from curator.partial_updates import parts_left
from curator.text import tokens
from store.model import Given, Relation

_I_AM = r"(?i:\bI(?:\sam|\s?['’]?m))"
_ORIGIN = (
    r"(?:African|Albanian|Algerian|American|Arab|Argentin(?:e|ian)|Asian|Australian|Austrian|Bangladeshi|Basque|Belgian"
    r"|Bosnian|Brazilian|British|Bulgarian|Cambodian|Canadian|Catalan|Chilean|Chinese|Colombian|Croatian|Cuban|Cypriot"
    r"|Czech|Danish|Dominican|Dutch|Egyptian|English|Estonian|Ethiopian|European|Filipin[oa]|Finnish|Flemish|French"
    r"|Frisian|Georgian|German|Ghanaian|Greek|Hungarian|Icelandic|Indian|Indonesian|Iranian|Iraqi|Irish|Israeli|Italian"
    r"|Jamaican|Japanese|Jordanian|Kenyan|Korean|Kurdish|Latvian|Lebanese|Lithuanian|Macedonian|Malaysian|Maltese"
    r"|Mexican|Moldovan|Mongolian|Moroccan|Nepal(?:i|ese)|Nigerian|Norwegian|Pakistani|Palestinian|Persian|Peruvian"
    r"|Polish|Portuguese|Roma|Romanian|Russian|Scandinavian|Scottish|Senegalese|Serbian|Singaporean|Slovak|Slovenian"
    r"|Somali|Spanish|Sudanese|Swedish|Swiss|Syrian|Taiwanese|Thai|Tunisian|Turkish|Ukrainian|Venezuelan|Vietnamese"
    r"|Welsh|Catholic|Christian(?=,)|Protestant|Muslim|Jewish|Hindu|Buddhist|Sikh)\b"
)
"""Where somebody is from, or their faith, after "I'm": no name."""
_AGE = r"[1-9]\d(?!\w|[.:%]\d)(?=\s*(?:[,.;)!]|$|and\b|now\b|years?\b|yo\b|y/o))"
_NAMED = r"(?:[A-Z][\w'’-]+)(?:\s?\(\d{1,2}\))?"
_PLACE = r"(?:the\s)?[A-Z][\w-]+(?:\s[A-Z][\w-]+)*"
_PATTERNS = (
    ("name", re.compile(rf"(?:{_I_AM}|(?i:\bmy name(?:\sis|['’]?s))|(?i:\bcall me))\s(?!{_ORIGIN})[A-Z][\w-]+\b")),
    ("age", re.compile(rf"{_I_AM}(?:\s[A-Z][\w-]+,)?\s{_AGE}")),
    ("home", re.compile(rf"(?i:\b(?:I|we|and)\slive|\bliving|\bbased)\s(?:now\s)?in\s{_PLACE}")),
    (
        "work",
        re.compile(r"(?i:\b(?:I|and)\swork|\bworking|\bemployed)\s(?:at|for|as)\s[^,.;]+?(?=\sand\b|\swith\b|[,.;]|$)"),
    ),
)
_SOME = r"(?:an?|one|two|three|four|five|[1-9])"
_COUNTED = r"(?:kids?|child(?:ren)?|sons?|daughters?|twins|brothers?|sisters?)"
_NAMES = rf",?\s(?:(?:is|named|called)\s)?{_NAMED}(?:(?:,|,?\sand|\s&)\s{_NAMED})*"
_PEOPLE = re.compile(
    rf"(?i:{RELATIVE}){_NAMES}|(?i:\b(?:my|our)\s{_SOME}\s{_COUNTED})"
    rf"|(?i:\b(?:I|we)(?:\shave|['’]ve(?:\sgot)?)\s{_SOME}\s{_COUNTED})(?:{_NAMES})?"
)
"""Close people with their names, or how many there are: others are too often named in passing."""
_SPOUSE = r"(?:husband|wife|partner|boyfriend|girlfriend|fianc[ée]e?)"
_PRESENT_SPOUSE = re.compile(rf"(?<!\bex[- ])(?<!\bformer )\b{_SPOUSE}\b", re.IGNORECASE)
_NEW_SPOUSE = rf"(?:new|late) {_SPOUSE}|{_SPOUSE}(?:['’]s name| (?:left|died|passed away))"
_CHANGES = (
    ("home", re.compile(r"\b(?:moved|moving|relocat\w+|live|living|based)\b", re.IGNORECASE)),
    ("work", re.compile(r"\b(?:job|work|works|worked|working|employed|quit|hired|fired|retired)\b", re.IGNORECASE)),
    ("name", re.compile(r"\bname\b", re.IGNORECASE)),
    ("age", re.compile(r"\b(?:turned|birthday)\b", re.IGNORECASE)),
    (
        "spouse",
        re.compile(
            rf"\b(?:broke up|broken up|split(?: up)?|separated|parted ways|ended (?:it|things)|called it off|dumped"
            r"|(?:no longer|not|aren['’]?t|isn['’]?t)(?: \w+)? (?:together|a couple|in a relationship"
            rf"|with (?:my|him|her|them))|my ex|divorced?|(?<!\ba )(?<!\bevery )single|widowed|{_NEW_SPOUSE})\b",
            re.IGNORECASE,
        ),
    ),
)
FACTS_LOST = "where other personal facts would be lost"
ORDER_LOST = "where a part of an order would be lost"


@lru_cache(maxsize=1024)
def facts_lost(winner: str, loser: str) -> tuple[str, ...]:
    """Return the personal facts of a compound text, verbatim, that `winner` neither states nor changes.

    A text that states a single fact loses none: that is what the other replaces. If nothing of a text of two facts is
    known to be replaced, either may be, and none is returned.
    """
    told = _facts(loser)
    lost = [(about, said) for about, said in told if not is_replaced(winner, about, said)]
    if len(told) <= max(1, len(lost)) and len(lost) < 3:
        return ()
    words = dict.fromkeys(said for _, said in lost)
    return tuple(one for one in words if not any(one != other and one in other for other in words))


def loses_facts(pair: Pair, side: Side) -> bool:
    """Return True if keeping a side alone loses personal facts of the other that are not in conflict."""
    return bool(facts_lost(pair.on(side).text, pair.across(side).text))


def order_lost(pair: Pair, side: Side) -> tuple[str, ...]:
    """Return the parts of an order that is always given, verbatim, of which the side to keep says nothing."""
    other = pair.across(side)
    if other.given is not Given.ALWAYS or pair.alert.relation is Relation.DUPLICATE:
        return ()
    return parts_left(other.text, pair.on(side).text)


@lru_cache(maxsize=1024)
def _facts(text: str) -> tuple[tuple[str, str], ...]:
    """Return the personal facts of a text, each with what it is about, in order."""
    plain = " ".join(text.split())
    found = [(one.start(), about, one[0]) for about, pattern in _PATTERNS if (one := pattern.search(plain))]
    for one in _PEOPLE.finditer(plain):
        found.append((one.start(), "spouse" if _PRESENT_SPOUSE.search(one[0]) else "people", one[0]))
    return tuple((about, said) for _, about, said in sorted(found))


def is_replaced(winner: str, about: str, said: str) -> bool:
    """Return True if a text states or changes a fact; one that names all its people or its place does."""
    if any(kind == about for kind, _ in _facts(winner) if about != "people"):
        return True
    if any(kind == about and pattern.search(winner) for kind, pattern in _CHANGES):
        return True
    names = tokens(" ".join(re.findall(r"\b[A-Z][\w-]+", said.partition(" ")[2])))
    return tokens(said) <= tokens(winner) or (about != "age" and bool(names) and names <= tokens(winner))
