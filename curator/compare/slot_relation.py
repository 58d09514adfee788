"""Two statements of one slot held against each other."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from curator.compare.clauses import Mode, When, clauses
from curator.compare.data import marks, slots, values
from curator.compare.statement import ANY, Statement, statements
from curator.compare.value_relation import Fit, fitting
from curator.text import stem, wordlists

MOST = 400
"""Pairs of statements that are looked at."""
_PERSON = frozenset({"i"})


class Kind(StrEnum):
    """How two statements of a slot stand to each other."""

    SAME = "same"
    OPPOSED = "opposed"
    BESIDE = "beside"  # both hold
    APART = "apart"  # of other persons, times, purposes, or one of them is no plain fact


@dataclass(frozen=True, slots=True)
class Finding:
    """One judgment: which slot, why, in words, and whether a change is said."""

    kind: Kind
    slot: str
    why: str
    changed: bool = False
    fixed: bool = False
    lasts: int = 60
    implied: bool = False
    settles: bool = False  # beside, and a word of the texts says why: no sign of a conflict weighs against it
    equal: bool = False  # the same, though one denies and the other affirms: vegetarian, eats no meat


def findings(a: str, b: str) -> tuple[Finding, ...]:
    """Every judgment on statements of `a` and `b` that speak of one slot, the plainest first."""
    found: dict[Finding, None] = {}
    looked = 0
    for one in statements(a):
        for other in statements(b):
            if one.slot == other.slot or ANY in (one.slot, other.slot) or _near(one, other):
                looked += 1
                if looked > MOST:
                    break
                if finding := _judged(one, other):
                    found[finding] = None
    return tuple(sorted(found, key=lambda finding: finding.implied))


def narrowed(a: str, b: str) -> bool:
    """Whether one names a kind or part of what the other names in the same slot: green tea, and tea."""
    mine = statements(b)
    return any(
        one.slot == other.slot and one.head == other.head and fitting(one, other) in (Fit.WITHIN, Fit.HOLDS)
        for one in statements(a)
        for other in mine
    )


def restated(a: str, b: str) -> bool:
    """Whether both are one clause that says one thing of one slot; one of them perhaps how much besides."""
    if len(clauses(a)) != 1 or len(clauses(b)) != 1:
        return False
    ours, theirs = (slots().degree.intersection(clauses(text)[0].text.split()) for text in (a, b))
    if ours - theirs and theirs - ours:
        return False
    mine = [one for one in statements(b) if _all_of(one)]
    return any(
        one.slot == other.slot and (found := _judged(one, other)) is not None and found.kind is Kind.SAME
        for one in statements(a)
        if mine and _all_of(one)
        for other in mine
    )


def _all_of(one: Statement) -> bool:
    """Whether each word of a clause that counts belongs to its statement, or says how much."""
    if one.implied or one.clause.against:
        return False
    table, empty = slots(), wordlists().empty
    told = one.value | one.subject | one.key | frozenset(map(stem, one.said.split()))
    return all(
        word in empty
        or word in table.degree
        or stem(word.removesuffix("'s")) in told
        or any(slot.name == one.slot for slot in table.by_cue.get(word, ()))
        for word in one.clause.text.split()
    )


def _near(one: Statement, other: Statement) -> bool:
    return (one.slot, other.slot) in values().near or (other.slot, one.slot) in values().near


def _judged(one: Statement, other: Statement) -> Finding | None:
    slot = slots().by_name[one.slot if one.slot != ANY else other.slot]
    implied = one.implied or other.implied or one.slot != other.slot
    said = f"{slot.says}: {_worded(one)} / {_worded(other)}"

    def found(kind: Kind, why: str, changed: bool = False) -> Finding:
        return Finding(kind, slot.name, f"{why}, {said}", changed, slot.fixed, slot.lasts, implied)

    fit = fitting(one, other)
    if not _same_subject(one.subject, other.subject):
        return None if implied else found(Kind.APART, "another person or thing")
    if one.clause.reported != other.clause.reported:
        return found(Kind.APART, "one of them is what somebody else says")
    if (one.mode is not other.mode) and {one.mode, other.mode} & {Mode.WISH, Mode.PLAN, Mode.DOUBT, Mode.IF}:
        return found(Kind.APART, f"one of them is no fact but a {_open(one, other)}")
    if slot.keyed and one.slot == other.slot and not _same_key(one.key, other.key):
        return None if not one.key or not other.key else found(Kind.APART, "of another thing or purpose")
    same = fit is Fit.SAME and one.positive == other.positive
    if one.scope and other.scope and not same and _elsewhere(one.scope, other.scope):
        return found(Kind.APART, "under other circumstances")
    changed = one.changed or other.changed
    if one.brief != other.brief and not changed and fit is not Fit.SAME and not slot.number:
        return None if implied else found(Kind.APART, "one of them is of some days only")
    former = one if one.when is When.PAST else other
    if one.when is not other.when and not former.changed:
        if fit in (Fit.SAME, Fit.HOLDS, Fit.WITHIN) and one.positive and other.positive and not (implied or changed):
            over = slot.one and not slot.fixed and former is other  # else it began again, or goes on
            return found(Kind.OPPOSED, "it was so and is so", True) if over else None
        return found(Kind.APART, "of another time") if not implied else None
    if one.positive != other.positive:
        return _opposite(one, other, fit, changed, found)
    if one.slot != other.slot:
        return None
    if fit is Fit.SAME and _equal(one, other):
        return replace(found(Kind.SAME, "the same in other words"), implied=False, equal=True)
    if fit is Fit.SAME:
        return found(Kind.SAME, "the same value") if one.scope == other.scope else None
    if not one.positive:
        return found(Kind.BESIDE, "neither excludes the other")
    if not slot.one:
        return found(Kind.BESIDE, "both can hold") if fit is Fit.OTHER else None
    if one.when is When.PAST and not slot.fixed and slot.name not in ("attribute", "favourite"):
        return found(Kind.BESIDE, "both were so at their time")
    if fit is Fit.OTHER and not slot.number and not slot.fixed and (_partly(one) or _partly(other)):
        return replace(found(Kind.BESIDE, "one of them holds at some times only"), settles=True)
    if slot.rivals and fit is Fit.OTHER and not _rivals(one, other):
        return found(Kind.BESIDE, "they are no rivals")
    if fit is Fit.OTHER:
        return found(Kind.OPPOSED, "only one holds at a time", changed)
    return None


def _opposite(
    one: Statement, other: Statement, fit: Fit, changed: bool, found: Callable[[Kind, str, bool], Finding]
) -> Finding | None:
    """One says it is so, the other that it is not. Who eats no meat eats no bacon; who eats no bacon may eat meat."""
    no, yes = (other, one) if one.positive else (one, other)
    if no.clause.often == "seldom" and not yes.clause.often and not changed:
        return replace(found(Kind.BESIDE, "seldom is not never", False), settles=True)
    if no.slot != yes.slot and fit is not Fit.SAME and not _kind_of(yes, no):
        return None
    if fit is Fit.SAME or fit is (Fit.WITHIN if yes is one else Fit.HOLDS):
        if no.scope - yes.scope and not changed:
            return replace(found(Kind.BESIDE, "denied under its own circumstances only", False), settles=True)
        return found(Kind.OPPOSED, "affirmed and denied", changed)
    return found(Kind.BESIDE, "what one denies the other does not say", False) if one.slot == other.slot else None


def _elsewhere(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two circumstances are others: they share nothing, or differ in what is opposite, a day or a number."""
    ours, theirs = one - other, other - one
    if not one & other or any(wordlists().antonyms.get(word, frozenset()) & theirs for word in ours):
        return True
    return any(map(_dated, ours)) and any(map(_dated, theirs))


def _dated(word: str) -> bool:
    lists = wordlists()
    return word[:1].isdigit() or word in lists.days or word in lists.months


def _kind_of(yes: Statement, no: Statement) -> bool:
    """Whether what one affirms is, by its last word, what the other denies: an apple laptop is no apple."""
    kinds = values().kinds
    return any(word in no.value or kinds.get(word, frozenset()) & no.value for word in (yes.head, *_firsts(yes)))


def _firsts(one: Statement) -> tuple[str, ...]:
    """The words of a list: "fish and eggs", "a glass of wine"."""
    return tuple(one.value) if {"and", "or", "of"} & set(one.said.split()) else ()


def _equal(one: Statement, other: Statement) -> bool:
    """Whether one follows from what its text says, and says nothing less."""
    return one.equal != other.equal and not (one.equal and other.implied) and not (other.equal and one.implied)


def _partly(one: Statement) -> bool:
    return marks().partly.search(one.clause.whole) is not None


def _worded(one: Statement) -> str:
    return one.said if one.positive else f"not {one.said}"


def _open(one: Statement, other: Statement) -> str:
    return next(mode.value for mode in (one.mode, other.mode) if mode not in (Mode.FACT, Mode.MUST))


def _same_subject(one: frozenset[str], other: frozenset[str]) -> bool:
    one, other = one or _PERSON, other or _PERSON
    return one == other or (one != _PERSON and other != _PERSON and (one <= other or other <= one))


def _same_key(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one == other or (one and other and (one <= other or other <= one)))


def _listed(one: Statement) -> bool:
    """Whether several are named, which go together: more of them, or fewer, are no others."""
    return "and" in one.said.split() or sum(word.strip("v")[:1].isdigit() for word in one.value) > 1


def _rivals(one: Statement, other: Statement) -> bool:
    groups = values().rivals
    ours = {group for word in one.value - other.value for group in groups.get(word, ())}
    theirs = {group for word in other.value - one.value for group in groups.get(word, ())}
    if ours & theirs:
        return True
    antonyms = wordlists().antonyms
    if any(antonyms.get(word, frozenset()) & other.value for word in one.value - other.value):
        return True
    if one.slot == "use" and (_listed(one) or _listed(other)):
        return False
    return bool(one.head == other.head and one.head and len(one.value) > 1 and len(other.value) > 1) or bool(
        one.slot == "use" and one.key and one.key == other.key
    )
