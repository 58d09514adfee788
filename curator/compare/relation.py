"""Relation of two memories by rule: duplicate, update, contradiction, coexist, unrelated or unsure."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from curator.compare.chances import FROM, Reader, Reading
from curator.compare.data import weights
from curator.compare.differences import Guard
from curator.compare.evidence import later
from curator.compare.explanation import reasons, steps, strongest_signs
from curator.compare.pair import ELSEWHERE, HARD, HARD_GUARDS, OPPOSED, RESTATED, UNLIKE, Pair, clamp
from curator.compare.slot_relation import Finding, Kind
from curator.text import Language, plain_words
from curator.text.dates import comparable, without_dates
from store.clock import DAY
from store.model import Relation

LEAST_READ = 0.2
"""Minimum cosine of texts between which a reading finds a conflict: it takes a denial for opposed to what is far off.

Of public utterances of two speakers, most of them about other things, .77 of the conflicts are right so instead of .69.
"""
SURELY_BOTH = 0.9
"""Chance by a reading that both may be true, from which values that exclude each other are of different things.

Not where the texts share more than `UNLIKE` of their words, as "I use Vim" and "I use Emacs".
"""
LIKELIER = 1.5
"""Minimum ratio of the chance of a conflict to that of a repetition: what may as well say the same is none."""
_MEASURES = frozenset({Guard.NUMBER, Guard.UNIT, Guard.TENSE})
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
    pair = Pair.of(first, second, cosine, gap, crowd)
    read = max(pair.chance, pair.repeats) >= FROM and Language.OTHER not in pair.languages
    return Comparison((first, second) if read else None, partial(_verdict, pair))


def _verdict(pair: Pair, reading: Reading | None = None) -> Verdict:
    pair = pair if reading is None else pair.read_by(reading)
    relation, why = _by_rules(pair) if pair.reading is None else _by_reading(pair, pair.reading)
    return Verdict(
        relation,
        pair.duplicate_score(relation),
        pair.conflict_score(relation),
        reasons(pair, why),
        1.0 if relation is Relation.DUPLICATE and pair.reading is None else pair.repeat_score(),
        partial(steps, pair, relation, why),
    )


def _by_reading(pair: Pair, reading: Reading) -> tuple[Relation, str]:
    """Return the relation by the chances; rules say why, and tell what may both be true."""
    limits, found = weights()["thresholds"], pair.excluded
    settled = next((one for one in pair.findings if one.settles and not one.implied), None)
    if settled is not None and found is None and not pair.evidence.turned:
        return Relation.COEXIST, settled.why
    if found is not None:
        plain = reading.both < SURELY_BOTH or pair.overlap >= UNLIKE
        if (plain and pair.by_signs >= limits["conflict"]) or pair.chance >= limits["values read"]:
            return _changed(pair, found), found.why
        return Relation.UNSURE, found.why
    if pair.chance >= limits["conflict read"] and (pair.cosine is None or pair.cosine >= LEAST_READ):
        found = next((one for one in pair.findings if one.kind is Kind.OPPOSED), None)
        changed = reading.update >= reading.contradiction
        why = found.why if found is not None else f"{SIGNS}: {', '.join(strongest_signs(pair.evidence.signs))}"
        return (Relation.UPDATE if changed else Relation.CONTRADICTION), why
    if pair.is_duplicate():
        return Relation.DUPLICATE, "no name, number, date or negation differs"
    if pair.repeats >= limits["repeat read"] and not pair.kinds & ELSEWHERE:
        hard = pair.kinds & HARD_GUARDS
        return (Relation.UNSURE if hard else Relation.DUPLICATE), "the same statement in other words"
    relation, why = _by_rules(pair)
    if relation in (Relation.UPDATE, Relation.CONTRADICTION):
        return Relation.UNSURE, "signs of a conflict, too weak to decide"
    return relation, why


def _by_rules(pair: Pair) -> tuple[Relation, str]:
    """Return the relation, and the name of the deciding rule."""
    limits, kinds = weights()["thresholds"], pair.kinds
    topic, turned = pair.evidence.signs["topic"], pair.evidence.turned
    plain = {one.kind: one for one in reversed(pair.findings) if not one.implied}  # the first of each kind
    opposed, apart, beside = plain.get(Kind.OPPOSED), plain.get(Kind.APART), plain.get(Kind.BESIDE)
    meant = next((one for one in pair.findings if one.kind is Kind.OPPOSED and one.implied), None)
    claimed = topic >= limits["least_topic"] and any(pair.evidence.signs[name] for name in _CLAIMS)
    if Language.OTHER in pair.languages:
        return (Relation.UNRELATED if pair.far else Relation.UNSURE), "in a language that the rules do not know"
    if pair.is_duplicate():
        return Relation.DUPLICATE, "no name, number, date or negation differs"
    if opposed is not None and Guard.QUESTION not in kinds and pair.chance >= limits["values"]:
        return _changed(pair, opposed), opposed.why
    if meant is not None and Guard.QUESTION not in kinds and topic >= limits["implied"]:
        return _changed(pair, meant), meant.why
    if pair.restated:
        return Relation.UNSURE, "the same statement in other words"
    settled = next((one for one in pair.findings if one.settles and not one.implied), None)
    if settled is not None and not turned:
        return Relation.COEXIST, settled.why
    if apart is not None and not pair.near:
        return Relation.COEXIST, apart.why
    if pair.framed and pair.both_say() and not kinds & ELSEWHERE and apart is None:
        if pair.is_at_two_times():
            return Relation.COEXIST, "at different times"
        return _changed(pair, None), "otherwise word for word the same"
    if beside is not None and not kinds & OPPOSED and not turned:
        return Relation.COEXIST, beside.why
    if pair.adds and pair.chance >= max(limits["conflict"], LIKELIER * pair.repeats):
        return _changed(pair, opposed or meant), f"{SIGNS}: {', '.join(strongest_signs(pair.evidence.signs))}"
    if apart is not None:
        return Relation.COEXIST, apart.why
    if beside is not None and not kinds & OPPOSED:
        return Relation.COEXIST, beside.why
    if claimed and pair.chance >= limits["open"]:
        return Relation.UNSURE, "signs of a conflict, too weak to decide"
    if Guard.PERSON in kinds and pair.near:
        return Relation.COEXIST, "another person"
    return (Relation.UNRELATED, "little in common") if pair.far else (Relation.UNSURE, "similar, but no rule applies")


def _changed(pair: Pair, finding: Finding | None) -> Relation:
    """Return `update` if a change is stated or enough time lies between; else `contradiction`."""
    if finding is not None and finding.fixed:
        return Relation.CONTRADICTION
    if pair.evidence.turned or (finding is not None and finding.changed):
        return Relation.UPDATE
    if pair.evidence.past or (finding is None and pair.evidence.signs["denied"] and pair.evidence.sweeping):
        return Relation.CONTRADICTION
    if pair.gap is None:
        later = bool(pair.kinds & _MEASURES and not pair.kinds & OPPOSED)
    else:
        later = pair.gap >= (finding.lasts if finding is not None else weights()["thresholds"]["settled"])
    return Relation.UPDATE if later else Relation.CONTRADICTION
