"""Types of a server's messages. What differs between servers is optional."""

import json
import re
from hashlib import blake2b

from pydantic import ValidationError

from curator.models.server_types import Installed, ServerMessage, Text

_CLOUD = re.compile(
    r"(open|mistral|x|z)[-_. ]?ai$|anthropic|google|vertex|gemini|azure|bedrock|groq|cohere|cloud|openrouter",
    re.IGNORECASE,
)
"""Owners of models that a gateway only forwards to."""
_BILLIONS = re.compile(r"(?<![\w.])(?:(\d+)x)?(\d+(?:\.\d+)?)([bm])(?![a-z])", re.IGNORECASE)
_FILE = ".gguf"
_VECTORS = re.compile(r"embed|rerank|(^|[/-])(bge|e5|gte)-", re.IGNORECASE)


def model_name(told: str) -> str:
    """Return a model's name; llama.cpp tells the path of its file, which says nothing of the model but where it is."""
    return told.strip().replace("\\", "/").rpartition("/")[2][: -len(_FILE)] if told.strip().endswith(_FILE) else told


class Version(ServerMessage):
    """/api/version of an Ollama."""

    version: Text


class Meta(ServerMessage):
    """Properties of a model, from llama.cpp. `n_ctx` is the context that it runs with, `ftype` its quantization."""

    n_ctx: int | None = None
    n_ctx_train: int | None = None
    n_params: int | None = None
    n_vocab: int | None = None
    size: int | None = None
    ftype: Text | None = None


class Card(ServerMessage):
    """A model in /v1/models. `root` and `max_model_len` are from vLLM; LM Studio tells the name only."""

    id: Text
    owned_by: Text | None = None
    root: Text | None = None
    max_model_len: int | None = None
    meta: Meta | None = None

    def installed(self) -> Installed:
        """Return a model as far as the server tells of it; parameters are often in its name only.

        The digest names what is known of the weights: the protocol has no checksum.
        """
        meta = self.meta  # of llama.cpp, which has one model and ignores the name in a request
        name = model_name(self.id) if meta else self.id
        known = [name, self.root, meta and meta.size, meta and meta.n_params, meta and meta.n_vocab]
        parameters = f"{meta.n_params / 1e9:.1f}B" if meta and meta.n_params else ""
        if not parameters and (named := _BILLIONS.search(name)):
            parameters = named[0].upper()
        return Installed(
            name=name,
            digest=blake2b(json.dumps(known).encode(), digest_size=16).hexdigest(),
            size=(meta and meta.size) or 0,
            parameters=parameters,
            quantization=(meta and meta.ftype) or "",
            family="",
            capabilities=frozenset() if _VECTORS.search(name) else frozenset({"completion"}),
            context=self.max_model_len or (meta and (meta.n_ctx or meta.n_ctx_train)) or None,
            dimension=None,
            remote=bool(_CLOUD.search(self.owned_by or "")),
        )


class Cards(ServerMessage):
    """/v1/models"""

    data: list[Card]


class Delta(ServerMessage):
    """A piece of an answer; the names of thoughts differ."""

    content: Text | None = None
    reasoning_content: Text | None = None
    reasoning: Text | None = None


class Choice(ServerMessage):
    """The answer; there is one."""

    delta: Delta | None = None
    finish_reason: Text | None = None


class Usage(ServerMessage):
    """Counts of tokens."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Failure(ServerMessage):
    """An error, alone or in the middle of an answer."""

    message: Text = ""
    type: Text | None = None
    code: int | Text | None = None


class Chunk(ServerMessage):
    """A line of /v1/chat/completions."""

    choices: tuple[Choice, ...] = ()
    usage: Usage | None = None
    error: Failure | Text | None = None


class Refusal(ServerMessage):
    """The body of an error: OpenAI's shape, LM Studio's, or that of FastAPI and older vLLM."""

    error: Failure | Text | None = None
    message: Text | None = None
    detail: Text | None = None


def failure_text(body: str) -> str:
    """Return the text of an error, from any of its shapes."""
    try:
        found = Refusal.model_validate_json(body)
    except ValidationError:
        return body
    error = found.error
    if isinstance(error, Failure):
        return " ".join(filter(None, (error.message, f"({error.type})" if error.type else "")))
    return error or found.message or found.detail or body
