"""Relation of two memories by rules: duplicate, update, contradiction, coexist, unrelated or unsure."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from curator.apostrophes import respell
from curator.compare.compatible import found_later
from curator.compare.conflict_features import later
from curator.compare.data import slots, weights
from curator.compare.differences import Guard
from curator.compare.explanation import Explanation, explained, reasons, same_words, strongest_features
from curator.compare.pair import ELSEWHERE, HARD, HARD_GUARDS, OPPOSED, RESTATED, UNLIKE, TextPair, clamp
from curator.compare.prediction import CLASSIFIED_FROM, PairPrediction, PairPredictor
from curator.compare.slot_relation import SlotFinding, SlotRelation, is_order_alone
from curator.compare.statement import ANY
from curator.compare.value_relation import are_rivals
from curator.text import Language, joined_thousands, plain_words
from curator.text.dates import comparable, without_dates
from curator.text.slot_reason import ONE_AT_A_TIME
from store.clock import DAY
from store.model import Relation

LEAST_COSINE_CLASSIFIED = 0.2
"""Minimum cosine at which a predicted conflict counts: the classifier takes denials for opposites of unrelated texts.

On public utterances of two speakers, mostly on different topics, this raises the precision from .69 to .77.
"""
SURELY_BOTH = 0.9
"""Predicted probability of `both` from which mutually exclusive values are about different things.

Exceptions are texts that share more than `UNLIKE` of their words ("I use Vim", "I use Emacs") and two orders to an
assistant without a topic ("metric please", "always use imperial units").
"""
ALONE = 0.5
"""Minimum probability of a conflict by features, regardless of neighbours, from which two mutually exclusive values are
shown.
"""
LIKELIER = 1.5
"""Minimum ratio of the probability of a conflict to that of a repetition."""
_MEASURES = frozenset({Guard.NUMBER, Guard.UNIT, Guard.TENSE})
_NEW = HARD_GUARDS | {Guard.ORDER, Guard.QUANTITY, Guard.TENSE, Guard.MODALITY, Guard.NAME}
SIGNS = "signs of a conflict"
WORD_FOR_WORD = "otherwise word for word the same"
_CLAIMS = (
    *("denied", "felt", "opposites", "turned round", "numbers", "dates", "change", "lately", "left behind"),
    *("no exception", "slot by meaning", "measure", "rivals in a frame", "past by now"),
)
"""Features that speak for a conflict, beyond similarity."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The rules' judgment on two texts. Scores are 0-1; `reasons` are for people.

    `duplicate_score` is the similarity; `repeat_score` grows with the probability that both say the same, and
    `conflict_score` with the probability that they are opposed.
    """

    relation: Relation
    duplicate_score: float
    conflict_score: float
    reasons: tuple[str, ...]
    repeat_score: float = 0.0
    explain: Callable[[], Explanation] = field(default=Explanation, compare=False, repr=False)
    """Explains the verdict on demand: it takes a tenth of the time of a comparison."""

    @property
    def path(self) -> tuple[str, ...]:
        """The steps that led to the verdict."""
        return self.explain().path


def relate(
    a: str,
    b: str,
    cosine: float | None = None,
    said: tuple[int, int] | None = None,
    neighbour_density: float | None = None,
    classifier: PairPredictor | None = None,
) -> Verdict:
    """Return the relation of two texts; `classifier` is used if their features do not decide. See `compare`."""
    found = compare(a, b, cosine, said, neighbour_density)
    return found.verdict(
        classifier(*found.undecided) if classifier is not None and found.undecided is not None else None
    )


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison by features. If they do not decide, `undecided` has the texts to classify, the earlier first."""

    undecided: tuple[str, str] | None
    verdict: Callable[[PairPrediction | None], Verdict]


def compare(
    a: str,
    b: str,
    cosine: float | None = None,
    said: tuple[int, int] | None = None,
    neighbour_density: float | None = None,
) -> Comparison:
    """Compare two texts.

    `cosine` is the similarity of their embeddings, -1 to 1, if available; `said` is when each was said, in
    microseconds. `neighbour_density` grows with the number of memories near them: many memories on one topic are seldom
    conflicts. None means that a person asks about these two texts; their nearness is then no evidence. The relation is
    never `duplicate` if a number, date, unit, negation, polarity, direction, name, person or modality differs, nor,
    without a prediction, if a tense or quantity does. `contradiction` and `update` are for a person to review; they
    trigger no action by themselves.
    """
    a, b = (joined_thousands(respell(text).text) for text in comparable(a, b))
    if plain_words(a) == plain_words(b):
        equal = Verdict(Relation.DUPLICATE, 1.0, 0.0, ("the same words",), 1.0, partial(same_words, (a, b)))
        return Comparison(None, lambda _: equal)
    if plain_words(without_dates(a)) == plain_words(without_dates(b)):
        why = "the same words of different dates"
        dated = Verdict(Relation.COEXIST, clamp(RESTATED - HARD), 0.0, (why,), 0.0, partial(same_words, (a, b), why))
        return Comparison(None, lambda _: dated)
    if found_later(a, b):
        why = "an illness begins before it is found"
        began = Verdict(Relation.COEXIST, clamp(RESTATED - HARD), 0.0, (why,), 0.0, partial(same_words, (a, b), why))
        return Comparison(None, lambda _: began)
    turned = said[0] > said[1] if said is not None and said[0] != said[1] else later(a, b)
    gap = abs(said[1] - said[0]) / DAY if said is not None else None
    first, second = (b, a) if turned else (a, b)
    pair = TextPair.of(first, second, cosine, gap, neighbour_density)
    likely = max(pair.chance if pair.framed else pair.alone, pair.repeats) >= CLASSIFIED_FROM
    undecided = likely and Language.OTHER not in pair.languages and pair.can_be_decided()
    return Comparison((first, second) if undecided else None, partial(_verdict, pair, (first, second)))


def _verdict(pair: TextPair, texts: tuple[str, str], prediction: PairPrediction | None = None) -> Verdict:
    pair = pair if prediction is None else pair.with_prediction(prediction)
    relation, why = _by_rules(pair) if pair.prediction is None else _by_prediction(pair, pair.prediction)
    return Verdict(
        relation,
        pair.duplicate_score(relation),
        pair.conflict_score(relation),
        reasons(pair, texts, why),
        1.0 if relation is Relation.DUPLICATE and pair.prediction is None else pair.repeat_score(),
        partial(explained, pair, texts, relation, why),
    )


def _by_prediction(pair: TextPair, prediction: PairPrediction) -> tuple[Relation, str]:
    """Return the relation by the probabilities, and the reason; rules decide whether both may be true.

    Both cannot be true if one states in words that the other is outdated, or if a list has their values as exclusive,
    whatever the probability.
    """
    limits, found = weights()["thresholds"], pair.excluded
    settled = next((one for one in pair.slot_findings if one.settles and not one.implied), None)
    if settled is not None and found is None and (settled.slot in (ANY, "drink") or not pair.features.turned):
        return Relation.COEXIST, settled.why
    if found is not None:
        ours, theirs = (side.value for side in found.sides) if found.sides else (frozenset[str](), frozenset[str]())
        listed = are_rivals(ours - theirs, theirs - ours) and not slots().by_name[found.slot].asked
        plain = found.slot == ANY or listed or prediction.both < SURELY_BOTH or pair.overlap >= UNLIKE
        one_at_a_time = found.why.startswith(ONE_AT_A_TIME)
        by_features = pair.alone if one_at_a_time or found.slot == ANY else pair.chance_by_features
        least = ALONE if one_at_a_time else limits["conflict"]
        ordered = one_at_a_time and all(map(is_order_alone, found.sides or ()))
        said = found.slot == ANY and found.changed  # one states in words that the other is outdated
        if ordered or said or (plain and by_features >= least) or pair.chance >= limits["values read"]:
            return _changed(pair, found), found.why
        return Relation.UNSURE, found.why
    if pair.says_opposite:
        return _changed(pair, None), WORD_FOR_WORD
    may_oppose = (pair.adds or pair.kinds & _NEW) and not pair.agrees
    near = pair.cosine is None or pair.cosine >= LEAST_COSINE_CLASSIFIED
    if pair.chance >= limits["conflict read"] and near and may_oppose:
        found = next((one for one in pair.slot_findings if one.kind is SlotRelation.OPPOSED), None)
        changed = prediction.update >= prediction.contradiction
        why = found.why if found is not None else f"{SIGNS}: {', '.join(strongest_features(pair.features.by_name))}"
        return (Relation.UPDATE if changed else Relation.CONTRADICTION), why
    if pair.is_duplicate():
        return Relation.DUPLICATE, "no name, number, date or negation differs"
    if pair.repeats >= limits["repeat read"] and not pair.kinds & ELSEWHERE:
        hard = pair.kinds & HARD_GUARDS or pair.changes_meaning
        return (Relation.UNSURE if hard else Relation.DUPLICATE), "the same statement in other words"
    relation, why = _by_rules(pair)
    if relation.is_opposed:
        return Relation.UNSURE, "signs of a conflict, too weak to decide"
    return relation, why


def _by_rules(pair: TextPair) -> tuple[Relation, str]:
    """Return the relation, and the name of the deciding rule."""
    limits, kinds = weights()["thresholds"], pair.kinds
    topic, turned = pair.features.by_name["topic"], pair.features.turned
    plain = {one.kind: one for one in reversed(pair.slot_findings) if not one.implied}  # the first of each kind
    opposed, apart, beside = (
        plain.get(SlotRelation.OPPOSED),
        plain.get(SlotRelation.APART),
        plain.get(SlotRelation.BESIDE),
    )
    meant = next((one for one in pair.slot_findings if one.kind is SlotRelation.OPPOSED and one.implied), None)
    claimed = topic >= limits["least_topic"] and any(pair.features.by_name[name] for name in _CLAIMS)
    if Language.OTHER in pair.languages:
        return (Relation.UNRELATED if pair.far else Relation.UNSURE), "in a language that the rules do not know"
    if pair.is_duplicate():
        return Relation.DUPLICATE, "no name, number, date or negation differs"
    if (
        opposed is not None
        and Guard.QUESTION not in kinds
        and (pair.alone >= limits["values"] or (opposed.slot == ANY and opposed.changed))
    ):
        return _changed(pair, opposed), opposed.why
    if meant is not None and Guard.QUESTION not in kinds and topic >= limits["implied"]:
        return _changed(pair, meant), meant.why
    if pair.restated:
        return Relation.UNSURE, "the same statement in other words"
    settled = next((one for one in pair.slot_findings if one.settles and not one.implied), None)
    if settled is not None and (settled.slot == ANY or not turned):
        return Relation.COEXIST, settled.why
    if apart is not None and not pair.near:
        return Relation.COEXIST, apart.why
    if pair.framed and pair.both_say() and not kinds & ELSEWHERE and apart is None:
        if pair.is_at_two_times():
            return Relation.COEXIST, "at different times"
        return _changed(pair, None), WORD_FOR_WORD
    if beside is not None and not kinds & OPPOSED and not turned:
        return Relation.COEXIST, beside.why
    if pair.adds and not pair.agrees and pair.chance >= max(limits["conflict"], LIKELIER * pair.repeats):
        return _changed(pair, opposed or meant), f"{SIGNS}: {', '.join(strongest_features(pair.features.by_name))}"
    if apart is not None:
        return Relation.COEXIST, apart.why
    if beside is not None and not kinds & OPPOSED:
        return Relation.COEXIST, beside.why
    if claimed and pair.chance >= limits["open"]:
        return Relation.UNSURE, "signs of a conflict, too weak to decide"
    if Guard.PERSON in kinds and pair.near:
        return Relation.COEXIST, "another person"
    return (Relation.UNRELATED, "little in common") if pair.far else (Relation.UNSURE, "similar, but no rule applies")


def _changed(pair: TextPair, finding: SlotFinding | None) -> Relation:
    """Return `update` if a change is stated or enough time has passed between them, else `contradiction`."""
    if finding is not None and finding.fixed:
        return Relation.CONTRADICTION
    if pair.features.turned or (finding is not None and finding.changed):
        return Relation.UPDATE
    if pair.features.past or (finding is None and pair.features.by_name["denied"] and pair.features.sweeping):
        return Relation.CONTRADICTION
    if pair.gap is None:
        later = bool(pair.kinds & _MEASURES and not pair.kinds & OPPOSED)
    else:
        later = pair.gap >= (finding.lasts if finding is not None else weights()["thresholds"]["settled"])
    return Relation.UPDATE if later else Relation.CONTRADICTION
