"""Numeric features for and against a conflict of two texts; their weights are in `weights.toml`.

Change words and denials are weighted by the overlap of their clause with a clause of the other text, since a long text
contains such words by chance.
"""

from dataclasses import dataclass, field
from functools import cache, lru_cache

from curator.compare.clauses import NOT_YET, Clause, Mode, When, clauses, subject
from curator.compare.data import marks, values
from curator.compare.differences import Difference, Guard
from curator.compare.slot_relation import SlotFinding, SlotRelation
from curator.compare.traits import whole_text_features
from curator.compare.value_relation import are_rivals
from curator.text import plain_words, stem, tokens, wordlists

STEM = 6
"""Number of letters of a stem that are compared, since derived words share them."""
FAR, NEAR = 0.35, 0.65
"""Similarity of two texts up to which clause features have no weight, and from which they have full weight."""
OTHER = 0.3
"""Weight of a pair of clauses about two people."""
SHORT = 14
"""Maximum words of a text with a single topic: its clauses count as related even if they share no word."""
LOOSE = 0.3
"""Minimum closeness of the clauses of two such texts."""

_TASTES = frozenset({"like", "prefer", "favourite", "eat", "drink"})
_CLAUSE_FEATURES = (
    *("change", "changed before", "no exception", "denied", "felt", "past by now", "lately"),
    *("as denied", "as felt", "denied alone", "felt alone"),
)
_DIFFERS = {guard: f"{guard.value} differs" for guard in Guard}
_SAID, _MEANT = ({kind: f"{kind.value} {how}" for kind in SlotRelation} for how in ("said", "meant"))
_NONE = dict.fromkeys((*_DIFFERS.values(), *_SAID.values(), *_MEANT.values()), 0.0)
_COPULAS = frozenset("is are was were be been has have".split())
_UNCOUNTED = frozenset(
    "of and or in at on to for the a is are was way who that with i my thing person day time".split()
)


@dataclass(frozen=True, slots=True)
class _Part:
    """A clause and its content words."""

    clause: Clause
    stems: frozenset[str]
    bare: frozenset[str]  # without words of liking or denial, and light words
    subject: str
    good: int  # 1 liked, -1 disliked
    turned: str
    lately: bool  # the change is a start, or recent
    sweeping: bool
    passing: bool  # temporary, or still to be done
    event: bool  # done

    @classmethod
    def of(cls, clause: Clause) -> "_Part":
        lists = wordlists()
        counted = [word for word in clause.whole.split() if word not in lists.empty and word not in lists.negations]
        stems = {stem(word) for word in counted}
        felt = bool(stems & lists.liked) - bool(stems & lists.disliked)
        turned = marks().turned.search(clause.whole)
        return cls(
            clause=clause,
            stems=_canonical(frozenset(stem(lists.numbers.get(word, word)) for word in counted)),
            bare=_canonical(frozenset(stems - _loose())),
            subject=subject("", clause.whole.split()),
            good=-felt if clause.negative else felt,
            turned=turned[0] if turned else clause.whole if clause.ended else "",
            lately=turned is not None and not clause.ended and marks().lately.fullmatch(turned[0]) is not None,
            sweeping=marks().sweeping.search(clause.whole) is not None,
            passing=clause.mode in NOT_YET or marks().passing.search(clause.whole) is not None,
            event=bool(turned) or (clause.when is When.PAST and clause.mode is Mode.FACT),
        )


@dataclass(frozen=True, slots=True)
class _Side:
    """One text of a pair."""

    stems: frozenset[str]
    parts: tuple[_Part, ...]
    left: frozenset[str]  # stems of abandoned things
    short: bool
    subject: str
    asked: bool
    open: bool  # a wish, plan, doubt or thought
    reported: bool
    past: bool
    measures: dict[str, frozenset[str]]  # counted thing -> its numbers

    @property
    def turned(self) -> str:
        return next((part.turned for part in self.parts if part.turned), "")

    def frames(self, other: "_Side") -> bool:
        """Return True if both begin with the same words, with a copula just before the first difference."""
        if len(self.parts) != 1 or len(other.parts) != 1:
            return False
        ours, theirs = (side.parts[0].clause.whole.split() for side in (self, other))
        same = next((at for at, (one, two) in enumerate(zip(ours, theirs, strict=False)) if one != two), 0)
        return 2 < same < min(len(ours), len(theirs)) and not _COPULAS.isdisjoint(ours[same - 3 : same])


@dataclass(frozen=True, slots=True)
class ConflictFeatures:
    """The features of a pair by name, and the words in the later text that express a change."""

    by_name: dict[str, float]
    turned: str
    sweeping: bool
    past: bool


@dataclass(slots=True)
class _ClauseFeatures:
    """Features of pairs of clauses, weighted by their overlap."""

    features: dict[str, float] = field(default_factory=lambda: dict.fromkeys(_CLAUSE_FEATURES, 0.0))
    most: float = 0.0
    turned: str = ""

    @classmethod
    def of(cls, left: _Side, right: _Side) -> "_ClauseFeatures":
        result = cls()
        floor = LOOSE if left.short and right.short else 0.0
        for one in left.parts:
            for other in right.parts:
                shared = len((one.stems & other.stems) - _light())
                if shared or floor:
                    close = max(floor, shared / (min(len(one.stems), len(other.stems)) + 0.5))
                    people = {one.subject, other.subject}
                    same = len(people) == 1 or people - {"i"} <= one.stems & other.stems
                    result.add(one, other, shared, close, 1.0 if same else OTHER)
        features = result.features
        features["denied"] = (
            features["denied"] if features["denied"] >= features["as denied"] else 0.5 * features["denied"]
        )
        return result

    def raise_to(self, name: str, value: float) -> None:
        self.features[name] = max(self.features[name], value)

    def add(self, one: _Part, other: _Part, shared: int, close: float, weight: float) -> None:
        """Add a pair of clauses with `shared` common stems; clauses about two people weigh less."""
        close *= weight
        self.most = max(self.most, close)
        if other.turned:
            self.raise_to("lately" if other.lately else "change", close)
            if close >= max(self.features["change"], self.features["lately"]):
                self.turned = other.turned
        if one.turned:
            self.raise_to("changed before", close)
        if one.sweeping or other.sweeping:
            self.raise_to("no exception", close)
        if one.passing and other.event and not other.passing:
            self.raise_to("past by now", close)
        alone = (
            1.0 / (1 + min(len(one.bare - other.bare), len(other.bare - one.bare))) if one.bare & other.bare else 0.0
        )
        if one.clause.negative == other.clause.negative:
            self.raise_to("as denied", close if shared else 0.0)
        elif shared:
            share = shared / (len(one.stems if one.clause.negative else other.stems) + 0.5)
            self.raise_to("denied", min(close, share) if close < LOOSE else share)
            self.raise_to("denied alone", weight * alone)
        if one.good and one.good == other.good:
            self.raise_to("as felt", close)
        elif one.good and other.good:
            self.raise_to("felt", close)
            self.raise_to("felt alone", weight * alone)


def closeness(topic: float) -> float:
    """Return the feature "near" of a similarity: 0 up to `FAR`, 1 from `NEAR`."""
    return min(1.0, max(0.0, topic - FAR) / (NEAR - FAR))


def later(a: str, b: str) -> bool:
    """Return True if `a` seems to be the later text: it alone expresses a change. Ties compare the strings."""
    left, right = bool(_side(a).turned), bool(_side(b).turned)
    return left > right if left != right else a > b


def conflict_features(
    a: str,
    b: str,
    topic: float,
    overlap: float,
    found: tuple[Difference, ...],
    judged: tuple[SlotFinding, ...],
    neighbour_density: float,
) -> ConflictFeatures:
    """Return the features of a pair, each 0-1 or a small count; `b` is the later text, `topic` their similarity, 0-1.

    `neighbour_density` is the feature "crowd"; see `curator.conflicts.candidates.Candidates.neighbour_density`.
    """
    left, right = _side(a), _side(b)
    near = closeness(topic)
    plain = {one.kind for one in judged if not one.implied}
    guards = {difference.guard for difference in found}
    close = _ClauseFeatures.of(left, right)
    rivals = are_rivals(left.stems - right.stems, right.stems - left.stems)
    measures = left.measures.keys() & right.measures.keys()
    if (
        SlotRelation.BESIDE in plain
        and SlotRelation.OPPOSED not in plain
        and any(one.slot in _TASTES for one in judged)
    ):
        close.features["felt"] = close.features["felt alone"] = 0.0  # about two things, according to the slot
    people = {left.subject, right.subject}
    features = {
        "topic": topic,
        "crowd": neighbour_density,
        "overlap": overlap,
        "shared": min(len((left.stems & right.stems) - _light()), 3) / 3,
        "near": near,
        **{name: near * value for name, value in close.features.items()},
        "opposites": near * (Guard.POLARITY in guards),
        "left behind": min(1.0, topic / NEAR) * bool(right.left & left.stems and not left.past),
        "rivals in a frame": near * left.frames(right) * rivals,
        "turned round": float(Guard.DIRECTION in guards),
        "numbers": near * close.most * _both(found, Guard.NUMBER),
        "dates": near * close.most * _both(found, Guard.DATE),
        "measure": near * any(not left.measures[what] & right.measures[what] for what in measures),
        "rivals": near * close.most * rivals,
        "over": near * close.most * (right.past and not left.past),
        "slot": float(SlotRelation.OPPOSED in plain),
        "slot by meaning": float(any(one.kind is SlotRelation.OPPOSED and one.implied for one in judged)),
        "several hold": float(SlotRelation.BESIDE in plain),
        "same value": float(SlotRelation.SAME in plain),
        "apart": float(SlotRelation.APART in plain),
        "other person": float(len(people) > 1 and not people - {"i"} <= left.stems & right.stems),
        "people": float(Guard.PERSON in guards),
        "both turned": near
        * min(max(close.features["change"], close.features["lately"]), close.features["changed before"]),
        "both past": float(left.past and right.past),
        "question": float(left.asked or right.asked),
        "open": float(left.open != right.open),
        "reported": float(left.reported != right.reported),
        "former": float(left.past and not right.past),
        "names": float(_both(found, Guard.NAME)),
        **whole_text_features(a, b),
        **_NONE,
        **{_DIFFERS[guard]: 1.0 for guard in guards},
    }
    for one in judged:
        features[_MEANT[one.kind] if one.implied else _SAID[one.kind]] += 1.0
    return ConflictFeatures(features, close.turned, close.features["no exception"] > 0, left.past and right.past)


@lru_cache(maxsize=8192)
def _side(text: str) -> _Side:
    plain = plain_words(text)
    parts = clauses(text)
    stems = _canonical(tokens(text))
    numbers, measures = wordlists().numbers, dict[str, set[str]]()
    for at, word in enumerate(plain[:-1]):
        number, what = numbers.get(word, word), plain[at + 1]
        if number[0].isdigit() and what.isalpha() and what not in _UNCOUNTED:
            measures.setdefault(stem(what), set()).add(number)
    left = {found["x"] or found["y"] for part in parts for found in marks().leaving.finditer(part.whole)}
    return _Side(
        stems=stems,
        left=_canonical(frozenset(map(stem, left))) - _light(),
        parts=tuple(map(_Part.of, parts)),
        short=len(plain) <= SHORT,
        subject=subject(text, parts[0].whole.split() if parts else plain),
        asked="?" in plain,
        open=bool(parts) and not any(part.mode in (Mode.FACT, Mode.MUST) for part in parts),
        reported=bool(parts) and parts[0].reported,
        past=bool(parts) and all(part.when is When.PAST for part in parts),
        measures={what: frozenset(counts) for what, counts in measures.items()},
    )


def _canonical(stems: frozenset[str]) -> frozenset[str]:
    """Return stems truncated to what derived words share: vaccine and vaccinated, diabetes and diabetic."""
    plain = values().plain
    return frozenset(stem(plain.get(word, word))[:STEM] for word in stems)


@cache
def _loose() -> frozenset[str]:
    """Return stems of liking and of little content, which do not identify a thing."""
    lists = wordlists()
    return lists.liked | lists.disliked | lists.light | values().anywhere | lists.negations


@cache
def _light() -> frozenset[str]:
    return _canonical(wordlists().light)


def _both(found: tuple[Difference, ...], guard: Guard) -> bool:
    return any(one.guard is guard and one.a and one.b for one in found)
