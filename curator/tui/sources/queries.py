"""What the area Sources reads from the store; for a thread."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from curator.tui.formatting import one_line
from curator.tui.sources.transcript_layout import Layout, Mark, Span, Talk, lay_out
from store import Store
from store.model import Message, Refusal

if TYPE_CHECKING:
    from store.index import Index

FOUND = 200  # messages listed
_BEFORE, _AFTER = 24, 240  # characters of a found message around the first word found
_LIT = 400  # places lit in one message
_QUOTE = 240  # characters of a refused passage


@dataclass(frozen=True, slots=True)
class Place:
    """What is looked at: a conversation, or a message in it, or a span of that; `sought` are words lit there."""

    conversation: int
    message: int | None = None
    span: Span | None = None
    sought: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A refused passage as it is listed."""

    refusal: Refusal
    words: str
    place: Place
    said_at: int | None


@dataclass(frozen=True, slots=True)
class Hit:
    """A message that was found: the words around the first that was sought, and where it was said."""

    words: str
    title: str
    place: Place
    said_at: int | None


def read(store: Store, conversation: int) -> Talk | None:
    """A conversation with its marks; None if it is hidden or gone."""
    found = store.raw.get_conversations([conversation])
    if not found:
        return None
    quotes = [(quote.message, quote) for quote in store.raw.quotes(conversation)]
    memories = {memory.id: memory for memory in store.get_many(list({quote.memory for _, quote in quotes}))}
    marks = [
        Mark(message, quote.start, quote.end, memory=memories[quote.memory])
        for message, quote in quotes
        if message is not None and quote.memory in memories
    ]
    marks += [
        Mark(item.message, item.start, item.end, refusal=item, why=why(item.reason))
        for item in store.distillation.refusals(conversation)
    ]
    marks.sort(key=lambda mark: (mark.message, mark.start, mark.end))
    return Talk(found[0], tuple(store.raw.messages(conversation)), tuple(marks))


@dataclass(frozen=True, slots=True)
class Laid:
    """A conversation laid out, as the store had it at `seq`, and where the cursor goes: a line, and a mark there."""

    layout: Layout
    seq: int
    line: int
    mark: int | None


def lay(store: Store, place: Place, width: int, turned: frozenset[int], former: Laid | None) -> Laid | None:
    """Read a conversation, unless nothing was written since `former`, and lay it out; None if it is gone."""
    seq = store.journal.seq()
    known = former is not None and former.seq == seq and former.layout.talk.conversation.id == place.conversation
    talk = former.layout.talk if former is not None and known else read(store, place.conversation)
    if talk is None:
        return None
    mark = _mark_at(talk, place)
    spans = {} if place.message is None or mark is not None else _spans(talk, place.message, place)
    layout = lay_out(talk, width, turned, spans, None if former is None else former.layout)
    line = layout.of_lit() if mark is None else layout.of_mark[mark]
    if line is None and place.message is not None:
        line = layout.find(place.message)
    return Laid(layout, seq, line or 0, mark)


def _mark_at(talk: Talk, place: Place) -> int | None:
    """The mark of exactly the span that is looked for; of several the first."""
    wanted = (place.message, *(place.span or ()))
    marks = ((mark.message, mark.start, mark.end) for mark in talk.marks)
    return next((number for number, mark in enumerate(marks) if mark == wanted), None)


def _spans(talk: Talk, number: int, place: Place) -> dict[int, tuple[Span, ...]]:
    """What is lit in the message that is looked at."""
    if place.span is not None:
        return {number: (place.span,)}
    return {
        message.id: lit(message, place.sought) for message in talk.messages if message.id == number and place.sought
    }


def why(reason: str) -> str:
    """A reason for which something was refused, in words."""
    from curator.distill.reasons import REASONS  # here, since its patterns take 40 ms to compile

    return REASONS.get(reason, "for a reason that this version does not know")


def place_of(store: Store, message: int, span: Span | None) -> Place:
    """Where a message stands. Raises NotFound if it is hidden or gone."""
    return Place(store.raw.message(message).conversation, message, span)


def candidates(store: Store, refusals: Sequence[Refusal]) -> list[Candidate]:
    """Refused passages with their words; without those whose message is hidden or gone."""
    messages = store.raw.visible_messages([refusal.message for refusal in refusals])
    return [_candidate(refusal, messages[refusal.message]) for refusal in refusals if refusal.message in messages]


def _candidate(refusal: Refusal, message: Message) -> Candidate:
    span = (refusal.start, refusal.end)
    words = one_line(message.text[refusal.start : refusal.end], _QUOTE)
    return Candidate(refusal, words, Place(message.conversation, message.id, span), message.created_at)


def search(store: Store, index: "Index", query: str) -> list[Hit]:
    """The messages that hold a query's words, best first. Raises StoreError: Busy, Unusable."""
    numbers = [number for number, _ in index.search_messages(query, FOUND)]
    messages = store.raw.visible_messages(numbers)
    shown = [messages[number] for number in numbers if number in messages]
    conversations = store.raw.get_conversations(list({message.conversation for message in shown}))
    titles = {conversation.id: conversation.title for conversation in conversations}
    pattern = sought(query)
    return [_hit(message, titles.get(message.conversation), query, pattern) for message in shown]


def _hit(message: Message, title: str | None, query: str, pattern: re.Pattern[str] | None) -> Hit:
    found = pattern.search(message.text) if pattern is not None else None
    start = max(found.start() - _BEFORE, 0) if found is not None else 0
    words = "…" * (start > 0) + one_line(message.text[start : start + _BEFORE + _AFTER])
    place = Place(message.conversation, message.id, sought=query)
    return Hit(words, one_line(title or ""), place, message.created_at)


def sought(query: str) -> re.Pattern[str] | None:
    """A pattern for the words of a query as they stand in a text, with other endings too; None if it has no words."""
    from store.index.query_builder import STOP_WORDS, stems  # here, since the index is not needed to read

    words = stems(query)
    words = words - set(STOP_WORDS) or words
    if not words:
        return None
    either = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    return re.compile(
        rf"(?<![^\W_])(?:{either})[^\W_]{{0,4}}(?![^\W_])|(?:{either})(?<=[\u3040-\u9fff])", re.IGNORECASE
    )


def lit(message: Message, query: str) -> tuple[Span, ...]:
    """Where the words of a query stand in a message."""
    pattern = sought(query)
    if pattern is None:
        return ()
    return tuple(found.span() for found, _ in zip(pattern.finditer(message.text), range(_LIT), strict=False))
