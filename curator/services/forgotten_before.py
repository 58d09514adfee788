"""Find a forgotten memory or a request to forget that a new text may repeat."""

from dataclasses import dataclass

from curator.curation.forgotten_match import tokenizer
from curator.distill.forget.match import Certainty, match_text, parse_request
from curator.errors import ModelError
from curator.services.forget_requests import AGENT
from store import Store
from store.model import Review

_REQUESTS = 1_000  # requests to forget that are considered: unseen ones, then the latest ones
_SHARED = 0.5  # minimum share of common words of two texts with the same numbers


@dataclass(frozen=True, slots=True)
class ForgottenStatement:
    """A forgotten memory, or a request to forget if `asked`; `at` is its time in microseconds, if known."""

    words: str
    at: int | None
    asked: bool


def forgotten_before(store: Store, text: str) -> ForgottenStatement | None:
    """Return the forgotten memory or request to forget that a text may repeat, or None.

    Of several memories, one with the same statement is preferred, then the newest. Rejected memories do not count as
    forgotten. The embedding model is loaded if anything is forgotten; if that fails, only words are compared.
    """
    from curator.services.import_batch import find_matches
    from curator.services.search_session import working_embedder
    from curator.text import tokens

    for request in store.forget_requests.page(_REQUESTS):
        asked = parse_request(request.words)
        if request.source != AGENT and asked.words and match_text(asked, text, ())[0] is Certainty.SURE:
            return ForgottenStatement(request.words, request.said_at, True)
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
    return ForgottenStatement(best.text, None if last is None else last.at, False)
