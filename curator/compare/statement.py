"""Parse a text into clauses with negation, tense, modality, reported speech and frequency, and their statements.

A statement has a subject, a slot, a value, polarity, time and mode.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from curator.compare.data import Pattern, Slot, marks, slots, values
from curator.text import first_person, fold, stem, wordlists, words
from curator.text.dates import without_dates

MOST = 12
"""Maximum clauses read per text; memories have one or two."""

WORDS, LETTERS = 80, 40
"""Maximum words per clause and letters per word; bounds the work for any text."""

LABELLED = 40
"""Maximum characters after a label, as in `Phone: Pixel 9`."""

_QUOTED = re.compile(r'"[^"\n]{3,300}"')
_TITLES = frozenset("dr mr mrs ms st prof".split())
_NO_TITLE = "".join(rf"(?<!\b{title})" for title in sorted(_TITLES))
_END = re.compile(
    rf"(?<=[^\W\d_]){_NO_TITLE}[.!?]+(?=\s|$)|(?<=\d)[.!?]+(?=\s+[^\W\d]|\s*$)|[;\n()]|\.\.\.|\s[-–—]+\s|:(?=\s)"
)
_CHAT = (
    (re.compile(r"\bi ?m (?=[a-z])"), "i am "),
    (re.compile(r"\bi ?ve (?=[a-z])"), "i have "),
    (re.compile(r"\b(do|does|did|is|are|was|were|wo|ca|could|would|should|have|has) ?n ?t\b"), r"\1 not"),
    (re.compile(r"\b(i|we|they|he|she|you)'d\b"), r"\1 would"),
    (re.compile(r"\b(he|she|it|that|there|here|what|who|where)'s\b"), r"\1 is"),
    (re.compile(r"^(?:no|yes|yeah|well|and|but|so|also) (?=(?:i|my|we|it)\b)"), ""),
    (re.compile(r"\b(?:me and|and me|myself and)\b"), "and i"),
)
_LABEL = re.compile(r"^[\s*-]*([^\W_]+(?:[ '’-][^\W_]+){0,3}): (?=\S)")
_NOT = re.compile(r",? (?:and|but) not? (?=[a-z])|, not (?=[a-z])")
_AGAINST = re.compile(r" (?:instead of|rather than|over(?! \d)|as opposed to|than) (.+)$")
_THIRD = ((re.compile(r"^(?:he|she|they)\b"), "i"), (re.compile(r"\b(?:his|her|their)\b"), "my"))
_NO_ONE = [[word] for word in "no this that which the a any some every was is".split()]
_ONE_OF = [[], *([word] for word in "of day who that thing or way".split())]
_PARTICIPLES = frozenset({"been", "gone", "done", "read", "had"})
_FIRST_PERSON = frozenset("i we me us".split())
_OPENING = frozenset("my our his her their the a since for".split())
_ALL = frozenset("people everyone everybody".split())
_OF_PEOPLE = frozenset(
    "has had likes loves hates prefers lives works drinks eats smokes speaks plays can wants thinks says moved studies "
    "uses drives owns enjoys dislikes is was got does doesn't never always".split()
)
_CLEFT = frozenset({"not only", "not just", "no problem", "no matter", "why not", "not mind"})


class Mode(StrEnum):
    """Meaning of a clause: a fact, or a wish, plan, doubt, thought or duty."""

    FACT = "fact"
    WISH = "wish"
    PLAN = "plan"
    DOUBT = "doubt"
    IF = "hypothetical"
    MUST = "must"
    QUESTION = "question"


class When(StrEnum):
    """Time of a clause."""

    PAST = "past"
    NOW = "now"


_MODES = (
    ("hypothetical", Mode.IF),
    ("wish", Mode.WISH),
    ("doubt", Mode.DOUBT),
    ("plan", Mode.PLAN),
    ("must", Mode.MUST),
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause: its words without marker words, and the attributes those express."""

    text: str
    negative: bool = False
    ended: bool = False  # no longer true
    begun: bool = False  # true since recently
    when: When = When.NOW
    mode: Mode = Mode.FACT
    reported: bool = False
    often: str = ""
    against: str = ""  # the alternative it is contrasted with: "tea over coffee"
    whole: str = ""  # with marker words

    @property
    def changed(self) -> bool:
        """True if the clause says that something changed."""
        return self.ended or self.begun


@lru_cache(maxsize=8192)
def clauses(text: str) -> tuple[Clause, ...]:
    """Return at most `MOST` clauses of a text, in order and in the first person."""
    found: list[Clause] = []
    folded = fold(without_dates(text))[:2_000].replace("n't", " not")
    of_user = folded.startswith(("user", "the user"))
    labelled = _LABEL.match(folded)
    if labelled and len(folded) - labelled.end() <= LABELLED:
        folded = f"{labelled[1]} is {folded[labelled.end() :]}"
    quotes = [found[0] for found in _QUOTED.finditer(folded)]
    rewrites = (*_CHAT, *(_THIRD if of_user else ()))
    ends = [(0, 0), *(end.span() for end in _END.finditer(folded)), (len(folded), len(folded))]
    for (_, start), (stop, end) in pairwise(ends):
        sentence = folded[start:end] if folded[start:stop].strip() else ""
        asked = sentence.rstrip().endswith("?")
        for part in marks().split.split(sentence):
            listed = [word[:LETTERS] for word in words(_NOT.sub(" instead of ", part))[:WORDS]]
            plain = first_person(" ".join(listed))
            for pattern, instead in rewrites:
                plain = pattern.sub(instead, plain)
            plain = plain.replace(" ?", "").strip()
            if plain and len(found) < MOST:
                core = part.strip(' ".,!?')
                inside = any(len(quote.split()) >= 3 and (core in quote or quote in part) for quote in quotes)
                found.append(_read(plain, asked, inside and len(plain.split()) > 1))
    return tuple(found)


def _read(plain: str, asked: bool, quoted: bool) -> Clause:
    found: set[str] = set()
    rest = plain
    reported = marks().reported.match(rest)
    if reported:
        rest = rest[reported.end() :]
    against = ""
    if other := _AGAINST.search(rest):
        against, rest = other[1].strip(), rest[: other.start()]
    rest = rest.replace("not any more", "anymore").replace("not anymore", "anymore")

    def taken(match: re.Match[str]) -> str:
        found.add(match.lastgroup or "")
        return ""

    rest = " ".join(marks().taken.sub(taken, rest).split())
    lists, listed = wordlists(), rest.split()
    denials = [word for word in listed if word in lists.negations and word != "without"]
    kept = [word for word in listed if word not in lists.negations or word == "without"]
    cleft = any(phrase in rest for phrase in _CLEFT)
    ended = "ended" in found
    negative = (len(denials) % 2 == 1 and not cleft) != ("seldom" in found)
    kept = [  # numbers as digits; `one` only if it counts something
        word
        if word == "one" and (kept[at - 1 : at] in _NO_ONE or kept[at + 1 : at + 2] in _ONE_OF)
        else lists.numbers.get(word, word)
        for at, word in enumerate(kept)
    ]
    return Clause(
        text=" ".join(kept),
        negative=True if ended else negative,
        ended=ended,
        begun="begun" in found and not ended,
        when=_when(kept, found),
        mode=Mode.QUESTION if asked else next((mode for name, mode in _MODES if name in found), Mode.FACT),
        reported=reported is not None or quoted,
        often=next((name for name in ("always", "often", "sometimes", "seldom") if name in found), ""),
        against=against,
        whole=f"{plain} ?" if asked else plain,
    )


def _when(kept: list[str], found: set[str]) -> When:
    """Return the tense of the first verb that shows it. A perfect with a start ("since") counts as present."""
    if "past" in found:
        return When.PAST
    if "ended" in found or "begun" in found:
        return When.NOW
    for at, word in enumerate(kept[:8]):
        following = "".join(kept[at + 1 : at + 2])
        if word == "have" and following == "got":
            return When.NOW
        done = following.endswith(("ed", "en")) or following in _PARTICIPLES or following in marks().past_verbs
        if done and word in ("have", "has"):
            return When.NOW if "lasting" in found or following == "been" else When.PAST
        if word in marks().present_verbs or word in wordlists().present:
            return When.NOW
        if word in marks().past_verbs or (
            word.endswith("ed") and not word.endswith("eed") and len(word) > 4 and at < 5
        ):
            return When.PAST
    return When.NOW


def subject(text: str, listed: Sequence[str]) -> str:
    """Return the subject of a text, by its first words: `i`, a relative, or a name.

    `listed` are the words of its first clause. A text about things or about nobody in particular counts as `i`.
    """
    people = wordlists().people
    first = [word.removesuffix("'s") for word in listed[:4]]
    if not first or first[0] in _FIRST_PERSON:
        return "i"
    if first[0] in _OPENING:
        if "and" in listed[:5] and "i" in listed[:6]:
            return "i"
        return next((stem(word) for word in first[1:3] if word in people or word.removesuffix("s") in people), "i")
    if first[0] in people:
        return "i" if first[0] in _ALL else stem(first[0])
    named = text.lstrip(" -*")[:1].isupper() and not first[0].endswith("ing") and len(listed) > 1
    return first[0] if named and listed[1] in _OF_PEOPLE and first[0] != "user" else "i"


ANY = "switch"
"""The slot of a replacement whose own slot is unknown."""

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
_PERSON = frozenset({"i"})
_STAY = re.compile(
    r"\bfor (?:an?|one|two|a few|some|the|[0-9]+) (?:days?|weeks?|months?|years?|summer|winter|semester|term)\b"
)
_NO = re.compile(r"\b(?:any|no)\b ?")
_RELATED = frozenset({"siblings", "marital", "children"})
"""Slots that a relative shows: "my brother has no garden" denies the garden, not the brother."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a clause. `slot` is empty if the clause matches none; `value` and `key` are stems."""

    clause: Clause
    slot: str
    subject: frozenset[str]  # empty: nobody is named; {"i"}: the person
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
    begun: bool = False  # an event by which it became so: "we moved to Bath"

    def implied_statements(self) -> Iterator["Statement"]:
        """Yield the statements it implies."""
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
    """Return all statements of a text in known slots, and those they imply."""
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
        plain = replace(clause, negative=False, ended=False, begun=False, when=When.NOW, mode=Mode.FACT)
        for at, word in enumerate(listed[:-1]):  # things the person calls theirs: "my daughter"
            near = [one.removesuffix("'s") for one in listed[at + 1 : at + 4]] if word in ("my", "our") else []
            if had := next((one for one in near if stem(one) in values().possessed), ""):
                value, head = _value(had)
                none: frozenset[str] = frozenset()
                found.append(Statement(plain, "have", _PERSON, value, none, none, True, False, head, had, implied=True))
    return (*found, *(more for one in found for more in one.implied_statements()))


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
    shown = slot.name in _RELATED and not clause.ended and match[0].startswith(("my ", "our "))
    free = slot.placed or (begun and slot.one and not slot.keyed)  # "in May, near the river" are of the event only
    scope: frozenset[str] = frozenset() if free else _scope(f"{rest} {after}", clause.text)
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
        positive=pattern.positive != (clause.negative and not shown) and (pattern.positive or not clause.ended),
        changed=pattern.changes or clause.changed,
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
    """Return the stems of a value, synonyms replaced by one word, and the last stem."""
    said = values().same.sub(lambda found: values().plain[found[0]], _NO.sub("", said.strip()))
    lists = wordlists()
    kept = [lists.numbers.get(word, word) for word in said.split() if word not in lists.empty or word == "on"]
    kept = [word for word in kept if word not in _TITLES] or kept
    stems = [stem(word) for word in kept]
    return frozenset(stems), stems[-1] if stems else ""


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in text.split() if word not in wordlists().empty and word not in _HELPERS)


def _scope(after: str, text: str) -> frozenset[str]:
    """Return the circumstances after a match, and those that open the clause: "at work we use"."""
    found = {word for match in _SCOPE.finditer(after) for word in _stems(match[1])} - values().anywhere
    opening = _OPENS.match(text)
    return frozenset(found) | (_stems(opening[1]) if opening else frozenset())


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
        return _PERSON
    if stems := frozenset(stem(word) for word in named if word not in ("my", "our")):
        return stems
    opened = ahead if ahead.strip() else f"{ahead} {matched}"
    return _PERSON if named or opened.strip().startswith(("i ", "we ", "my ", "our ")) else before
