"""Queries of the Sources view. Run in a thread."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING

from curator.tui.text_format import one_line
from store import Filter, Store
from store.model import Conversation, Life, Memory, Message, Refusal

if TYPE_CHECKING:
    from store.index import Index

FOUND = 200  # messages listed
_BEFORE, _AFTER = 24, 240  # characters of a found message around the first word found
_MAX_HIGHLIGHTS = 400  # matches highlighted per message
_QUOTE = 240  # characters of a refused passage


Span = tuple[int, int]


class PassageFate(StrEnum):
    """The fate of a passage."""

    KEPT = "kept"  # a live memory quotes it
    INACTIVE = "gone"  # a memory quotes it that is no longer live
    REFUSED = "refused"  # a gate refused it


@dataclass(frozen=True, slots=True)
class PassageMark:
    """A passage of a message that is quoted by a memory or was refused."""

    message: int
    start: int
    end: int
    memory: Memory | None = None
    refusal: Refusal | None = None
    why: str = ""  # the reason for the refusal, in words

    @property
    def fate(self) -> PassageFate:
        """The fate of the passage."""
        if self.memory is None:
            return PassageFate.REFUSED
        return PassageFate.KEPT if self.memory.life is Life.LIVE else PassageFate.INACTIVE


@dataclass(frozen=True, slots=True)
class MarkedConversation:
    """A conversation with its visible messages, and their marks in reading order."""

    conversation: Conversation
    messages: tuple[Message, ...]
    marks: tuple[PassageMark, ...]


@dataclass(frozen=True, slots=True)
class TranscriptLocation:
    """A conversation, a message in it, or a span of that message; words of `query` are highlighted there."""

    conversation: int
    message: int | None = None
    span: Span | None = None
    query: str = ""


@dataclass(frozen=True, slots=True)
class RefusedPassage:
    """A refused passage in the list."""

    refusal: Refusal
    words: str
    location: TranscriptLocation
    said_at: int | None


@dataclass(frozen=True, slots=True)
class MessageHit:
    """A message found by a search: its text around the first match, and its location."""

    words: str
    title: str
    location: TranscriptLocation
    said_at: int | None


def read(store: Store, conversation: int) -> MarkedConversation | None:
    """Return a conversation with its marks; None if it is hidden or no longer stored."""
    conversations = store.raw.get_conversations([conversation])
    if not conversations:
        return None
    quotes = store.raw.quotes(conversation)
    memories = {memory.id: memory for memory in store.get_many(list({quote.memory for quote in quotes}))}
    marks = [
        PassageMark(quote.message, quote.start, quote.end, memory=memories[quote.memory])
        for quote in quotes
        if quote.message is not None and quote.memory in memories
    ]
    marks += [
        PassageMark(item.message, item.start, item.end, refusal=item, why=why(item.reason))
        for item in store.distillation.refusals(conversation)
    ]
    marks.sort(key=lambda mark: (mark.message, mark.start, mark.end))
    return MarkedConversation(conversations[0], tuple(store.raw.messages(conversation)), tuple(marks))


def why(reason: str) -> str:
    """Return the description of a refusal reason."""
    from curator.distill.reasons import REASONS  # lazy: its patterns take 40 ms to compile

    return REASONS.get(reason, "unknown reason")


def locate_message(store: Store, message: int, span: Span | None) -> TranscriptLocation:
    """Return the location of a message. Raises NotFound if it is hidden or no longer stored."""
    return TranscriptLocation(store.raw.message(message).conversation, message, span)


def refused_passages(store: Store, refusals: Sequence[Refusal]) -> list[RefusedPassage]:
    """Return refused passages with their text, except those whose message is hidden or no longer stored."""
    messages, passages = store.raw.visible_messages([refusal.message for refusal in refusals]), []
    for refusal in refusals:
        if (message := messages.get(refusal.message)) is not None:
            words = one_line(message.text[refusal.start : refusal.end], _QUOTE)
            location = TranscriptLocation(message.conversation, message.id, (refusal.start, refusal.end))
            passages.append(RefusedPassage(refusal, words, location, message.created_at))
    return passages


def search(store: Store, index: "Index", query: str) -> tuple[str, list[MessageHit]]:
    """Return the query that was searched, and the messages that match it, best first.

    If nothing matches, misspelt words are replaced by similar words of memories. Raises StoreError: Busy, Unusable.
    """
    message_ids = [message_id for message_id, _ in index.search_messages(query, FOUND)]
    if not message_ids:
        from curator.recall.corrections import correct_spelling, corrected_query

        also = correct_spelling(index, None, query, Filter(), (), for_model=False)
        query = corrected_query(query, also)
        message_ids = [message_id for message_id, _ in index.search_messages(query, FOUND)] if also else []
    messages = store.raw.visible_messages(message_ids)
    shown = [messages[message_id] for message_id in message_ids if message_id in messages]
    conversations = store.raw.get_conversations(list({message.conversation for message in shown}))
    titles = {conversation.id: conversation.title for conversation in conversations}
    pattern, hits = search_pattern(query), []
    for message in shown:
        match = pattern.search(message.text) if pattern is not None else None
        start = max(match.start() - _BEFORE, 0) if match is not None else 0
        words = "…" * (start > 0) + one_line(message.text[start : start + _BEFORE + _AFTER])
        title = one_line(titles.get(message.conversation) or "")
        hits.append(
            MessageHit(
                words, title, TranscriptLocation(message.conversation, message.id, query=query), message.created_at
            )
        )
    return query, hits


def search_pattern(query: str) -> re.Pattern[str] | None:
    """Return a pattern for the words of a query with any ending; None if there are no words."""
    from store.index.queries import stems  # lazy: reading does not need the index
    from store.index.tables import STOP_WORDS
    from store.index.unspaced import UNSPACED

    words = stems(query)
    words = words - set(STOP_WORDS) or words
    if not words:
        return None
    either = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    return re.compile(rf"(?<![^\W_])(?:{either})[^\W_]{{0,4}}(?![^\W_])|(?:{either})(?<={UNSPACED})", re.IGNORECASE)


def highlights(message: Message, query: str) -> tuple[Span, ...]:
    """Return the spans of a query's words in a message."""
    pattern = search_pattern(query)
    matches = () if pattern is None else pattern.finditer(message.text)
    return tuple(match.span() for match in islice(matches, _MAX_HIGHLIGHTS))
