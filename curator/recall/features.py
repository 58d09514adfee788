"""What is known of each candidate of a query, as named columns of numbers. A preset is arithmetic over them.

Every function takes the sheet and gives one number for each candidate.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from curator.recall import decay
from curator.recall.dates import Span, asks_when, spans, tells_when
from store.clock import DAY
from store.index import Outline
from store.model import Review, Tier

Column = NDArray[np.float64]

GRAVITY = {Tier.CORE: 2.0, Tier.MEDIUM: 1.0, Tier.LOW: 0.5}
_WITNESSES = 2  # candidates of one conversation that speak for it
_CLOSE = 7.0  # days after which a date in the question counts half, if it is a day; for a longer span twice as many
_MENTIONED = 0.5  # a name amid a statement, beside 1 for whom the statement is about
_NAME = re.compile(r"\b(?:[^\W\d_]+[’'-](?!s\b))*[^\W\d_]{2,}")  # without the 's of possession
_NO_NAMES = frozenset(
    "A According An And Are As At Based Be But By Can Could Describe Did Do Does For From Give Had Has Have How I If In"
    " Is It List May My Of On Or Please Should Show Since Some Tell That The There This To Was We Were What When Where"
    " Which While Who Whom Whose Why Will With Would You Your".split()
)


@dataclass(frozen=True, slots=True)
class Question:
    """What a query says beyond its words: whom it names, the days it names, and whether it asks for a time."""

    names: frozenset[str] = frozenset()
    spans: tuple[Span, ...] = ()
    when: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """The candidates of one query. A score is 0 and a rank is 0 where a search did not find the candidate.

    `cosine` is None where there are no vectors, `lexical` says that they know nothing of meaning.
    """

    memories: Sequence[Outline]
    text: Column  # BM25 of the memory's own words
    context: Column  # BM25 of the memory amid what was said around it
    text_rank: Column
    context_rank: Column
    vector_rank: Column
    cosine: Column | None
    warmth: Column
    question: Question
    now: int
    lexical: bool = False
    used_at: Column | None = None  # microseconds since 1970 UTC of the last recall, 0 for never
    decay: bool = True  # whether age counts
    held: Mapping[int, str] = field(default_factory=dict)  # what is no hit whatever it scores, each with why

    def each(self, value: Callable[[Outline], float]) -> Column:
        """A column from what a memory itself says."""
        return np.array([value(memory) for memory in self.memories], np.float64)


def asked(query: str, now: int) -> Question:
    """What a query says beyond its words."""
    names = frozenset(word for word in _NAME.findall(query) if word[0].isupper()) - _NO_NAMES
    return Question(names, spans(query, now), asks_when(query))


def standard(values: Column) -> Column:
    """Z-scores: mean 0, deviation 1; all 0 where the values are equal."""
    deviation = float(values.std()) if values.size else 0.0
    return (values - values.mean()) / deviation if deviation > 1e-9 else values * 0.0


def share(values: Column) -> Column:
    """Each as a share of the highest."""
    best = float(values.max()) if values.size else 0.0
    return values / best if best > 0 else values * 0.0


def days(sheet: Sheet) -> Column:
    """Age in days; 0 for all where age does not count.

    What has no date is as old as the others are on average, so that age says nothing about it.
    """
    if not sheet.decay:
        return np.zeros(len(sheet.memories))
    ages = sheet.each(lambda memory: np.nan if (at := memory.created_at) is None else max(sheet.now - at, 0) / DAY)
    known = ages[~np.isnan(ages)]
    return np.where(np.isnan(ages), known.mean() if known.size else 0.0, ages)


def idle_days(sheet: Sheet) -> Column:
    """Days since a memory was recalled, or since it was said if it never was."""
    ages = days(sheet)
    if sheet.used_at is None or not sheet.decay:
        return ages
    return np.minimum(ages, np.maximum(sheet.now - sheet.used_at, 0) / DAY)


def left(sheet: Sheet) -> Column:
    """What the half-life of its kind leaves of a memory, 1 to 0."""
    ages = days(sheet)
    return np.array([decay.decay(memory.kind, age) for memory, age in zip(sheet.memories, ages, strict=True)])


def gravity(sheet: Sheet) -> Column:
    """2 for the core tier, 0.5 for the low one."""
    return sheet.each(lambda memory: GRAVITY[memory.tier])


def importance(sheet: Sheet) -> Column:
    """0.1 to 1."""
    return sheet.each(lambda memory: memory.importance / 10)


def validated(sheet: Sheet) -> Column:
    """1 for what the person validated or pinned."""
    return sheet.each(lambda memory: float(memory.review is Review.VALIDATED or memory.pinned))


def length(sheet: Sheet) -> Column:
    """Logarithm of the length: short exclamations share words with a query and say nothing."""
    return sheet.each(lambda memory: float(np.log1p(len(memory.text))))


def asks(sheet: Sheet) -> Column:
    """1 for a question, which answers none."""
    return sheet.each(lambda memory: float(memory.text.rstrip().endswith(("?", "？", "؟"))))


def conversation(sheet: Sheet) -> Column:
    """How well the conversation as a whole answers: the mean of its best two by context, the same for all in it."""
    out = sheet.context / _WITNESSES  # said nowhere: alone in its conversation
    for turns in _conversations(sheet).values():
        places = [place for members in turns.values() for place in members]
        best = sorted((float(sheet.context[place]) for place in places), reverse=True)
        out[places] = sum(best[:_WITNESSES]) / _WITNESSES
    return out


def replies(sheet: Sheet) -> Column:
    """The words of the turn before, if that asks something: what follows a question like this one answers it."""
    out = np.zeros(len(sheet.memories))
    for turns in _conversations(sheet).values():
        for turn, members in turns.items():
            before = (place for place in turns.get(turn - 1, ()) if "?" in sheet.memories[place].text)
            out[members] = max((float(sheet.text[place]) for place in before), default=0.0)
    return out


def dated(sheet: Sheet) -> Column:
    """How near to the days that the question names: 1 on them, half after a week, or two for a longer span."""
    asked = sheet.question.spans

    def near(memory: Outline, span: Span) -> float:
        if memory.created_at is None:
            return 0.0
        half = _CLOSE if (span.end - span.first).days == 1 else 2 * _CLOSE
        return float(0.5 ** (span.gap(memory.created_at) / half))

    return sheet.each(lambda memory: max(map(partial(near, memory), asked), default=0.0))


def tells(sheet: Sheet) -> Column:
    """1 for what says when, if the question asks that."""
    return sheet.each(lambda memory: float(sheet.question.when and tells_when(memory.text)))


def person(sheet: Sheet) -> Column:
    """Whether somebody whom the question names is whom the statement is about (1), or mentioned in it (a half)."""

    def about(memory: Outline) -> float:
        names = sheet.question.names
        if any(memory.subject == name or memory.text.startswith(name) for name in names):
            return 1.0
        return _MENTIONED if any(name in memory.text for name in names) else 0.0

    return sheet.each(about)


def _conversations(sheet: Sheet) -> dict[str, dict[int, list[int]]]:
    """For each conversation the turns that candidates come from, with their places on the sheet."""
    groups: dict[str, dict[int, list[int]]] = {}
    for place, memory in enumerate(sheet.memories):
        if memory.group is not None:
            groups.setdefault(memory.group, {}).setdefault(memory.ordinal, []).append(place)
    return groups
