"""Rate how well a server's models suit each task, by their properties and by test calls."""

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from curator.errors import ModelError
from curator.models import Chat, Question, Reply
from curator.models.ollama import Installed, Server
from curator.services.model_servers import ChatServer

TASKS = ("distil", "score", "judge", "merge")
"""Tasks of a chat model."""
MIN_SCHEMA_VERSION = "0.21.1"
"""First Ollama version that enforces the schema for all models if thinking is off."""
_SMALLEST, _LARGEST = 2.9, 10.0  # billions of parameters: smaller models ignore instructions, larger ones are slow
_CONTEXT = 4096  # tokens needed for a chunk of a conversation and the answer

_KINDS = ("animal", "plant")
_SCHEMA = {
    "type": "object",
    "properties": {
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"word": {"type": "string"}, "kind": {"type": "string", "enum": list(_KINDS)}},
                "required": ["word", "kind"],
            },
            "maxItems": 8,
        }
    },
    "required": ["items"],
}
_SYSTEM = (
    'Sort words. Answer in JSON only, as {"items": [{"word": "...", "kind": "animal" or "plant"}]}, '
    "one item for each word, in the order given."
)
_WORDS = "heron, tulip, otter, oak, fern, adder"


class Fitness(StrEnum):
    """Fitness of a model for a task. WEAK: often wrong. SLOW: accurate but slow."""

    GOOD = "good"
    WEAK = "weak"
    SLOW = "slow"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ChatProbe:
    """Result of probing a chat model. `rate` is in tokens per second; None if the server does not count them."""

    model: str
    obeyed: bool
    rate: float | None
    seconds: float
    """Duration of the first call, which loads the model."""


@dataclass(frozen=True, slots=True)
class EmbeddingProbe:
    """Result of probing an embedding model."""

    model: str
    dimension: int
    seconds: float


def fitness(model: Installed) -> Mapping[str, Fitness]:
    """Return a model's fitness for each task, judged by its capabilities, size and context length.

    3 to 9 billion parameters are good, fewer are weak, and more are slow on common hardware. A context of less than
    4,096 tokens is weak.
    """
    fit = {"embed": Fitness.GOOD} if model.embeds else {}
    if model.chats:
        level = Fitness.GOOD if model.remote or (model.billions or 0) < _LARGEST else Fitness.SLOW
        if model.billions is None:
            level = Fitness.UNKNOWN
        small = model.billions is not None and model.billions < _SMALLEST
        if small or (model.context is not None and model.context < _CONTEXT):
            level = Fitness.WEAK
        fit |= dict.fromkeys(TASKS, level)
    return fit


def is_too_old(version: str) -> bool:
    """Return True if this server version does not enforce schemas for all models; unparsable versions count as new."""
    return bool(numbers := _numbers(version)) and numbers < _numbers(MIN_SCHEMA_VERSION)


def _numbers(version: str) -> tuple[int, ...]:
    found = re.match(r"\d+(\.\d+)*", version.strip())
    return tuple(int(part[:9]) for part in found.group().split(".")) if found else ()


async def try_chat(chat: Chat) -> ChatProbe:
    """Call a model twice, to load it and to measure its speed. Raises ModelError."""
    first = await chat.ask(_question(0))
    second = await chat.ask(_question(1))
    rate = second.tokens / second.seconds if second.tokens and second.seconds else None
    return ChatProbe(chat.model.name, _follows_schema(first) and _follows_schema(second), rate, first.seconds)


def _question(seed: int) -> Question:
    return Question(_SYSTEM, f"The words: {_WORDS}", _SCHEMA, limit=400, seed=seed)


def _follows_schema(reply: Reply) -> bool:
    """Return True if an answer is exactly JSON of the schema."""
    try:
        items = json.loads(reply.text)["items"]
        return all(isinstance(item["word"], str) and item["kind"] in _KINDS for item in items)
    except (ValueError, LookupError, TypeError, RecursionError):
        return False


async def try_embedding(server: Server, name: str) -> EmbeddingProbe:
    """Embed one text to test a model. Raises ModelError."""
    model = await server.usable(name)
    now = asyncio.get_running_loop().time
    begun = now()
    (vector,) = await server.embed(model.name, ["The heron came back to the pond."])
    return EmbeddingProbe(model.name, len(vector), now() - begun)


@dataclass(frozen=True, slots=True)
class Probe:
    """Result of probing a server and two of its models.

    A field that is None is missing or does not work; `version` is empty if the server does not report one. `problems`
    are messages for the person.
    """

    server: str
    host: str
    version: str | None
    chat: ChatProbe | None
    embedding: EmbeddingProbe | None
    problems: tuple[str, ...]

    @property
    def works(self) -> bool:
        """True if either model works."""
        return self.chat is not None or self.embedding is not None


async def probe(chats: ChatServer, embeds: Server, chat: str, embedding: str) -> Probe:
    """Test a chat model and an embedding model, each on its server; an empty name is skipped."""
    version, tried, embedded = None, None, None
    problems: list[str] = []
    try:
        version = await chats.version()
        if chat:
            tried = await try_chat(await chats.chat(chat))
            if not tried.obeyed:
                problems.append(f"{chat} does not keep to the schema: many of its answers will be useless")
    except ModelError as error:
        problems.append(str(error))
    try:
        if embedding:
            embedded = await try_embedding(embeds, embedding)
    except ModelError as error:
        if str(error) not in problems:
            problems.append(str(error))
    if version is not None and is_too_old(version):
        problems.append(
            f"{chats.name} {version} lets some models ignore the schema; {MIN_SCHEMA_VERSION} and later do not"
        )
    return Probe(chats.name, chats.host, version, tried, embedded, tuple(problems))
