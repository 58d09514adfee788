"""Relation of two statements of the same slot, by their values: equal, one within the other, or different."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import islice, product, starmap

from curator.compare.both_hold import compatible_reasons, two_conditions
from curator.compare.clauses import Mode, When, clauses
from curator.compare.data import marks, slots, values
from curator.compare.doses import changed_dose
from curator.compare.replacements import replacing
from curator.compare.statement import ANY, PERSON, Statement, statements
from curator.compare.value_relation import ValueRelation, are_opposites, are_rivals, compare_values, is_dated
from curator.compare.wordings import given_up, moved_event, reasons_both_hold, ruled_out, taken_back
from curator.text import stem, tokens, wordlists
from curator.text.slot_reason import ONE_AT_A_TIME, slot_reason

_MINE = re.compile(r"\bmy ([a-z]+)")
_YEAR = re.compile(r"\b(?:19|20)[0-9]{2}\b")


MOST = 400
"""Maximum pairs of statements compared."""
_SENTENCE = re.compile(r"[^.;!?]+")
_NUMBERED = re.compile(
    r"\b(?P<thing>invoice|ticket|order|issue|bug|pull request|pr|printer|recipe|case|batch|booking|parcel|receipt|task"
    r"|(?!at |is |my )[a-z]+(?= (?:number|no\.|nr\.) )) ?(?:number |no\.? ?|nr\.? ?|\#)?(?P<number>[0-9]+)\b"
)
"""A thing with a number that distinguishes it from others of its kind."""
_SHUNS = re.compile(
    r"\b(?:allerg(?:ic|y|ies)|intoleran(?:t|ce)|hates?|dislikes?|avoids?|can(?:not|'t) (?:stand|eat|have|drink))\b",
    re.IGNORECASE,
)
"""Words about things that harm a person or that they avoid."""
_RULES_OUT = re.compile(
    r"\b(?:never|do not|don't) (?:suggest|recommend|offer|propose|include|add|use|serve|mention|give me|put)\b"
    r"(?P<what>[^.;!?]*)",
    re.IGNORECASE,
)
"""An order to leave something out."""
_DIED = re.compile(
    r"\b(?:(?:[Mm]y|[Oo]ur) [a-z]+ )?(?P<who>(?:[Mm]y|[Oo]ur) [a-z]+|[A-Z][\w-]+) (?:has |had |sadly |just )*"
    r"(?:died|passed away|is dead|(?:was|had to be) put (?:down|to sleep))\b"
)
"""A person or animal that has died."""
_LIVES = (
    r"(?:[ ,]+[\w-]+)?,? (?:has(?! an? )|takes|is|needs|eats|gets|likes|loves|hates|can't|cannot|lives|sleeps|goes"
    r"|wants|weighs)\b"
)
"""Words after a person that state something in the present."""
ANYTHING, ALCOHOL = frozenset({stem("anything")}), frozenset({stem("alcohol")})
_STANDS = re.compile(r"([a-z0-9]+) (?:is|are|was|stands|sits|lives|stays|stay|remains|takes|starts|leaves|ends)\b")
"""The last word of a thing with a place."""
_SECOND = frozenset(
    map(stem, "work office private personal company spare second other old backup business travel".split())
)
"""Words that distinguish one thing from others of its kind: a work laptop is not the laptop."""
_ORDERING = frozenset("keep make always everything please thanks".split())
_UNREAL = frozenset({Mode.WISH, Mode.PLAN, Mode.DOUBT, Mode.IF})


class SlotRelation(StrEnum):
    """Relation of two statements of a slot."""

    SAME = "same"
    OPPOSED = "opposed"
    BESIDE = "beside"  # both can be true
    APART = "apart"  # about another person, time or purpose, or one is not a plain fact


@dataclass(frozen=True, slots=True)
class SlotFinding:
    """Relation of two statements of the same slot, with the reason in words, and whether a change is stated."""

    kind: SlotRelation
    slot: str
    why: str
    changed: bool = False
    fixed: bool = False
    lasts: int = 60
    implied: bool = False
    settles: bool = False  # both hold for a reason stated in the texts, which outweighs all conflict features
    equal: bool = False  # the same although one denies and the other affirms: vegetarian, eats no meat
    sides: tuple[Statement, Statement] | None = field(default=None, compare=False, repr=False)

    @property
    def refuses(self) -> bool:
        """True if both texts ask an assistant not to do the same thing."""
        refused = self.sides is not None and not self.sides[0].positive
        return self.kind is SlotRelation.SAME and refused and slots().by_name[self.slot].asked


def slot_findings(a: str, b: str) -> tuple[SlotFinding, ...]:
    """Return the findings on statements of `a` and `b` with a common slot, explicit ones first."""
    near = values().near
    pairs = (
        (one, other)
        for one in statements(a)
        for other in statements(b)
        if one.slot == other.slot
        or ANY in (one.slot, other.slot)
        or (one.slot, other.slot) in near
        or (other.slot, one.slot) in near
    )
    found = dict.fromkeys(filter(None, starmap(_compare, islice(pairs, MOST))))
    if doses := changed_dose(a, b):
        why = f"another dose of {doses[1].shown}: {doses[0].written}, then {doses[1].written}"
        found = {SlotFinding(SlotRelation.OPPOSED, ANY, why, True): None} | found  # outweighs what else they say
    if _is_reason(a, b) or _is_reason(b, a):
        found[SlotFinding(SlotRelation.BESIDE, ANY, "one is the reason for the other", settles=True)] = None
    if over := _outlived(a, b) or _outlived(b, a):
        found[SlotFinding(SlotRelation.OPPOSED, ANY, f"{over} is said to have died", True)] = None
    if left := given_up(a, b):
        found[SlotFinding(SlotRelation.OPPOSED, ANY, f"{left} is said to be in use no more", True)] = None
    if out := ruled_out(a, b):
        found[SlotFinding(SlotRelation.OPPOSED, ANY, f"one rules out what the other orders: {out}")] = None
    if back := taken_back(a, b):
        found[SlotFinding(SlotRelation.OPPOSED, ANY, f"one takes back what the other says about {back}", True)] = None
    if moved := moved_event(a, b):
        found[SlotFinding(SlotRelation.OPPOSED, ANY, f"{moved} is on another day now", True)] = None
    if two_conditions(a, b):
        found[SlotFinding(SlotRelation.BESIDE, ANY, "two conditions of one person")] = None
    for why, changed in replacing(a, b):
        found[SlotFinding(SlotRelation.OPPOSED, ANY, why, changed)] = None
    for why in (*reasons_both_hold(a, b), *compatible_reasons(a, b)):
        found[SlotFinding(SlotRelation.BESIDE, ANY, why, settles=True)] = None
    ours, theirs = ({match["thing"]: match["number"] for match in _NUMBERED.finditer(text.lower())} for text in (a, b))
    if any(number != theirs.get(thing, number) for thing, number in ours.items()):
        found[SlotFinding(SlotRelation.BESIDE, ANY, "each has a number of its own", settles=True)] = None
    return tuple(sorted(found, key=lambda finding: finding.implied))


def _is_reason(a: str, b: str) -> bool:
    """Return True if one text is the reason for the other: allergic to nuts, never suggest anything with nuts."""
    if _SHUNS.search(a) is None:
        return False
    told = [found[0] for found in _SENTENCE.finditer(a) if _SHUNS.search(found[0])]
    shunned = frozenset[str]().union(*map(tokens, told))
    return any(not shunned.isdisjoint(tokens(found["what"])) for found in _RULES_OUT.finditer(b))


def _outlived(a: str, b: str) -> str:
    """Return the person who died according to one text and is active in the other; empty if nobody."""
    if _DIED.search(a) is not None:
        return ""
    names = (found["who"] for found in _DIED.finditer(b))
    return next((who for who in names if re.search(rf"\b{re.escape(who)}{_LIVES}", a, re.IGNORECASE)), "")


def narrowed(a: str, b: str) -> bool:
    """Return True if one names a kind or part of the other's value in the same slot: green tea, and tea."""
    return any(
        one.slot == other.slot
        and one.head == other.head
        and compare_values(one, other) in (ValueRelation.WITHIN, ValueRelation.HOLDS)
        for one, other in product(statements(a), statements(b))
    )


def restated(a: str, b: str) -> bool:
    """Return True if both are one clause with the same value of one slot; one may add a degree."""
    if len(clauses(a)) != 1 or len(clauses(b)) != 1:
        return False
    ours, theirs = (slots().degree.intersection(clauses(text)[0].text.split()) for text in (a, b))
    if ours - theirs and theirs - ours:
        return False
    mine = [one for one in statements(b) if _is_whole(one)]
    return any(
        one.slot == other.slot and (found := _compare(one, other)) is not None and found.kind is SlotRelation.SAME
        for one, other in product(statements(a) if mine else (), mine)
        if _is_whole(one)
    )


def is_order_alone(one: Statement) -> bool:
    """Return True if a clause asks an assistant for a value of its slot and names no topic: "short answers"."""
    table, empty = slots(), wordlists().empty
    slot = table.by_name[one.slot]
    return slot.asked and all(
        word in empty or word in slot.only or word in _ORDERING or slot in table.by_cue.get(word, ())
        for word in one.clause.text.split()
    )


def _is_whole(one: Statement) -> bool:
    """Return True if every content word of a clause belongs to its statement, or is a word of degree."""
    if one.implied or one.clause.against:
        return False
    table, empty = slots(), wordlists().empty
    own = one.value | one.subject | one.key | frozenset(map(stem, one.said.split()))
    return all(
        word in empty
        or word in table.degree
        or stem(word.removesuffix("'s")) in own
        or any(slot.name == one.slot for slot in table.by_cue.get(word, ()))
        for word in one.clause.text.split()
    )


def _compare(one: Statement, other: Statement) -> SlotFinding | None:
    slot = slots().by_name[one.slot if one.slot != ANY else other.slot]
    implied = one.implied or other.implied or one.slot != other.slot
    first, second = (side.said if side.positive else f"not {side.said}" for side in (one, other))
    modes, whens = (one.clause.mode, other.clause.mode), (one.clause.when, other.clause.when)

    def found(kind: SlotRelation, why: str, changed: bool = False) -> SlotFinding:
        reason = slot_reason(why, slot.says, first, second)
        return SlotFinding(kind, slot.name, reason, changed, slot.fixed, slot.lasts, implied, sides=(one, other))

    fit = compare_values(one, other)
    if not _overlap(one.subject or PERSON, other.subject or PERSON, exact=PERSON):
        return None if implied else found(SlotRelation.APART, "another person or thing")
    if one.clause.reported != other.clause.reported:
        return found(SlotRelation.APART, "one of them is what somebody else said")
    if modes[0] is not modes[1] and not _UNREAL.isdisjoint(modes):
        mode = next(mode.value for mode in modes if mode not in (Mode.FACT, Mode.MUST))
        return found(SlotRelation.APART, f"one is not a fact but a {mode}")
    if ((one.subject | one.key) ^ (other.subject | other.key)) & _SECOND:
        return None if implied else found(SlotRelation.APART, "another person or thing")
    if slot.asked and (ours := _mine(one)) and (theirs := _mine(other)) and not ours & theirs:
        return found(SlotRelation.APART, "another person or thing")
    if slot.keyed and one.slot == other.slot and not _overlap(one.key, other.key, exact=frozenset()):
        return found(SlotRelation.APART, "about another thing or purpose") if one.key and other.key else None
    standing = [_STANDS.search(side.clause.text) for side in (one, other)] if slot.name == "place" else []
    if len({stem(thing[1]) for thing in standing if thing is not None}) > 1:
        return None  # the office, and the office party
    same = fit is ValueRelation.SAME and one.positive == other.positive
    if one.scope and other.scope and not same:  # disjoint circumstances, or circumstances that differ by opposites
        ours, theirs = one.scope - other.scope, other.scope - one.scope
        dated = is_dated(ours) and is_dated(theirs)
        if dated or not one.scope & other.scope or are_opposites(ours, theirs):
            return found(SlotRelation.APART, "under different circumstances")
    changed = one.changed or other.changed
    if one.brief != other.brief and not changed and fit is not ValueRelation.SAME and not slot.number:
        return None if implied else found(SlotRelation.APART, "one of them applies on some days only")
    former = one if whens[0] is When.PAST else other
    if whens[0] is not whens[1] and not former.changed and not slot.asked:  # requests to a model have no past
        if (
            fit in (ValueRelation.SAME, ValueRelation.HOLDS, ValueRelation.WITHIN)
            and one.positive
            and other.positive
            and not (implied or changed)
        ):
            over = slot.one and not slot.fixed and former is other  # otherwise it began again, or continues
            return found(SlotRelation.OPPOSED, "it was true and still is", True) if over else None
        return None if implied else found(SlotRelation.APART, "about another time")
    if one.positive != other.positive:
        return _opposite(one, other, fit, changed, found)
    if one.slot != other.slot:
        return None
    if fit is ValueRelation.SAME:
        # implied by its text, and equivalent to it
        equal = one.equal != other.equal and not (one.equal and other.implied) and not (other.equal and one.implied)
        if equal:
            return replace(found(SlotRelation.SAME, "the same in other words"), implied=False, equal=True)
        return found(SlotRelation.SAME, "the same value") if one.scope == other.scope else None
    if not one.positive:
        return found(SlotRelation.BESIDE, "neither excludes the other")
    if not slot.one:
        return found(SlotRelation.BESIDE, "both can be true") if fit is ValueRelation.OTHER else None
    dated = all(_YEAR.search(side.clause.whole) for side in (one, other))
    events = one.begun and other.begun and not dated  # the second ended what the first began
    past = whens == (When.PAST, When.PAST)
    if past and not (slot.fixed or events) and slot.name not in ("attribute", "favourite"):
        return found(SlotRelation.BESIDE, "each was true at its time")
    if fit is not ValueRelation.OTHER:
        return None
    partly = any(marks().partly.search(side.clause.whole) for side in (one, other) if not side.begun)
    if partly and not slot.number and not slot.fixed:
        return replace(found(SlotRelation.BESIDE, "one of them applies at some times only"), settles=True)
    if slot.rivals and not _rivals(one, other):
        return found(SlotRelation.BESIDE, "they do not compete")
    return found(SlotRelation.OPPOSED, ONE_AT_A_TIME, changed)


def _mine(one: Statement) -> frozenset[str]:
    """Return the things that a clause calls the person's: "my emails"."""
    return frozenset(stem(word) for word in _MINE.findall(one.clause.text))


def _opposite(
    one: Statement,
    other: Statement,
    fit: ValueRelation,
    changed: bool,
    found: Callable[[SlotRelation, str, bool], SlotFinding],
) -> SlotFinding | None:
    """Return the finding on an affirmation and a denial. No meat implies no bacon; no bacon does not imply no meat."""
    no, yes = (other, one) if one.positive else (one, other)
    if no.slot == yes.slot and no.value == ANYTHING and not no.scope:
        return found(SlotRelation.OPPOSED, "one denies the other", changed)
    if no.clause.often == "seldom" and not yes.clause.often and not changed:
        return replace(found(SlotRelation.BESIDE, "seldom is not never", False), settles=True)
    if no.slot != yes.slot and fit is not ValueRelation.SAME:
        # the denied value must cover the affirmed one, by its last word or a listed word: an apple laptop is no apple
        affirmed = (yes.head, *(yes.value if {"and", "or", "of"} & set(yes.said.split()) else ()))
        kinds = values().kinds
        if not any(word in no.value or kinds.get(word, frozenset()) & no.value for word in affirmed):
            return None
    if fit is ValueRelation.SAME or fit is (ValueRelation.WITHIN if yes is one else ValueRelation.HOLDS):
        if no.scope - yes.scope and not changed:
            return replace(found(SlotRelation.BESIDE, "denied only under certain circumstances", False), settles=True)
        return found(SlotRelation.OPPOSED, "one denies the other", changed)
    if one.slot != other.slot:
        return None
    beside = found(SlotRelation.BESIDE, "the other does not say what one denies", False)
    return replace(beside, settles=one.slot == "drink" and no.value == ALCOHOL and fit is ValueRelation.OTHER)


def _overlap(one: frozenset[str], other: frozenset[str], exact: frozenset[str]) -> bool:
    """Return True if the sets are equal, or one contains the other and neither is `exact`."""
    return one == other or (exact not in (one, other) and (one <= other or other <= one))


def _rivals(one: Statement, other: Statement) -> bool:
    """Return True if one value excludes the other."""
    ours, theirs = one.value - other.value, other.value - one.value
    if are_rivals(ours, theirs) or are_opposites(ours, other.value):
        return True
    if one.slot == "use":
        # several things used together: adding or dropping some does not compete
        counts = (sum(word.strip("v")[:1].isdigit() for word in side.value) for side in (one, other))
        if any("and" in side.said.split() for side in (one, other)) or any(count > 1 for count in counts):
            return False
        if one.key and one.key == other.key:
            return True
    return bool(one.head == other.head and one.head and len(one.value) > 1 and len(other.value) > 1)
