"""Interfaces of models, and their errors: embedders map texts to vectors, chat models answer in JSON.

Every error names the subject, the place and the remedy. An unreachable server is waited for (`Offline`); a failed call
(`CallFailed`) may be retried and counts against its item.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from curator.errors import ModelError
from store.model import Fingerprint

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Maps texts to vectors whose cosine measures similarity. Safe to call from several threads at once."""

    @property
    def fingerprint(self) -> Fingerprint:
        """The fingerprint shared by all vectors that can be compared with these."""

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> "NDArray[np.float32]":
        """Return an array of shape (len(texts), fingerprint.dimension): one row of length 1 per text, in order.

        Any string has a vector: empty, of any length, in any script, with broken surrogates. `progress` is called with
        the number of texts done so far; an exception it raises stops the work and propagates. An embedder that uses a
        server may raise any ModelError.
        """

    def embed_query(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Embed search queries: some models use another prefix for them than for stored texts."""
        return self.embed(texts)

    def embed_prompt(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Embed prompts to a model: near them are memories that an answer needs, if the embedder was fitted to that."""
        return self.embed_query(texts)

    def is_word(self, word: str) -> bool | None:
        """Return True if a word in lower case is a common one of the model's language; None if it cannot tell."""
        return None


NO_MODEL = "no chat model is set; `curator models` lists them"


class ModelMissing(ModelError):
    """The model cannot be used here: not set up, or unsupported on this machine."""


class FetchFailed(ModelError):
    """Weights could not be fetched into the cache, which is unchanged."""


class NotAllowed(ModelError):
    """Text would leave this machine, and no setting allows the host or the model."""


class Offline(ModelError):
    """The server is unreachable or busy, or disconnected during a call."""


class CallFailed(ModelError):
    """A call that reached the server and failed. `reply` is the text received so far."""

    def __init__(self, message: str, reply: str = "") -> None:
        super().__init__(message)
        self.reply = reply


class ServerFailed(CallFailed):
    """The server reported a failure: out of memory, a crash, a schema it cannot compile."""


class TimedOut(CallFailed):
    """A timeout: no first token, a stall, or the whole call."""


class BadReply(CallFailed):
    """The reply is no answer: not JSON, truncated, against the schema, or empty."""


class CutShort(BadReply):
    """The answer exceeded its token limit."""


class TooLong(CallFailed):
    """The prompt does not fit into the model's context, or the server truncated it silently."""


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
    """A complete answer; the caller validates it against the schema. `tokens` is None if unknown."""

    text: str
    tokens: int | None
    seconds: float


class Chat(Protocol):
    """A chat model; one call at a time, cancelled by cancelling the task."""

    @property
    def model(self) -> ChatModel:
        """The model that answers."""

    async def ask(self, question: Question) -> Reply:
        """Return the complete answer, never an empty one. Raises the errors of `curator.models`."""
