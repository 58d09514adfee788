"""Interface of chat models: one question at a time, answered in JSON that matches a schema."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

Schema = Mapping[str, object]
"""A JSON schema of the basic subset: objects, arrays, strings, enums, numbers; an object at the root."""


def items_schema(fields: Mapping[str, object], most: int = 1) -> Schema:
    """Return the schema of `{"items": [...]}` with at most `most` objects that require all of the fields."""
    item = {"type": "object", "properties": fields, "required": list(fields)}
    items = {"type": "array", "maxItems": most, "items": item}
    return {"type": "object", "properties": {"items": items}, "required": ["items"]}


@dataclass(frozen=True, slots=True)
class ChatModel:
    """A model on a server. `context` is its context size in tokens, prompt and answer together."""

    name: str
    digest: str
    context: int

    @property
    def label(self) -> str:
        """The name and the start of the digest, stored with the model's results."""
        return f"{self.name}@{self.digest[:12]}"


@dataclass(frozen=True, slots=True)
class Question:
    """One call. `limit` is the maximum tokens of the answer; `seed` and `temperature` make a retry differ."""

    system: str
    user: str
    schema: Schema
    limit: int
    temperature: float = 0.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """A complete answer; the caller validates it against the schema. Tokens are None if unknown."""

    text: str
    prompt_tokens: int | None
    tokens: int | None
    seconds: float


class Chat(Protocol):
    """A chat model; one call at a time, cancelled by cancelling the task."""

    @property
    def model(self) -> ChatModel:
        """The model that answers."""
        ...

    async def ask(self, question: Question) -> Reply:
        """Return the complete answer, never an empty one. Raises the errors of `curator.models.errors`."""
        ...
