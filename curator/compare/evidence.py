"""What speaks for and against a conflict of two texts, one number a sign, by name; `weights.toml` weighs them.

A word of change or a denial counts by how much its clause shares with a clause of the other text: long texts hold some
of everything.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from curator.compare.clauses import Clause, Mode, When, clauses
from curator.compare.data import marks, values
from curator.compare.differences import Difference, Guard
from curator.compare.slot_relation import Finding, Kind
from curator.compare.subject import subject
from curator.text import plain_words, stem, tokens, wordlists

STEM = 6
"""Letters of a stem that count: words derived from one another share them."""
FAR, NEAR = 0.35, 0.65
"""Nearness below which a word of change in one text says nothing of the other, and from which it counts in full."""
OTHER = 0.3
"""How much of that counts where the clauses are about two people."""
_OPEN = frozenset({Mode.WISH, Mode.PLAN, Mode.DOUBT, Mode.MUST})
SHORT = 14
"""Words up to which a text says one thing: there the whole is near, though no word is shared."""
LOOSE = 0.3
"""How close the clauses of two such texts are at least."""

_TASTES = frozenset({"like", "prefer", "favourite", "eat", "drink"})
_COPULAS = frozenset("is are was were be been has have".split())
_UNCOUNTED = frozenset(
    "of and or in at on to for the a is are was way who that with i my thing person day time".split()
)


@dataclass(frozen=True, slots=True)
class _Part:
    """One clause, and what of it counts."""

    clause: Clause
    stems: frozenset[str]
    bare: frozenset[str]  # without what is felt, denied, or light
    subject: str
    good: int  # 1 what is found good, -1 what is found bad
    turned: str
    lately: bool  # what turned has only begun, or is only newly so
    sweeping: bool
    passing: bool  # holds for a while only, or is yet to be done
    event: bool  # is done


@dataclass(frozen=True, slots=True)
class _Side:
    """One text."""

    stems: frozenset[str]
    parts: tuple[_Part, ...]
    left: frozenset[str]  # stems of what is given up or turned away from
    short: bool
    subject: str
    asked: bool
    open: bool  # a wish, a plan, a doubt, or only thought of
    reported: bool
    past: bool
    measures: dict[str, frozenset[str]]  # what is counted -> the numbers of it

    @property
    def turned(self) -> str:
        return next((part.turned for part in self.parts if part.turned), "")


@dataclass(frozen=True, slots=True)
class Evidence:
    """The signs of a pair by name, and of the later text what says that something turned."""

    signs: dict[str, float]
    turned: str
    sweeping: bool
    past: bool


def later(a: str, b: str) -> bool:
    """Whether `a` reads as the later of two texts of unknown order: it alone says that something turned."""
    left, right = bool(_side(a).turned), bool(_side(b).turned)
    return left > right if left != right else a > b


def evidence(
    a: str, b: str, topic: float, overlap: float, found: tuple[Difference, ...], judged: tuple[Finding, ...]
) -> Evidence:
    """Every sign of the pair, 0-1 or a small count; `b` is the later text, `topic` how near both are, 0-1."""
    left, right = _side(a), _side(b)
    near = min(1.0, max(0.0, topic - FAR) / (NEAR - FAR))
    plain = {one.kind for one in judged if not one.implied}
    guards = {difference.guard for difference in found}
    close = _close(left, right)
    ours, theirs = left.stems - right.stems, right.stems - left.stems
    if Kind.BESIDE in plain and Kind.OPPOSED not in plain and any(one.slot in _TASTES for one in judged):
        close.signs["felt"] = close.signs["felt alone"] = 0.0  # of two things, as the slot has it
    people = {left.subject, right.subject}
    signs = {
        "topic": topic,
        "overlap": overlap,
        "shared": min(len((left.stems & right.stems) - _light()), 3) / 3,
        "near": near,
        **{name: near * value for name, value in close.signs.items()},
        "opposites": near * (Guard.POLARITY in guards),
        "left behind": min(1.0, topic / NEAR) * bool(right.left & left.stems and not left.past),
        "rivals in a frame": near * _framed(left, right) * _rivals(ours, theirs),
        "turned round": float(Guard.DIRECTION in guards),
        "numbers": near * close.most * _both(found, Guard.NUMBER),
        "dates": near * close.most * _both(found, Guard.DATE),
        "measure": near * _measured(left.measures, right.measures),
        "rivals": near * close.most * _rivals(ours, theirs),
        "over": near * close.most * (right.past and not left.past),
        "slot": float(Kind.OPPOSED in plain),
        "slot by meaning": float(any(one.kind is Kind.OPPOSED and one.implied for one in judged)),
        "several hold": float(Kind.BESIDE in plain),
        "same value": float(Kind.SAME in plain),
        "apart": float(Kind.APART in plain),
        "other person": float(len(people) > 1 and not people - {"i"} <= left.stems & right.stems),
        "people": float(Guard.PERSON in guards),
        "both turned": near * min(max(close.signs["change"], close.signs["lately"]), close.signs["changed before"]),
        "both past": float(left.past and right.past),
        "question": float(left.asked or right.asked),
        "open": float(left.open != right.open),
        "reported": float(left.reported != right.reported),
        "former": float(left.past and not right.past),
        "names": float(_both(found, Guard.NAME)),
    }
    return Evidence(signs, close.turned, close.signs["no exception"] > 0, left.past and right.past)


@dataclass(slots=True)
class _Closeness:
    signs: dict[str, float]
    most: float = 0.0
    turned: str = ""


def _close(left: _Side, right: _Side) -> _Closeness:
    """What the clauses of both texts say against each other, by how much they share."""
    floor = LOOSE if left.short and right.short else 0.0
    result = _Closeness(
        dict.fromkeys(
            (
                "change",
                "changed before",
                "no exception",
                "denied",
                "felt",
                "past by now",
                "lately",
                "as denied",
                "as felt",
                "denied alone",
                "felt alone",
            ),
            0.0,
        )
    )
    signs = result.signs

    def most(name: str, value: float) -> None:
        signs[name] = max(signs[name], value)

    for one in left.parts:
        for other in right.parts:
            shared = len((one.stems & other.stems) - _light())
            close = max(floor, shared / (min(len(one.stems), len(other.stems)) + 0.5)) if shared or floor else 0.0
            if not close:
                continue
            own = 1.0
            if one.subject != other.subject and not {one.subject, other.subject} - {"i"} <= one.stems & other.stems:
                close *= OTHER
                own = OTHER
            result.most = max(result.most, close)
            if other.turned:
                most("lately" if other.lately else "change", close)
                if close >= max(signs["change"], signs["lately"]):
                    result.turned = other.turned
            if one.turned:
                most("changed before", close)
            if one.sweeping or other.sweeping:
                most("no exception", close)
            if one.passing and other.event and not other.passing:
                most("past by now", close)
            if one.clause.negative == other.clause.negative:
                most("as denied", close if shared else 0.0)
            elif shared:
                no = one.stems if one.clause.negative else other.stems
                most("denied", min(close, shared / (len(no) + 0.5)) if close < LOOSE else shared / (len(no) + 0.5))
                most("denied alone", own * _alone(one.bare, other.bare))
            if one.good and one.good == other.good:
                most("as felt", close)
            elif one.good and other.good:
                most("felt", close)
                most("felt alone", own * _alone(one.bare, other.bare))
    signs["denied"] = signs["denied"] if signs["denied"] >= signs["as denied"] else 0.5 * signs["denied"]
    return result


@lru_cache(maxsize=8192)
def _side(text: str) -> _Side:
    plain = plain_words(text)
    parts = clauses(text)
    stems = _canonical(tokens(text))
    left = {found["x"] or found["y"] for part in parts for found in marks().leaving.finditer(part.whole)}
    return _Side(
        stems=stems,
        left=_canonical(frozenset(map(stem, left))) - _light(),
        parts=tuple(_part(part) for part in parts),
        short=len(plain) <= SHORT,
        subject=subject(text, parts[0].whole.split() if parts else plain),
        asked="?" in plain,
        open=bool(parts) and not any(part.mode in (Mode.FACT, Mode.MUST) for part in parts),
        reported=bool(parts) and parts[0].reported,
        past=bool(parts) and all(part.when is When.PAST for part in parts),
        measures=_measures(plain),
    )


def _part(clause: Clause) -> _Part:
    lists = wordlists()
    counted = [word for word in clause.whole.split() if word not in lists.empty and word not in lists.negations]
    stems = {stem(word) for word in counted}
    felt = bool(stems & lists.liked) - bool(stems & lists.disliked)
    turned = marks().turned.search(clause.whole)
    return _Part(
        clause=clause,
        stems=_canonical(frozenset(stem(lists.numbers.get(word, word)) for word in counted)),
        bare=_bare(stems),
        subject=subject("", clause.whole.split()),
        good=-felt if clause.negative else felt,
        turned=turned[0] if turned else clause.whole if clause.ended else "",
        lately=turned is not None and not clause.ended and marks().lately.fullmatch(turned[0]) is not None,
        sweeping=marks().sweeping.search(clause.whole) is not None,
        passing=clause.mode in _OPEN or marks().passing.search(clause.whole) is not None,
        event=bool(turned) or (clause.when is When.PAST and clause.mode is Mode.FACT),
    )


def _canonical(stems: frozenset[str]) -> frozenset[str]:
    """Stems cut to what derived words share: vaccine and vaccinated, diabetes and diabetic."""
    plain = values().plain
    return frozenset(stem(plain.get(word, word))[:STEM] for word in stems)


def _framed(left: _Side, right: _Side) -> bool:
    """Whether both say of one thing what, where or when it is, in the same words up to there."""
    if len(left.parts) != 1 or len(right.parts) != 1:
        return False
    one, other = left.parts[0].clause.whole.split(), right.parts[0].clause.whole.split()
    same = next((at for at, (ours, theirs) in enumerate(zip(one, other, strict=False)) if ours != theirs), 0)
    return 2 < same < min(len(one), len(other)) and not _COPULAS.isdisjoint(one[same - 3 : same])


def _bare(stems: Collection[str]) -> frozenset[str]:
    return _canonical(frozenset(stems) - _loose())


@cache
def _loose() -> frozenset[str]:
    """Stems that say how a thing is found, or little, and not which it is."""
    lists = wordlists()
    return lists.liked | lists.disliked | lists.light | values().anywhere | lists.negations


def _alone(one: frozenset[str], other: frozenset[str]) -> float:
    """1 where all that one clause speaks of is in the other, less with each word that is not."""
    return 1.0 / (1 + min(len(one - other), len(other - one))) if one & other else 0.0


@cache
def _light() -> frozenset[str]:
    return _canonical(wordlists().light)


def _measures(plain: Sequence[str]) -> dict[str, frozenset[str]]:
    numbers = wordlists().numbers
    found: dict[str, set[str]] = {}
    for at, word in enumerate(plain[:-1]):
        number = numbers.get(word, word)
        if number[0].isdigit() and plain[at + 1].isalpha() and plain[at + 1] not in _UNCOUNTED:
            found.setdefault(stem(plain[at + 1]), set()).add(number)
    return {what: frozenset(counts) for what, counts in found.items()}


def _measured(left: dict[str, frozenset[str]], right: dict[str, frozenset[str]]) -> bool:
    """Whether both count the same thing, and differently."""
    return any(not left[what] & right[what] for what in left.keys() & right.keys())


def _rivals(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether a word of one text stands in the other for one that excludes it."""
    groups = values().rivals
    return any(groups[word] & groups.get(other, frozenset()) for word in ours if word in groups for other in theirs)


def _both(found: tuple[Difference, ...], guard: Guard) -> bool:
    return any(one.guard is guard and one.a and one.b for one in found)
