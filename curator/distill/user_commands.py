"""What a person orders in a chat: remember this, forget that. Recognised without any model."""

from curator.distill.language import Language

SHORTEST = 8


def remembered(low: str, start: int, end: int, language: Language) -> int | None:
    """Where in the sentence `low[start:end]` begins what is to be remembered, or None if it orders no such thing."""
    found = language.cues["remember"].match(low, start, end)
    if not found or low[end - 1] == "?" or language.cues["not_remember"].match(low, start, end):
        return None
    body = start if low.startswith("to ", found.end()) else found.end()
    return body if end - body >= SHORTEST else None


def forgotten(low: str, start: int, end: int, language: Language) -> int | None:
    """Where in the sentence begins what is to be forgotten, or None if it orders no such thing."""
    found = language.cues["forget"].match(low, start, end)
    asks = low[end - 1] == "?" and not language.cues["asked"].match(low, start, end)  # but: can you forget that ...?
    if not found or asks or language.cues["not_forget"].search(low, start, end):
        return None
    return found.end() if low[found.end() : end].strip(" .!?") else None
