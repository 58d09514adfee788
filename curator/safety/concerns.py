"""Whom a safety fact is about, and which facts are relevant to a prompt. English only."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from enum import IntEnum

from curator import safety
from curator.safety.facts import words_in
from curator.safety.relevance import RELEVANT, kinds_of, matters_to
from curator.safety.vocabulary import (
    CLOSE_RELATIVE,
    DISTANT_RELATIVE,
    FOREIGN_RELATIVE,
    FORMER,
    RELATIVE,
    plain_text,
)

_FAMILY = re.compile(
    rf"\b(?:my|our) (?:(?:\w+ ){{0,2}}?{RELATIVE}s?|(?:(?:little|old|big|own) )?(?:boys?|girls?|man|missus))\b"
    rf"|^\W*(?:the )?{RELATIVE}\b|{FOREIGN_RELATIVE}"
)
_KNOWN = re.compile(
    r"\b(?:my|our|a|an|one) (?:\w+ ){0,2}?(?:friends?|colleagues?|co-?workers?|boss|manager|neighbou?rs?|flatmate"
    rf"|client|customer|teacher|trainer|student|pupil|guest|teammate|classmate|{FORMER})\b"
)
_SELF = re.compile(r"\b(?:i|i'm|im|i've|ive|i'd|i'll|me|my|myself|we|we're|we've|us|our)\b")
_OF_DISTANT = re.compile(
    rf"(?:(?:and|but|also|so|oh) )*(?:my|our) (?:[\w-]+ ){{0,2}}?{DISTANT_RELATIVE}(?: (?-i:[a-z])[\w-]+)?,?"
    r" (?:is|was|has|had|can't|cannot|needs|carries|eats|doesn't|does not|gets|uses|suffers|went|almost|nearly)\b"
    rf"(?!.*\b(?:i|i'm|im|i've|me|my|mine|we|we're|us|our|{CLOSE_RELATIVE})\b)"
)
"""A statement whose subject is an aunt, a nephew or an in-law, and which names nobody closer."""
_PERSON = re.compile(r"\b(?:i|i'm|im|i've|ive|i'd|i'll|me|myself|we|we're|we've|us)\b")
_ROLE = re.compile(
    r"(?<!being )(?<!\bas )\b(?:my|our|the|this|that|an?|one|another) (?:[\w'-]+ ){0,2}?(?:apprentice|intern|trainee"
    r"|conductor|lead|director|coach|tutor|tenant|landlord|landlady|lodger|room-?mate|house-?mate|visitor|supervisor"
    r"|assistant|guy|kid next door|singer|driver|secretary|receptionist|professor|babysitter|nanny|cleaner|mate|buddy"
    r"|pal|neighbou?r|player|bandmate|friend|colleague|boss|manager|customer|client|student|pupil|member|host|hostess"
    r"|bride|groom|actor|actress|musician|waiter|waitress|electrician|plumber|employee)\b(?!'s|-| are\b)"
    r"|\b(?:the|this|that) (?:[\w'-]+ )?(?:man|woman|lady|girl|boy)\b(?!'s|-| are\b)"
    r"|\bone (?:of (?:them|us) )?is (?=[^\W\d_]+\W*$)"
)
"""Somebody who is not family, by their role, and one of several people: "one is Yann"."""
_ROLE_NAMED = re.compile(
    r"\b(?:[Mm]y|[Oo]ur|[Tt]he) (?P<role>(?:[a-z][\w'-]* ){1,3})[A-Z][\w-]+"
    r" (?:is|has|had|uses|takes|needs|suffers|lives|can't|cannot|doesn't|carries)\b"
)
"""Somebody by role and name: "our conductor Mathilde is"."""
_NO_ROLE = re.compile(
    r"\b(?:medicines?|medication|insulin|drugs?|pills?|tablets?|injections?|inhaler|doctor|condition|disease|syndrome"
    r"|diet|brand|clinic|hospital|app|pump|sensor|cream|spray|vaccine|device|aids?|pacemaker|valve|card|implant|pen"
    r"|brace|splint|chair|allergist|specialist|diagnosis|test|since|from|with)\b"
)
"""Words between "my" and a name that is no person's: "my insulin Tresiba is"."""
_PRONOUN = re.compile(r"^\W*(?:(?:and|but|also|so|because|as|since) )*(?:he|she)(?:'s| )")
_REPORTED = re.compile(
    r"\b(?:says|said|thinks|thought|knows|knew|found out|noticed|discovered|told me|reminded me|confirmed)"
    r" (?:that )?i(?:'m|'ve| am| have|m|ve)\b"
)
"""A statement of somebody else about the person: "my ex says I'm allergic to nuts"."""
_NAMED = re.compile(
    r"^\W*(?:(?:and|also|but|ok|so|oh|well|right) )*"
    r"(?!(?:he|she|they|it|its|this|that|these|those|there|the|what|who|which|everyone|everything|nobody|no|all|only"
    r"|always|never|any|not|my|our|we|you|i|a|an|(?:mon|tues|wednes|thurs|fri|satur|sun)day|breakfast|lunch|dinner)\b)"
    r"([^\W\d_]{2,})(?: [\w-]+){0,3}?(?:(?:'s| is| are| has| have| was| takes?| needs?| gets?| uses?"
    r"| wears?| carries| suffers)(?: (?!since |after |because |for |with |due |when |if |from |by )[\w-]+){0,4}?) $"
)
"""The words before the fact in a statement about somebody by name: "Bethan at work is …"."""
_MENTIONED = re.compile(r"\b(?:because|cos|coz|due to|thanks to)\b")
_MANY = re.compile(
    r"\b(?:guests?|party|parties|everyone|everybody|friends|colleagues|co-?workers|team|office|class|potluck|buffet|bbq"
    r"|barbecue|catering|wedding|picnic|visitors)\b"
    r"|\bfor (?:[4-9]|\d\d|four|five|six|seven|eight|nine|ten|a dozen|twelve|twenty)\b"
)
"""Prompts about people who are not named."""
_NOT_ALONE = (
    r"\bthey\b(?! (?:give|prescribe|offer|put me|do|say|tell|ask|charge|check|test|use)\b)"
    rf"|\b(?:we|we're|we've|us|our|ours|he|he's|she|she's|they're|his|her|their|theirs|{RELATIVE}|{FORMER}|someone"
    r"|somebody|toddler|infant|girl|boy|man|woman|men|women|patients?|everyone|anyone|people)\b"
    r"|(?<!tell )(?<!ask )(?<!say to )\b(?:him|them)\b"
)
"""Prompts about others, too; "what do I tell him" is not about him."""
_OF_BODY = frozenset(
    {"health", "care", "skin", "emergency", "exercise", "strain", "bleeding", "weight", "mood", "implants", "worn"}
)
_FOR_ONE = re.compile(
    r"\b(?:on my own|by myself|(?:just|only) (?:for )?me|for (?:me alone|myself|one)|(?:for|to|in|on|at) my own"
    r"|me (?:alone|now)|i'm alone)\b(?! and\b)"
)
"""Words of a prompt that nobody else is concerned by."""
_WITHOUT_SELF = re.compile(
    r"\b(?:just the (?:two|three|four) of them|without me|i (?:won't|can't) (?:be there|come))\b"
)
"""Words of a prompt that does not concern the person."""
_RECIPIENT = re.compile(
    rf"\b(?:for|give|giving|can|could|may|should|does|did|is|has|will) (?:my|our|a|an|the) (?:\w+ ){{0,2}}?"
    rf"(?:{RELATIVE}|{FORMER}|friend|colleague|neighbou?r|guest)s?\b|\b(?:my|our) (?:\w+ ){{0,2}}?{RELATIVE}'s\b"
    rf"|^\W*(?:my|our) (?:\w+ ){{0,2}}?(?:{RELATIVE}|{FORMER}) (?:has|is|got|had|feels?|hurt|can't"
    r"|needs?|wants?|keeps)\b"
)
"""Words that name somebody else as the one that a prompt is about."""
_TOGETHER = re.compile(r"\b(?:with|from|like) (?:my|our|a|an)\b")
_OWN_PART = re.compile(
    r"\b(?:i'm|i've|i'd|im|ive|me|myself|mine|we|us|our|ours)\b"
    r"|\bi\b(?! (?:can |could |should |may )?(?:give|ask|tell|help|buy|cook|do)\b)(?<!can i)(?<!should i)(?<!could i)"
    r"|\b(?:can|should|could|may) i (?!(?:give|ask|tell|help|buy|cook|do)\b)"
    rf"|\bmy (?!(?:\w+ ){{0,2}}?{RELATIVE}\b|{FORMER}\b|(?:\w+ )?(?:friend|colleague|boss|neighbou?r)s?\b)"
)
"""Words by which a prompt about somebody else's health is about the person's, too."""
_WHO = (
    r"(?<!\bi'm )(?<!\bi am )\b(?:an?|the|some\w+|any\w+|every\w+|people|guests?|friends?|colleagues?)"
    r" ?(?:[\w-]+ ){0,3}?(?:who|who's|whos|that's|thats)\b"
)
"""The words before the fact in a clause about somebody else: "an accountant who's vegan"."""
_CAPITAL = re.compile(r"\b[A-Z][\w-]+")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_PLAIN_WORDS = frozenset(
    "a about am an and are as at be been being bit but by can cos do does for from got had has have he her his i i'd"
    " i'm i've im in is it its it's ive just me my of on or our out she so some that the their them then they this to"
    " too turns very was we were which who with you your also really".split()
)


class Whose(IntEnum):
    """Whom a safety fact is about: other people, the person's family, or the person."""

    OTHERS = 0
    FAMILY = 1
    OWN = 2


class Gravity(IntEnum):
    """Weight of a safety fact."""

    PASSING = 0  # a treatment or injury
    DISLIKE = 1  # a food that somebody leaves out, with no reason given
    DIET = 2
    SERIOUS = 3  # an allergy, illness or disability


_SERIOUS = ("allergy", "illness", "disability", "colours")
_DISEASE = re.compile(r"\b(?:c(?:o?e|œ)liac|celíac[oa]|celiac[oa]|cœliaque|zöliakie|renal diet|not even traces)\b")
_ALLERGIC = re.compile(r"allerg|alérgi|alergi|anaphyla|intoleran|c(?:o?e|œ)liac|celíac|cœliaque|zöliakie|\bepi-?pen")
_LEFT_OUT = re.compile(r"(?:can't|cannot|must not) (?:have|eat|drink)|can't do \w+")
"""Words of a fact that may be no more than a preference: "bitterballen, which I can't eat"."""


def whose(text: str) -> Whose:
    """Return whom the safety fact of a text is about: the person, unless it names somebody else."""
    found, last, kinds = list[Whose](), Whose.OWN, _kinds(text)
    for written in safety.clauses(text):
        clause = plain_text(written)
        if _REPORTED.search(clause):
            last = Whose.OWN
        elif _FAMILY.search(clause):
            last = Whose.FAMILY
        elif _PERSON.search(clause) and not (_KNOWN.search(clause) or re.search(_WHO, clause)):
            last = Whose.OWN
        elif (
            re.search(_WHO, clause)
            or _KNOWN.search(clause)
            or _name_in(clause, kinds) is not None
            or _has_role(written, clause, kinds)
        ):
            last = Whose.OTHERS  # a clause without a subject is about the same one as the last
        elif last is Whose.OWN and _PRONOUN.match(clause):
            last = Whose.FAMILY  # or of the person, as a model may refer to them
        elif _SELF.search(clause):
            last = Whose.OWN
        if safety.states(clause, kinds):
            found.append(last)
    return max(found, default=Whose.OWN)


def is_of_household(text: str) -> bool:
    """Return True for a safety fact of the person, or of one of the family who is no aunt, nephew or in-law."""
    of = whose(text)
    return of is Whose.OWN or (of is Whose.FAMILY and not _OF_DISTANT.match(plain_text(text)))


def name_in(text: str) -> str | None:
    """Return the name of the other person a safety fact is about, in lower case; None without a name."""
    names = (_name_in(plain_text(clause), _kinds(text)) for clause in safety.clauses(text))
    return next((name for name in names if name is not None), None)


def is_close(name: str, text: str) -> bool:
    """Return True if a text says that somebody is family, or does things together with the person."""
    one = re.escape(name)
    return (
        re.search(
            rf"\b{RELATIVE},? (?:is |called |named )?{one}\b|\b{one},? (?:is |\()?(?:\d+, )?(?:my |our )?{RELATIVE}\b"
            rf"|\b(?:me|i) and {one}\b|\b{one} and (?:me|i)\b",
            plain_text(text),
        )
        is not None
    )


def priority(text: str) -> tuple[bool, Gravity, Whose, Gravity, bool, bool, bool]:
    """Return a sort key of safety facts, the most important greatest.

    Life-threatening; lasting (no treatment or injury, and more than a food that is left out); the person's own, or an
    allergy in the family; an illness rather than a diet; an allergy; the person's own; stated rather than mentioned.
    """
    plain = plain_text(text)
    aside = _MENTIONED.search(plain)
    stated = aside is None or safety.states(plain[: aside.start()], _kinds(text))
    lasting, of = gravity(text), whose(text)
    allergic = _ALLERGIC.search(plain) is not None and safety.states(text)
    rank = Whose.OWN if allergic and of is Whose.FAMILY else of
    return (
        safety.is_grave(text),
        min(lasting, Gravity.DIET),
        rank,
        lasting,
        allergic,
        of is Whose.OWN,
        stated and not mentioned_in(text),
    )


def gravity(text: str) -> Gravity:
    """Return how much depends on the facts of a text."""
    if not safety.states(text):
        return Gravity.PASSING
    plain = plain_text(text)
    told = words_in(plain, safety.LASTING)
    if _DISEASE.search(plain) or not told.isdisjoint(safety.words_of(_SERIOUS)):
        return Gravity.SERIOUS
    return Gravity.DISLIKE if told and all(_LEFT_OUT.fullmatch(one) for one in told) else Gravity.DIET


def rank(text: str) -> tuple[bool | int, ...]:
    """Return the sort key `priority` of a lasting safety fact; that of any other text is less."""
    return priority(text) if safety.states(text) else ()


def relevant_facts(
    texts: Sequence[str],
    prompt: str,
    subjects: Sequence[str],
    texts_with: Callable[[str], Iterable[str]],
    most: int,
    of_animals: Collection[str] = (),
) -> list[int]:
    """Return the indexes of the facts relevant to a prompt about these subjects, most important first, at most `most`.

    Facts about other people are included only if they are life-threatening, the prompt shares a word with them or is
    about a group, or they are close to the person; for a prompt about the person's own health or exercise, only if it
    has their name. Repetitions are left out. `texts_with(name)` returns the texts that mention a name; it is called
    once per name, and only for a fact that has a place, since it reads all texts. `of_animals` are those of the texts
    that are about an animal: nothing of this applies to them.
    """
    ranked = sorted(((priority(text), place) for place, text in enumerate(texts)), key=lambda one: one[0], reverse=True)
    kept: list[int] = []
    close: dict[str, bool] = {}
    plain, asked = plain_text(prompt), content(prompt)
    of_many = _MANY.search(plain) is not None
    alone = not of_many and re.search(_NOT_ALONE, plain) is None
    elsewhere = not of_many and (is_of_another(prompt, subjects) or _WITHOUT_SELF.search(plain) is not None)
    for_one = alone and _FOR_ONE.search(plain) is not None
    for (grave, *_), place in ranked:
        if len(kept) == most:
            break
        text, of = texts[place], whose(texts[place])
        if any(is_covered_by(text, texts[other]) for other in kept):
            continue
        if text in of_animals:
            kept.append(place)
            continue
        if elsewhere and of is Whose.OWN:
            continue
        named = {*map(str.casefold, _CAPITAL.findall(text))} & asked
        if alone and of is not Whose.OWN and not named and (for_one or is_of_body(text, subjects)):
            continue
        if of is Whose.OTHERS and not (grave or of_many or content(text) & asked):
            name = name_in(text)
            if name is not None and name not in close:
                close[name] = any(is_close(name, one) for one in texts_with(name))
            if name is None or not close[name]:
                continue
        kept.append(place)
    return kept


def is_of_body(text: str, subjects: Sequence[str]) -> bool:
    """Return True if of these subjects a text matters to those of the body alone, such as health and exercise."""
    if not {*subjects} <= _OF_BODY:  # else a pattern would be compiled for nothing
        kinds = kinds_of(subjects)
        subjects = tuple(one for one in subjects if one in RELEVANT and matters_to(text, one, kinds)) or subjects
    return {*subjects} <= _OF_BODY


def is_of_another(prompt: str, subjects: Sequence[str]) -> bool:
    """Return True for a prompt about the health or exercise of one of the family or a friend, not of the person.

    `subjects` are those of the prompt.
    """
    plain = plain_text(prompt)
    other = _RECIPIENT.search(plain) is not None and _TOGETHER.search(plain) is None
    return other and {*subjects} <= _OF_BODY and _OWN_PART.search(plain) is None


def is_covered_by(text: str, other: str) -> bool:
    """Return True if `other` states everything that `text` states about the same person: "Im coeliac", "I'm coeliac".

    Of one that only mentions a fact, "no nuts because of my nut allergy", only the fact counts.
    """
    told = reason_of(text)
    if safety.may_deny(told) != safety.may_deny(other) or (safety.is_grave(text) and not safety.is_grave(other)):
        return False
    if whose(text) != whose(other):
        return False
    if content(text) <= content(other) or content(told) <= content(other):
        return True
    named = mentioned_in(text)
    return bool(named) and named <= {*safety.pattern_of(safety.LASTING).findall(plain_text(other))}


def reason_of(text: str) -> str:
    """Return what follows "because of" in a text that states a fact only there; else the text."""
    plain = plain_text(text)
    aside = _MENTIONED.search(plain)
    if aside is None or safety.states(plain[: aside.start()], tuple(safety.FACTS)):
        return text
    return plain[aside.end() :]


def mentioned_in(text: str) -> frozenset[str]:
    """Return the illnesses that a text of several clauses only names, without whose: "a fall on warfarin"."""
    clauses = [plain_text(clause) for clause in safety.clauses(text)]
    fact = safety.pattern_of(safety.LASTING)
    named = {clause: {found[0] for found in fact.finditer(clause)} for clause in clauses}
    told = frozenset[str]().union(*named.values())
    of_self = [clause for clause in clauses if _SELF.search(clause)]
    if not of_self or any(named[clause] for clause in of_self) or re.search(r"\d", text):
        return frozenset()
    return told if told <= {*safety.words_of(("illness",))} else frozenset()


def content(text: str) -> frozenset[str]:
    """Return the words of a text that say something, without the endings of plurals."""
    words = (word.removesuffix("'s") for word in _WORD.findall(plain_text(text)))
    return frozenset(
        "allergy" if word.startswith("allerg") else word.removesuffix("s") if len(word) > 3 else word
        for word in words
        if word not in _PLAIN_WORDS
    )


def _has_role(written: str, clause: str, kinds: tuple[str, ...]) -> bool:
    """Return True if somebody who is not family stands before the fact of a clause, by role: "our conductor has"."""
    fact = safety.pattern_of(kinds).search(clause)
    for role in _ROLE.finditer(clause, 0, fact.start() if fact else len(clause)):
        if not re.search(r"\b(?:my|our)\b", clause[role.end() : fact.start() if fact else len(clause)]):
            return True
    named = _ROLE_NAMED.search(written)
    return named is not None and not (_NO_ROLE.search(named["role"]) or safety.states(named["role"]))


def _kinds(text: str) -> tuple[str, ...]:
    """Return the kinds to look for in a text: all, which takes 15 ms to compile, only if it states none lasting."""
    return safety.LASTING if safety.states(text) else tuple(safety.FACTS)


def _name_in(clause: str, kinds: tuple[str, ...]) -> str | None:
    fact = safety.pattern_of(kinds).search(clause)
    if fact is None:
        return None
    verb = " is " if fact[0].startswith(("can't", "cannot", "must not", "take")) else " "  # the fact has the verb
    named = _NAMED.match(clause[: fact.start()].rstrip() + verb)
    return None if named is None or safety.states(named[1], kinds) else named[1]
