"""What a memory states: of whom, which slot, which value, whether it is so, since when, and how it is meant."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from curator.compare.clauses import Clause, Mode, When, clauses
from curator.compare.data import Pattern, Slot, marks, slots, values
from curator.text import stem, wordlists

ANY = "switch"
"""The slot of what was changed for something else, whatever slot that was in."""

_HELPERS = frozenset(
    "am is are was were be been have has had do does did will would a an the to and also we us me both all so that "
    "this now with in at of on for by then who which as".split()
)
_SELF = frozenset({"i", "we", "me", "my", "our", "us", "you"})
_SCOPE = re.compile(
    r"\b(?:for|when|whenever|while|during|before|after|if|unless|except|on|in the|in|at|every|only|with|without|until"
    r"|as) ((?:[a-z0-9']+ ?){1,5})"
)
_OPENS = re.compile(
    r"(?:for|when|whenever|while|during|in|at|on|with|by) ((?:[^\W_]+ ){1,4}?)(?:i|we|my|our|the|he|she|they)\b"
)
_INDEFINITE = re.compile(r"\b(?:an?|some|my|our) $")
_AGO = re.compile(
    r" (?:(?:about|around|some|over) )?(?:[0-9]+|an?|a few|a couple of|several) (?:day|week|month|year)s? ago\b.*$"
)
_NO = re.compile(r"\b(?:any|no)\b ?")


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that a clause says. `slot` is empty where the clause fits none; `value` and `key` are stems."""

    clause: Clause
    slot: str
    subject: frozenset[str]  # empty: nobody is named; {"i"}: the person
    value: frozenset[str]
    key: frozenset[str]  # what it is for, or of
    scope: frozenset[str]  # under which circumstances
    positive: bool
    changed: bool
    head: str = ""  # the last word of the value
    said: str = ""  # the value as it was worded
    brief: bool = False  # for some days only
    indefinite: bool = False  # "a hospital": some, not which
    implied: bool = False
    equal: bool = False  # implied, and as much as what implies it

    @property
    def mode(self) -> Mode:
        """How it is meant."""
        return self.clause.mode

    @property
    def when(self) -> When:
        """The time it speaks of."""
        return self.clause.when

    @property
    def numbers(self) -> frozenset[str]:
        """The numbers of the value."""
        return frozenset(word for word in self.value if any(char.isdigit() for char in word))


@lru_cache(maxsize=8192)
def statements(text: str) -> tuple[Statement, ...]:
    """Everything a text states in slots that are known, and what follows from it."""
    found: list[Statement] = []
    before: frozenset[str] = frozenset()
    for clause in clauses(text):
        if clause.mode is Mode.QUESTION:
            continue
        own = list(_own(clause, before))
        found += own
        before = next((one.subject for one in own if one.subject), before)
        found += _possessed(clause)
    return tuple(found + [more for one in found for more in _implied(one)])


def _own(clause: Clause, before: frozenset[str]) -> Iterator[Statement]:
    have = set(clause.text.split())
    table = slots()
    tried = {id(slot): slot for word in have if word in table.by_cue for slot in table.by_cue[word]}
    done: set[str] = set()
    for slot in sorted(tried.values(), key=lambda slot: table.order[slot.name]):
        if slot.name in done or (slot.only and not slot.only & have):
            continue
        for pattern in slot.patterns:
            match = pattern.search(clause.text)
            if match is None:
                continue
            made = _made(clause, slot, pattern, match, before)
            if made:
                done.add(slot.name)
                yield from made
                break


def _made(
    clause: Clause, slot: Slot, pattern: Pattern, match: re.Match[str], before: frozenset[str]
) -> list[Statement]:
    groups = match.groupdict()
    said = pattern.value if pattern.value is not None else groups.get("v") or ""
    rest = ""
    if pattern.value is None and (end := slot.cut.search(f" {said}")):
        rest = f" {said}"[end.start() :].strip()
        said = f" {said}"[: end.start()].strip()
    value, head = _value(said if slot.number else _AGO.sub("", said))
    if slot.number:
        digits = frozenset(word for word in value if any(char.isdigit() for char in word))
        value = digits or value
    if not value:
        return []
    subject: frozenset[str] = frozenset() if slot.asked else _subject(clause.text[: match.start()], match[0], before)
    told = max(match.end(name) for name in ("v", "k") if name in groups) if groups else match.end()
    scope = _scope(f"{rest} {clause.text[told if told > 0 else match.end() :]}") | _opening(clause.text)
    key = _stems(groups.get("k") or "") if slot.keyed else frozenset()
    if slot.keyed and not key and slot.name in ("use", "prefer"):
        key, scope = (scope, frozenset()) if slot.name == "use" else (key, scope)
    made = Statement(
        clause=clause,
        slot=slot.name,
        subject=subject,
        value=value,
        key=key,
        scope=scope,
        positive=pattern.positive != clause.negative if not (clause.ended and not pattern.positive) else False,
        changed=pattern.changes or clause.changed,
        head=head,
        said=said,
        brief=marks().briefly.search(clause.whole) is not None,
        indefinite="v" in groups and _INDEFINITE.search(clause.text[: match.start("v")]) is not None,
    )
    found = [made]
    if former := groups.get("x"):
        worth, last = _value(former)
        if worth:
            found.append(replace(made, value=worth, head=last, said=former, positive=False, changed=True))
    elif clause.against and slot.rivals:
        worth, last = _value(clause.against)
        if worth:
            found.append(replace(made, value=worth, head=last, said=clause.against, positive=not made.positive))
    return found


def _value(said: str) -> tuple[frozenset[str], str]:
    """The stems of a value with one word for what has several, and the last of them."""
    said = values().same.sub(lambda found: values().plain[found[0]], _NO.sub("", said.strip()))
    lists = wordlists()
    kept = [lists.numbers.get(word, word) for word in said.split() if word not in lists.empty or word == "on"]
    stems = [stem(word) for word in kept]
    return frozenset(stems), stems[-1] if stems else ""


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in text.split() if word not in wordlists().empty and word not in _HELPERS)


def _opening(text: str) -> frozenset[str]:
    """The circumstances that a clause opens with: "at work we use"."""
    found = _OPENS.match(text)
    return _stems(found[1]) if found else frozenset()


def _scope(text: str) -> frozenset[str]:
    words: set[str] = set()
    for found in _SCOPE.finditer(text):
        words |= _stems(found[1])
    return frozenset(words - values().anywhere)


def _subject(ahead: str, matched: str, before: frozenset[str]) -> frozenset[str]:
    """Who or what stands before the match, or opens it ("my sister's name is"); the clause before decides for "and"."""
    opened = f"{ahead} {matched}" if not ahead.strip() else ahead
    possessor = _owner(f"{ahead} {matched}")
    if possessor is not None:
        return possessor
    named = [word for word in ahead.split() if word not in _HELPERS or word in _SELF]
    named = [word.removesuffix("'s") for word in named]
    if "i" in named or (named and named[-1] in ("we", "me")):
        return frozenset({"i"})
    if ahead.strip():
        words = frozenset(stem(word) for word in named if word not in ("my", "our"))
        if words:
            return words
        if set(named) & {"my", "our"}:
            return frozenset({"i"})
    if opened.strip().startswith(("i ", "we ", "my ", "our ")):
        return frozenset({"i"})
    return before


def _owner(text: str) -> frozenset[str] | None:
    """`my sister's name` is the sister's, `anna's job` is Anna's."""
    found = re.match(r"^\s*(?:(?:my|our|the) )?((?:[a-z]+ ){0,2}?[a-z]+)(?:'s|s') [a-z]", text)
    if found is None or found[1].split()[-1] in ("it", "that", "there", "today", "let"):
        return None
    return frozenset(stem(word) for word in found[1].split() if word not in _HELPERS and word not in _SELF)


def _possessed(clause: Clause) -> Iterator[Statement]:
    """Who says "my daughter" has one."""
    if clause.mode is Mode.IF or clause.reported:
        return
    listed = clause.text.split()
    for at, word in enumerate(listed[:-1]):
        if word not in ("my", "our"):
            continue
        had = next((one for one in listed[at + 1 : at + 4] if stem(one.removesuffix("'s")) in values().possessed), "")
        if had:
            had = had.removesuffix("'s")
            value, head = _value(had)
            plain = replace(clause, negative=False, ended=False, begun=False, when=When.NOW, mode=Mode.FACT)
            none: frozenset[str] = frozenset()
            yield Statement(plain, "have", frozenset({"i"}), value, none, none, True, False, head, had, implied=True)


def _implied(one: Statement) -> Iterator[Statement]:
    if not one.positive:
        return
    if other := values().also.get(one.slot):
        yield replace(one, slot=other, key=frozenset(), implied=True)
    for word in one.value:
        for slot, value, so in values().says.get((one.slot, word), ()):
            yield replace(
                one,
                slot=slot,
                value=frozenset({value}),
                head=value,
                said=value,
                positive=so,
                key=frozenset(),
                implied=True,
                equal=(one.slot, word, slot, value, so) in values().equal,
            )
