"""Parser of a text into statements: values of known slots in its clauses, and implied values.

A statement has a subject, a slot, a value, polarity, time and mode.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from curator.compare.clauses import TITLES, Clause, Mode, When, clauses
from curator.compare.data import Pattern, Slot, marks, slots, values
from curator.text import stem, wordlists

ANY = "switch"
"""Slot of a replacement whose real slot is unknown."""

_HELPERS = frozenset(
    "am is are was were be been have has had do does did will would a an the to and also we us me both all so that "
    "this now with in at of on for by then who which as".split()
)
_VERBS = frozenset("is are was were has have had will would can could does did".split())
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
_OWNED = re.compile(r"^\s*(?:(?:my|our|the) )?((?:[a-z]+ ){0,2}?[a-z]+)(?:'s|s') ([a-z]+)")
PERSON = frozenset({"i"})
_STAY = re.compile(
    r"\bfor (?:an?|one|two|a few|some|the|[0-9]+) (?:days?|weeks?|months?|years?|summer|winter|semester|term)\b"
)
_NO = re.compile(r"\b(?:any|no)\b ?")
_LOST = re.compile(
    r"\b(?:died(?! (?:laughing|his|her|my)\b)|dead|passed away|killed|(?:left|leaving|leaves) (?:me|us)|divorc\w+"
    r"|separated|former|late|ex|not my|no longer my)\b"
)
"""Words about a relative who is one no more."""
_RELATED = frozenset({"siblings", "marital", "children"})
"""Slots implied by naming a relative: "my brother has no garden" denies the garden, not the brother."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a clause. `slot` is empty if the clause matches none; `value` and `key` are stems."""

    clause: Clause
    slot: str
    subject: frozenset[str]  # empty if nobody is named; {"i"} for the person
    value: frozenset[str]
    key: frozenset[str]  # its purpose or object
    scope: frozenset[str]  # circumstances
    positive: bool
    changed: bool
    head: str = ""  # last word of the value
    said: str = ""  # the value as worded
    brief: bool = False  # on some days only
    indefinite: bool = False  # "a hospital": not a specific one
    implied: bool = False
    equal: bool = False  # implied, and equivalent to the statement that implies it
    begun: bool = False  # an event that made it true: "we moved to Bath"

    def implied_statements(self) -> Iterator["Statement"]:
        """Yield the implied statements."""
        if not self.positive:
            return
        if other := values().also.get(self.slot):
            yield replace(self, slot=other, key=frozenset(), implied=True)
        for word in self.value:
            for slot, value, so in values().says.get((self.slot, word), ()):
                yield replace(
                    self,
                    slot=slot,
                    value=frozenset({value}),
                    head=value,
                    said=value,
                    positive=so,
                    key=frozenset(),
                    implied=True,
                    equal=(self.slot, word, slot, value, so) in values().equal,
                )


@lru_cache(maxsize=8192)
def statements(text: str) -> tuple[Statement, ...]:
    """Return all statements of a text in known slots, and the statements they imply."""
    found: list[Statement] = []
    before: frozenset[str] = frozenset()
    for clause in clauses(text):
        if clause.mode is Mode.QUESTION:
            continue
        own: list[Statement] = []
        have, done = set(clause.text.split()), set[str]()
        tried = {id(slot): slot for word in have for slot in slots().by_cue.get(word, ())}  # slots cued by its words
        for slot in sorted(tried.values(), key=lambda slot: slots().order[slot.name]):
            if slot.name not in done and (not slot.only or slot.only & have):
                matches = ((pattern, pattern.search(clause.text)) for pattern in slot.patterns)
                made = (_made(clause, slot, pattern, match, before) for pattern, match in matches if match)
                if said := next(filter(None, made), None):
                    done.add(slot.name)
                    own += said
        found += own
        relative = clause.text.split()[1:2] if clause.text.startswith(("my ", "our ")) else []
        people = frozenset(stem(word) for word in relative if word in wordlists().people)
        before = people or next((one.subject for one in own if one.subject), before)
        if clause.mode is Mode.IF or clause.reported:
            continue
        listed = clause.text.split()
        plain = _as_fact(clause)
        for at, word in enumerate(listed[:-1]):  # things the person calls theirs: "my daughter"
            near = [one.removesuffix("'s") for one in listed[at + 1 : at + 4]] if word in ("my", "our") else []
            if had := next((one for one in near if stem(one) in values().possessed), ""):
                value, head = _value(had)
                none: frozenset[str] = frozenset()
                found.append(Statement(plain, "have", PERSON, value, none, none, True, False, head, had, implied=True))
    return (*found, *(more for one in found for more in one.implied_statements()))


def _as_fact(clause: Clause) -> Clause:
    """Return a clause as a fact of today: "my wife got a bike" says that there is a wife, whatever else it tells."""
    return replace(clause, negative=False, ended=False, begun=False, when=When.NOW, mode=Mode.FACT)


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
        value = frozenset(word for word in value if any(char.isdigit() for char in word)) or value
    if not value:
        return []
    subject: frozenset[str] = frozenset() if slot.asked else _subject(clause.text[: match.start()], match[0], before)
    end_of_value = max(match.end(name) for name in ("v", "k") if name in groups) if groups else match.end()
    after = clause.text[end_of_value if end_of_value > 0 else match.end() :]
    begun = pattern.changes and pattern.positive and _STAY.search(clause.whole) is None
    named = slot.name in _RELATED and match[0].startswith(("my ", "our "))
    lost = named and _LOST.search(clause.whole) is not None
    if lost and slot.name == "marital" and said == "married":
        return []
    shown = named and not (lost and clause.ended)
    free = slot.placed or (begun and slot.one and not slot.keyed)  # "in May, near the river" describes the event only
    scope: frozenset[str] = frozenset()
    if not free:  # circumstances after the match, and those at the start of the clause: "at work we use"
        scope = frozenset(word for found in _SCOPE.finditer(f"{rest} {after}") for word in _stems(found[1]))
        opening = _OPENS.match(clause.text)
        scope = (scope - values().anywhere) | (_stems(opening[1]) if opening else frozenset())
    key = _stems(groups.get("k") or "") if slot.keyed else frozenset()
    if slot.keyed and not key and slot.name in ("use", "prefer"):
        key, scope = (scope, frozenset()) if slot.name == "use" else (key, scope)
    positive = pattern.positive != clause.negative and (pattern.positive or not clause.ended)
    made = Statement(
        clause=_as_fact(clause) if shown else clause,
        slot=slot.name,
        subject=subject,
        value=value,
        key=key,
        scope=scope,
        positive=pattern.positive if shown else positive,
        changed=pattern.changes or (clause.changed and not shown),
        begun=begun,
        head=head,
        said=said,
        brief=marks().briefly.search(clause.whole) is not None,
        indefinite="v" in groups and _INDEFINITE.search(clause.text[: match.start("v")]) is not None,
    )
    former = groups.get("x") or (clause.against if slot.rivals else "")
    value, head = _value(former)
    if not value:
        return [made]
    other = replace(made, value=value, head=head, said=former, positive=not made.positive)
    return [made, replace(other, positive=False, changed=True) if groups.get("x") else other]


def _value(said: str) -> tuple[frozenset[str], str]:
    """Return the stems of a value, with synonyms unified, and its last stem."""
    said = values().same.sub(lambda found: values().plain[found[0]], _NO.sub("", said.strip()))
    lists = wordlists()
    kept = [lists.numbers.get(word, word) for word in said.split() if word not in lists.empty or word == "on"]
    kept = [word for word in kept if word not in TITLES] or kept
    stems = [stem(word) for word in kept]
    return frozenset(stems), stems[-1] if stems else ""


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in text.split() if word not in wordlists().empty and word not in _HELPERS)


def _subject(ahead: str, matched: str, before: frozenset[str]) -> frozenset[str]:
    """Return the subject before or at the start of the match ("my sister's name is"); by default the previous one."""
    owned = _OWNED.match(f"{ahead} {matched}")  # `my sister's name` is the sister's, `anna's job` is Anna's
    if owned and owned[1].split()[-1] not in ("it", "that", "there", "today", "let"):
        relative = [owned[2]] if owned[2] in wordlists().people else []  # `anna's sister` is not Anna
        named = [word for word in owned[1].split() if word not in _HELPERS and word not in _SELF]
        return frozenset(stem(word) for word in (*named, *relative))
    words = ahead.split()
    verb = next((at for at, word in enumerate(words) if at and word in _VERBS and words[0] not in _VERBS), len(words))
    named = [word.removesuffix("'s") for word in words[:verb] if word not in _HELPERS or word in _SELF]
    if "i" in named or (named and named[-1] in ("we", "me")):
        return PERSON
    if stems := frozenset(stem(word) for word in named if word not in ("my", "our")):
        return stems
    opened = ahead if ahead.strip() else f"{ahead} {matched}"
    return PERSON if named or opened.strip().startswith(("i ", "we ", "my ", "our ")) else before
