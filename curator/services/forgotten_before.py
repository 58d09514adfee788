"""Forgotten memories and requests to forget that a new memory may say again."""

from dataclasses import dataclass

from curator.curation.forgotten_match import tokenizer
from curator.errors import ModelError
from curator.services.forget_requests import AGENT
from curator.services.request_words import Certainty, answer, parse_request
from store import Store
from store.model import Review

_REQUESTS = 1_000  # to forget: those that the person has not seen, then the latest ones
_SHARED = 0.5
"""Least share of common words of a text and a forgotten one that has its numbers, for a hint, which may be wrong."""


@dataclass(frozen=True, slots=True)
class Former:
    """Words of a forgotten memory or a request to forget, and when that was (microseconds; None if unknown)."""

    words: str
    at: int | None
    asked: bool


def forgotten_before(store: Store, text: str) -> Former | None:
    """Return what the person forgot that a text may say again, or asked to forget; None if there is nothing like it.

    Rejected memories count as junk, not as forgotten. Loads the embedding model if anything is forgotten; compares by
    words alone if it cannot be loaded. Of several, the one that says the same, else the newest.
    """
    from curator.services.import_batch import find_matches
    from curator.services.search_session import working_embedder
    from curator.text import tokens

    for request in store.forget_requests.page(_REQUESTS):
        asked = parse_request(request.words)
        if request.source != AGENT and asked.words and answer(asked, text, ())[0] is Certainty.SURE:
            return Former(request.words, request.said_at, True)
    if not store.tombstones.any():
        return None
    numbers = {word for word in tokens(text) if word.isdigit()}
    found = {
        memory
        for memory, old in store.tombstones.like(text, tokenizer(), _SHARED).items()
        if numbers and numbers <= tokens(old)
    }
    try:
        embedder, notes = working_embedder(store)
        matched = find_matches(store, [text], None if notes else embedder)
    except ModelError:
        matched = find_matches(store, [text])
    same = {memory for memory, _ in matched.values()}
    kept = [memory for memory in store.get_many([*found | same]) if memory.review is not Review.REJECTED]
    if not kept:
        return None
    best = max(kept, key=lambda memory: (memory.id in same, memory.id))
    last = store.journal.last_life_change(best.id)
    return Former(best.text, None if last is None else last.at, False)
