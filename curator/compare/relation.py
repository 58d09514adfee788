"""Relation of two memories by rule: duplicate, update, contradiction, coexist, unrelated or unsure."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from curator.compare.chances import FROM, Reader, Reading, with_reading
from curator.compare.data import weighed, weights
from curator.compare.differences import Difference, Guard, differences
from curator.compare.evidence import Evidence, evidence, later
from curator.compare.explanation import as_said, strongest_signs, weighty_signs
from curator.compare.slot_relation import Finding, Kind, findings, narrowed, restated
from curator.compare.statement import clauses
from curator.text import Language, jaccard, language, plain_words, tokens, wordlists
from curator.text.dates import comparable, without_dates
from store.clock import DAY
from store.model import Relation

NEAR_EQUAL = 0.8
"""Token overlap from which texts are equal if one only has one more word and nothing hard differs.

Others merge from 0.65. At that overlap the shorter text swallows details ("I like hiking" for "I like hiking alone"): a
tenth of such merges of labelled pairs were wrong, so texts from 0.65 to this value are alike, not equal.
"""
MERGE_COSINE = 0.95
NEAR_COSINE = 0.85
"""Minimum cosines of texts that are equal if nothing hard differs, and of texts worth comparing."""
LEAST_READ = 0.2
"""Minimum cosine of texts between which a reading finds a conflict: it takes a denial for opposed to what is far off.

Of public utterances of two speakers, most of them about other things, .77 of the conflicts are right so instead of .69.
"""
SURELY_BOTH = 0.9
"""Chance by a reading that both may be true, from which values that exclude each other are of different things.

Not where the texts share more than `UNLIKE` of their words, as "I use Vim" and "I use Emacs".
"""
ALIKE = 0.5
UNLIKE = 0.25
UNLIKE_COSINE = 0.6
SHOWN, REPEATED = 0.6, 0.8
"""Scores at which a conflict and a repetition are likely enough to be shown, by the default settings."""
LIKELIER = 1.5
"""Minimum ratio of the chance of a conflict to that of a repetition: what may as well say the same is none."""
UNSAID = 0.5
"""Share of the score of a conflict that is left where a rule says that there is none."""
WORDS = 0.15
"""Weight of the token overlap in the likeness if there is a cosine."""
RESTATED = 0.8
"""Minimum likeness of two texts that say the same of one slot, whatever their words."""
HARD = 0.1
SOFT = 0.02
"""Penalties on the likeness: for hard differences, and for each other one.

Hard are number, date, unit, negation, polarity and direction. Word order has no penalty.
"""

_HARD = frozenset({Guard.NUMBER, Guard.DATE, Guard.UNIT, Guard.NEGATION, Guard.POLARITY, Guard.DIRECTION})
_OPPOSED = frozenset({Guard.NEGATION, Guard.POLARITY, Guard.DIRECTION})
_MEASURES = frozenset({Guard.NUMBER, Guard.UNIT, Guard.TENSE})
_IN_WORDS = frozenset({Guard.NEGATION, Guard.TENSE, Guard.ORDER})
"""Differences of wording only, if the slots agree: "I quit smoking", "I do not smoke"."""
_ELSEWHERE = frozenset({Guard.PERSON, Guard.NAME, Guard.QUESTION, Guard.MODALITY})
_AGAINST = frozenset({Kind.OPPOSED, Kind.APART})
SIGNS = "signs of a conflict"
_CLAIMS = (
    *("denied", "felt", "opposites", "turned round", "numbers", "dates", "change", "lately", "left behind"),
    *("no exception", "slot by meaning", "measure", "rivals in a frame", "past by now"),
)
"""Signs of a conflict, beyond similarity."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The rules' judgment on two texts. Scores are 0-1; `reasons` are for people.

    `duplicate_score` is the similarity; `repeat_score` grows with the chance that both say the same, and
    `conflict_score` with the chance that they are opposed.
    """

    relation: Relation
    duplicate_score: float
    conflict_score: float
    reasons: tuple[str, ...]
    repeat_score: float = 0.0
    steps: Callable[[], tuple[str, ...]] = field(default=tuple, compare=False, repr=False)

    @property
    def path(self) -> tuple[str, ...]:
        """The steps that led here, made when they are asked for: that takes a tenth of the time of a comparison."""
        return self.steps()


@dataclass(frozen=True, slots=True)
class _Pair:
    """All measurements of two texts, the later one second."""

    overlap: float
    cosine: float | None
    gap: float | None  # days between the two statements, if known
    guards: tuple[Difference, ...]
    kinds: frozenset[Guard]
    findings: tuple[Finding, ...]
    evidence: Evidence
    chance: float  # of a conflict
    repeats: float  # chance that both say the same
    replaced: tuple[str, str] | None
    adds: bool  # the later text has words that the earlier has not
    single: bool  # each text is one clause
    restated: bool  # both say the same of one slot, and no more
    narrowed: bool  # one names a kind or part of the other's value
    habit: bool  # about weekdays, every week
    languages: frozenset[Language]
    framed: bool  # only numbers, dates, opposites and denials differ
    reading: Reading | None = None  # by a classifier, where there is one and the signs leave the pair open
    by_signs: float = 0.0  # chance of a conflict without the reading

    @classmethod
    def of(cls, a: str, b: str, cosine: float | None, gap: float | None, crowd: float) -> "_Pair":
        """Measure two texts."""
        left, right = tokens(a), tokens(b)
        first, second = plain_words(a), plain_words(b)
        overlap = jaccard(left, right)
        guards, judged = differences(a, b), findings(a, b)
        topic = max(cosine, 0.0) if cosine is not None else min(1.0, 0.25 + 0.75 * overlap) if overlap else 0.0
        signs = evidence(a, b, topic, overlap, guards, judged, crowd)
        kinds = frozenset(one.guard for one in guards)
        removed, added = left - right, right - left
        weekly = wordlists().weekly
        return cls(
            overlap=overlap,
            cosine=cosine,
            gap=gap,
            guards=guards,
            kinds=kinds,
            findings=judged,
            evidence=signs,
            chance=weighed(signs.signs, weights()["conflict"]),
            repeats=weighed(signs.signs, weights()["repeat"]),
            replaced=(as_said(removed, first), as_said(added, second)) if removed and added else None,
            adds=bool(added),
            habit=any("every" in found or not weekly.isdisjoint(found) for found in (first, second)),
            framed=len(left & right) > 1 and _opposed_only(removed, added) and _opposed_only(added, removed),
            single=len(clauses(a)) == len(clauses(b)) == 1,
            restated=not kinds - _IN_WORDS and restated(a, b),
            narrowed=_alike(cosine, overlap) and narrowed(a, b),
            languages=frozenset((language(a), language(b))),
        )

    @property
    def near(self) -> bool:
        return self.overlap >= ALIKE or (self.cosine is not None and self.cosine >= NEAR_COSINE)

    @property
    def far(self) -> bool:
        return self.overlap < UNLIKE and (self.cosine is None or self.cosine < UNLIKE_COSINE)

    def read_by(self, reading: Reading) -> "_Pair":
        """Return the pair with a reading, and the chances that follow from it and the signs."""
        chance, repeats = with_reading(reading, self.chance, self.repeats, self.evidence.signs["crowd"])
        return replace(self, reading=reading, chance=chance, repeats=repeats, by_signs=self.chance)

    def relation(self) -> tuple[Relation, str]:
        """Return the relation, and the name of the deciding rule."""
        return self._by_rules() if self.reading is None else self._by_reading(self.reading)

    def _by_reading(self, reading: Reading) -> tuple[Relation, str]:
        """Return the relation by the chances; rules say why, and tell what may both be true."""
        limits, found = weights()["thresholds"], self._excluded
        settled = next((one for one in self.findings if one.settles and not one.implied), None)
        if settled is not None and found is None and not self.evidence.turned:
            return Relation.COEXIST, settled.why
        if found is not None:
            plain = reading.both < SURELY_BOTH or self.overlap >= UNLIKE
            if (plain and self.by_signs >= limits["conflict"]) or self.chance >= limits["values read"]:
                return self._changed(found), found.why
            return Relation.UNSURE, found.why
        if self.chance >= limits["conflict read"] and (self.cosine is None or self.cosine >= LEAST_READ):
            found = next((one for one in self.findings if one.kind is Kind.OPPOSED), None)
            changed = reading.update >= reading.contradiction
            why = found.why if found is not None else f"{SIGNS}: {', '.join(strongest_signs(self.evidence.signs))}"
            return (Relation.UPDATE if changed else Relation.CONTRADICTION), why
        if self._is_duplicate():
            return Relation.DUPLICATE, "no name, number, date or negation differs"
        if self.repeats >= limits["repeat read"] and not self.kinds & _ELSEWHERE:
            hard = self.kinds & _HARD
            return (Relation.UNSURE if hard else Relation.DUPLICATE), "the same statement in other words"
        relation, why = self._by_rules()
        if relation in (Relation.UPDATE, Relation.CONTRADICTION):
            return Relation.UNSURE, "signs of a conflict, too weak to decide"
        return relation, why

    @property
    def _excluded(self) -> Finding | None:
        """The first finding of values that exclude each other, said and not asked; where a reading decides."""
        if self.reading is None or Guard.QUESTION in self.kinds:
            return None
        found = next((one for one in self.findings if one.kind is Kind.OPPOSED), None)
        return None if found is None or found.implied else found

    def _least(self, name: str) -> float:
        """Return the chance from which a conflict or a repetition is shown."""
        return weights()["thresholds"][name if self.reading is None else f"{name} read"]

    def _by_rules(self) -> tuple[Relation, str]:
        limits, kinds = weights()["thresholds"], self.kinds
        topic, turned = self.evidence.signs["topic"], self.evidence.turned
        plain = {one.kind: one for one in reversed(self.findings) if not one.implied}  # the first of each kind
        opposed, apart, beside = plain.get(Kind.OPPOSED), plain.get(Kind.APART), plain.get(Kind.BESIDE)
        meant = next((one for one in self.findings if one.kind is Kind.OPPOSED and one.implied), None)
        claimed = topic >= limits["least_topic"] and any(self.evidence.signs[name] for name in _CLAIMS)
        if Language.OTHER in self.languages:
            return (Relation.UNRELATED if self.far else Relation.UNSURE), "in a language that the rules do not know"
        if self._is_duplicate():
            return Relation.DUPLICATE, "no name, number, date or negation differs"
        if opposed is not None and Guard.QUESTION not in kinds and self.chance >= limits["values"]:
            return self._changed(opposed), opposed.why
        if meant is not None and Guard.QUESTION not in kinds and topic >= limits["implied"]:
            return self._changed(meant), meant.why
        if self.restated:
            return Relation.UNSURE, "the same statement in other words"
        settled = next((one for one in self.findings if one.settles and not one.implied), None)
        if settled is not None and not turned:
            return Relation.COEXIST, settled.why
        if apart is not None and not self.near:
            return Relation.COEXIST, apart.why
        if self.framed and self._both_say() and not kinds & _ELSEWHERE and apart is None:
            if self._is_at_two_times():
                return Relation.COEXIST, "at different times"
            return self._changed(None), "otherwise word for word the same"
        if beside is not None and not kinds & _OPPOSED and not turned:
            return Relation.COEXIST, beside.why
        if self.adds and self.chance >= max(limits["conflict"], LIKELIER * self.repeats):
            return self._changed(opposed or meant), f"{SIGNS}: {', '.join(strongest_signs(self.evidence.signs))}"
        if apart is not None:
            return Relation.COEXIST, apart.why
        if beside is not None and not kinds & _OPPOSED:
            return Relation.COEXIST, beside.why
        if claimed and self.chance >= limits["open"]:
            return Relation.UNSURE, "signs of a conflict, too weak to decide"
        if Guard.PERSON in kinds and self.near:
            return Relation.COEXIST, "another person"
        return (
            (Relation.UNRELATED, "little in common") if self.far else (Relation.UNSURE, "similar, but no rule applies")
        )

    def _both_say(self) -> bool:
        """Return whether both have a hard difference, other than one being more exact."""
        hard = (one for one in self.guards if one.guard in _HARD)
        return bool(self.kinds & _OPPOSED) or any(one.a and one.b and not one.narrower for one in hard)

    def _is_at_two_times(self) -> bool:
        """Return whether each text has its own date, and states something of that date."""
        if not any(one.guard is Guard.DATE and one.a and one.b for one in self.guards):
            return False
        return self.evidence.past or self.habit or bool(self.kinds & (_HARD - {Guard.DATE}))

    def _is_duplicate(self) -> bool:
        kinds = self.kinds
        if self.single and kinds <= {Guard.NEGATION} and any(one.equal for one in self.findings):
            return True
        if kinds or self.narrowed or any(one.kind in _AGAINST and not one.implied for one in self.findings):
            return False
        if Language.UNKNOWN in self.languages:
            return False  # the difference may be a negation
        return _alike(self.cosine, self.overlap if self.replaced is None else 0.0)

    def _changed(self, finding: Finding | None) -> Relation:
        """Return `update` if a change is stated or enough time lies between; else `contradiction`."""
        if finding is not None and finding.fixed:
            return Relation.CONTRADICTION
        if self.evidence.turned or (finding is not None and finding.changed):
            return Relation.UPDATE
        if self.evidence.past or (finding is None and self.evidence.signs["denied"] and self.evidence.sweeping):
            return Relation.CONTRADICTION
        if self.gap is None:
            later = bool(self.kinds & _MEASURES and not self.kinds & _OPPOSED)
        else:
            later = self.gap >= (finding.lasts if finding is not None else weights()["thresholds"]["settled"])
        return Relation.UPDATE if later else Relation.CONTRADICTION

    def duplicate_score(self, relation: Relation) -> float:
        likeness = self.overlap
        if self.cosine is not None:
            likeness = WORDS * self.overlap + (1 - WORDS) * max(self.cosine, 0.0)
        hard = self.kinds & _HARD or Language.OTHER in self.languages
        if self.restated:
            likeness, hard = max(likeness, RESTATED), False
        score = clamp(likeness - (HARD if hard else 0.0) - SOFT * len(self.kinds - _HARD - {Guard.ORDER}))
        return max(score, NEAR_EQUAL) if relation is Relation.DUPLICATE else score

    def repeat_score(self) -> float:
        """Return at least `REPEATED` for what probably says the same, and less if it may be opposed as well."""
        limits = weights()["thresholds"]
        score = scaled(self.repeats, self._least("repeat"), REPEATED)
        return score if self.chance < limits["open"] else clamp(UNSAID * score)

    def conflict_score(self, relation: Relation) -> float:
        """Return at least `SHOWN` for what is said to be a conflict, and less for all else."""
        score = scaled(self.chance, self._least("conflict"), SHOWN)
        if relation in (Relation.CONTRADICTION, Relation.UPDATE):
            return max(score, SHOWN)
        return 0.0 if relation is Relation.DUPLICATE else clamp(UNSAID * score)

    def reasons(self, why: str) -> tuple[str, ...]:
        """Return the deciding rule, then the differences, then the similarity."""
        turned, replaced = self.evidence.turned, self.replaced
        return (
            why,
            *([f"a change is mentioned: {turned}"] if turned else []),
            *map(str, self.guards),
            f"{self.overlap:.0%} of words shared",
            *([f"cosine {self.cosine:.2f}"] if self.cosine is not None else []),
            *([f"words replaced: {replaced[0]} / {replaced[1]}"] if replaced else []),
        )

    def path(self, relation: Relation, why: str) -> tuple[str, ...]:
        """Return the steps that led to a verdict."""
        limits, excluded = weights()["thresholds"], self._excluded is not None
        return (
            *(f"{one.kind.value} ({one.slot}): {one.why}" for one in self.findings),
            *weighty_signs(self.evidence.signs),
            *([] if self.reading is None else [self.reading.words]),
            f"chance of a conflict {self.chance:.2f}, shown from {self._least('conflict'):.2f}",
            *([f"such values: shown from {limits['values read']:.2f}"] if excluded else []),
            *([f"by signs alone {self.by_signs:.2f}, shown from {limits['conflict']:.2f}"] if excluded else []),
            f"chance of a repetition {self.repeats:.2f}, shown from {self._least('repeat'):.2f}",
            *([f"said {self.gap:.0f} days apart"] if self.gap is not None else []),
            f"{relation.value}: {why}",
        )


def relate(
    a: str,
    b: str,
    cosine: float | None = None,
    said: tuple[int, int] | None = None,
    crowd: float = 0.0,
    reader: Reader | None = None,
) -> Verdict:
    """Return the relation of two texts; `reader` is asked where their signs leave it open. See `compare`."""
    found = compare(a, b, cosine, said, crowd)
    return found.verdict(reader(*found.asks) if reader is not None and found.asks is not None else None)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two texts by their signs. `asks` has what is to be read, the earlier text first, if the signs leave them open."""

    asks: tuple[str, str] | None
    verdict: Callable[[Reading | None], Verdict]


def compare(
    a: str,
    b: str,
    cosine: float | None = None,
    said: tuple[int, int] | None = None,
    crowd: float = 0.0,
) -> Comparison:
    """Compare two texts.

    `cosine` is the similarity of their embeddings, -1 to 1, if available; `said` is when each was said, in
    microseconds; `crowd` grows with the number of memories near to them: who says much of one thing seldom means a
    conflict. Never `duplicate` if a number, date, unit, negation, polarity, direction, name, person or modality
    differs, nor, without a reading, if a tense or quantity does.
    `contradiction` and `update` are for a person to review; they trigger no action by themselves.
    """
    a, b = comparable(a, b)
    if plain_words(a) == plain_words(b):
        equal = Verdict(Relation.DUPLICATE, 1.0, 0.0, ("the same words",), 1.0, lambda: ("word for word: the same",))
        return Comparison(None, lambda _: equal)
    if plain_words(without_dates(a)) == plain_words(without_dates(b)):
        why = "the same words of different dates"
        dated = Verdict(Relation.COEXIST, clamp(RESTATED - HARD), 0.0, (why,), 0.0, lambda: (f"word for word: {why}",))
        return Comparison(None, lambda _: dated)
    turned = said[0] > said[1] if said is not None and said[0] != said[1] else later(a, b)
    gap = abs(said[1] - said[0]) / DAY if said is not None else None
    first, second = (b, a) if turned else (a, b)
    pair = _Pair.of(first, second, cosine, gap, crowd)
    read = max(pair.chance, pair.repeats) >= FROM and Language.OTHER not in pair.languages
    return Comparison((first, second) if read else None, partial(_verdict, pair))


def _verdict(pair: _Pair, reading: Reading | None = None) -> Verdict:
    pair = pair if reading is None else pair.read_by(reading)
    relation, why = pair.relation()
    return Verdict(
        relation,
        pair.duplicate_score(relation),
        pair.conflict_score(relation),
        pair.reasons(why),
        1.0 if relation is Relation.DUPLICATE and pair.reading is None else pair.repeat_score(),
        partial(pair.path, relation, why),
    )


def _opposed_only(words: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether all words are dates, numbers, units, denials or opposites of the other words."""
    lists = wordlists()
    loose = lists.months.keys() | lists.days | lists.negations | lists.units
    return all(
        word in loose or word[:1].isdigit() or not lists.antonyms.get(word, frozenset()).isdisjoint(others)
        for word in words
    )


def _alike(cosine: float | None, overlap: float) -> bool:
    """Return whether two texts are similar enough to be equal if nothing hard differs."""
    return (cosine is not None and cosine >= MERGE_COSINE) or overlap >= NEAR_EQUAL


def scaled(chance: float, limit: float, score: float) -> float:
    """Return a score, 0-1, that grows with a chance and is `score` at `limit`."""
    below = chance < limit
    return clamp(score * chance / limit if below else score + (1 - score) * (chance - limit) / (1 - limit))


def clamp(score: float) -> float:
    return round(min(1.0, max(0.0, score)), 4)
