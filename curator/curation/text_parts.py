"""Parts of a text that say more than what another text, which is in conflict with it, changes."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from curator import safety
from curator.curation.safety_loss import is_lost
from curator.safety.vocabulary import RELATIVE
from curator.stem import stem

MOST = 1_000
"""Maximum characters of a text that is split."""
_SUBJECT = (
    r"(?:i|we|he|she|it|they|you|there|this|that|my|our|his|her|their|the|an?|never|always|do not|don['’]t|no|please"
    r"|also|then)(?:['’]\w+)?"
)
_BREAK = re.compile(
    r"(?<=[.!?…])(?<!\b[A-Z]\.)(?<!\b[A-Z][a-z]\.)\s+|\s*[;\n]+\s*|,\s+(?!(?:19|20)\d\d\b)|:\s+|\s[-–—]+\s"
    rf"|,?\s(?:and|but)\s(?={_SUBJECT}\s)",
    re.IGNORECASE,
)
_LEAD = re.compile(r"^(?:and|but|so|also|then|plus)\s+", re.IGNORECASE)
_LEANS = re.compile(
    r"(?:because|since|as|so|when|whenever|while|until|till|if|unless|after|before|for|in|on|at|with|without|by|to|of"
    r"|from|like|about|than|which|who|where|that|not|instead|rather|except|even|especially|including|e\.g|i\.e|max"
    r"|maximum|at most|up to|around|maybe|perhaps|probably|have been|has been|had|though|although|or)\b",
    re.IGNORECASE,
)
"""The beginning of a part that adds a reason, a time, a place or a contrast to the one before it."""
_CONTRAST = re.compile(r"(?:not|instead|rather)\b", re.IGNORECASE)
_ORDERS = re.compile(r"\b(?:never|always|must|do not|don['’]t|only)\b", re.IGNORECASE)
_NAME = re.compile(
    r"(?<=[\w,;:)'’\"-] )[A-Z][^\W\dA-Z]{2,}\b"
    r"|\b\w+(?:[_/@]\w+)+(?:\.\w+)?|\b\w+\.(?:py|md|toml|json|ya?ml|js|ts|rs|go)\b"
)
"""A name within a sentence, or an identifier or file name."""
_APPOSED = re.compile(r"\b[^\W\dA-Z_][\w'’-]*, [A-Z][^\W\dA-Z]{2,}(?: [A-Z][\w'’-]+)*$")
"""A name after a thing, no "Lisbon, Portugal"."""
_OWN = re.compile(
    rf"(?:(?:also|then|now|there|here)\s)?(?:I|[Ww]e|[Hh]e|[Ss]he|[Ii]t|[Tt]hey|(?:{RELATIVE})|(?:[Mm]y|[Oo]ur|[Hh]is"
    r"|[Hh]er|[Tt]heir|[Tt]he|[Aa]n?)\s[\w'’-]+(?:\s[\w'’-]+)?|[A-Z][\w'’-]+)['’\s]"
)
"""The beginning of a part that has a subject of its own."""
_ITEM = re.compile(
    r"(?:the |my |our |an? )?(?P<thing>[^\W\d_][\w'’-]*(?: [^\W\d_][\w'’-]*){0,3}?) (?:is |are |costs? )?[$€£]?\d",
    re.IGNORECASE,
)
"""A thing with a number of its own: "the bench 420"."""
_THING = re.compile(
    r"(?P<thing>(?!I\b|We\b)[A-Z][\w'’-]*(?: [\w'’-]+){0,4}?) "
    r"(?P<verb>is|are|was|were|costs?|weighs?|measures?|has|have|uses?|takes?|lives?|works?)\b"
)
_PRONOUN = re.compile(r"(?:it|he|she)(?P<is>['’]s)?(?= )", re.IGNORECASE)
_BARE_ITEM = re.compile(
    r"(?P<thing>(?:the |my |our |an? )?[^\W\d_][\w'’-]*(?: [^\W\d_][\w'’-]*){0,2}) (?P<number>\d[\d.,]*)"
)
_VALUE = re.compile(r"(?P<sign>[$€£])?\d[\d.,]*(?P<unit> [^\W\d_]+)?")
_JOINS = frozenset(map(stem, "since because until till when while instead than not only never always".split()))


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a text, verbatim: `more` if another text neither says nor replaces it."""

    text: str
    more: bool


def more_parts(winner: str, loser: str) -> tuple[str, ...]:
    """Return the parts of `loser`, verbatim, that say more than what `winner` replaces of it."""
    return tuple(part.text for part in split(winner, loser) if part.more)


@lru_cache(maxsize=4096)
def split(winner: str, loser: str) -> tuple[Part, ...]:
    """Return the parts of `loser`, each with whether `winner` neither says nor replaces it.

    What `winner` replaces is the part that a rule opposes, else the one with most words in common.
    """
    from curator.compare.phrases import amounts

    parts = parts_of(loser)
    changed = changed_part(winner, parts) if len(parts) > 1 else 0
    of_change = set(amounts(parts[changed])) if changed is not None and parts else set()
    found: list[Part] = []
    for at, part in enumerate(parts):
        named = bool(at and _APPOSED.search(f"{parts[at - 1]}, {part}") and f", {part}" in " ".join(loser.split()))
        says = at != changed and len(parts) > 1 and says_more(winner, part, of_change, named)
        leans = bool(at != changed and found and found[-1].more and _LEANS.match(part) and not _CONTRAST.match(part))
        found.append(Part(part, says or leans))
    if changed is None and sum(part.more for part in found) == 1:  # the only one that says something
        return tuple(replace(part, more=False) for part in found)
    return tuple(found)


def kept_parts(winner: str, loser: str, known: str = "") -> tuple[str, ...]:
    """Return what `more_parts` does in sentences, each with a subject and a unit from the part that is replaced.

    Parts of which `known` has all words are left out.
    """
    from curator.text import tokens

    sentences: list[str] = []
    changed, joined = "", False
    for part in split(winner, loser):
        text = part.text.rstrip(".")
        if not part.more or tokens(text) <= tokens(known):
            changed, joined = changed or text, False
        elif joined:
            sentences[-1] = f"{sentences[-1]}, {text}"
        else:
            sentences.append(readable(text, changed))
            joined = True
    return tuple(sentence[0].upper() + sentence[1:] for sentence in sentences)


def readable(part: str, before: str) -> str:
    """Return a part that can stand without the one before it: "it's in oak" after "The bench is 420"."""
    subject = _THING.match(before)
    if subject is None:
        return part
    if pronoun := _PRONOUN.match(part):
        verb = {"'s": " is", "’s": " is"}.get(pronoun["is"] or "", "")
        return f"{subject['thing']}{verb}{part[pronoun.end() :]}"
    if (bare := _BARE_ITEM.fullmatch(part)) and (full := _VALUE.search(before, subject.end())):
        return f"{bare['thing']} {subject['verb']} {full['sign'] or ''}{bare['number']}{full['unit'] or ''}"
    return part


def parts_of(text: str) -> list[str]:
    """Return the parts of the start of a text that can each be kept or replaced, verbatim."""
    plain = " ".join(text[:MOST].split())
    found = (_LEAD.sub("", part).strip(" ,;:") for part in _BREAK.split(plain))
    return [part for part in found if re.search(r"\w", part)]


def changed_part(winner: str, parts: list[str]) -> int | None:
    """Return the index of the part that a text replaces; None if it has nothing in common with any of them."""
    from curator.compare.slot_relation import SlotRelation, slot_findings

    for at, part in enumerate(parts):
        if any(one.kind is SlotRelation.OPPOSED for one in slot_findings(part, winner)):
            return at
    shared = [len(_content(part) & _content(winner)) for part in parts]
    return shared.index(max(shared)) if max(shared) else None


def says_more(winner: str, part: str, of_change: set[str], named: bool) -> bool:
    """Return True if a text neither says nor replaces a part, which is an order, a number, a name or a clause.

    A part that is `named` names a thing before it: "my hearing aid, Phonak".
    """
    from curator.compare.phrases import amounts
    from curator.text import tokens

    own, known = _content(part), _content(winner)
    new = own - known
    if not new or 2 * len(new) < len(own) or (_LEANS.match(part) and not _ORDERS.search(part)):
        return False
    if safety.states(part, (*safety.LASTING, "treatment")):
        if is_lost(winner, part, False):
            return True
        if safety.may_deny(winner):
            return False
    measured, there = amounts(part), amounts(winner)
    if any(what in there and what not in of_change for what in measured):
        return False  # "85 m2" to "140 m2"
    item = _ITEM.match(part)
    if item is not None and not tokens(item["thing"]) <= tokens(winner):
        return True
    if named or _ORDERS.search(part) or any(not tokens(name[0]) <= tokens(winner) for name in _NAME.finditer(part)):
        return True
    return _OWN.match(part) is not None and len(new) > 1


@lru_cache(maxsize=4096)
def _content(text: str) -> frozenset[str]:
    """Return the stems of words that name things or deeds: no people, numbers, times or light words."""
    from curator.text import tokens, wordlists

    lists = wordlists()
    people = {stem(word) for word in lists.people}
    dates = {stem(word) for word in (*lists.months, *lists.days, *lists.units)}
    return frozenset(
        word
        for word in tokens(text) - lists.light - people - dates - _JOINS
        if not word[:1].isdigit() and word not in lists.negations and len(word) > 1
    )
