"""Statements that the person takes back at once: "I have two cats... no wait, kidding, one dog"."""

import re

from curator.distill.statements.clauses import sentences

RETRACTED = "retracted"
"""The reason for refusing what the person took back."""
_HINT = re.compile(
    r"\bkidding|\bjoking\b|\bi joked?\b|\ba joke\b|\bjk\b|\bj/k\b|(?:scratch|strike) that|\bno,? wait|\bwait,? no"
    r"|\b(?:lol|haha+|oops|actually),? no"
)
"""Words of which every retraction has one."""
_WORDS = (
    r"(?:(?:lol|haha+|oh|oops|sorry|ah|hm+|um+|well|ok|actually|just|only|i'm|im|i am),? )*"
    r"(?:no,? (?:no,? )*wait|wait,? (?:wait,? )?no|kidding"
    r"|(?:(?:no|nah|nope),? )*(?:i(?:'m| am| was)|im|i) (?:just |only )?(?:jok(?:ing|ed)|kidding)"
    r"|(?:no|nah|nope),? i joke|joking"
    r"|(?:(?:(?:no|nah|nope),? )+(?:it|this|that)(?:'s|s| is| was) (?:just |only )?"
    r"|(?:it|this|that)(?:'s|s| is| was) (?:just|only) )a joke|jk|j/k|(?:scratch|strike) that"
    r"|(?:lol|haha+|oops|actually),? no(?:pe)?)\b"
    r"(?!,? but\b)(?=\s?(?:[,.!;:)…–—-]|$)| (?:i|i'm|i've|we|we're|my|our|it's|lol|haha)\b)"
)
_RETRACTION = re.compile(
    rf"(?:^|[,;:.!?…(–—-]\s{{0,2}}| (?=lol,? no|jk\b)){_WORDS}(?:[,.!…\s–—-]+{_WORDS})*[,.!;:)…\s–—-]*"
)
_OF_PREVIOUS = re.compile(
    r"\s*(?:(?:hm+|oh|oops|sorry|ah|wait|no|ok|okay|actually|well)\b[\s.,!…]*)*(?:scratch|strike|ignore|disregard) that"
    r"\s?[,.!…–—:;-]+\s*(?=(?:i|im|i'm|i've|ive|i'll|we|we're|we've|my|our|it's|its)\b)"
)
"""The start of a message that takes back the end of the person's previous one: "ignore that, I'm applying"."""
_CLAUSE = re.compile(
    r"[;:]\s|, (?:and|but|plus|so) | (?:and|but|plus|so) (?=(?:i|i'm|i've|we|we're|my|our)\b)"
    r"|, (?=(?:i|i'm|i've|we|we're|my|our)\b)"
)
"""The boundary to an earlier statement of the sentence, which is not taken back."""


def retracted_spans(low: str) -> list[tuple[int, int]]:
    """Return the spans of a lower-case text that the person takes back at once, including the words that do so."""
    opening = _OF_PREVIOUS.match(low)
    spans = [opening.span()] if opening else []
    if not _HINT.search(low, opening.end() if opening else 0):
        return spans
    before: tuple[int, int] | None = None
    begin = opening.end() if opening else 0
    for start, end in ((max(start, begin), end) for start, end, _ in sentences(low) if end > begin):
        at = start
        for found in _RETRACTION.finditer(low[start:end]):
            first = start + found.start()
            if low[at:first].strip():
                at = _last_clause(low, at, first)
            elif before and "\n" not in low[before[1] : start]:
                spans.append((_last_clause(low, *before), before[1]))
            spans.append((at, start + found.end()))
            at, before = start + found.end(), None
        before = (at, end) if low[at:end].strip() else None
    return spans


def takes_back_previous(low: str) -> bool:
    """Return True if a lower-case text takes back what the person's previous message ends with."""
    return _OF_PREVIOUS.match(low) is not None


def _last_clause(low: str, start: int, end: int) -> int:
    """Return the start of the last statement of `low[start:end]`, including its conjunction."""
    return max([start, *(clause.start() for clause in _CLAUSE.finditer(low, start, end))])
