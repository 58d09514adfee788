"""Queries of the Recall view: the hits for a prompt, the block, and the omissions.

Run in a thread. Nothing is recorded: looking does not count as use of a memory.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import TYPE_CHECKING

from curator.config import settings
from curator.display import counted, with_every_prompt
from curator.errors import ConfigError
from curator.filters import parse_filter
from curator.recall import (
    Block,
    Detail,
    Hit,
    Preset,
    SearchResult,
    Style,
    count_tokens,
    omissions_of,
    token_counter,
)
from curator.recall.expectations import CheckResult, check_prompt, evaluate
from curator.recall.explain import explain_omission, explain_score, omission_label
from curator.recall.types import Omission, OmissionKind, OmissionReason
from curator.tui.labels import REVIEWS, share
from curator.tui.text_format import one_line
from store import Filter, Store
from store.model import Memory

if TYPE_CHECKING:
    from curator.services.recall import CheckRun, SearchOutcome
    from curator.services.search_session import SearchSession

Form = tuple[Style, Detail]

_LEAST = 1e-9  # minimum of a factor before its logarithm is taken
GROUPS: Mapping[str, tuple[str, ...]] = {
    "words": ("text", "context", "spelling"),
    "meaning": ("meaning", "vector", "cosine"),
    "context": ("conversation", "replies", "length", "tells", "dated", "person"),
    "status": ("validated", "tier", "warmth", "age", "decay", "recency", "importance", "gravity"),
}
"""Score parts by origin: words, meaning, context of the message, status of the memory."""
_NEWER = "said later than one below, in an open conflict with it"
_GROUP = {part: position for position, parts in enumerate(GROUPS.values()) for part in parts}


@dataclass(frozen=True, slots=True)
class RecallQuestion:
    """A prompt and the options of its answer; None stands for the setting, since settings take a while to load.

    `against` is a preset to compare with; `among` is a filter; with `project`, recall works as in a session there.
    """

    prompt: str = ""
    preset: Preset | None = None
    against: Preset | None = None
    budget: int | None = None
    among: str = ""
    project: str | None = None
    form: Form = (Style.SYSTEM, Detail.COMPACT)


@dataclass(frozen=True, slots=True)
class RecallRow:
    """A memory in the list. `reason` tells why it is not in the block, and `label` the same in a few words.

    Omissions of the search have no `position`.

    `bar` has the lengths of the `GROUPS`; the longest bar has length 1. `moved` is the number of positions gained
    compared with the other preset, None if that does not find it. `expected` is from the person's check of this prompt:
    True if the memory must be included, False if it must not.
    """

    memory: Memory
    score: float | None
    warmth: float
    position: int | None = None
    reason: OmissionKind | None = None
    label: str = ""
    bar: tuple[float, ...] = ()
    moved: int | None = None
    explanation: str = ""
    expected: bool | None = None

    @property
    def as_expected(self) -> bool:
        """True if the memory is where the check expects it."""
        return self.expected is None or self.expected == (self.reason is None)


@dataclass(frozen=True, slots=True)
class RecallAnswer:
    """The hits, the block and the omissions, as of the store's event `seq`. `notes` must be shown.

    `checked` is the result of the person's check of this prompt, if any; `alerted` are the memories with an open
    conflict.
    """

    question: RecallQuestion
    budget: int
    seq: int
    block: Block
    notes: tuple[str, ...]
    search: "SearchOutcome"
    checked: CheckResult | None
    above: tuple[RecallRow, ...] = ()
    below: tuple[RecallRow, ...] = ()
    alerted: frozenset[int] = frozenset()

    @property
    def preset(self) -> Preset:
        """The preset that ranks the hits."""
        return self.search.options.preset

    @property
    def positions(self) -> dict[int, int]:
        """The position of each memory in the block."""
        return {line.memory.id: position for position, line in enumerate(self.above, 1)}

    @property
    def groups(self) -> frozenset[str]:
        """The groups of score parts in this answer; without meaning if only words and letters were searched."""
        return frozenset(GROUPS) - ({"meaning"} if self.search.by_words else frozenset())

    def expected(self, memory: int) -> bool | None:
        """Return True if the check requires the memory, False if it excludes it, None if it does not name it."""
        if self.checked is None or memory not in (*self.checked.check.must, *self.checked.check.must_not):
            return None
        return memory in self.checked.check.must


class Recaller:
    """Answers prompts, one at a time; reopens the index when the store has changed."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._opened: SearchSession | None = None
        self._seq = -1

    def ask(self, question: RecallQuestion, now: int) -> RecallAnswer:
        """Return the answer as of `now`. Raises StoreError, ModelError."""
        from curator.services.recall import RecallRequest, recall_block

        opened, known = self._open(), settings().recall
        notes: tuple[str, ...] = ()
        try:
            count = token_counter(known.tokenizer)
        except ConfigError as error:
            count, notes = count_tokens, (f"tokens are estimated: {error}",)
        style, detail = question.form
        request = RecallRequest(
            question.prompt,
            parse_filter(question.among, now=now),
            question.project,
            preset=question.preset,
            against=question.against,
            budget=question.budget,
            style=style,
            detail=detail,
            count=count,
            now=now,
        )
        made, found = recall_block(self._store, opened, request)
        checked = None if question.among else self._check(question, found.result, made)
        budget, notes = question.budget or known.budget, (*found.notes, *notes)
        return self._with_lines(RecallAnswer(question, budget, self._seq, made, notes, found, checked))

    def with_omissions(self, given: RecallAnswer) -> RecallAnswer:
        """Return the answer with omissions that the search skips: superseded and expired memories."""
        index, prompt, found = self._open().index, given.question.prompt, given.search
        left = omissions_of(
            self._store, index, found.embedder, prompt, found.memory_filter, found.options, found.result
        )
        known = {line.memory.id for line in (*given.above, *given.below)}
        more = [item for item in left if item.memory.id not in known]
        return self._with_signs(replace(given, below=(*given.below, *self._left_out(more, given))))

    def run_checks(self, now: int) -> "CheckRun":
        """Run all checks, as `curator check` does. Raises StoreError, ConfigError."""
        from curator.services.recall import run_checks

        return run_checks(self._store, self._open(), self._store.checks.all(), now=now)

    def _open(self) -> "SearchSession":
        from curator.services.search_session import open_search

        seq = self._store.journal.seq()
        if self._opened is None or seq != self._seq:
            self._opened, self._seq = open_search(self._store), seq
        return self._opened

    def _check(self, question: RecallQuestion, found: SearchResult, made: Block) -> CheckResult | None:
        kept = self._store.checks.all()
        asked = check_prompt(question.prompt) if kept else "", question.project
        check = next((check for check in kept if (check.query, check.project) == asked), None)
        return None if check is None else evaluate(self._store, check, found, made)

    def _with_lines(self, given: RecallAnswer) -> RecallAnswer:
        """Add the rows: the hits in the block, then the omitted ones with reasons."""
        hits, other = given.search.result.hits, given.search.compared
        left = [item for item in given.search.result.omitted if item.memory.id not in given.block.memories]
        theirs = () if other is None else other.hits
        positions = {hit.memory.id: position for position, hit in enumerate(theirs, 1)}
        warmth = self._store.recalls.warmth([hit.memory.id for hit in hits])
        lines: list[RecallRow] = []
        for position, (hit, bar) in enumerate(zip(hits, bars(hits), strict=True), 1):
            number = hit.memory.id
            kind = given.block.dropped.get(number)
            reason = None if kind is None else OmissionReason(kind)
            explanation = explain_score(hit)
            lines.append(
                RecallRow(
                    hit.memory,
                    hit.score,
                    warmth[number],
                    position,
                    kind,
                    "" if reason is None else omission_label(reason),
                    bar,
                    positions[number] - position if number in positions else None,
                    explanation if reason is None else f"{explain_omission(reason)} · {explanation}",
                    given.expected(number),
                )
            )
        known = {hit.memory.id for hit in hits} | {item.memory.id for item in left}
        only = [hit.memory for hit in theirs if hit.memory.id not in known]
        asked = {hit.memory.id for hit in hits}
        always = self._unranked([one for one in given.block.standing if one not in asked], given)
        newer = self._unranked(given.block.newer, given, _NEWER)
        above = (*always, *newer, *(line for line in lines if line.reason is None))
        below = [line for line in lines if line.reason is not None]
        below += self._left_out(left, given)
        by, warmth = given.question.against, self._store.recalls.warmth([memory.id for memory in only])
        for memory in only:
            rank = f"{positions[memory.id]} by {by}"
            kind, expected = OmissionKind.OTHER_PRESET, given.expected(memory.id)
            row = RecallRow(
                memory, None, warmth[memory.id], None, kind, rank, explanation=f"no. {rank}", expected=expected
            )
            below.append(row)
        return self._with_signs(replace(given, above=above, below=tuple(below)))

    def _unranked(self, memories: Sequence[int], given: RecallAnswer, explanation: str = "") -> list[RecallRow]:
        """Return the rows of memories in the block that are not hits; without an explanation, they are always given."""
        warmth, bar = self._store.recalls.warmth(memories), (0.0,) * len(GROUPS)
        return [
            RecallRow(
                memory,
                None,
                warmth[memory.id],
                bar=bar,
                explanation=explanation or f"always given, {one_line(with_every_prompt(memory.scope))}",
                expected=given.expected(memory.id),
            )
            for memory in self._store.get_many(memories)
        ]

    def _with_signs(self, given: RecallAnswer) -> RecallAnswer:
        shown = tuple(line.memory.id for line in (*given.above, *given.below))
        alerted = self._store.list_ids(Filter(among=shown, lives=(), conflict=True)) if shown else ()
        return replace(given, alerted=frozenset(alerted))

    def _left_out(self, left: Sequence[Omission], given: RecallAnswer) -> list[RecallRow]:
        warmth = self._store.recalls.warmth([item.memory.id for item in left])
        return [
            RecallRow(
                item.memory,
                item.score,
                warmth[item.memory.id],
                reason=item.reason.kind,
                label=omission_label(item.reason),
                explanation=explain_omission(item.reason)
                + ("" if item.cosine is None else f" · similar by {share(item.cosine)}"),
                expected=given.expected(item.memory.id),
            )
            for item in left
        ]


def bars(hits: Sequence[Hit]) -> list[tuple[float, ...]]:
    """Return the score of each hit as lengths by group; the longest bar has length 1.

    Each part is measured from its minimum among the hits, or from 0 if that is less, so that bars have the order of the
    scores. Factors are measured by their logarithms.
    """
    valued = [
        {name: log(max(value, _LEAST)) if hit.product else value for name, value in hit.parts.items()} for hit in hits
    ]
    least = {name: min(0.0, *(parts.get(name, 0.0) for parts in valued)) for parts in valued for name in parts}
    lengths = []
    for parts in valued:
        groups = [0.0] * len(GROUPS)
        for name, floor in least.items():
            groups[_GROUP[name]] += parts.get(name, 0.0) - floor
        lengths.append(groups)
    longest = max(map(sum, lengths), default=0.0) or 1.0
    return [tuple(length / longest for length in groups) for groups in lengths]


def effect(former: RecallAnswer, now: RecallAnswer, memories: Sequence[int]) -> str:
    """Return the effect of a change to memories on the answer to the same prompt, in a few words; empty if none."""
    before, after = former.positions, now.positions
    one, parts = len(memories) == 1, []
    if one:
        was, position = before.get(memories[0]), after.get(memories[0])
        if was is not None and position is not None:
            parts.append(f"still #{position}" if was == position else f"now #{position}, was #{was}")
        elif was is not None or position is not None:
            parts.append("no longer included" if position is None else f"now included, #{position}")
    for change, numbers in (("added", after.keys() - before), ("dropped", before.keys() - after)):
        others = numbers - set(memories) if one else numbers
        parts += [f"{counted(len(others), 'other' if one else 'memory')} {change}"] if others else []
    tokens = former.block.tokens, now.block.tokens
    parts += [f"{tokens[0]:,} → {tokens[1]:,} tokens"] if tokens[0] != tokens[1] else []
    return ", ".join(parts)


def note(line: RecallRow) -> str:
    """Return the properties of a memory that affect its score: kind, tier, validation, pin, warmth."""
    memory = line.memory
    parts = [] if line.expected is None else ["must be included" if line.expected else "must not be included"]
    parts += [memory.kind, memory.tier, REVIEWS[memory.review]]
    parts += ["pinned"] * memory.pinned
    return " · ".join([*parts, f"warmth {share(line.warmth)}", f"memory {memory.id}"])


def summary(answer: RecallAnswer) -> str:
    """Return the total against the budget, and the tokens by section."""
    made = answer.block
    parts = [f"{made.tokens:,} of {answer.budget:,} tokens, {counted(len(made.memories))}"]
    parts += [f"{name} {tokens:,}" for name, tokens in made.sections.items()]
    parts += [f"wrapper {made.tokens - sum(made.sections.values()):,}"] if made.sections else []
    return " · ".join(parts)


def verdict(checked: CheckResult) -> str:
    """Return the result of a check on one line."""
    return f"check {checked.check.id} {'passes' if checked.holds else f'fails: {problems(checked)}'}"


def problems(checked: CheckResult) -> str:
    """Return the reasons that a check fails."""
    found = [f"memory {memory} is missing ({omission_label(reason)})" for memory, reason in checked.missing]
    found += [f"memory {memory} must not be included" for memory in checked.unwanted]
    more = f" and {len(found) - 2:,} more" if len(found) > 2 else ""
    return "; ".join(found[:2]) + more
