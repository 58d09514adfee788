"""The embedded distiller: what a person said of themselves, found by pattern, without any model."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from curator.compare.person import first_person
from curator.distill.blank import blank, lower
from curator.distill.candidate import Candidate, Distilled, ForgetRequest
from curator.distill.clauses import Clause, Statement, clauses, statements
from curator.distill.injection import flag_injection
from curator.distill.language import Family, Language, language_of, languages
from curator.distill.sentences import sentences
from curator.distill.signals import Signals, signals
from store.model import DISTILLED_CHANNELS, Channel, Conversation, Kind, Message, Refusal, Role, Tier

MAX_TEXT = 500
MAX_CONFIDENCE = 0.9
SHORTEST = 8
_SPACE = re.compile(r"\s+")
_MARKS = re.compile(r"(?<!\w)(\*{1,3}|_{2})(?=\S)([^*_\n]{1,200})(?<=\S)\1(?!\w)")
_TAIL = " \t\n\r,;:-–—("


@dataclass(frozen=True, slots=True)
class _Reading:
    """One message being read."""

    message: Message
    low: str
    language: Language


def distil(
    conversation: Conversation,
    messages: Sequence[Message],
    *,
    threshold: float = 0.5,
    limit: int = 5,
    shortest_session: int = 25,
) -> Distilled:
    """Candidates from the person's own turns of one conversation, in the order of the text.

    `threshold` is the least confidence, `limit` the most candidates of one message (standing instructions and saved
    memories have no limit), `shortest_session` the least number of messages of a coding agent's session. What a gate
    kept out is a refusal with its reason; nothing is dropped without one.
    """
    candidates: list[Candidate] = []
    refusals: list[Refusal] = []
    forgets: list[ForgetRequest] = []
    too_short = conversation.agent and len(messages) < shortest_session
    for message in messages:
        if not _own(message):
            continue
        if too_short and message.channel is Channel.SPOKEN:
            refusals.append(Refusal(message.id, 0, len(message.text), "short_session"))
            continue
        found = list(_read(message, threshold))
        kept = [item for item in found if isinstance(item, Candidate)]
        if message.channel is Channel.SPOKEN and len(kept) > limit:
            best = sorted(kept, key=lambda one: (-one.importance * one.confidence, one.start))
            over = {id(one) for one in best[limit:]}
            refusals += [_refused(one, "limit") for one in kept if id(one) in over]
            kept = [one for one in kept if id(one) not in over]
        candidates += kept
        refusals += [item for item in found if isinstance(item, Refusal)]
        forgets += [item for item in found if isinstance(item, ForgetRequest)]
    counts = Counter(refusal.reason for refusal in refusals)
    return Distilled(tuple(candidates), tuple(refusals), tuple(forgets), dict(counts))


def _own(message: Message) -> bool:
    """Whether the person says it: their active turns, their instructions, and what was saved about them."""
    if message.channel not in DISTILLED_CHANNELS or not message.active:
        return False
    if message.channel is Channel.SPOKEN:
        return message.role is Role.USER and not message.hidden
    return True


def _refused(one: Candidate, reason: str) -> Refusal:
    return Refusal(one.message, one.start, one.end, reason, one.kind, one.confidence)


def _read(message: Message, threshold: float) -> Iterator[Candidate | Refusal | ForgetRequest]:
    if message.channel is not Channel.SPOKEN:
        yield from _kept_words(message)
        return
    base = languages()["en"]
    low, blocks = blank(message.text, base)
    for block in blocks:
        yield Refusal(message.id, block.start, block.end, block.reason)
    if not low.strip():
        return
    language = language_of(low)
    if language is None:
        yield Refusal(message.id, 0, len(low), "language")
        return
    reading = _Reading(message, low, language)
    for start, end, is_item in sentences(low, language):
        yield from _sentence(reading, start, end, is_item, threshold)


def _kept_words(message: Message) -> Iterator[Candidate | Refusal | ForgetRequest]:
    """Standing instructions and memories that another system saved: every sentence counts."""
    low = lower(message.text)
    language = language_of(low) or languages()["en"]
    saved = message.channel is Channel.SAVED
    for start, end, _ in sentences(low, language):
        if len(low[start:end].split()) < 2 or end - start < SHORTEST:
            yield Refusal(message.id, start, end, "too_short")
            continue
        plain = first_person(low[start:end])
        family = language.family(plain, 0, len(plain))
        end = _cut(low, start, end)
        yield _candidate(
            message,
            start,
            end,
            _clean(message.text[start:end]),
            family,
            Kind.FACT if saved else Kind.PREFERENCE,
            confidence=0.85 if saved else 0.8,
            importance=8,
            tier=Tier.MEDIUM if saved else Tier.CORE,
        )


def _sentence(
    reading: _Reading, start: int, end: int, is_item: bool, threshold: float
) -> Iterator[Candidate | Refusal | ForgetRequest]:
    message, low, cues = reading.message, reading.low, reading.language.cues
    if forget := _forget(reading, start, end):
        yield forget
        return
    if remember := _remember(reading, start, end):
        yield remember
        return
    parts = clauses(low, start, end, reading.language)
    if low[end - 1] == "?" and parts and not any(part.sort == "question" for part in parts):
        parts[-1] = replace(parts[-1], sort="question", family=None)
    found = list(statements(parts))
    if not found:
        yield Refusal(message.id, start, end, _why(low, start, end, parts, reading))
        return
    corrected = bool(cues["correction"].match(low, start, end))
    for statement in found:
        yield _admit(reading, statement, is_item, corrected, threshold)


def _why(low: str, start: int, end: int, parts: list[Clause], reading: _Reading) -> str:
    """The reason a sentence without any statement is refused for."""
    cues, words = reading.language.cues, low[start:end].split()
    if len(words) <= 8 and cues["greeting"].match(low, start, end):
        return "greeting"
    if len(words) <= 8 and cues["confirmation"].match(low, start, end):
        return "confirmation"
    if len(words) < 3:
        return "too_short"
    sorts = [part.sort for part in parts if part.sort]
    if sorts:
        return sorts[0]
    if language_of(low[start:end]) is None:
        return "language"
    return "no_pattern"


def _admit(
    reading: _Reading, statement: Statement, is_item: bool, corrected: bool, threshold: float
) -> Candidate | Refusal:
    message, family = reading.message, statement.family
    start, end = statement.start, _cut(reading.low, statement.start, statement.end)
    said = _clean(message.text[start:end])
    found = signals(said, reading.language)
    hedged = bool(reading.language.cues["hedge"].search(reading.low, start, end))
    confidence = min(MAX_CONFIDENCE, family.confidence + 0.03 * min(found.specifics, 3) - (0.15 if hedged else 0.0))
    reason = _gate(family, found, said, is_item, message.text[start:end])
    if reason is None and confidence < threshold:
        reason = "low_confidence"
    if reason:
        return Refusal(message.id, start, end, reason, family.kind, confidence)
    importance = family.importance + (1 if corrected or family.change else 0)
    return _candidate(
        message,
        start,
        end,
        said,
        family,
        family.kind,
        confidence=confidence,
        importance=min(importance, 9),
        tier=family.tier,
        object_=_object(reading, statement),
    )


def _gate(family: Family, found: Signals, said: str, is_item: bool, quote: str) -> str | None:
    """The reason to refuse a statement, or None."""
    if len(said) < SHORTEST or found.words < 2:
        return "too_short"
    if family.item and not is_item:
        return "no_pattern"
    if family.number and not (found.numbers or found.dates):
        return "generic"
    if family.capital and not _named(family, quote):
        return "generic"
    if family.strong:
        return None if found.telling + found.dates else "vague"
    if found.telling + found.dates < 2 or (not found.specifics and found.telling < 3):
        return "vague"
    return None


def _named(family: Family, quote: str) -> bool:
    found = family.match(lower(quote), 0, len(quote))
    return bool(found and not quote.isupper() and quote[found.start("object")].isupper())


def _object(reading: _Reading, statement: Statement) -> str | None:
    found = statement.family.match(reading.low, statement.start, statement.end)
    if not found or "object" not in found.re.groupindex or found["object"] is None:
        return None
    return _clean(reading.message.text[slice(*found.span("object"))])[:200] or None


def _cut(low: str, start: int, end: int) -> int:
    """`end`, without trailing commas, and moved back to a comma or space where the text would be too long."""
    if end - start > MAX_TEXT:
        comma = low.rfind(", ", start + MAX_TEXT // 2, start + MAX_TEXT)
        space = low.rfind(" ", start + MAX_TEXT // 2, start + MAX_TEXT)
        end = comma if comma > 0 else space if space > 0 else start + MAX_TEXT
    while end > start + 1 and low[end - 1] in _TAIL:
        end -= 1
    return end


def _clean(text: str) -> str:
    """One line, without emphasis marks, beginning with a capital."""
    plain = _SPACE.sub(" ", _MARKS.sub(r"\2", text)).strip(_TAIL)
    return plain[:1].upper() + plain[1:]


def _candidate(
    message: Message,
    start: int,
    end: int,
    text: str,
    family: Family | None,
    kind: Kind,
    *,
    confidence: float,
    importance: int,
    tier: Tier,
    object_: str | None = None,
) -> Candidate:
    relation = family.relation if family and object_ else None
    line_start = message.text.rfind("\n", 0, start) + 1
    line_end = message.text.find("\n", end)
    line = message.text[max(line_start, start - 2000) : min(line_end if line_end >= 0 else end + 2000, end + 2000)]
    return Candidate(
        message=message.id,
        start=start,
        end=end,
        quote=message.text[start:end],
        text=text[:MAX_TEXT],
        kind=family.kind if family else kind,
        tier=tier,
        confidence=round(confidence, 2),
        importance=importance,
        said_at=message.created_at,
        flag=flag_injection(line),
        subject="user" if relation else None,
        relation=relation,
        object=object_ if relation else None,
        rule=family.name if family else "",
    )


def _remember(reading: _Reading, start: int, end: int) -> Candidate | None:
    low, cues = reading.low, reading.language.cues
    found = cues["remember"].match(low, start, end)
    if not found or low[end - 1] == "?" or cues["not_remember"].match(low, start, end):
        return None
    body = found.end() if not low.startswith("to ", found.end()) else start
    end = _cut(low, body, end)
    if end - body < SHORTEST:
        return None
    family = reading.language.family(low, body, end)
    return _candidate(
        reading.message,
        body,
        end,
        _clean(reading.message.text[body:end]),
        family,
        Kind.FACT,
        confidence=MAX_CONFIDENCE,
        importance=10,
        tier=Tier.CORE,
    )


def _forget(reading: _Reading, start: int, end: int) -> ForgetRequest | None:
    low, cues = reading.low, reading.language.cues
    found = cues["forget"].match(low, start, end)
    if not found or low[end - 1] == "?" or cues["not_forget"].match(low, found.start(), end):
        return None
    query = _clean(reading.message.text[found.end() : end]).rstrip(".!")
    if not query:
        return None
    return ForgetRequest(reading.message.id, start, end, query, reading.message.created_at)
