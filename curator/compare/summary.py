"""One-sentence summaries, for people, of how two memories differ or repeat each other."""

import itertools
from collections.abc import Iterator
from functools import lru_cache

from curator.compare import phrases
from curator.compare.clauses import clauses
from curator.compare.data import marks, slots, values
from curator.compare.differences import Guard, differences
from curator.compare.doses import DOSE_UNITS, changed_dose, doses
from curator.compare.life_changes import before_loss
from curator.compare.slot_relation import ANYTHING, SlotFinding, SlotRelation, slot_findings
from curator.compare.statement import Statement, statements
from curator.compare.traits import traits
from curator.text import jaccard, joined_thousands, plain_words, stem, tokens, wordlists
from curator.text.dates import comparable
from store.model import Relation

Names = tuple[str, str]
NAMES: Names = ("A", "B")
_ALIKE = 0.35
"""Minimum token overlap of two texts whose numbers or dates are contrasted."""
_SAME = 0.5
"""Minimum token overlap of two texts that differ in a number although one states a change."""


@lru_cache(maxsize=4096)
def summarize(relation: Relation, a: str, b: str, dated: bool = True, names: Names | None = NAMES) -> str:
    """Return a sentence on the relation of two texts; `a` was said first, or `dated` is False and the order unknown.

    It states nothing beyond the texts, and never contradicts the relation. Without `names`, it labels neither text.
    """
    a, b = comparable(a, b)
    if relation is Relation.DUPLICATE:
        return repetition(a, b, names)
    if relation.is_opposed:
        found = next(difference_sentences(relation, a, b, names, _then(relation, dated)), "")
        about = phrases.topic(a, b)
        end = "one replaces the other" if relation is Relation.UPDATE else "they do not fit together"
        return found or (f"Both are about {about}; {end}" if about else f"{end[0].upper()}{end[1:]}")
    return "Similar; the rules cannot tell whether they repeat or contradict each other"


@lru_cache(maxsize=4096)
def two_values(relation: Relation, a: str, b: str, dated: bool = True) -> str:
    """Return the two values that opposed texts give to the same thing, without names; empty if there are none."""
    if not relation.is_opposed:
        return ""
    a, b = comparable(a, b)
    then = _then(relation, dated)
    if dose := _two_doses(a, b, then):
        return dose
    slots_apart = (words for finding in _opposed(a, b) for words in _slot_values(finding, a, b, then))
    turned = bool(phrases.piece(b, _tells_change, a))
    return next(itertools.chain(slots_apart, _number_differences(a, b, then, turned)), "")


def _then(relation: Relation, dated: bool) -> str:
    return ", then " if dated and relation is Relation.UPDATE else " and "


def _opposed(a: str, b: str) -> list[SlotFinding]:
    return [one for one in slot_findings(a, b) if one.kind is SlotRelation.OPPOSED and one.sides is not None]


def repetition(a: str, b: str, names: Names | None) -> str:
    """Return a sentence that says both are the same, and which of them adds something."""
    left, right = tokens(a), tokens(b)
    if plain_words(a) == plain_words(b):
        return "Says the same"
    if names and (left < right or right < left):
        name, words, more = (
            (names[1], plain_words(b), right - left) if left < right else (names[0], plain_words(a), left - right)
        )
        added = [word for word in dict.fromkeys(words) if stem(word) in more]
        return f"Says the same; {_inside(name)} adds {f'“{added[0]}”' if len(more) == len(added) == 1 else 'details'}"
    return "Says the same in other words"


def _inside(name: str) -> str:
    return name if len(name) == 1 else name[0].lower() + name[1:]


def _each(names: Names | None, first: str, second: str, then: str) -> str:
    """Return a sentence with the statement of each text."""
    if names:
        return f"{names[0]} says {first}, {_inside(names[1])} says {second}"
    return f"{first[0].upper()}{first[1:]}{then}{second}"


def difference_sentences(relation: Relation, a: str, b: str, names: Names | None, then: str) -> Iterator[str]:
    """Yield sentences about the differences of the texts, the most informative first."""
    if before_loss(a, b):
        yield f"{names[0]} was said before a loss" if names else "Said before a loss"
    if dose := _two_doses(a, b, then):
        yield dose
    for finding in _opposed(a, b):
        yield from _slot_values(finding, a, b, then)
        yield from slot_denial(finding, relation, a, b, names, then)
    turned = phrases.piece(b, _tells_change, a)
    yield from _number_differences(a, b, then, bool(turned))
    for one in differences(a, b):
        if one.guard is Guard.POLARITY and (words := _word(stem(one.a), a)) and (others := _word(stem(one.b), b)):
            yield _each(names, f"“{words}”", f"“{others}”", then)
    ours, theirs = traits(a), traits(b)
    if ours.pending and theirs.outcome and not theirs.pending and not theirs.denies:
        within = [f" in {_inside(name)}" for name in names] if names else ["", ""]
        yield f"Planned or under way{within[0]}, done{within[1]}"
    if turned:
        what = f"{names[1]} tells of a change" if names else "Change"
        yield f"{what}: {phrases.quoted(turned)}"
    for place, text, other in ((1, b, a), (0, a, b)):
        if denying := phrases.piece(text, denies, other):
            yield f"{names[place]} says otherwise: {phrases.quoted(denying)}" if names else phrases.quoted(denying)
    ends = phrases.apart(a, b)
    if ends is not None:
        yield _each(names, f"“{ends[0]}”", f"“{ends[1]}”", then)


def _two_doses(a: str, b: str, then: str) -> str:
    found = changed_dose(a, b)
    return "" if found is None else f"Two doses of {found[1].shown}: {found[0].written}{then}{found[1].written}"


def _slot_values(finding: SlotFinding, a: str, b: str, then: str) -> Iterator[str]:
    """Yield the two values of a slot."""
    if finding.sides is None or finding.sides[0].positive != finding.sides[1].positive:
        return
    (one, other), slot = finding.sides, slots().by_name[finding.slot]
    first, second = _value(one, a), _value(other, b)
    if first.casefold() != second.casefold() and slot.two:
        days = phrases.days(first) and phrases.days(second)
        about = f" for {found}" if days and (found := phrases.topic(a, b)) else ""
        yield f"{'Two dates' if days else slot.two}{about}: {first}{then}{second}"


def slot_denial(
    finding: SlotFinding, relation: Relation, a: str, b: str, names: Names | None, then: str
) -> Iterator[str]:
    """Yield the affirmation and the denial of a value of a slot."""
    if finding.sides is None or finding.sides[0].positive == finding.sides[1].positive:
        return
    (one, other), slot = finding.sides, slots().by_name[finding.slot]
    first, second = _value(one, a), _value(other, b)
    said, denied = (first, second) if one.positive else (second, first)
    if ANYTHING in (one.value, other.value):
        words = phrases.quoted(_clause(one, a)), phrases.quoted(_clause(other, b))
    elif denied.casefold() not in said.casefold():
        words = first, second  # one implies the denial: vegetarian, and fish
    elif slot.one:
        ended = " any more" if relation is Relation.UPDATE and other.changed else ""
        words = (said, f"not{ended}") if one.positive else (f"not {said}", said)
    else:
        words = phrases.quoted(_clause(one, a)), phrases.quoted(_clause(other, b))
    yield _each(names, *words, then)


def _clause(statement: Statement, text: str) -> str:
    """Return the clause of a statement as written."""
    own = set(statement.clause.whole.split())
    return max(phrases.pieces(text), key=lambda one: len(own & set(plain_words(one))), default=text)


def _value(statement: Statement, text: str) -> str:
    """Return a value as written; for an implied value, the word that implies it ("vegetarian" for "no meat")."""
    said, slot = statement.said, statement.slot
    if statement.implied:
        for source in statements(text):
            for word in source.value if not source.implied else ():
                meant = values().says.get((source.slot, word), ())
                if any((name, value, so) == (slot, said, statement.positive) for name, value, so in meant):
                    said, slot = source.said, source.slot
    return phrases.as_written(said, text, slots().by_name[slot].named)


def _number_differences(a: str, b: str, then: str, turned: bool) -> Iterator[str]:
    """Yield two numbers of the same thing; for similar texts also two numbers with the same unit, and their dates."""
    alike = jaccard(tokens(a), tokens(b)) >= (_SAME if turned else _ALIKE)
    ours, theirs, units = phrases.amounts(a), phrases.amounts(b), wordlists().units
    for what in [what for what in ours if what in theirs]:
        one, other = ours[what][0], theirs[what][0]
        same = joined_thousands(one.written) == joined_thousands(other.written)
        single = len(ours[what]) == len(theirs[what]) == 1 and not same
        if what in DOSE_UNITS and doses(a) and doses(b) and changed_dose(a, b) is None:
            continue  # of two medicines
        noun = len(what) > 1 and what != "clock" and what not in units
        about = phrases.counted(one, other)
        if single and (alike or noun or about):
            about = about or phrases.topic(a, b)
            yield f"Two values{f' for {about}' if about else ''}: {one.written}{then}{other.written}"
    days, others = phrases.days(a), phrases.days(b)
    if alike and len(days) == len(others) == 1 and not (days[0] in others[0] or others[0] in days[0]):
        about = phrases.topic(a, b)
        yield f"Two dates{f' for {about}' if about else ''}: {days[0]}{then}{others[0]}"
    if alike and ours and theirs and not any(ours[what] == theirs.get(what) for what in ours) and not turned:
        yield "Otherwise alike, but the numbers differ"


def _word(stemmed: str, text: str) -> str:
    """Return the content word of a text with a given stem."""
    empty = wordlists().empty
    return next((word for word in plain_words(text) if stem(word) == stemmed and word not in empty), "")


def _tells_change(plain: str) -> bool:
    """Return True if a clause states a change without denying it."""
    found = marks().turned.search(plain) is not None
    return found and not any(one.negative and not one.ended for one in clauses(plain))


def denies(plain: str) -> bool:
    """Return True if a clause denies something."""
    return any(one.negative for one in clauses(plain))
