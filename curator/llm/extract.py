"""Extract memories, with quotes, from the person's turns. Without a model, `curator.distill.distil` does this by rules.

The model proposes; every quote is located in the person's own turns, and every text is compared with its quote.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from curator.compare import relate
from curator.config import settings
from curator.display import iso_date
from curator.distill.candidate import Candidate
from curator.distill.collector import HEDGED
from curator.distill.rules import candidate_limit
from curator.llm import validate
from curator.llm.chunks import Chunk, Turn, chunks, halves
from curator.llm.client import WARMER, Asker, answer_tokens
from curator.llm.data_fence import fence
from curator.llm.quote_locator import locate
from curator.llm.reply_parser import Item, parsed
from curator.llm.validate import QuotedPassage, flagged, quoted_passage
from curator.models import CallFailed, CutShort, Question, TimedOut, TooLong, items_schema
from curator.text import jaccard, tokens
from curator.text.dates import with_dates
from store.clock import DAY
from store.model import Channel, Kind, Refusal, Relation, Tier

__all__ = ["VERSION", "Chunk", "Extracted", "Turn", "chunks", "extract", "question", "read"]

VERSION = "extract/1"
MOST = 12
"""Most items in one answer."""

_PATIENCE = 2
"""Splits of a chunk after timeouts; each timeout may take five minutes."""
_WHO = {"user": "the person, before", "assistant": "the assistant", "other": "someone else"}
_CONFIDENCE = {"low": 0.5, "medium": 0.65, "high": 0.8}
_LASTS = {"7d": 7, "30d": 30, "90d": 90}  # days
_PLACES: Mapping[Kind, tuple[Tier, int]] = {  # tier and importance that the rules give most memories of a kind
    Kind.IDENTITY: (Tier.CORE, 8),
    Kind.TRAIT: (Tier.MEDIUM, 6),
    Kind.PREFERENCE: (Tier.MEDIUM, 6),
    Kind.CONSTRAINT: (Tier.CORE, 8),
    Kind.RELATIONSHIP: (Tier.CORE, 7),
    Kind.DECISION: (Tier.MEDIUM, 7),
    Kind.COMMITMENT: (Tier.MEDIUM, 7),
    Kind.TASK: (Tier.MEDIUM, 5),
    Kind.PROJECT: (Tier.MEDIUM, 6),
    Kind.ENTITY: (Tier.LOW, 5),
    Kind.SKILL: (Tier.MEDIUM, 6),
    Kind.FACT: (Tier.MEDIUM, 6),
    Kind.EVENT: (Tier.LOW, 5),
    Kind.CONTEXT: (Tier.LOW, 4),
}

EXAMPLES = ("I keep 19 beehives behind the lighthouse", "my aunt Odile helps me with them")
"""Quotes in the prompt's example. Small models copy from it."""
_ANSWER = (
    f'{{"items": [{{"turn": 2, "quote": "{EXAMPLES[0]}", "text": "{EXAMPLES[0]}.", "kind": "fact",'
    ' "confidence": "high", "importance": 6, "expires": "never"}, '
    f'{{"turn": 2, "quote": "{EXAMPLES[1]}", "text": "My aunt Odile helps me with my beehives.",'
    ' "kind": "relationship", "confidence": "high", "importance": 5, "expires": "never"}]}'
)
SYSTEM = f"""\
You note what a person said about themselves in a conversation and what will still matter in months: who they are, \
their people, health, wishes, limits, decisions, commitments, projects, skills.

Rules
- Only numbered turns, and only what the person states of themselves, their life or work. Nothing from context, \
nothing that is general knowledge, asked, supposed, quoted or pasted.
- Skip what passes: the question at hand, moods, thanks, routine steps (commands run, commits made), temporary \
workarounds. Never note passwords or keys.
- quote: words copied exactly from that turn, one statement, without the greeting, question or request around it.
- text: that statement in the person's own words and language, in the first person, clear by itself. Keep every \
number, name, "not", "never", "used to", "might". Add nothing. Leave words like "yesterday".
- kind: identity (who I am, health, home, job), trait (habits), preference, constraint (what must never or always be), \
relationship (my people), decision, commitment (what I have agreed to or planned), task, project, entity (a thing or \
place of mine), skill, fact, event, context.
- confidence: high if said plainly, low if you are guessing.
- importance: 1 to 10, how much it matters to later conversations: 8 for health and limits, 5 for most, 2 for trifles.
- expires: after how long it no longer holds: 7d, 30d, 90d, or never. Who the person is never expires.
- One statement an item, at most {MOST}. Most turns hold nothing; if none does, answer {{"items": []}}.

Answer with JSON only. Example of another conversation, where turn 2 says "hi, it is windy. {EXAMPLES[0]} and \
{EXAMPLES[1]}, why do they swarm?":
{_ANSWER}"""


@dataclass(frozen=True, slots=True)
class Extracted:
    """The result of one chunk. Both lists may be empty: most conversations contain no memory, which is no failure.

    `refusals` are the refused passages located in a message; `counts` also includes refusals without a location.
    Duplicate items are folded into one and not counted.
    """

    candidates: tuple[Candidate, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)


async def extract(asker: Asker, chunk: Chunk, again: bool = False, late: int = 0) -> Extracted:
    """Ask for the memories of a chunk.

    After a bad answer, ask again with the fault, then in smaller chunks, both at a slightly higher temperature. After a
    truncated answer or a prompt that is too long, split at once; after a timeout too, but at most twice. Raises the
    last CallFailed if splitting does not help: the chunk then has no result, though good answers to its parts stay
    cached for the next run.

    It calls itself for the parts of a chunk: `again` after a bad answer, `late` with the number of timeouts.
    """
    asked = question(chunk, asker.secret, asker.chat.model.context)
    if again:
        asked = replace(asked, temperature=WARMER, seed=asked.seed + 1)
    try:
        return await asker.ask(VERSION, asked, partial(read, chunk=chunk), tries=1 if again else 2, splits=True)
    except CallFailed as error:
        smaller = isinstance(error, CutShort | TimedOut | TooLong)
        late += isinstance(error, TimedOut)
        parts = halves(chunk)
        if (again and not (smaller and len(parts) > 1)) or (isinstance(error, TooLong) and len(parts) == 1):
            raise
        if late > _PATIENCE:
            raise
    warmer = again or not smaller or len(parts) == 1
    found = [await extract(asker, part, warmer, late) for part in parts]
    candidates: list[Candidate] = []
    counts: Counter[str] = Counter()
    for some in found:
        counts.update(some.counts)
        candidates += [one for one in some.candidates if not any(_same(one, other) for other in candidates)]
    return Extracted(tuple(candidates), tuple(one for some in found for one in some.refusals), dict(counts))


def question(chunk: Chunk, secret: bytes, context: int) -> Question:
    """Build the question for a chunk; `context` is the model's context in tokens."""
    border = fence(secret, *(turn.view for turn in chunk.turns))
    parts = [f"Turns of a conversation. {border.notice}"]
    number, before = 0, ""
    for turn in chunk.turns:
        day = "" if turn.at is None else f", {iso_date(turn.at)}"
        day, before = "" if day == before else day, day
        if turn.own:
            number += 1
            parts.append(border.wrap("turn", turn.view, f"{number}, the person{day}"))
        else:
            parts.append(border.wrap("context", turn.view, f"{_WHO.get(turn.role.value, 'somebody')}{day}"))
    fields: dict[str, object] = {
        "turn": {"type": "integer", "enum": list(range(1, number + 1))},
        "quote": {"type": "string"},
        "text": {"type": "string"},
        "kind": {"type": "string", "enum": [kind.value for kind in Kind]},
        "confidence": {"type": "string", "enum": list(_CONFIDENCE)},
        "importance": {"type": "integer", "minimum": 1, "maximum": 10},
        "expires": {"type": "string", "enum": [*_LASTS, "never"]},
    }
    numbers = "turn 1" if number == 1 else f"turns 1 to {number}"
    parts.append(
        f"End of the data. Note what the person states about themselves in {numbers}: exact quotes, own words, JSON"
        f' {{"items": [...]}} only; {{"items": []}} if there is nothing. {border.notice}'
    )
    return Question(SYSTEM, "\n\n".join(parts), items_schema(fields, MOST), answer_tokens(context))


def read(reply: str, chunk: Chunk) -> Extracted:
    """Parse the candidates and refusals of a reply. Raises BadReply if it does not match the schema."""
    gathered = _Gathered(chunk)
    for number, item in enumerate(parsed(Item, reply)):
        if number < MOST:
            gathered.take(item)
        else:
            gathered.counts["limit"] += 1
    gathered.limit(settings().distil.per_exchange)
    return Extracted(tuple(gathered.candidates), tuple(gathered.refusals), dict(gathered.counts))


@dataclass(slots=True)
class _Gathered:
    """Candidates and refusals of one reply so far."""

    chunk: Chunk
    candidates: list[Candidate] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def take(self, item: Item) -> None:
        """Turn each statement of an item into a candidate, refuse it, or fold it into a duplicate."""
        passage = self._passage(item.turn, item.quote)
        if passage is None:
            self.counts[self._unfounded(item.quote, item.text)] += 1
            return
        for part, text in validate.parted(passage, validate.wording(item.text, passage)):
            reason = validate.refuse_quote(part) or validate.refuse_text(text, part)
            confidence = _CONFIDENCE[item.confidence] - (HEDGED if validate.hedged(part) else 0.0)
            if reason is None and confidence < settings().distil.confidence:
                reason = "low_confidence"
            candidate = _candidate(part, text, item, confidence)
            if reason is not None:
                self._refuse(candidate, reason)
            elif not any(_same(candidate, other) for other in self.candidates):
                self.candidates.append(candidate)

    def limit(self, most: int) -> None:
        """Keep the best candidates of each turn, with the same limit as the rules."""
        for turn in self.chunk.own:
            found = [
                one for one in self.candidates if turn.start <= one.start < turn.end and one.message == turn.message
            ]
            best = sorted(found, key=lambda one: (-one.importance * one.confidence, one.start))
            for candidate in best[candidate_limit(most, turn.text) :]:
                self.candidates.remove(candidate)
                self._refuse(candidate, "limit")

    def _refuse(self, candidate: Candidate, reason: str) -> None:
        self.counts[reason] += 1
        span = (candidate.message, candidate.start, candidate.end)
        self.refusals.append(Refusal(*span, reason, candidate.kind, candidate.confidence))

    def _passage(self, number: int, quote: str) -> QuotedPassage | None:
        """Return the passage in the own turn of that number, or in the only other own turn that contains the quote."""
        own = self.chunk.own
        if 1 <= number <= len(own) and (span := locate(quote, own[number - 1].text)):
            return quoted_passage(own[number - 1], *span)
        found = [(turn, span) for turn in own if (span := locate(quote, turn.text))]
        return quoted_passage(found[0][0], *found[0][1]) if len(found) == 1 else None

    def _unfounded(self, quote: str, text: str) -> str:
        """Return the reason to refuse a quote that is in no own turn."""
        if any(jaccard(tokens(example), tokens(said)) > 0.5 for example in EXAMPLES for said in (quote, text)):
            return "example"
        if '"type"' in quote or '"type"' in text or quote in ("string", "quote"):
            return "schema_echo"
        others = [turn for turn in self.chunk.turns if not turn.own]
        return "not_own" if any(locate(quote, turn.text) for turn in others) else "no_quote"


def _candidate(passage: QuotedPassage, text: str, item: Item, confidence: float) -> Candidate:
    turn, kind = passage.turn, Kind(item.kind)
    tier, importance = _PLACES[kind]
    importance = min(9, item.importance or importance)  # 10 is reserved for what the person asked to be remembered
    days = None if kind is Kind.IDENTITY else _LASTS.get(item.expires or "never")
    if turn.channel is not Channel.SPOKEN:
        tier, importance = (Tier.MEDIUM if turn.channel is Channel.SAVED else Tier.CORE), 8
    elif passage.requested:
        tier, importance = Tier.CORE, 10
    dated = text if turn.channel is Channel.INSTRUCTIONS else with_dates(text, turn.at)
    return Candidate(
        message=turn.message,
        start=turn.start + passage.start,
        end=turn.start + passage.end,
        quote=turn.text[passage.start : passage.end],
        text=dated,
        whole="" if dated == text else text,
        kind=kind,
        tier=tier,
        confidence=round(confidence, 2),
        importance=importance,
        said_at=turn.at,
        expires_at=None if days is None or turn.at is None else turn.at + days * DAY,
        flag=flagged(passage, text),
        rule=VERSION,
    )


def _same(one: Candidate, other: Candidate) -> bool:
    return relate(one.text, other.text).relation is Relation.DUPLICATE
