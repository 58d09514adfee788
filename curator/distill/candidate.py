"""Results of a distiller: candidates, refusals, and requests to forget."""

from collections.abc import Mapping
from dataclasses import dataclass

from store.model import Kind, Refusal, Tier

REQUESTED = 10
"""Importance of requests to remember, which are admitted whatever their surprise."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that a distiller proposes. `quote` is the message's text from `start` to `end`, in code points."""

    message: int
    start: int
    end: int
    quote: str
    text: str  # text of the memory, at most 500 characters
    kind: Kind
    tier: Tier
    confidence: float  # 0-0.9
    importance: int  # 1-10
    said_at: int | None = None  # microseconds since 1970 UTC
    expires_at: int | None = None  # by a model's judgment; microseconds since 1970 UTC
    flag: str | None = None  # "injection": goes to quarantine
    subject: str | None = None
    relation: str | None = None
    object: str | None = None
    standing: bool = False  # an instruction for later answers
    always: bool = False  # a permanent order, or a request to remember: given with every prompt
    everywhere: bool = False  # said to apply beyond the current project
    in_project: bool = False  # said to apply in the current project only
    rule: str = ""  # the pattern family that found it
    whole: str = ""  # the full words as said, if `text` is a part of them or has resolved dates


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """A request in the chat to forget `query`; proposed with a preview, never carried out automatically.

    `start` and `end` are the span of the query in `message`; `asked_in` is the message that asks, which is a later one
    if it points at what was said before.
    """

    message: int
    start: int
    end: int
    query: str
    said_at: int | None
    asked_in: int


@dataclass(frozen=True, slots=True)
class Distilled:
    """The results of one conversation; `counts` has the number of refused pieces of text by reason."""

    candidates: tuple[Candidate, ...]
    refusals: tuple[Refusal, ...]
    forget_requests: tuple[ForgetRequest, ...]
    counts: Mapping[str, int]
