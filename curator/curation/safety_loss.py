"""Safety facts that leave recall if one of two memories supersedes the other, and the side that loses least."""

import re
from functools import lru_cache

from curator import safety
from curator.curation.pairs import Pair, Side
from curator.curation.unique_statements import adds_details, denies, loses_grave, pieces
from curator.safety.allergens import names_allergen
from curator.safety.concerns import Whose, content, whose
from curator.safety.vocabulary import FORMER, RELATIVE
from store.model import Relation

_KINDS = (*safety.LASTING, "treatment")
_NO_DIET = tuple(kind for kind in _KINDS if kind != "diet")
_NO_TREATMENT = tuple(kind for kind in _KINDS if kind != "treatment")
_RELATIVES = re.compile(rf"\b(?:(?P<former>{FORMER})|{RELATIVE})\b")
_BORN = re.compile(r"\b(?:gave birth|(?:was|is|were) born|newborn|had (?:the|our|my) baby)\b", re.IGNORECASE)
_EATS_ALL = re.compile(r"\b(?:eat|eats|eating) (?:everything|anything|it all)\b", re.IGNORECASE)
_SWITCHED = re.compile(r"\b(?:switch|chang|mov|swapp)ed (?:\w+ )?(?:over )?(?:from .+ )?(?:on)?to\b", re.IGNORECASE)
_TAKES = re.compile(r"\b(?:takes?|taking|on)\b(?!.*\bfor\b)", re.IGNORECASE)
_NO_MATTER = frozenset({"allergy", "severely", "severe", "badly", "doctor", "take", "taking", "need", "now", "eat"})
"""Words that safety facts about different things share."""


@lru_cache(maxsize=1024)
def safety_lost(winner: str, loser: str, repeated: bool = False) -> tuple[str, ...]:
    """Return the safety facts of `loser`, verbatim, that `winner` neither states nor changes.

    An allergy to shrimp is lost to "shrimp is confirmed", and not to "I'm no longer allergic to shrimp". With
    `repeated`, the texts were found to say the same: then only a fact of which `winner` states none is lost.
    """
    lost: list[str] = []
    for piece in pieces(loser):
        told = [clause for clause in safety.clauses(piece) if safety.states(clause, _KINDS)]
        gone = [clause for clause in told if is_lost(winner, clause, repeated)]
        lost += [piece] if gone and len(gone) == len(told) else gone
    return tuple(lost)


def suggested_side(pair: Pair) -> Side:
    """Return the side to suggest: the newer of two doses of one medicine, else the one that loses no safety fact.

    Of repetitions, the fuller one; else the newer.
    """
    from curator.compare.doses import changed_dose

    if pair.ordered and changed_dose(pair.a.text, pair.b.text) is not None:
        return "b"
    older, newer = _loss(pair, "a"), _loss(pair, "b")
    if older != newer:
        return "a" if newer > older else "b"
    repeated = pair.alert.relation is Relation.DUPLICATE
    return "a" if repeated and adds_details(pair.a.text, pair.b.text) else "b"


def loses_safety(pair: Pair, side: Side) -> bool:
    """Return True if keeping a side alone loses a safety fact of the other."""
    return _loss(pair, side) > 0


def _loss(pair: Pair, kept: Side) -> int:
    winner, loser = pair.on(kept).text, pair.across(kept).text
    repeated = pair.alert.relation is Relation.DUPLICATE
    return 2 if loses_grave(winner, loser) else 1 if safety_lost(winner, loser, repeated) else 0


def is_lost(winner: str, clause: str, repeated: bool) -> bool:
    """Return True if a text neither states nor changes the fact of a clause; see `safety_lost`."""
    stated = safety.states(winner, _KINDS)
    shared = stated and (content(clause) & content(winner)) - _NO_MATTER
    if stated and not of_same_people(winner, clause):
        return True
    if "pregnan" in clause.casefold() and _BORN.search(winner):
        return False
    if _EATS_ALL.search(winner) and not safety.states(clause, _NO_DIET):
        return False
    if _SWITCHED.search(winner) and safety.states(winner, ("treatment",)) and _TAKES.search(clause):
        return False  # "the doctor switched me to apixaban"
    if stated and safety.may_deny(winner) and (shared or not names_allergen(safety.plain_text(winner))):
        return False  # "no longer allergic to nuts", "my allergy is gone"
    if loses_grave(winner, clause):
        return True
    if safety.states(clause, ("allergy",)) and stated and not safety.states(winner, _NO_TREATMENT):
        return True  # "naproxen gave me a rash" to "I take naproxen"
    if denies(winner, clause):
        return False
    return not (shared or repeated) if stated else not content(clause) <= content(winner)


def of_same_people(winner: str, clause: str) -> bool:
    """Return True if a text states a safety fact about those whom a clause tells of: "my son", the person."""
    stating = [one for one in safety.clauses(winner) if safety.states(one, _KINDS)]
    if whose(clause) is Whose.OWN:
        return any(whose(one) is Whose.OWN for one in stating)
    told, known = relatives(clause), relatives(winner)
    return not told or not known or not told.isdisjoint(known)


def relatives(text: str) -> frozenset[str]:
    """Return the words for relatives in a text, in the singular; "ex" for a former partner."""
    found = _RELATIVES.finditer(safety.plain_text(text))
    return frozenset("ex" if one["former"] else one[0].rstrip("s") for one in found)
