"""Statements about the health, diet or disability of people close to the person, anywhere in a sentence."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from curator import safety
from curator.distill.language import english
from curator.distill.statements.clauses import StatementSpan, sentences
from curator.distill.third_party.named_subjects import subject_before
from store.model import Kind

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
    r"\b(?:[Ff]or|[Ww]ith|[Ii]nvit(?:ed?|ing)|[Mm]eeting|[Ss]eeing|[Dd]ating|called"
    r"|named) ([A-Z][a-z]+(?: [A-Z][a-z]+)*)\b"
    r"(?!['’-]?[A-Z0-9&])"
)
_TELLS = re.compile(
    r"(?:(?:[Aa]nd|[Ss]o|[Bb]ut|[Oo]h|[Tt]oday|[Yy]esterday),? )?(?!(?:Everyone|Everybody|Somebody|Someone|Nobody|Who"
    r"|He|She|They|It|You|We|People|Work|School|This|That)\b)([A-Z][a-z]+)(?: just| also| then| finally)?"
    r" (?:told|tells|texted|called|rang|phoned|wrote|said|says|asked|mentioned|messaged|promised)\b"
)
"""A person at the start of a sentence, recognised by verbs that only people are the subject of."""
_BOUND = re.compile(
    r"\b(?:leav\w+|left|head\w*|bound|mov(?:e|es|ed|ing)|fl(?:y|ies|ew|ying|ights?)|depart\w*|off|sails?|trains?"
    r"|tickets?|visas?"
    r"|buses|bus|boat|ferry|works?|worked|working|jobs?|interview\w*|contracts?|freelanc\w+|play(?:s|ed|ing)?|appl(?:y"
    r"|ied|ies)|employ\w+|intern\w*|positions?|roles?|accounts?|subscriptions?|insur\w+|signed|signs?|run(?:s|ning)?"
    r"|vot\w+)\b"
    r"(?: (?!and\b|but\b|to\b)[\w'-]+){0,3} $",
    re.IGNORECASE,
)
_NOT_CALLED = re.compile(
    r"\b(?:village|town|city|place|island|street|company|firm|startup|start-up|band|group|shop|bar|pub|caf[eé]"
    r"|restaurant|hotel|school|book|film|movie|show|game|app|site|programme|program|project|product|brand|drug"
    r"|medicine"
    r"|thing)s? $",
    re.IGNORECASE,
)
"""Words before "for", "with" or "called" after which a name is not a person's but a place's, employer's or thing's."""
_DOES = (
    r"(?:physio(?:therapist)?|doctor|gp|dentist|therapist|counsell?or|boss|manager|landlord|landlady|teacher|tutor|coach"
    r"|trainer|nurse|midwife|vet|lawyer|solicitor|accountant|neighbou?r|flatmate|housemate|roommate|colleague|hairdresser"
    r"|plumber|builder|babysitter|nanny|cleaner|childminder|mechanic|optician|surgeon|consultant|supervisor)"
)
_ROLE = re.compile(rf"(?:so |and |but )?(?P<who>(?:my|our) (?:new |old )?{_DOES}(?!'s\b))\b")
_ROLE_SAYS = re.compile(
    rf"(?:so |and |but )?(?P<who>(?:the )?{_DOES}) (?:said|says|told|thinks|texted|rang|recommended)\b"
)
"""A person named by what they do, as the subject of a sentence: "my boss has ...", "physio said ..."."""
_PLACE = re.compile(
    r"(?:New|San|Santa|Saint|St|Los|Las|El|La|Le|Port|Fort|North|South|East|West|Great|Upper|Lower|Mount|Lake|Cape|Rio"
    r"|Costa|Sao|Hong|Buenos|Tel|Abu|Sri|United|Royal|National|Deutsche|General|Bank|University|Hospital|Christmas"
    r"|Easter)\b"
    r"|.* (?:Group|Inc|Ltd|Bank|University|College|Hospital|School|Street|Road|City|Airport|Council|Island|Islands|Park"
    r"|Hotel|Church|Institute|Museum|Society|Airlines|Motors|Systems|Beach|Bay|Hill|Town|County|Kong|Aires|Aviv)$"
)
"""The name of a place or a company."""
_OPENING = re.compile(r"(?:she|he)(?:'s|'d|'ll)? (?!who\b|that\b)")
"""A pronoun whose person only the previous sentence can name."""
_SOMEBODY = re.compile(r"\bs?he\b")
_OF_VET = re.compile(r"(?:(?:the|our|my) )?vets? (?:says?|said|thinks|told us|wants|put|gave|prescribed)\b")
_OF_THEM = re.compile(
    r"(?P<whose>her|his) (?:(?:new|old|older|younger|little|late) )?"
    r"(?:husband|wife|partner|boyfriend|girlfriend|sons?|daughters?|kids?|children|mother|father|mum|mom|dad|parents"
    r"|sisters?|brothers?|baby|boss|dog|cat)\b"
)
"""Somebody who belongs to such a person: "her husband Paul is vegetarian"."""
_THIRD_PERSON = re.compile(
    r"(?:(?:and|but|so|also|oh|btw|now)[, ]+)*(?:(?:he|she|they|his|her|their)(?:'\w+)?"
    r"|(?:one|the (?:other|second|third)(?: one)?)(?:'s| is))\s(?!.*\b(?:i|i'm|im|i've|ive|we|we're|we've)\b)"
)
"""A statement about somebody whom only other sentences name, and not about the person."""
_PRONOUN = re.compile(r"(?P<she>she)|(?P<he>he)|they")
PRONOUN = re.compile(r"\b(?:she|he|they|her|his|their)\b", re.IGNORECASE)
"""A pronoun in a memory's text."""
_HER, _HIM = re.compile(r"\b(?:she|her|hers)\b"), re.compile(r"\b(?:he|him|his)\b")
_WOMAN = re.compile(r"\b(?:wife|girlfriend|\w*mother|mom|mum|\w*daughter|sister|grandma|aunt|niece)\b")
_MAN = re.compile(r"\b(?:husband|boyfriend|\w*father|dad|(?:step|grand)?son|brother|grandpa|uncle|nephew)\b")
_PERSON = (
    rf"(?:{_DOES}|(?:step|grand)?(?:mother|father|mom|mum|dad|son|daughter|child|parent)s?|wife|husband|partner|girlfriend"
    r"|boyfriend|fianc[eé]e?|sister|brother|sibling|aunt|uncle|cousin|niece|nephew|grandma|grandpa|friend|mate|boss|kid"
    r"|baby|man|woman|boy|girl|guy|lady)\b"
)
_ANOTHER = re.compile(rf"\b(?:an?|another|the|his|her|their|\w+'s) (?:[\w-]+ )??{_PERSON}")
_CALLED = re.compile(r"(?<!\bin )(?<!\bat )(?<!\bto )(?<!\bfrom )\b[A-Z][a-z]+")
_BESIDES = re.compile(
    r"\b(?:has|have|had|got|met|saw|likes?|loves?|hates?|called|visited|about|with|and)"
    rf" (?:an?|another|the|one|his|her|their) (?:[\w-]+ )??{_PERSON}(?! (?:called|named)\b)"
)
"""Another person whom a pronoun may mean, in a sentence between or beside the one named: "Ana has a daughter"."""
_THEIRS = re.compile(rf"['’]s (?:[\w-]+ ){{0,2}}?{_PERSON}")
"""The rest of "my son's friend", who is not the son."""
FURTHER = 6
"""Number of sentences searched for the person a pronoun refers to, if the statement is about an allergic reaction."""
OF_WHOM = "health of whom"
_LOOK_BACK = 2_000  # characters; splitting the whole text for each pronoun would take quadratic time
LONGEST_PRONOUN = len("they ")
FAMILIES = ("health of others", "health of a name", "health of family", OF_WHOM)


def is_of_somebody(low: str) -> bool:
    """Return True for a statement whose subject is a pronoun for somebody else: "she is afraid of the vacuum"."""
    return _THIRD_PERSON.match(low) is not None


def with_person(
    low: str, text: str, found: Sequence[StatementSpan], aside: bool = False, before: tuple[str, str] = ("", "")
) -> Iterator[StatementSpan]:
    """Yield the statements `found`, with the person from the previous sentence added where one is about a pronoun.

    `before` is the person's previous message, in lower case and as written: it may name whom the message begins with.

    If that sentence names several people, or one who does not fit the pronoun, the statement is dropped. If it names
    nobody, statements about health are dropped, and those made within a question (`aside`); other statements, and those
    about allergic reactions, may be about somebody named earlier: by name if pronouns lead back to it.
    """
    for one in found:
        whose = _OF_THEM.match(low, one.start, one.end)
        pronoun = None if whose else _PRONOUN.match(low, one.start)
        opens = pronoun is not None and _OPENING.match(low, one.start) is not None
        is_health = one.family.name == OF_WHOM
        if not (is_health or opens or whose):
            yield by_vet(low, text, one, before) if _OF_VET.match(low, one.start) else one
            continue
        is_reaction = is_health and english().cues["reaction"].search(low, one.start, one.end) is not None
        is_she = pronoun["she"] is not None if pronoun else whose is not None and whose["whose"] == "her"
        is_he = pronoun["he"] is not None if pronoun else whose is not None and not is_she
        meant = _HER if is_she else _HIM if is_he else None
        people, is_open = _people_before(low, text, one.start, is_reaction, is_health, meant)
        odd = _MAN if is_she else _WOMAN if is_he else None
        if not people and is_open and (name := named_before(before, is_reaction, is_health, meant, odd)):
            yield replace(one, name=name + "'s" * (whose is not None))
            continue
        if whose:
            who = [text[slice(*person)] for person in people if not (odd and odd.search(low, *person))]
            yield replace(one, name=f"{who[0]}'s") if len(who) == len(people) == 1 else one
            continue
        named = max(people[0][0], low.rfind("'s ", *people[0])) if people else 0
        if len(people) == 1 and pronoun and not (odd and odd.search(low, named, people[0][1])):
            start = pronoun.end() + (low[pronoun.end()] == " ")
            yield replace(one, start=start, subject=people[0], pronoun=one.start)
        elif not people and (is_reaction or not (is_health or aside)):
            single = pronoun[0] if pronoun and not is_health else ""
            subject = subject_before(low, text, one.start, before, single) if single in ("she", "he") else None
            yield replace(one, name=subject or "")


def by_vet(low: str, text: str, one: StatementSpan, before: tuple[str, str]) -> StatementSpan:
    """Return what a vet says as a fact, with the animal named if a pronoun means it: "vet says renal diet, she ..."."""
    one = replace(one, family=replace(one.family, kind=Kind.FACT))
    pronoun = _SOMEBODY.search(low, one.start, one.end)
    if pronoun is None:
        return one
    meant = _HER if pronoun[0] == "she" else _HIM
    people, _ = _people_before(low, text, one.start, False, False, meant)
    name = text[slice(*people[0])] if len(people) == 1 else None
    return replace(one, name=name or (None if people else named_before(before, False, False, meant, None)) or "")


def named_before(
    before: tuple[str, str], further: bool, health: bool, meant: re.Pattern[str] | None, odd: re.Pattern[str] | None
) -> str | None:
    """Return the one person whom the end of the previous message names, or None."""
    low, text = before
    people, _ = _people_before(low, text, len(low), further, health, meant) if low else ([], True)
    if len(people) != 1 or (odd and odd.search(low, max(people[0][0], low.rfind("'s ", *people[0])), people[0][1])):
        return None
    return text[slice(*people[0])]


def _people_before(
    low: str, text: str, end: int, further: bool, health: bool, meant: re.Pattern[str] | None
) -> tuple[list[tuple[int, int]], bool]:
    """Return the spans of the people named in the sentence before `end`; if `further`, in the last one with names.

    A sentence with the pronouns `meant` and no names speaks of the person of the one before it. The second value is
    True if that goes on to the start of the text, so that an earlier text may name the person.
    """
    begin = max(0, end - _LOOK_BACK)
    before = [(begin + start, begin + stop) for start, stop, _ in sentences(low[begin:end])]
    reading = before[-FURTHER:] if further or meant else before[-1:]
    usual = english().common | english().stopwords | english().date_words
    for start, stop in reversed(reading):
        people: list[tuple[int, int]] = []
        for found in english().cues["relative"].finditer(low, start, stop):
            theirs = _THEIRS.match(low, found.end(), stop)
            last = theirs.end() if theirs else found.end()
            name = _NAME.match(text, last, stop)
            people.append((found.start(), name.end() if name else last))
        told = _TELLS.match(text, start, stop)
        if told and told[1].lower() not in english().common | english().date_words and not _PLACE.match(told[1]):
            people.append(told.span(1))
        for found in _WITH.finditer(text, start, stop):
            around = (_NOT_CALLED if found[0].startswith(("called", "named")) else _BOUND), text[start : found.start()]
            is_place = _PLACE.match(found[1]) or around[0].search(around[1])
            if not is_place and english().date_words.isdisjoint(found[1].lower().split()):
                people.append(found.span(1))
        role = None if people else _ROLE.match(low, start, stop) or (not health and _ROLE_SAYS.match(low, start, stop))
        people = [role.span("who")] if role and not _NAME.search(text, role.end(), stop) else people
        called = () if people else (one[0].lower() for one in _CALLED.finditer(text, start, stop))
        another = (_BESIDES if people else _ANOTHER).search(low, start, stop)
        if meant and (another or not usual.issuperset(called)):
            return [], False
        if people or not (further or (meant and meant.search(low, start, stop))):
            return people, False
    return [], len(reading) == len(before) and begin == 0


def health_of_others(
    low: str, text: str, start: int, end: int, found: Sequence[StatementSpan], before: tuple[str, str] = ("", "")
) -> Iterator[StatementSpan]:
    """Yield the statements about the health of others in `text[start:end]` that do not overlap those in `found`."""
    reacts = english().cues["reaction"].search(low, start, end)
    if not (reacts or safety.states(low[start:end], safety.LASTING)) or _UNSURE.search(low, start, end):
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
        yield from with_person(low, text, [StatementSpan(place, at, family)], before=before)
