"""Behaviour of a fake server: its models, replies, delays and faults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any

from fake_ollama.faults import Fault

Body = Mapping[str, Any]
"""Body of a request, as JSON."""


class Overlong(StrEnum):
    """Treatment of a last message that does not fit into the context."""

    CUT = "cut"  # drops the middle silently; refuses only with truncate: false
    REFUSE = "refuse"  # status 400
    DEAF = "deaf"  # always cuts, whatever was requested, like an older server


@dataclass(frozen=True, slots=True)
class Model:
    """An installed model. /api/show returns `context` and `dimension`; `load` is the loading time."""

    name: str
    family: str = "qwen3"
    parameters: str = "4.0B"
    quantization: str = "Q4_K_M"
    size: int = 2_497_293_931  # bytes
    capabilities: frozenset[str] = frozenset({"completion"})
    context: int = 40_960
    dimension: int = 2560
    load: float = 0.0  # seconds
    overlong: Overlong = Overlong.CUT
    ignores_format: bool = False  # with think: false, as some servers do
    remote_host: str = ""  # set for a cloud model
    version: str = "1"  # changing it changes the digest

    @property
    def full_name(self) -> str:
        """The name with its tag."""
        return with_tag(self.name)

    @property
    def digest(self) -> str:
        """Digest of 64 hexadecimal digits."""
        return sha256(f"{self.full_name}/{self.version}".encode()).hexdigest()


def with_tag(name: str) -> str:
    """Return a model's name with its tag, as the server stores it."""
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"


@dataclass(frozen=True, slots=True)
class Said:
    """A model's reply to a prompt. `reason` is why it stopped; None omits the last line of the stream."""

    text: str
    thinking: str = ""
    reason: str | None = "stop"


Words = str | Mapping[str, Any] | Said
"""A mapping is sent as JSON."""


@dataclass(frozen=True, slots=True)
class Script:
    """Reply to prompts that contain a text or satisfy a predicate; `say` may be a function of the request's body."""

    when: str | Callable[[Body], bool]
    say: Words | Callable[[Body], Words]

    def fits(self, body: Body) -> bool:
        """Return True if this script answers a request."""
        return self.when in prompt(body) if isinstance(self.when, str) else self.when(body)


def prompt(body: Any) -> str:
    """Return the text of a request: a chat's messages, or the texts to embed."""
    if not isinstance(body, Mapping):
        return ""
    given = body.get("input", [])
    texts = [given] if isinstance(given, str) else list(given)
    texts += [message.get("content", "") for message in body.get("messages") or ()]
    return "\n\n".join(text for text in texts if isinstance(text, str))


CHAT = Model("qwen3:4b", capabilities=frozenset({"completion", "tools", "thinking"}))
SMALLER = Model("gemma3:4b", family="gemma3", parameters="4.3B", size=3_338_801_804, context=131_072)
EMBEDDER = Model(
    "nomic-embed-text",
    family="nomic-bert",
    parameters="137M",
    quantization="F16",
    size=274_302_450,
    capabilities=frozenset({"embedding"}),
    context=2048,
    dimension=768,
)
CLOUD = Model(
    "gpt-oss:120b-cloud",
    family="gptoss",
    parameters="116.8B",
    quantization="MXFP4",
    size=384,
    capabilities=frozenset({"completion", "tools", "thinking"}),
    context=131_072,
    remote_host="https://ollama.com:443",
)


@dataclass(frozen=True, slots=True)
class Scenario:
    """Configuration of a fake server. Times are in seconds.

    The first script that fits answers a prompt. If none fits, `mind` does, given the request's body as truncated to the
    context; without `mind`, the reply is a random instance of the schema. The first fault that fits a call is applied.
    """

    models: tuple[Model, ...] = (CHAT, SMALLER, EMBEDDER, CLOUD)
    scripts: tuple[Script, ...] = ()
    mind: Callable[[Body], Words | None] | None = None
    faults: tuple[Fault, ...] = ()
    seed: int = 0  # for random faults and replies
    version: str = "0.33.0"
    first_byte: float = 0.0  # before a reply begins
    pace: float = 0.0  # between two tokens, or two lines of a pull
    parallel: int = 1  # calls handled at the same time
    max_queue: int = 512  # calls in the queue before further ones get "busy"
    max_loaded: int = 1  # models in memory at the same time
    library: tuple[Model, ...] = ()  # models that can be pulled
    layer_steps: int = 4  # lines of progress for each layer of a pull
