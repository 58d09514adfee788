"""The embedded distiller: what a person said of themselves, found by pattern, without any model."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from curator.distill.candidate import Candidate, Distilled, ForgetRequest
from curator.distill.clauses import Statement, clauses, statements
from curator.distill.filters import SHORTEST, refuse, without_statement
from curator.distill.language import Family, Language, language_of, languages
from curator.distill.mask import blank, lower
from curator.distill.reasons import SHORT_SESSION
from curator.distill.sentences import sentences
from curator.distill.specificity import signals
from curator.distill.user_commands import forgotten, remembered
from curator.injection import flag_injection
from curator.secrets import MARK
from curator.text import first_person, worded
from curator.text.normalize import EDGES
from store.model import DISTILLED_CHANNELS, Channel, Conversation, Kind, Message, Refusal, Role, Tier

MAX_TEXT = 500
MAX_CONFIDENCE = 0.9
MOST_READ = 150_000
"""Characters of one message that are read; what is longer was not typed."""
HEDGED = 0.15
MOST = 30
PER_CANDIDATE = 120
"""Characters of a person's own words that make room for one candidate above the limit, up to `MOST`."""
ALIKE = 2
OPENING = 5
"""Candidates of one message that may begin with the same words, and with how many."""

_GLUE = 30


@dataclass(slots=True)
class _Reading:
    """One message being read, and what came of it so far."""

    message: Message
    low: str
    language: Language
    candidates: list[Candidate] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    forgets: list[ForgetRequest] = field(default_factory=list)

    def refuse(self, start: int, end: int, reason: str) -> None:
        self.refusals.append(Refusal(self.message.id, start, end, reason))


def distil(
    conversation: Conversation,
    messages: Sequence[Message],
    *,
    limit: int = 5,
    shortest_session: int = 25,
    confidence: float = 0.5,
) -> Distilled:
    """Candidates from the person's own turns of one conversation, in the order of the text.

    `limit` is the most candidates of one message; long messages may have one more
    for every 120 characters of the person's own words, up to 30, standing instructions and saved memories any number.
    `shortest_session` is the least number of messages of a coding agent's session, `confidence` the least of what is
    found by pattern (0-1). What a gate kept out is a refusal
    with its reason; nothing is dropped without one.
    """
    too_short = conversation.agent and len(messages) < shortest_session
    readings: list[_Reading] = []
    for message in messages:
        if not is_own(message):
            continue
        reading = _Reading(message, "", languages()["en"])
        readings.append(reading)
        if message.channel is not Channel.SPOKEN:
            _kept_words(reading)
        elif too_short:
            reading.refuse(0, len(message.text), SHORT_SESSION)
        else:
            _spoken(reading, confidence)
            _within(reading, most_of(limit, reading.low))
    refusals = tuple(refusal for reading in readings for refusal in reading.refusals)
    return Distilled(
        candidates=tuple(candidate for reading in readings for candidate in reading.candidates),
        refusals=refusals,
        forget_requests=tuple(forget for reading in readings for forget in reading.forgets),
        counts=dict(Counter(refusal.reason for refusal in refusals)),
    )


def most_of(limit: int, said: str) -> int:
    """Return how many candidates one message may give: `limit`, or more where much is said."""
    return max(limit, min(MOST, len("".join(said.split())) // PER_CANDIDATE))


def is_own(message: Message) -> bool:
    """Whether the person says it: their active turns, their instructions, and what was saved about them."""
    if message.channel not in DISTILLED_CHANNELS or not message.active:
        return False
    return message.channel is not Channel.SPOKEN or (message.role is Role.USER and not message.hidden)


def _within(reading: _Reading, limit: int) -> None:
    """Keep the `limit` best candidates, by importance and confidence, the earlier of equals; no litanies."""
    begun: Counter[str] = Counter()
    for one in list(reading.candidates):
        opening = " ".join(one.text.lower().split()[:OPENING])
        begun[opening] += 1
        if begun[opening] > ALIKE:
            reading.candidates.remove(one)
            reading.refusals.append(Refusal(one.message, one.start, one.end, "repetition", one.kind, one.confidence))
    best = sorted(reading.candidates, key=lambda one: (-one.importance * one.confidence, one.start))
    for one in best[limit:]:
        reading.refusals.append(Refusal(one.message, one.start, one.end, "limit", one.kind, one.confidence))
    reading.candidates = sorted(best[:limit], key=lambda one: one.start)


def _kept_words(reading: _Reading) -> None:
    """Standing instructions and memories that another system saved: every sentence counts."""
    low = reading.low = lower(reading.message.text)
    language = language_of(low) or reading.language
    saved = reading.message.channel is Channel.SAVED
    for start, end, _ in sentences(low, language):
        if len(low[start:end].split()) < 2 or end - start < SHORTEST:
            reading.refuse(start, end, "too_short")
            continue
        if _is_heading(low, start, end) or MARK in reading.message.text[start:end]:
            reading.refuse(start, end, "secret" if MARK in reading.message.text[start:end] else "heading")
            continue
        plain = first_person(low[start:end])
        family = language.family(plain, 0, len(plain), plain)
        candidate = _candidate(reading, start, _cut(low, start, end), family)
        reading.candidates.append(
            replace(
                candidate,
                kind=family.kind if family else Kind.FACT if saved else Kind.PREFERENCE,
                confidence=0.85 if saved else 0.8,
                importance=8,
                tier=Tier.MEDIUM if saved else Tier.CORE,
            )
        )


def _is_heading(low: str, start: int, end: int) -> bool:
    """Whether a sentence is a line of its own that Markdown makes a heading, or emphasises as a whole."""
    line = low[low.rfind("\n", 0, start) + 1 : len(low) if (stop := low.find("\n", end)) < 0 else stop].strip()
    return re.fullmatch(r"#{1,6}\s.*|(\*\*|__)[^*_]+\1:?|\*\*[^*]+:\*\*", line) is not None


def _spoken(reading: _Reading, least: float) -> None:
    size = len(reading.message.text)
    if size > MOST_READ:
        reading.refuse(MOST_READ, size, "too_long")
    reading.low, blocks = blank(reading.message.text[:MOST_READ], reading.language)
    for block in blocks:
        reading.refuse(block.start, block.end, block.reason)
    if not reading.low.strip():
        return
    language = language_of(reading.low)
    if language is None:
        reading.refuse(0, len(reading.low), "language")
        return
    reading.language = language
    for start, end, is_item in sentences(reading.low, language):
        _sentence(reading, start, end, is_item, least)


def _sentence(reading: _Reading, start: int, end: int, is_item: bool, least: float) -> None:
    message, low, language = reading.message, reading.low, reading.language
    if (body := forgotten(low, start, end, language)) is not None:
        end -= low[end - 1] == "?"
        query = _clean(message.text[body:end]).rstrip(".!")
        reading.forgets.append(ForgetRequest(message.id, body, end, query, message.created_at))
        return
    if (body := remembered(low, start, end, language)) is not None and MARK not in message.text[body:end]:
        family = language.family(low, body, end, message.text)
        candidate = _candidate(reading, body, _cut(low, body, end), family)
        reading.candidates.append(
            replace(candidate, confidence=MAX_CONFIDENCE, importance=10, tier=Tier.CORE),
        )
        return
    if language.cues["performed"].search(low, start, end):
        reading.refuse(start, end, "quoted")
        return
    parts = clauses(low, message.text, start, end, language)
    if low[end - 1] == "?" and parts and not any(part.sort == "question" for part in parts):
        parts[-1] = replace(parts[-1], sort="question", family=None)
    found = list(statements(parts))
    if not found:
        reading.refuse(start, end, without_statement(low, start, end, parts, language))
    corrected = bool(language.cues["correction"].match(low, start, end))
    for statement in found:
        _admit(reading, statement, is_item, corrected, least)


def _admit(reading: _Reading, statement: Statement, is_item: bool, corrected: bool, least: float) -> None:
    """Make a statement a candidate, join it to the one before that it points at, or refuse it."""
    text, family = reading.message.text, statement.family
    start, end = statement.start, _cut(reading.low, statement.start, statement.end)
    low = reading.low[start:end]
    hedged = bool(reading.language.cues["hedge"].search(low))
    found = signals(text[start:end], reading.language)
    confidence = min(MAX_CONFIDENCE, family.confidence + 0.03 * min(found.specifics, 3) - (HEDGED if hedged else 0.0))
    reason = (
        "secret" if MARK in text[start:end] else refuse(family, text[start:end], low, found, is_item, reading.language)
    )
    if reason == "vague" and found.specifics and (last := _just_before(reading, start, end)):
        reading.candidates[-1] = _joined(reading, last, end)
        return
    if reason is None and confidence < least:
        reason = "low_confidence"
    if reason:
        reading.refusals.append(Refusal(reading.message.id, start, end, reason, family.kind, round(confidence, 2)))
        return
    candidate = _candidate(reading, start, end, family)
    raised = candidate.importance + (1 if corrected or family.change else 0)
    reading.candidates.append(replace(candidate, confidence=round(confidence, 2), importance=min(9, raised)))


def _just_before(reading: _Reading, start: int, end: int) -> Candidate | None:
    """The last candidate, if next to nothing stands between it and `start` and both fit into one memory."""
    if not reading.candidates:
        return None
    last = reading.candidates[-1]
    between = reading.low[last.end : start]
    return last if len(between) <= _GLUE and "\n\n" not in between and end - last.start <= MAX_TEXT else None


def _joined(reading: _Reading, last: Candidate, end: int) -> Candidate:
    quote = reading.message.text[last.start : end]
    return replace(last, end=end, quote=quote, text=_clean(quote), flag=_flag(reading.message.text, last.start, end))


def _candidate(reading: _Reading, start: int, end: int, family: Family | None) -> Candidate:
    message = reading.message
    quote = message.text[start:end]
    value = _object(family, quote) if family and family.relation else None
    return Candidate(
        message=message.id,
        start=start,
        end=end,
        quote=quote,
        text=_clean(quote),
        kind=family.kind if family else Kind.FACT,
        tier=family.tier if family else Tier.MEDIUM,
        confidence=family.confidence if family else 0.5,
        importance=family.importance if family else 5,
        said_at=message.created_at,
        flag=_flag(message.text, start, end),
        subject="user" if value else None,
        relation=family.relation if family and value else None,
        object=value,
        standing=family is not None and family.standing,
        rule=family.name if family else "",
    )


def _object(family: Family, quote: str) -> str | None:
    found = family.match(lower(quote), 0, len(quote))
    if not found or "object" not in found.re.groupindex or found["object"] is None:
        return None
    return _clean(quote[slice(*found.span("object"))]) or None


def _flag(text: str, start: int, end: int) -> str | None:
    """Whether the line around a quote looks like orders to a model."""
    first = max(text.rfind("\n", 0, start) + 1, start - MAX_TEXT)
    last = text.find("\n", end)
    return _flag_line(text[first : min(last if last >= 0 else len(text), end + MAX_TEXT)])


_flag_line = lru_cache(maxsize=64)(flag_injection)  # candidates of one paragraph share the line


def _cut(low: str, start: int, end: int) -> int:
    """`end` without trailing commas, moved back to a comma or space where the text would be too long."""
    if end - start > MAX_TEXT:
        comma = low.rfind(", ", start + MAX_TEXT // 2, start + MAX_TEXT)
        space = low.rfind(" ", start + MAX_TEXT // 2, start + MAX_TEXT)
        end = comma if comma > 0 else space if space > 0 else start + MAX_TEXT
    while end > start + 1 and low[end - 1] in EDGES:
        end -= 1
    return end


def _clean(text: str) -> str:
    return worded(text)[:MAX_TEXT]
