"""Measurements of a pair of texts: differences, conflict features, probabilities and scores."""

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from curator.compare.clauses import clauses
from curator.compare.compatible import about_two_matters
from curator.compare.conflict_features import ConflictFeatures, conflict_features
from curator.compare.data import weighed, weights
from curator.compare.differences import Difference, Guard, differences
from curator.compare.prediction import SURE_CONFLICT, SURE_REPEAT, PairPrediction, combined_chances
from curator.compare.slot_relation import SlotFinding, SlotRelation, narrowed, restated, slot_findings
from curator.compare.wordings import unopposed
from curator.text import Language, jaccard, language, plain_words, stem, tokens, wordlists
from store.model import Relation

NEAR_EQUAL = 0.8
"""Minimum token overlap of texts that are equal if one only has an additional word and nothing hard differs.

Other texts merge from 0.65. At that overlap, merging can lose details ("I like hiking" for "I like hiking alone"): a
tenth of such merges of labelled pairs were wrong, so texts from 0.65 to this value are similar, not equal.
"""
MERGE_COSINE = 0.95
NEAR_COSINE = 0.85
"""Minimum cosine of texts that are equal if nothing hard differs, and of texts worth comparing."""
ALIKE = 0.5
UNLIKE = 0.25
UNLIKE_COSINE = 0.6
"""Token overlap from which texts are near; overlap and cosine below which they are far."""
SHOWN, REPEATED = 0.6, 0.8
"""Scores from which a conflict and a repetition are shown, by default."""
UNSAID = 0.5
"""Factor of the conflict score if a rule says that there is no conflict."""
WORDS = 0.15
"""Weight of the token overlap in the similarity score, if there is a cosine."""
ASKED_NEAR = 0.55
"""Value of the feature "near" for two texts that a person asks to compare."""
RESTATED = 0.8
"""Minimum similarity score of two texts that give the same value to a slot, whatever their words."""
HARD = 0.1
SOFT = 0.02
"""Penalties on the similarity score: for hard differences, and for each other one.

Hard differences are number, date, unit, negation, polarity and direction. Word order has no penalty.
"""

HARD_GUARDS = frozenset({Guard.NUMBER, Guard.DATE, Guard.UNIT, Guard.NEGATION, Guard.POLARITY, Guard.DIRECTION})
OPPOSED = frozenset({Guard.NEGATION, Guard.POLARITY, Guard.DIRECTION})
_IN_WORDS = frozenset({Guard.NEGATION, Guard.TENSE, Guard.ORDER})
"""Differences that are only in wording if the slots agree: "I quit smoking", "I do not smoke"."""
ELSEWHERE = frozenset({Guard.PERSON, Guard.NAME, Guard.QUESTION, Guard.MODALITY})
_AGAINST = frozenset({SlotRelation.OPPOSED, SlotRelation.APART})
_REFUSED_FROM = {Guard.DATE: 0.0, Guard.NAME: 0.3, Guard.POLARITY: 0.3, Guard.NUMBER: 0.5, Guard.NEGATION: 0.55}
_REFUSED_FROM |= {Guard.DIRECTION: 0.7}
"""Token overlap from which a difference stated by both texts, or a denial in one, changes the meaning.

Of 4,000 statements with one number, date, name, denial or word changed, half were taken for repetitions of the
original; these bounds reject two thirds of those, and one in fifty of 1,066 real repetitions.
"""
_DENIED = frozenset({Guard.NEGATION, Guard.POLARITY})
_DENIED_FROM = 0.5
"""Token overlap from which a text that denies the other, with at most one other word changed, is its opposite."""
_WHOSE = frozenset({Guard.PERSON, Guard.NAME})
_TURNED_FROM = 0.3
"""Token overlap from which two texts with a reversed comparison contain nothing else."""
_FOR, _ALL_OF = frozenset({"for", "in", "on", "with"}), frozenset({"all", "any", "each", "every"})
_ONE_WORD = 0.7
"""Token overlap from which texts in the same word order that differ in one word have different meanings."""


@dataclass(frozen=True, slots=True)
class TextPair:
    """Measurements of two texts, the later one second, and conclusions from them."""

    overlap: float
    cosine: float | None
    gap: float | None  # days between the two statements, if known
    guards: tuple[Difference, ...]
    kinds: frozenset[Guard]
    slot_findings: tuple[SlotFinding, ...]
    features: ConflictFeatures
    chance: float  # probability of a conflict
    repeats: float  # probability that both say the same
    replaced: tuple[str, str] | None
    adds: bool  # the later text has words that the earlier one lacks
    single: bool  # each text is one clause
    restated: bool  # both give the same value to one slot, and nothing else
    narrowed: bool  # one names a kind or part of the other's value
    habit: bool  # about weekdays, every week
    languages: frozenset[Language]
    agrees: bool  # signs of a conflict are ignored: both refuse the same thing, or similar
    framed: bool  # only numbers, dates, opposites and denials differ
    extended: bool = False  # one is the other with what it is for: "for all my projects"
    asked: bool = False  # a person asked about these two; they were not selected by a scan
    prediction: PairPrediction | None = None  # set if there is a classifier and the features do not decide
    chance_by_features: float = 0.0  # probability of a conflict, without the prediction

    @classmethod
    def of(cls, a: str, b: str, cosine: float | None, gap: float | None, neighbour_density: float | None) -> "TextPair":
        """Measure two texts."""
        left, right = tokens(a), tokens(b)
        first, second = plain_words(a), plain_words(b)
        overlap = jaccard(left, right)
        guards, judged = differences(a, b), slot_findings(a, b)
        topic = max(cosine, 0.0) if cosine is not None else min(1.0, 0.25 + 0.75 * overlap) if overlap else 0.0
        features = conflict_features(a, b, topic, overlap, guards, judged, neighbour_density or 0.0)
        extended = extends(first, second) or extends(second, first)
        of_two = features.by_name | {"crowd": 0.0} if extended else features.by_name
        kinds = frozenset(one.guard for one in guards)
        removed, added = left - right, right - left
        weekly = wordlists().weekly
        return cls(
            overlap=overlap,
            cosine=cosine,
            gap=gap,
            guards=guards,
            kinds=kinds,
            slot_findings=judged,
            features=features,
            chance=weighed(features.by_name, weights()["conflict"]),
            repeats=weighed(of_two, weights()["repeat"]),
            extended=extended,
            replaced=(_as_said(removed, first), _as_said(added, second)) if removed and added else None,
            adds=bool(added),
            habit=any("every" in found or not weekly.isdisjoint(found) for found in (first, second)),
            asked=neighbour_density is None,
            agrees=any(one.refuses for one in judged) or unopposed(a, b) or about_two_matters(a, b, gap),
            framed=len(left & right) > 1 and _opposed_only(removed, added) and _opposed_only(added, removed),
            single=len(clauses(a)) == len(clauses(b)) == 1,
            restated=not kinds - _IN_WORDS and restated(a, b),
            narrowed=_alike(cosine, overlap) and narrowed(a, b),
            languages=frozenset((language(a), language(b))),
        )

    @property
    def alone(self) -> float:
        """The probability of a conflict by features, regardless of neighbours; used for mutually exclusive values."""
        return weighed(self.features.by_name | {"crowd": 0.0}, weights()["conflict"])

    @property
    def near(self) -> bool:
        return self.overlap >= ALIKE or (self.cosine is not None and self.cosine >= NEAR_COSINE)

    @property
    def far(self) -> bool:
        return self.overlap < UNLIKE and (self.cosine is None or self.cosine < UNLIKE_COSINE)

    def with_prediction(self, prediction: PairPrediction) -> "TextPair":
        """Return the pair with a prediction, and its probabilities recomputed from prediction and features."""
        features = self.features.by_name
        near = ASKED_NEAR if self.asked else features["near"]
        crowd = 0.0 if self.extended else features["crowd"]
        chance, repeats = combined_chances(prediction, self.chance, self.repeats, near, crowd)
        return replace(self, prediction=prediction, chance=chance, repeats=repeats, chance_by_features=self.chance)

    def can_be_decided(self) -> bool:
        """Return True if a sure prediction would make it a conflict or a repetition, or its slots have rival values."""
        if any(one.kind is SlotRelation.OPPOSED for one in self.slot_findings):
            return True
        conflict, repeat = map(self.with_prediction, (SURE_CONFLICT, SURE_REPEAT))
        return conflict.chance >= conflict.least("conflict") or repeat.repeats >= repeat.least("repeat")

    @property
    def excluded(self) -> SlotFinding | None:
        """The first explicit finding of mutually exclusive values in statements, if there is a prediction."""
        if self.prediction is None or Guard.QUESTION in self.kinds:
            return None
        found = next((one for one in self.slot_findings if one.kind is SlotRelation.OPPOSED), None)
        return None if found is None or found.implied else found

    def least(self, name: str) -> float:
        """Return the minimum probability of a conflict or repetition that is shown."""
        return weights()["thresholds"][name if self.prediction is None else f"{name} read"]

    def both_say(self) -> bool:
        """Return True if both texts state a hard difference, not counting one that is only more exact."""
        hard = (one for one in self.guards if one.guard in HARD_GUARDS)
        return bool(self.kinds & OPPOSED) or any(one.a and one.b and not one.narrower for one in hard)

    def is_at_two_times(self) -> bool:
        """Return True if each text has its own date and states something about it."""
        if not any(one.guard is Guard.DATE and one.a and one.b for one in self.guards):
            return False
        return self.features.past or self.habit or bool(self.kinds & (HARD_GUARDS - {Guard.DATE}))

    @property
    def changes_meaning(self) -> bool:
        """True if a difference gives the texts different meanings, however similar they are."""
        for one in self.guards:
            stated = (one.a and one.b and not one.narrower) or one.guard is Guard.NEGATION
            if stated and self.overlap >= _REFUSED_FROM.get(one.guard, 2.0):
                return True
            if one.guard is Guard.ORDER and one.a.partition(" ")[0] in ("from", "to"):
                return True
        if self.reverses_comparison:
            return True
        return self._one_word and Guard.ORDER not in self.kinds and self.overlap >= _ONE_WORD

    @property
    def _one_word(self) -> bool:
        """True if one word of each text replaces one of the other, apart from denials."""
        denials = wordlists().negations
        return self.replaced is not None and all(len(set(words.split(", ")) - denials) == 1 for words in self.replaced)

    @property
    def reverses_comparison(self) -> bool:
        """True if they compare the same two things in reverse: "tea over coffee", "coffee beats tea"."""
        compared = any(one.guard is Guard.DIRECTION and not one.a.startswith(("I ", "… ")) for one in self.guards)
        return compared and self.overlap >= _TURNED_FROM

    @property
    def says_opposite(self) -> bool:
        """True if one denies the other in the same words except at most one: "is in Go", "isn't in Go".

        Reversed comparisons by the same person count too.
        """
        if not self.single:
            return False
        if self.reverses_comparison and self.features.by_name["same subject"] and self.kinds.isdisjoint(_WHOSE):
            return True
        return (
            not _DENIED.isdisjoint(self.kinds)
            and self.kinds <= _DENIED | _IN_WORDS
            and self.overlap >= _DENIED_FROM
            and (self.replaced is None or self._one_word)
        )

    def is_duplicate(self) -> bool:
        kinds = self.kinds
        if self.single and kinds <= {Guard.NEGATION} and any(one.equal for one in self.slot_findings):
            return True
        if kinds or self.narrowed or any(one.kind in _AGAINST and not one.implied for one in self.slot_findings):
            return False
        if Language.UNKNOWN in self.languages:
            return False  # the difference may be a negation
        return _alike(self.cosine, self.overlap if self.replaced is None else 0.0)

    def duplicate_score(self, relation: Relation) -> float:
        likeness = self.overlap
        if self.cosine is not None:
            likeness = WORDS * self.overlap + (1 - WORDS) * max(self.cosine, 0.0)
        hard = self.kinds & HARD_GUARDS or Language.OTHER in self.languages
        if self.restated:
            likeness, hard = max(likeness, RESTATED), False
        score = clamp(likeness - (HARD if hard else 0.0) - SOFT * len(self.kinds - HARD_GUARDS - {Guard.ORDER}))
        return max(score, NEAR_EQUAL) if relation is Relation.DUPLICATE else score

    def repeat_score(self) -> float:
        """Return at least `REPEATED` for probable repetitions, and less if they may also be opposed."""
        score = scaled(self.repeats, self.least("repeat"), REPEATED)
        doubtful = self.chance >= self.least("open") or self.changes_meaning
        return clamp(UNSAID * score) if doubtful else score

    def conflict_score(self, relation: Relation) -> float:
        """Return at least `SHOWN` for a contradiction or update, and less for all other relations."""
        score = scaled(self.chance, self.least("conflict"), SHOWN)
        if relation.is_opposed:
            return max(score, SHOWN)
        return 0.0 if relation is Relation.DUPLICATE else clamp(UNSAID * score)


def extends(longer: Sequence[str], shorter: Sequence[str]) -> bool:
    """Return True if `longer` is `shorter` with all that it is for, whatever else is near: "… for all my projects"."""
    rest = longer[len(shorter) :]
    return (
        len(shorter) > 1
        and tuple(longer[: len(shorter)]) == tuple(shorter)
        and len(rest) > 1
        and rest[0] in _FOR
        and rest[1] in _ALL_OF
    )


def _as_said(stems: Set[str], words: Sequence[str]) -> str:
    """Return the words with these stems, sorted; a stem without such a word stands for itself."""
    said = {stem(word): word for word in words}
    return ", ".join(sorted(said.get(one, one) for one in stems))


def _opposed_only(words: frozenset[str], others: frozenset[str]) -> bool:
    """Return True if all words are dates, numbers, units, denials or opposites of the other words."""
    lists = wordlists()
    loose = lists.months.keys() | lists.days | lists.negations | lists.units
    return all(
        word in loose or word[:1].isdigit() or not lists.antonyms.get(word, frozenset()).isdisjoint(others)
        for word in words
    )


def _alike(cosine: float | None, overlap: float) -> bool:
    """Return True if two texts are similar enough to be equal if nothing hard differs."""
    return (cosine is not None and cosine >= MERGE_COSINE) or overlap >= NEAR_EQUAL


def scaled(chance: float, limit: float, score: float) -> float:
    """Return a score, 0-1, that grows with a probability and equals `score` at `limit`."""
    below = chance < limit
    return clamp(score * chance / limit if below else score + (1 - score) * (chance - limit) / (1 - limit))


def clamp(score: float) -> float:
    return round(min(1.0, max(0.0, score)), 4)
