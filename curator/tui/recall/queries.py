"""What a model would be given with a prompt, found for the area Recall. All of it runs in a lane.

Looking is no use of a memory: nothing is recorded here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import TYPE_CHECKING

from curator.recall.preset_names import Preset
from curator.tui.formatting import counted
from curator.tui.labels import decimal
from store import Filter, Store
from store.model import Memory, Review

if TYPE_CHECKING:
    from curator.models import Embedder
    from curator.models.tokens import Counter
    from curator.recall import Block, Hit, SearchOptions, SearchResult
    from curator.recall.expectations import CheckResult
    from curator.recall.select import Omission
    from curator.services.recall import CheckRun
    from curator.services.search_session import Searching

Form = tuple[str, str]
"""Style and detail of a block."""

_REACH = 100  # candidates from each search
_LEAST = 1e-9  # of a factor, whose logarithm is taken
GROUPS: Mapping[str, tuple[str, ...]] = {
    "words": ("text", "context", "spelling"),
    "meaning": ("meaning", "vector", "cosine"),
    "said": ("conversation", "replies", "length", "asks", "tells", "dated", "person"),
    "standing": ("validated", "tier", "warmth", "age", "decay", "recency", "importance", "gravity"),
}
"""What the parts of a score come from: its words, its meaning, how and where it was said, what became of it since."""
_GROUP = {part: place for place, parts in enumerate(GROUPS.values()) for part in parts}


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: the prompt, by which preset, with the places of which other preset beside it, in which budget,
    among which memories (in the filter language), and in which form the block is.

    What is None stands for what the settings say, which take a while to load.
    """

    prompt: str
    preset: Preset | None
    against: Preset | None
    budget: int | None
    among: str = ""
    form: Form = ("system", "compact")


@dataclass(frozen=True, slots=True)
class Line:
    """A memory in the list. `place` is None, and `reason` says why, for what is not in the block.

    `bar` is the length of each of the `GROUPS` in a bar whose longest is 1; `moved` how many places higher this is than
    by the other preset, None if that has it not at all. `expected` is what the person's check of this prompt says: that
    it must be given, or must not.
    """

    memory: Memory
    score: float | None
    warmth: float
    place: int | None = None
    reason: str = ""
    bar: tuple[float, ...] = ()
    moved: int | None = None
    told: str = ""
    expected: bool | None = None

    @property
    def as_expected(self) -> bool:
        """Whether it is where the person's check wants it."""
        return self.expected is None or self.expected == (not self.reason)


@dataclass(frozen=True, slots=True)
class Answer:
    """What would be given, and what was left out; right as of the store's event `seq`. `notes` must be shown.

    `checked` is what comes of the check that the person keeps of this prompt.
    """

    question: Question
    preset: Preset
    budget: int
    seq: int
    block: "Block"
    above: tuple[Line, ...]
    below: tuple[Line, ...]
    notes: tuple[str, ...]
    found: "SearchResult"
    wanted: "SearchOptions"
    embedder: "Embedder | None"
    checked: "CheckResult | None" = None


class Recaller:
    """Answers prompts, one after the other; opens the index when the store has changed."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._opened: Searching | None = None
        self._upto = -1

    def ask(self, question: Question, now: int) -> Answer:
        """What a model would be given as of `now`. Raises StoreError, ModelError."""
        from curator.config import settings
        from curator.errors import ModelError
        from curator.recall import Detail, Style, block
        from curator.services.recall import block_options
        from curator.services.search_session import BY_WORDS

        opened, seq = self._open()
        embedder, notes = opened.embedder, opened.notes
        known, wanted = settings().recall, block_options(question.preset, now=now)
        budget = question.budget or known.budget
        count, problem = _counter(known.tokenizer)
        notes = (*notes, problem) if problem else notes
        try:
            found, other = self._found(opened, embedder, question, wanted)
        except ModelError as error:
            embedder, notes = None, (*notes, BY_WORDS.format(error=error))
            found, other = self._found(opened, None, question, wanted)
        style, detail = Style(question.form[0]), Detail(question.form[1])
        made = block(self._store, found.hits, budget, style, detail, now, count)
        checked = None if question.among else self._checked(question, found, made)
        return self._laid(
            Answer(question, wanted.preset, budget, seq, made, (), (), notes, found, wanted, embedder, checked), other
        )

    def omissions_of(self, answer: Answer) -> Answer:
        """The same with what no search sees: what was superseded or has expired."""
        from curator.recall import omissions_of

        opened, _ = self._open()
        prompt, found, which = answer.question.prompt, answer.found, _which(answer.question, answer.wanted)
        left = omissions_of(self._store, opened.index, answer.embedder, prompt, which, answer.wanted, found)
        known = {line.memory.id for line in (*answer.above, *answer.below)}
        more = [item for item in left if item.memory.id not in known]
        return replace(answer, below=(*answer.below, *self._out(more, answer.checked)))

    def run_checks(self, now: int) -> "CheckRun":
        """What comes of all checks, as `curator check` runs them. Raises StoreError, ConfigError."""
        from curator.services.recall import run_checks

        return run_checks(self._store, self._open()[0], self._store.checks.all(), now=now)

    def _open(self) -> "tuple[Searching, int]":
        from curator.services.search_session import open_search

        seq = self._store.journal.seq()
        if self._opened is None or seq != self._upto:
            self._opened, self._upto = open_search(self._store), seq
        return self._opened, seq

    def _found(
        self, opened: "Searching", embedder: "Embedder | None", question: Question, wanted: "SearchOptions"
    ) -> "tuple[SearchResult, SearchResult | None]":
        """By the preset, and by the other one over the same candidates."""
        from curator.recall import answer, sheets_of

        asked = [(question.prompt, _which(question, wanted))]
        ((sheet, vectors),) = sheets_of(self._store, opened.index, embedder, asked, _REACH, wanted.now, True)
        found = answer(self._store, sheet, vectors, question.prompt, wanted)
        if question.against is None:
            return found, None
        other = replace(wanted, preset=question.against)
        return found, answer(self._store, sheet, vectors, question.prompt, other)

    def _checked(self, question: Question, found: "SearchResult", made: "Block") -> "CheckResult | None":
        from curator.recall.expectations import check_prompt, evaluate

        kept = self._store.checks.all()
        words = check_prompt(question.prompt) if kept else ""
        check = next((check for check in kept if check.query == words), None)
        return None if check is None else evaluate(self._store, check, found, made)

    def _laid(self, answer: Answer, other: "SearchResult | None") -> Answer:
        from curator.recall.explain import explained, why
        from curator.recall.select import Omission

        hits, left = answer.found.hits, answer.found.omitted
        warmth = self._store.recalls.warmth([hit.memory.id for hit in hits])
        places = {} if other is None else {hit.memory.id: place for place, hit in enumerate(other.hits, 1)}
        above: list[Line] = []
        below: list[Line] = []
        for place, (hit, bar) in enumerate(zip(hits, bars(hits), strict=True), 1):
            number = hit.memory.id
            moved = places[number] - place if number in places else None
            reason = answer.block.dropped.get(number, "")
            told = f"{why(reason)}  ·  {explained(hit)}" if reason else explained(hit)
            expected = _expected(answer.checked, number)
            line = Line(hit.memory, hit.score, warmth[number], place, reason, bar, moved, told, expected)
            (below if reason else above).append(line)
        known = {memory.id for memory in (*(hit.memory for hit in hits), *(item.memory for item in left))}
        theirs = () if other is None else other.hits
        only = [
            Omission(hit.memory, f"{places[hit.memory.id]} by {answer.question.against}", None)
            for hit in theirs
            if hit.memory.id not in known
        ]
        below += self._out([*left, *only], answer.checked)
        return replace(answer, above=tuple(above), below=tuple(below))

    def _out(self, left: "Sequence[Omission]", checked: "CheckResult | None") -> list[Line]:
        from curator.recall.explain import why

        warmth = self._store.recalls.warmth([item.memory.id for item in left])
        lines = []
        for item in left:
            number, reason = item.memory.id, item.reason
            told = why(reason) if item.cosine is None else f"{why(reason)}  ·  cosine {item.cosine:.2f}"
            expected = _expected(checked, number)
            lines.append(Line(item.memory, item.score, warmth[number], reason=reason, told=told, expected=expected))
        return lines


def bars(hits: "Sequence[Hit]") -> list[tuple[float, ...]]:
    """The score of each hit as lengths by group, the longest bar 1.

    A part counts from the least it is among the hits, or from nothing if that is less, so that bars have the order of
    the scores. Factors count by their logarithms.
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
    longest = max((sum(groups) for groups in lengths), default=0.0) or 1.0
    return [tuple(length / longest for length in groups) for groups in lengths]


def effect(former: Answer, now: Answer, memories: Sequence[int]) -> str:
    """What a change to memories did to what would be given for the same prompt, in a few words; nothing if nothing."""
    before, after = _places(former), _places(now)
    parts = []
    if len(memories) == 1:
        was, place = before.get(memories[0]), after.get(memories[0])
        if was is not None and place is not None:
            parts.append(f"still number {place}" if was == place else f"number {was} before, {place} now")
        elif was is not None:
            parts.append("not given any more")
        elif place is not None:
            parts.append(f"given now, as number {place}")
    others = "other" if len(memories) == 1 else "memory"
    for told, gained in (("in", after.keys() - before), ("out", before.keys() - after)):
        gained = gained - set(memories) if len(memories) == 1 else gained
        parts += [f"{counted(len(gained), others)} {told}"] if gained else []
    tokens = former.block.tokens, now.block.tokens
    parts += [f"{tokens[0]:,} tokens before, {tokens[1]:,} now"] if tokens[0] != tokens[1] else []
    return ", ".join(parts)


def _places(answer: Answer) -> dict[int, int]:
    return {line.memory.id: place for place, line in enumerate(answer.above, 1)}


def standing(line: Line) -> str:
    """What is known of a memory that bears on its score: kind, tier, whether it is validated, how warm it is."""
    memory = line.memory
    parts = [memory.kind, memory.tier, "validated" if memory.review is Review.VALIDATED else "not validated"]
    if memory.pinned:
        parts.append("pinned")
    if line.expected is not None:
        parts.insert(0, "must be given" if line.expected else "must not be given")
    return " · ".join([*parts, f"warmth {decimal(line.warmth)}", f"memory {memory.id}"])


def summary(answer: Answer) -> str:
    """Tokens by section against the budget."""
    made = answer.block
    parts = [f"{name} {tokens:,}" for name, tokens in made.sections.items()]
    parts += [f"frame {made.tokens - sum(made.sections.values()):,}"] if made.sections else []
    parts.append(f"{made.tokens:,} of {answer.budget:,} tokens, {counted(len(made.memories))}")
    return " · ".join(parts)


def verdict(checked: "CheckResult") -> str:
    """What comes of a check, in a line."""
    return f"check {checked.check.id}: {'holds' if checked.holds else problems(checked)}"


def problems(checked: "CheckResult") -> str:
    """What of a check does not hold."""
    missing = [f"{memory} is missing, {reason}" for memory, reason in checked.missing]
    unwanted = [f"{memory} must not be given" for memory in checked.unwanted]
    told = [*missing, *unwanted]
    more = f" and {len(told) - 2:,} more" if len(told) > 2 else ""
    return "; ".join(told[:2]) + more


def _expected(checked: "CheckResult | None", memory: int) -> bool | None:
    if checked is None:
        return None
    return True if memory in checked.check.must else False if memory in checked.check.must_not else None


def _which(question: Question, wanted: "SearchOptions") -> Filter:
    """The memories that are asked among; the settings may say that only what is validated is given."""
    from curator.filters.memories import parse_filter
    from curator.services.recall import recallable

    return recallable(parse_filter(question.among, now=wanted.now))


def _counter(tokenizer: str) -> "tuple[Counter, str]":
    """What counts tokens, and what must be said of it."""
    from curator.errors import ConfigError
    from curator.recall import count_tokens, token_counter

    try:
        return token_counter(tokenizer), ""
    except ConfigError as error:
        return count_tokens, f"tokens are estimated: {error}"
