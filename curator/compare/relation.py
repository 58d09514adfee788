"""How two memories stand to each other, by rule: the same, one after the other, against each other, or side by side."""

import re
from dataclasses import dataclass

from curator.compare.clauses import clauses
from curator.compare.data import weighed, weights
from curator.compare.differences import Difference, Guard, differences
from curator.compare.evidence import Evidence, evidence, later
from curator.compare.slot_relation import Finding, Kind, findings, narrowed, restated
from curator.text import jaccard, plain_words, tokens, wordlists
from curator.text.language import Language, language
from store.clock import DAY
from store.model import Relation

NEAR_EQUAL = 0.8
"""Token overlap from which texts count as one if one only has a word more and nothing hard differs.

Others merge from 0.65. There the shorter text swallows details ("I like hiking" for "I like hiking alone"): of what it
merged on labelled pairs a tenth was not the same, so from 0.65 up to here two texts are alike, not one.
"""
MERGE_COSINE = 0.95
NEAR_COSINE = 0.85
"""Cosine from which texts are one if nothing hard differs, and from which they are worth a look."""
ALIKE = 0.5
UNLIKE = 0.25
UNLIKE_COSINE = 0.6
CLOSE = 0.3
"""Token overlap, and share of a sign, that is more than texts on one matter have by chance."""
BRIEF = 28
"""Words of two texts that say one thing each."""
WORDS = 0.15
"""Share of the token overlap in the likeness where there is a cosine."""
RESTATED = 0.8
"""Least likeness of two texts that say one thing of one slot, whatever their words."""
HARD = 0.1
SOFT = 0.02
"""What a hard difference (number, date, unit, negation, polarity, direction) and each other one takes off it;
another order of the words takes nothing."""

_HARD = frozenset({Guard.NUMBER, Guard.DATE, Guard.UNIT, Guard.NEGATION, Guard.POLARITY, Guard.DIRECTION})
_OPPOSED = frozenset({Guard.NEGATION, Guard.POLARITY, Guard.DIRECTION})
_MEASURES = frozenset({Guard.NUMBER, Guard.UNIT, Guard.TENSE})
_IN_WORDS = frozenset({Guard.NEGATION, Guard.TENSE, Guard.ORDER})
"""What differs in words alone where the slots say the same: "I quit smoking", "I do not smoke"."""
_ELSEWHERE = frozenset({Guard.PERSON, Guard.NAME, Guard.QUESTION, Guard.MODALITY})
_AGAINST = frozenset({Kind.OPPOSED, Kind.APART})
_SIGNS = "signs of a conflict"
_WORDS = {
    "change": "a change is said",
    "lately": "said to be so lately",
    "denied": "one denies what the other says",
    "felt": "one likes what the other dislikes",
    "opposites": "opposite words",
    "left behind": "one is given up",
    "turned round": "the other way round",
    "numbers": "other numbers",
    "dates": "other dates",
    "measure": "other amounts of one thing",
    "no exception": "one allows no exception",
    "slot by meaning": "one follows from the other's opposite",
    "rivals": "one stands instead of the other",
    "over": "one speaks of what is over",
    "past by now": "a date that has passed",
}
_ELSE = ("names", "people", "question")  # signs that two texts are about two things
_DONE = re.compile(
    r"(?:i |we )?(?:have |has )?(?:also |already )*"
    r"(?:completed|installed|decided|reduced|added|gone|implemented|tested|set up|chosen|made)\b"
)
"""What was done once, which leaves most of what was said before as it was."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rules say of two texts. Scores are 0-1; `reasons` are for people to read, `path` says what led there.

    A conflict that is not `firm` is likely among pairs of which many are conflicts, and seldom one between any two near
    statements of a person who says much about one thing.
    """

    relation: Relation
    duplicate_score: float
    conflict_score: float
    reasons: tuple[str, ...]
    path: tuple[str, ...] = ()
    firm: bool = True


@dataclass(frozen=True, slots=True)
class _Pair:
    """All that is known of two texts, the later one second."""

    overlap: float
    cosine: float | None
    gap: float | None  # days between what was said, where that is known
    guards: tuple[Difference, ...]
    kinds: frozenset[Guard]
    findings: tuple[Finding, ...]
    evidence: Evidence
    replaced: tuple[str, str] | None
    chance: float  # of a conflict
    single: bool  # each text is one clause
    restated: bool  # both say one thing of one slot, and no more
    narrowed: bool  # one names a kind or part of what the other names
    short: bool  # both say one thing
    habit: bool  # of weekdays, every week
    languages: frozenset[Language]
    framed: bool  # nothing but numbers, dates, opposites and denials differs

    @property
    def near(self) -> bool:
        return self.overlap >= ALIKE or (self.cosine is not None and self.cosine >= NEAR_COSINE)

    @property
    def far(self) -> bool:
        return self.overlap < UNLIKE and (self.cosine is None or self.cosine < UNLIKE_COSINE)


def relate(a: str, b: str, cosine: float | None = None, said: tuple[int, int] | None = None) -> Verdict:
    """The relation of two texts.

    `cosine` is the similarity of their embeddings, -1 to 1, where there are any; `said` when each was said, in
    microseconds. Never `duplicate` when a number, date, unit, name, negation, polarity, person, tense, quantity or
    modality differs. `contradiction` and `update` are for a person to look at; nothing is done by them alone.
    """
    if plain_words(a) == plain_words(b):
        return Verdict(Relation.DUPLICATE, 1.0, 0.0, ("the same words",), ("word for word: the same",))
    turned = said[0] > said[1] if said is not None and said[0] != said[1] else later(a, b)
    gap = abs(said[1] - said[0]) / DAY if said is not None else None
    pair = _pair(b, a, cosine, gap) if turned else _pair(a, b, cosine, gap)
    relation, why = _relation(pair)
    duplicate = _duplicate_score(pair, relation)
    conflict = _conflict_score(pair, relation)
    firm = not why.startswith(_SIGNS) or _firm(pair)
    path = _path(pair, relation, why) + (
        () if firm else ("such signs are seldom a conflict: no alert without a model",)
    )
    return Verdict(relation, duplicate, conflict, _reasons(pair, why), path, firm)


def _pair(a: str, b: str, cosine: float | None, gap: float | None) -> _Pair:
    left, right = tokens(a), tokens(b)
    overlap = jaccard(left, right)
    guards, judged = differences(a, b), findings(a, b)
    topic = max(cosine, 0.0) if cosine is not None else min(1.0, 0.25 + 0.75 * overlap) if overlap else 0.0
    signs = evidence(a, b, topic, overlap, guards, judged)
    gone, come = left - right, right - left
    return _Pair(
        overlap=overlap,
        cosine=cosine,
        gap=gap,
        guards=guards,
        kinds=frozenset(one.guard for one in guards),
        findings=judged,
        evidence=signs,
        replaced=(", ".join(sorted(gone)), ", ".join(sorted(come))) if gone and come else None,
        chance=weighed(signs.signs, weights().conflict),
        habit=_habit(a) or _habit(b),
        framed=len(left & right) > 1 and _framed(gone, come),
        single=len(clauses(a)) == len(clauses(b)) == 1,
        restated=not {one.guard for one in guards} - _IN_WORDS and restated(a, b),
        narrowed=_alike(cosine, overlap) and narrowed(a, b),
        languages=frozenset((language(a), language(b))),
        short=len(plain_words(a)) + len(plain_words(b)) <= BRIEF,
    )


def _habit(text: str) -> bool:
    found = plain_words(text)
    return "every" in found or not wordlists().weekly.isdisjoint(found)


def _framed(gone: frozenset[str], come: frozenset[str]) -> bool:
    lists = wordlists()
    loose = lists.months.keys() | lists.days | lists.negations | lists.units

    def told(words: frozenset[str], others: frozenset[str]) -> bool:
        return all(
            word in loose or word[:1].isdigit() or not lists.antonyms.get(word, frozenset()).isdisjoint(others)
            for word in words
        )

    return told(gone, come) and told(come, gone)


def _relation(pair: _Pair) -> tuple[Relation, str]:
    """The relation, and the rule that decided."""
    limits = weights().thresholds
    plain = [one for one in pair.findings if not one.implied]
    opposed = next((one for one in plain if one.kind is Kind.OPPOSED), None)
    apart = next((one for one in plain if one.kind is Kind.APART), None)
    if Language.OTHER in pair.languages:
        return (Relation.UNRELATED if pair.far else Relation.UNSURE), "not in a language that the rules know"
    if _same(pair):
        return Relation.DUPLICATE, "nothing hard differs"
    if opposed is not None and Guard.QUESTION not in pair.kinds:
        return _changed(pair, opposed), opposed.why
    meant = next((one for one in pair.findings if one.kind is Kind.OPPOSED and one.implied), None)
    if meant is not None and Guard.QUESTION not in pair.kinds and pair.evidence.signs["topic"] >= limits["implied"]:
        return _changed(pair, meant), meant.why
    if pair.restated:
        return Relation.UNSURE, "the same of one thing, in other words"
    beside = next((one for one in plain if one.kind is Kind.BESIDE), None)
    settled = next((one for one in plain if one.settles), None)
    if settled is not None and not pair.evidence.turned:
        return Relation.COEXIST, settled.why
    if apart is not None and not pair.near:
        return Relation.COEXIST, apart.why
    if pair.framed and _both_say(pair) and not pair.kinds & _ELSEWHERE and apart is None:
        return (
            (Relation.COEXIST, "at two times")
            if _two_times(pair)
            else (_changed(pair, None), "else word for word the same")
        )
    if beside is not None and not pair.kinds & _OPPOSED and not pair.evidence.turned:
        return Relation.COEXIST, beside.why
    if pair.evidence.signs["topic"] >= limits["least_topic"] and pair.chance >= limits["conflict"] and _sign(pair):
        why = f"{_SIGNS}: {', '.join(_told(pair))}"
        return _changed(pair, next((one for one in pair.findings if one.kind is Kind.OPPOSED), None)), why
    if apart is not None:
        return Relation.COEXIST, apart.why
    if beside is not None and not pair.kinds & _OPPOSED:
        return Relation.COEXIST, beside.why
    if pair.evidence.signs["topic"] >= limits["least_topic"] and pair.chance >= limits["open"] and _sign(pair):
        return Relation.UNSURE, "signs of a conflict, too weak to say so"
    if Guard.PERSON in pair.kinds and pair.near:
        return Relation.COEXIST, "another person"
    if pair.far:
        return Relation.UNRELATED, "little in common"
    return Relation.UNSURE, "alike, and no rule decides"


def _both_say(pair: _Pair) -> bool:
    """Whether something hard differs that both have, and one is not only more exact than the other."""
    if pair.kinds & _OPPOSED:
        return True
    return any(one.guard in _HARD and one.a and one.b and not one.narrower for one in pair.guards)


def _two_times(pair: _Pair) -> bool:
    """Whether each text has a date of its own, and what it says holds or happened then."""
    if not any(one.guard is Guard.DATE and one.a and one.b for one in pair.guards):
        return False
    return pair.evidence.past or pair.habit or bool(pair.kinds & (_HARD - {Guard.DATE}))


def _same(pair: _Pair) -> bool:
    if pair.single and pair.kinds <= {Guard.NEGATION} and any(one.equal for one in pair.findings):
        return True
    if pair.kinds or pair.narrowed or any(one.kind in _AGAINST and not one.implied for one in pair.findings):
        return False
    if Language.UNKNOWN in pair.languages:
        return False  # what differs may be the word that says no
    return _alike(pair.cosine, pair.overlap if pair.replaced is None else 0.0)


def _alike(cosine: float | None, overlap: float) -> bool:
    """Near enough to be the same where nothing hard differs."""
    return (cosine is not None and cosine >= MERGE_COSINE) or overlap >= NEAR_EQUAL


def _sign(pair: _Pair) -> bool:
    """Whether anything speaks for a conflict but that both are near."""
    names = (
        "denied",
        "felt",
        "opposites",
        "turned round",
        "numbers",
        "dates",
        "change",
        "lately",
        "left behind",
        "no exception",
        "slot by meaning",
    )
    return any(pair.evidence.signs[name] for name in (*names, "measure", "rivals in a frame", "past by now"))


def _firm(pair: _Pair) -> bool:
    """Whether the signs are such as near statements on one thing seldom show unless they are in conflict."""
    signs = pair.evidence.signs
    if any(signs[name] for name in _ELSE) or (signs["opposites"] and pair.overlap < CLOSE):
        return False
    if signs["dates"] or (max(signs["denied"], signs["felt"]) >= 0.1 and not signs["open"] and not signs["former"]):
        return True
    change = max(signs["change"], signs["lately"])
    if change >= 0.4 and pair.overlap >= UNLIKE and not signs["both turned"]:
        return True
    told = change + signs["measure"] >= CLOSE and not (signs["both turned"] and signs["numbers"])
    return pair.short and told and not signs["open"] and not _DONE.match(pair.evidence.turned)


def _told(pair: _Pair) -> list[str]:
    """The weightiest signs of a conflict, in words."""
    table = weights().conflict
    weighty = sorted((-table.get(name, 0.0) * pair.evidence.signs[name], words) for name, words in _WORDS.items())
    return [words for weight, words in weighty if weight < 0][:2] or ["they speak of one thing"]


def _changed(pair: _Pair, finding: Finding | None) -> Relation:
    """Update where a change is said or time enough lies between; else both cannot be true."""
    if finding is not None and finding.fixed:
        return Relation.CONTRADICTION
    if pair.evidence.turned or (finding is not None and finding.changed):
        return Relation.UPDATE
    if pair.evidence.past or (finding is None and pair.evidence.signs["denied"] and pair.evidence.sweeping):
        return Relation.CONTRADICTION
    if pair.gap is None:
        moving = pair.kinds & _MEASURES and not pair.kinds & _OPPOSED
        return Relation.UPDATE if moving else Relation.CONTRADICTION
    settled = finding.lasts if finding is not None else weights().thresholds["settled"]
    return Relation.UPDATE if pair.gap >= settled else Relation.CONTRADICTION


def _duplicate_score(pair: _Pair, relation: Relation) -> float:
    likeness = pair.overlap
    if pair.cosine is not None:
        likeness = WORDS * pair.overlap + (1 - WORDS) * max(pair.cosine, 0.0)
    hard = pair.kinds & _HARD or Language.OTHER in pair.languages
    if pair.restated:
        likeness, hard = max(likeness, RESTATED), False
    score = _clamp(likeness - (HARD if hard else 0.0) - SOFT * len(pair.kinds - _HARD - {Guard.ORDER}))
    return max(score, NEAR_EQUAL) if relation is Relation.DUPLICATE else score


def _conflict_score(pair: _Pair, relation: Relation) -> float:
    if relation is Relation.DUPLICATE:
        return 0.0
    limits = weights().thresholds
    opposed = weighed(pair.evidence.signs, weights().opposed)
    if relation in (Relation.CONTRADICTION, Relation.UPDATE):
        return _clamp(limits["alarm"] + (1 - limits["alarm"]) * max(pair.chance, opposed))
    return _clamp(limits["unsaid"] * opposed)


def _reasons(pair: _Pair, why: str) -> tuple[str, ...]:
    """What decided first, then what differs, then how alike they are."""
    said = [why]
    if pair.evidence.turned:
        said.append(f"a change is said: {pair.evidence.turned}")
    said += [str(difference) for difference in pair.guards]
    said.append(f"{pair.overlap:.2f} of the words shared")
    if pair.cosine is not None:
        said.append(f"cosine {pair.cosine:.2f}")
    if pair.replaced:
        said.append(f"words replaced: {pair.replaced[0]} / {pair.replaced[1]}")
    return tuple(said)


def _path(pair: _Pair, relation: Relation, why: str) -> tuple[str, ...]:
    """The steps that led to a verdict, for who asks why."""
    table = weights().conflict
    weighty = sorted(
        ((name, table.get(name, 0.0) * value) for name, value in pair.evidence.signs.items() if value),
        key=lambda sign: -abs(sign[1]),
    )
    steps = [f"{one.kind.value} ({one.slot}): {one.why}" for one in pair.findings]
    steps += [f"{name} {weight:+.2f}" for name, weight in weighty if abs(weight) >= 0.05]
    steps.append(f"chance of a conflict {pair.chance:.2f}, said from {weights().thresholds['conflict']:.2f}")
    if pair.gap is not None:
        steps.append(f"said {pair.gap:.0f} days apart")
    return (*steps, f"{relation.value}: {why}")


def _clamp(score: float) -> float:
    return round(min(1.0, max(0.0, score)), 4)
