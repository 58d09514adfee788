"""Requests to forget made in chats, as the person is shown them: their matches, and their words."""

from collections.abc import Sequence
from dataclasses import dataclass

from curator import safety
from curator.display import truncate
from curator.distill.statements.clauses import sentences
from curator.services.forget_requests import (
    KEEPING_COMMANDS,
    MAX_DOUBTFUL,
    MAX_REQUESTS,
    DoubtfulMatch,
    RequestMatches,
    match_memory,
    match_requests,
)
from curator.text import lower
from store import Store
from store.model import ASKED, Memory, Review

_KEEPING = (*KEEPING_COMMANDS, "validate", "pin")
_QUOTED = 100  # length of a quoted request in characters


@dataclass(frozen=True, slots=True)
class AskedWords:
    """The words with which the person asked to forget something, and when (microseconds), if known."""

    words: str
    at: int | None


def match_asked(store: Store, requests: Sequence[str]) -> list[RequestMatches]:
    """Return the matches of requests made in chats, by their words, like `match_requests`.

    Memories that the person decided to keep after asking, and health and safety facts, are in doubt with the reason.
    """
    asked_at: dict[str, int | None] = {}
    for request in store.forget_requests.page(MAX_REQUESTS):
        former = asked_at.get(request.words)
        asked_at[request.words] = max(filter(None, (former, request.said_at)), default=None)
    found = match_requests(store, requests)
    sure = sorted({memory.id for matches in found for memory in matches.sure})
    decided = store.journal.last_verbs(sure, _KEEPING) if sure else {}
    shown: list[RequestMatches] = []
    for words, matches in zip(requests, found, strict=True):
        at = asked_at.get(words)
        reasons = {memory.id: _reason_to_keep(memory, at, decided.get(memory.id)) for memory in matches.sure}
        kept = [DoubtfulMatch(memory, reasons[memory.id]) for memory in matches.sure if reasons[memory.id]]
        marked = tuple(memory for memory in matches.sure if not reasons[memory.id])
        shown.append(RequestMatches(marked, (*kept, *matches.doubtful)[: max(MAX_DOUBTFUL, len(kept))]))
    return shown


def _reason_to_keep(memory: Memory, asked_at: int | None, decided_at: int | None) -> str:
    is_kept = memory.review is Review.VALIDATED or memory.pinned or decided_at is not None
    at = decided_at if decided_at is not None else memory.created_at
    if is_kept and asked_at is not None and (at is None or at > asked_at):
        verb = "validated" if memory.review is Review.VALIDATED else "pinned" if memory.pinned else "changed"
        return f"you {verb} it after you asked"
    return "a health or safety fact" if safety.states(memory.text) else ""


def asked_words(store: Store, memory: Memory) -> AskedWords | None:
    """Return the words of the latest request for which a memory is in quarantine, or None."""
    if not memory.quarantined or memory.flag != ASKED:
        return None
    requests = match_memory(store, memory)
    latest = max(requests, key=lambda request: (request.said_at or 0, request.message), default=None)
    if latest is None:
        return None
    message = store.raw.visible_messages([latest.message]).get(latest.message)
    if message is None:
        return AskedWords(latest.words, latest.said_at)
    text = message.text
    spans = [span[:2] for span in sentences(lower(text))]
    start, end = next((span for span in spans if span[0] <= latest.start < span[1]), (latest.start, latest.end))
    if text[start:end].strip(" .!?") == text[latest.start : latest.end].strip(" .!?"):
        end = len(text)  # the sentence before the request says what is meant
    return AskedWords(truncate(" ".join(text[start:end].split()), _QUOTED), latest.said_at)
