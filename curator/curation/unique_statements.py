"""Statements of one text that another lacks, which superseding the first by the second would lose; the fuller text."""

import re
from collections.abc import Iterator
from functools import lru_cache

from curator import safety
from store.model import Relation

SENTENCE_END = r"(?<=[.!?…])(?<!\b[A-Z]\.)(?<!\b[A-Z][a-z]\.)\s+(?![a-z])"  # not after Dr. or e.g.
_SENTENCE = re.compile(rf"{SENTENCE_END}|\s*[;\n]\s*")
_VERB = (
    r"(?:is|isn't|are|aren't|was|has|had|have|can|can't|does|doesn't|died|eats|lives|works|likes|loves|hates|prefers|uses"
    r"|drinks|needs|wants|plays|speaks|drives|studies|moved|calls|owns|goes|teaches|got)"
)
_NAMED = rf"(?:[Mm]y|[Oo]ur|(?=[A-Z]))\s?(?:[\w-]+\s+){{1,3}}?{_VERB}\b"
_OWN = rf"(?:I|[Ww]e)\b|{_NAMED}"
_CUT = re.compile(rf"(?:,|,?\s+(?:and|but|so|also|though|although|whereas))\s+(?:also\s+)?(?={_OWN})")
_BEGINS = re.compile(_OWN)
_UNDER = re.compile(
    r"\b(?:if|unless|whether|when|whenever|until|before|after|because|that|while|would)\b", re.IGNORECASE
)
_LEANS = re.compile(
    r"(?:it|its|it's|that|that's|this|these|those|they|them|he|she|him|her|his|their|but|and|so|then|because|since|until"
    r"|though|although|which|who|there|not|no|yes|still|only|except|instead|also|too|both|have|has|is|was)\b",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"(?:[€$£]?\d[\w.,%]*(?: (?:euros?|dollars?|pounds?|eur|usd|gbp|percent|hours?|days?))? )?"
    rf"(?:for|on|at|in|per|during|after|plus|with|without)\b(?!.*\b(?:I|[Ww]e|{_VERB})\b)"
)
"""A statement whose subject is in the one before it: "120 for rush jobs" after "My rate is 90 an hour;"."""
_REFERS = re.compile(
    r"\b(?:it|its|it's|this|these|those|they|them|he|she|him|his|there|then|too|both|instead|either)\b", re.IGNORECASE
)

_SHARED = re.compile(
    r",?\s(?:and|but)\s(?=(?:also |now )?(?:am|coach|do|drink|drive|eat|grow|hate|have|like|love|need|own|play|prefer"
    r"|run|speak|study|take|teach|use|want|work)\s)"
)
"""The beginning of another statement that has the subject of the one before."""
RELATIVE = (
    r"\b(?:my|our) (?:(?:\w+ ){0,2}?(?:ex-)?(?:husband|wife|partner|boyfriend|girlfriend|fianc[ée]e?|sons?|daughters?"
    r"|kids?|children|child|bab(?:y|ies)|twins|mother|father|mum|mom|dad|parents?|brothers?|sisters?|grand\w+|aunt|uncle"
    r"|cousins?|nephews?|nieces?|flatmates?|roommates?|dogs?|cats?|pets?|rabbits?|horse|friends?|colleagues?|boss"
    r"|manager))"
)
_RELATIVE = re.compile(
    rf"{RELATIVE}(?: (?-i:[A-Z])[\w-]+(?: and (?-i:[A-Z])[\w-]+)?)?(?:, who (?:is|are|has|have) [^,.;]+)?",
    re.IGNORECASE,
)
"""People and animals of the person in a statement about something else, with their names."""
_APART = (Relation.UNRELATED, Relation.COEXIST)


@lru_cache(maxsize=4096)
def beyond(winner: str, loser: str) -> tuple[str, ...]:
    """Return the statements of `loser`, verbatim, that `winner` does not cover and no rule opposes.

    Empty if no rule knows which statements of the two texts correspond: any may then be the conflict.
    """
    from curator.compare import relate
    from curator.compare.slot_relation import SlotRelation, slot_findings
    from curator.text import tokens

    said = list(pieces(loser))
    apart: list[str] = []
    for piece in said if len(said) > 1 else ():
        wanted, orders = tokens(piece), ((piece, winner), (winner, piece))  # either may have been said later
        opposed = (
            one.kind is SlotRelation.OPPOSED or (one.kind is SlotRelation.SAME and not one.implied)
            for order in orders
            for one in slot_findings(*order)
        )
        if 2 * len(wanted & tokens(winner)) < len(wanted) and not (
            any(relate(*order).relation not in _APART for order in orders) or any(opposed)
        ):
            apart.append(piece)
    return tuple(apart) if len(apart) < len(said) else ()


def lost_with(winner: str, loser: str) -> tuple[str, ...]:
    """Return the statements and named people of `loser` that `winner` lacks, verbatim."""
    from curator.compare.slot_relation import SlotRelation, slot_findings
    from curator.text import tokens

    apart, known = beyond(winner, loser), tokens(winner)
    lost = [*apart]
    for piece in pieces(loser):
        for index, part in enumerate(_SHARED.split(piece) if piece not in apart else ()):
            judged = {one.kind for one in slot_findings(part, winner)} & {SlotRelation.OPPOSED, SlotRelation.SAME}
            if index and not judged and not tokens(part) <= known:
                lost.append(part)
            else:
                lost += (found[0] for found in _RELATIVE.finditer(part) if not tokens(found[0]) <= known)
    return tuple(lost)


def adds_details(text: str, other: str) -> bool:
    """Return True if the first of two repetitions says all that the other does, and more."""
    from curator.text import tokens

    return tokens(other) < tokens(text) or more_complete(other, text, True) == text


def more_complete(text: str, other: str, judged: bool) -> str | None:
    """Return the one of two texts that contains every statement of both, or None.

    With `judged`, an alert has classified them as duplicates. A milder text never covers a life-threatening fact.
    """
    from curator.compare import Guard, differences, relate
    from curator.text import tokens

    if safety.is_grave(text) != safety.is_grave(other):
        grave, mild = (text, other) if safety.is_grave(text) else (other, text)
        return None if not judged or lost_with(grave, mild) else grave
    said, others, guards = tokens(text), tokens(other), {one.guard for one in differences(text, other)}
    if judged and guards <= {Guard.PERSON, Guard.NAME} and (said < others or others < said):
        return other if said < others else text
    same = judged and guards <= {Guard.PERSON}  # "we" may be "the team"
    if not same and relate(text, other).relation is not Relation.DUPLICATE:
        return None
    if not lost_with(text, other):
        return text
    return None if lost_with(other, text) else other


def keeps_safety(former: str, newer: str) -> bool:
    """Return True if a text of several clauses states a safety fact that a newer text does not deny."""
    return any(not denies(newer, clause) for clause in safety.fact_clauses(former))


def loses_grave(kept: str, other: str) -> bool:
    """Return True if `other` states a life-threatening safety fact, and `kept` neither states nor denies one."""
    return safety.is_grave(other) and not safety.is_grave(kept) and not (safety.states(kept) and denies(kept, other))


def denies(newer: str, former: str) -> bool:
    """Return whether, by a rule, two texts cannot both be true."""
    from curator.compare.slot_relation import SlotRelation, slot_findings

    return any(one.kind is SlotRelation.OPPOSED for one in slot_findings(former, newer))


def alone(pieces: tuple[str, ...]) -> tuple[str, ...]:
    """Return the statements that can be read without their context."""
    return tuple(piece for piece in pieces if not (_REFERS.search(piece) or _BARE.match(piece)))


def pieces(text: str) -> Iterator[str]:
    """Yield statements that can stand alone, each with its dependent clauses, without the commas between them."""
    held = ""
    for sentence in _SENTENCE.split(text):
        plain = " ".join(sentence.split())
        parts, at = [], 0
        # cut where another subject begins, unless what precedes may apply to both: "At work, I …"
        for found in _CUT.finditer(plain):
            before = plain[at : found.start()]
            if _BEGINS.match(before) and not _UNDER.search(before):
                parts.append(before)
                at = found.end()
        for piece in filter(None, [*parts, plain[at:]]):
            if held and _LEANS.match(piece):
                held = f"{held} {piece}"
                continue
            if held:
                yield held
            held = piece
    if held:
        yield held
