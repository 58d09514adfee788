"""What a chat model is to the rest of the program: it is asked one thing at a time and answers in JSON of a schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

Schema = Mapping[str, object]
"""A JSON schema of the basic subset: objects, arrays, strings, enums, numbers; an object at the root."""


@dataclass(frozen=True, slots=True)
class ChatModel:
    """A model on a server. `context` is the number of tokens it is run with, prompt and answer together."""

    name: str
    digest: str
    context: int

    @property
    def label(self) -> str:
        """What is marked on what it made: the name, and enough of the digest to tell versions apart."""
        return f"{self.name}@{self.digest[:12]}"


@dataclass(frozen=True, slots=True)
class Question:
    """One call. `limit` is the most tokens the answer may have; `seed` and `temperature` make a retry differ."""

    system: str
    user: str
    schema: Schema
    limit: int
    temperature: float = 0.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole answer, as it came: whether it obeys the schema is for the asker to see. Tokens are None if not told."""

    text: str
    prompt_tokens: int | None
    tokens: int | None
    seconds: float


class Chat(Protocol):
    """A chat model that can be asked; one call at a time, cancelled by cancelling the task."""

    @property
    def model(self) -> ChatModel:
        """Which model answers."""
        ...

    async def ask(self, question: Question) -> Reply:
        """The whole answer. Raises the errors of `curator.models.errors`; never an empty or partial answer."""
        ...
