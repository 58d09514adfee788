"""Ranking features: numeric columns with a value for each candidate of a query, which presets combine."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from curator.recall.dates import DateRange, asks_when, spans, tells_when
from curator.recall.types import OmissionKind
from store.clock import DAY
from store.model import Kind, Outline, Review, Tier

Column = NDArray[np.float64]

GRAVITY = {Tier.CORE: 2.0, Tier.MEDIUM: 1.0, Tier.LOW: 0.5}
HALF_LIFE: dict[Kind, float] = {
    Kind.PREFERENCE: 180,
    Kind.CONSTRAINT: 180,
    Kind.RELATIONSHIP: 180,
    Kind.PROJECT: 90,
    Kind.DECISION: 180,
    Kind.COMMITMENT: 45,
    Kind.TASK: 15,
    Kind.ENTITY: 180,
    Kind.SKILL: 180,
    Kind.FACT: 180,
    Kind.EVENT: 45,
    Kind.CONTEXT: 15,
}
"""Half-lives in days. Unlisted kinds do not decay: identity stays true."""
_WITNESSES = 2  # best candidates of a conversation that its score is the mean of
_CLOSE = 7.0  # half-life, in days, of the nearness to a date in the question; doubled for longer spans
_MENTIONED = 0.5  # score of a name in a statement, relative to 1 for the subject of the statement
_LONG = 200  # characters; longer texts have the same length feature
_QUESTION = 300  # maximum characters of a turn that counts as a question
_NAME = re.compile(r"\b(?:[^\W\d_]+[’'-](?!s\b))*[^\W\d_]{2,}")  # without a possessive 's
_NO_NAMES = frozenset(
    "A According An And Are As At Based Be But By Can Could Describe Did Do Does For From Give Had Has Have How I If In"
    " Is It List May My Of On Or Please Should Show Since Some Tell That The There This To Was We Were What When Where"
    " Which While Who Whom Whose Why Will With Would You Your".split()
)


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A parsed query: its names and dates, whether it asks for a time, and its scopes except the global one."""

    names: frozenset[str] = frozenset()
    spans: tuple[DateRange, ...] = ()
    when: bool = False
    scopes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Sheet:
    """The candidates of one query. Scores and ranks are 0 if a search did not find the candidate.

    `cosine` is None without vectors; `lexical` vectors compare letters, not meaning.
    """

    memories: Sequence[Outline]
    text: Column  # BM25 of the memory's own words
    context: Column  # BM25 of the memory with its surrounding messages
    text_rank: Column
    context_rank: Column
    vector_rank: Column
    cosine: Column | None
    warmth: Column
    question: ParsedQuery
    now: int
    lexical: bool = False
    used_at: Column | None = None  # microseconds since 1970 UTC of the last recall, 0 for never
    decay: bool = True  # whether age counts
    hidden: Mapping[int, OmissionKind] = field(default_factory=dict)  # ids that are never hits, with the reason
    also: Mapping[str, Sequence[str]] = field(default_factory=dict)  # corrections of misspelt words of the query
    called: Mapping[str, Sequence[str]] = field(default_factory=dict)  # names of "my husband" in the query
    urgent: frozenset[int] = frozenset()  # ids of safety facts, which are hits at any distance
    stating: Mapping[int, int] = field(default_factory=dict)
    """Ids of those that state an attribute that the question asks for, with their ranks; the score decides ties."""
    unrelated: bool = False  # the question is about nothing to which safety facts matter

    def each(self, value: Callable[[Outline], float]) -> Column:
        """Return a column computed from each memory."""
        return np.array([value(memory) for memory in self.memories], np.float64)


def parse_query(query: str, now: int, scopes: Sequence[str]) -> ParsedQuery:
    """Parse a query that is asked within some scopes."""
    names = frozenset(word for word in _NAME.findall(query) if word[0].isupper()) - _NO_NAMES
    return ParsedQuery(names, spans(query, now), asks_when(query), frozenset(scopes) - {"global"})


def z_scores(values: Column, of: Column | None = None) -> Column:
    """Return z-scores of `values`, in standard deviations of `of` (default: of `values`); 0 if all are equal."""
    deviation = float((values if of is None else of).std()) if values.size else 0.0
    return (values - values.mean()) / deviation if deviation > 1e-9 else values * 0.0


def share_of_max(values: Column) -> Column:
    """Return each value divided by the highest value."""
    best = float(values.max()) if values.size else 0.0
    return values / best if best > 0 else values * 0.0


def days(sheet: Sheet) -> Column:
    """Return the age in days; 0 for all if decay is off.

    An undated memory gets the mean age of the others, so that age does not affect its rank.
    """
    if not sheet.decay:
        return np.zeros(len(sheet.memories))
    ages = sheet.each(lambda memory: np.nan if (at := memory.created_at) is None else max(sheet.now - at, 0) / DAY)
    known = ages[~np.isnan(ages)]
    return np.where(np.isnan(ages), known.mean() if known.size else 0.0, ages)


def idle_days(sheet: Sheet) -> Column:
    """Return the days since a memory was recalled, or said if it never was."""
    ages = days(sheet)
    if sheet.used_at is None or not sheet.decay:
        return ages
    return np.minimum(ages, np.maximum(sheet.now - sheet.used_at, 0) / DAY)


def decay(sheet: Sheet) -> Column:
    """Return the decay by the half-life of the kind: 1 initially, 0.5 after one half-life."""
    half_lives = sheet.each(lambda memory: HALF_LIFE.get(memory.kind, np.inf))
    return 0.5 ** (np.maximum(days(sheet), 0.0) / half_lives)


def gravity(sheet: Sheet) -> Column:
    """Return 2 for the core tier, 0.5 for the low one, else 1."""
    return sheet.each(lambda memory: GRAVITY[memory.tier])


def importance(sheet: Sheet) -> Column:
    """Return the importance, 0.1 to 1."""
    return sheet.each(lambda memory: memory.importance / 10)


def validated(sheet: Sheet) -> Column:
    """Return 1 for validated or pinned memories."""
    return sheet.each(lambda memory: float(memory.review is Review.VALIDATED or memory.pinned))


def length(sheet: Sheet) -> Column:
    """Return the logarithm of the length, up to 200 characters, to lower short texts without content."""
    return np.log1p(np.minimum(sheet.each(lambda memory: len(memory.text)), _LONG))


def conversation(sheet: Sheet) -> Column:
    """Return the score of each candidate's conversation: the mean of its two best context scores."""
    out = sheet.context / _WITNESSES  # a candidate without a conversation counts as the only one in it
    for turns in _conversations(sheet).values():
        rows = [row for members in turns.values() for row in members]
        best = sorted((float(sheet.context[row]) for row in rows), reverse=True)
        out[rows] = sum(best[:_WITNESSES]) / _WITNESSES
    return out


def replies(sheet: Sheet) -> Column:
    """Return the score of the preceding turn if it is a question, since its reply may answer a similar query.

    Long turns do not count, because their replies rarely answer the query.
    """
    out = np.zeros(len(sheet.memories))
    for turns in _conversations(sheet).values():
        for turn, members in turns.items():
            former = ((row, sheet.memories[row].text) for row in turns.get(turn - 1, ()))
            before = (row for row, text in former if "?" in text and len(text) < _QUESTION)
            out[members] = max((float(sheet.text[row]) for row in before), default=0.0)
    return out


def dated(sheet: Sheet) -> Column:
    """Return the nearness to the dates in the question: 1 on them, 0.5 a week away, or two weeks for a longer span."""
    named = sheet.question.spans
    if not named:
        return np.zeros(len(sheet.memories))

    def near(memory: Outline, span: DateRange) -> float:
        if memory.created_at is None:
            return 0.0
        half = _CLOSE if (span.end - span.first).days == 1 else 2 * _CLOSE
        return float(0.5 ** (span.gap(memory.created_at) / half))

    return sheet.each(lambda memory: max(map(partial(near, memory), named), default=0.0))


def tells(sheet: Sheet) -> Column:
    """Return 1 for memories that state a time, if the question asks for one."""
    if not sheet.question.when:
        return np.zeros(len(sheet.memories))
    return sheet.each(lambda memory: float(tells_when(memory.text)))


def person(sheet: Sheet) -> Column:
    """Return 1 if the subject of a memory is a person named in the question, 0.5 if it mentions such a person."""
    names = sheet.question.names
    if not names:
        return np.zeros(len(sheet.memories))

    def about(memory: Outline) -> float:
        if any(memory.subject == name or memory.text.startswith(name) for name in names):
            return 1.0
        return _MENTIONED if any(name in memory.text for name in names) else 0.0

    return sheet.each(about)


def _conversations(sheet: Sheet) -> dict[str, dict[int, list[int]]]:
    """Group the positions of candidates by conversation and turn."""
    groups: dict[str, dict[int, list[int]]] = {}
    for row, memory in enumerate(sheet.memories):
        if memory.group is not None:
            groups.setdefault(memory.group, {}).setdefault(memory.ordinal, []).append(row)
    return groups
