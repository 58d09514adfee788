"""Whole-text features for the conflict and duplicate scores.

They complement the clause features of `conflict_features.py`; the weights of both are in `weights.toml`.
"""

import re
from collections.abc import Set
from dataclasses import dataclass
from functools import lru_cache

from curator.compare.clauses import Mode, clauses, subject
from curator.compare.data import marks
from curator.text import plain_words, stem, wordlists

LIGHT = 0.3
"""Weight of a shared word with little meaning, such as "new" or "want"."""
MOST_SHARED = 4.0  # maximum total weight of shared words
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_MEASURE = re.compile(r"([$€£¥])?(?<![\w.])(\d+(?:[.,:]\d+)*)[ -]?(%|[^\W\d_]+)?")
_NAME = re.compile(r"(?<=[\w,;:)'’\"-] )[A-Z][\w'’.-]*\w")


@dataclass(frozen=True, slots=True)
class Traits:
    """Properties of a text as a whole."""

    weights: dict[str, float]  # by content stem
    first: str
    head: str  # stem of the first content word
    names: frozenset[str]
    numbers: frozenset[str]
    measures: dict[str, frozenset[str]]  # stem or sign of the thing counted or measured -> its numbers
    pending: bool
    outcome: bool
    total: bool
    among: bool
    denies: bool
    orders: bool
    subject: str
    denied: tuple[frozenset[str], ...]  # content stems of each denying clause
    happened: tuple[frozenset[str], ...]  # of each clause about a past event
    planned: tuple[frozenset[str], ...]  # of each clause about a plan or something awaited

    @property
    def weight(self) -> float:
        """The total weight of its words."""
        return sum(self.weights.values())


def weight(stems: Set[str]) -> float:
    """Return the weight of these stems."""
    light = wordlists().light
    return sum(LIGHT if one in light else 1.0 for one in stems)


def content(text: str) -> dict[str, None]:
    """Return the content stems of plain words, in order."""
    lists = wordlists()
    return dict.fromkeys(
        stem(lists.numbers.get(word, word).removesuffix("'s"))
        for word in text.split()
        if word not in lists.empty and word not in lists.negations and word[:1].isalnum()
    )


@lru_cache(maxsize=8192)
def traits(text: str) -> Traits:
    """Return the traits of a text."""
    words = plain_words(text)
    plain, stems, found = " ".join(words), content(" ".join(words)), clauses(text)
    parts = [(one, frozenset(content(one.whole))) for one in found]
    table = marks()
    return Traits(
        weights={one: weight({one}) for one in stems},
        first=next(iter(words), ""),
        head=next(iter(stems), ""),
        names=frozenset(name.casefold().removesuffix("'s").removesuffix("’s") for name in _NAME.findall(text)),
        numbers=frozenset(_NUMBER.findall(text)),
        measures=measures(text),
        pending=table.pending.search(plain) is not None,
        outcome=table.outcome.search(plain) is not None or "!" in text,
        total=table.total.search(plain) is not None,
        among=table.among.search(plain) is not None,
        denies=any(one.negative for one in found),
        orders=any(one.mode is Mode.MUST for one in found),
        subject=subject(text, found[0].whole.split() if found else words),
        denied=tuple(stems for one, stems in parts if one.negative and stems),
        happened=tuple(stems for one, stems in parts if stems and table.outcome.search(one.whole)),
        planned=tuple(stems for one, stems in parts if stems and table.pending.search(one.whole)),
    )


def measures(text: str) -> dict[str, frozenset[str]]:
    """Return the numbers of a text by the thing counted, if it is named next to the number."""
    found: dict[str, set[str]] = {}
    empty = wordlists().empty
    for sign, number, word in _MEASURE.findall(text.casefold()):
        if sign or (word and word not in empty):
            found.setdefault(sign or stem(word), set()).add(number.replace(",", ""))
    return {what: frozenset(numbers) for what, numbers in found.items()}


def cover(clauses_: tuple[frozenset[str], ...], stems: Set[str]) -> float:
    """Return the largest share of a clause's content stems that are in `stems`, 0-1."""
    return max((weight(one & stems) / (weight(one) + 0.5) for one in clauses_), default=0.0)


def whole_text_features(earlier: str, later: str) -> dict[str, float]:
    """Return the features of two whole texts, each 0-1 or a small count."""
    a, b = traits(earlier), traits(later)
    ours, theirs = a.weights.keys(), b.weights.keys()
    common = weight(ours & theirs)
    share = common / (min(a.weight, b.weight) + 0.5)
    denies, totals, numbers = a.denies != b.denies, float(a.total) + b.total, a.numbers != b.numbers
    common_measures = a.measures.keys() & b.measures.keys()
    both_numbers = bool(a.numbers - b.numbers and b.numbers - a.numbers)
    # a capital at the start of a text shows a name only if the other text has that name in a sentence
    names_a, names_b = a.names | ({b.first} & a.names), b.names | ({a.first} & b.names)
    a_names, b_names = a.names | ({a.first} & names_b), b.names | ({b.first} & names_a)
    denied = max(cover(a.denied, theirs), cover(b.denied, ours)) if denies else 0.0
    planned = a.pending and b.outcome and not b.pending
    outcome = max((cover(a.planned, one) for one in b.happened), default=0.0)
    features = {
        "share": share,
        "common": min(common, MOST_SHARED),
        "alike": common / (a.weight + b.weight - common + 0.5),
        "earlier covered": common / (a.weight + 0.5),
        "later covered": common / (b.weight + 0.5),
        "earlier pending": float(a.pending),
        "later pending": float(b.pending),
        "earlier outcome": float(a.outcome),
        "later outcome": float(b.outcome),
        "planned, then done": float(planned),
        "planned, other done": (1.0 - outcome) * planned,
        "denied, other said": (1.0 - denied) * denies,
        "denied for all, other said": (1.0 - denied) * (denies and totals > 0),
        "only later done": float(b.outcome and not a.outcome),
        "totals": totals,
        "both total": float(a.total and b.total),
        "numbers replaced": float(both_numbers),
        "number in one": float(numbers and not (a.numbers and b.numbers)),
        "measure replaced": float(any(a.measures[one].isdisjoint(b.measures[one]) for one in common_measures)),
        "other measures": float(bool(a.measures and b.measures and not common_measures)),
        "names shared": float(min(len(a_names & b_names), 3)),
        "names replaced": float(bool(a_names - b_names and b_names - a_names)),
        "no name shared": float(bool(a_names and b_names and not a_names & b_names)),
        "same start": float(a.first == b.first),
        "head in later": float(a.head in b.weights),
        "head in earlier": float(b.head in a.weights),
        "same subject": float(a.subject == b.subject),
        "earlier of me": float(a.subject == "i"),
        "later of me": float(b.subject == "i"),
        "earlier denies": float(a.denies),
        "later denies": float(b.denies),
        "one denies": float(denies),
        "orders": float(a.orders) + b.orders,
        "among": float(b.among),
        "denial covered": denied,
        "outcome covered": cover(b.happened, ours),
        "plan covered": cover(a.planned, theirs),
        "plan covered by outcome": outcome,
    }
    times = {
        "earlier pending": a.pending,
        "later pending": b.pending,
        "later outcome": b.outcome,
        "planned, then done": features["planned, then done"],
        "only later done": features["only later done"],
        "totals": totals,
        "numbers replaced": both_numbers,
        "one denies": denies,
    }
    return features | {f"{name}, shared": share * value for name, value in times.items()}
