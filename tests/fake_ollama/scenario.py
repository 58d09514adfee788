"""Behaviour of a fake server: its models, what they say, how long it takes, and what goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any

from fake_ollama.faults import Fault

Body = Mapping[str, Any]
"""The body of a request, as JSON."""


class Overlong(StrEnum):
    """Treatment of a last message that does not fit into the context."""

    CUT = "cut"  # the middle is dropped without a word; refused only if asked for with truncate: false
    REFUSE = "refuse"  # 400
    DEAF = "deaf"  # cut, whatever was asked for: an older server


@dataclass(frozen=True, slots=True)
class Model:
    """An installed model. `context` and `dimension` are what /api/show tells; `load` is how long loading takes."""

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
    remote_host: str = ""  # a cloud model
    version: str = "1"  # another one gives another digest

    @property
    def full_name(self) -> str:
        """The name with its tag."""
        return with_tag(self.name)

    @property
    def digest(self) -> str:
        """64 hexadecimal digits."""
        return sha256(f"{self.full_name}/{self.version}".encode()).hexdigest()


def with_tag(name: str) -> str:
    """A model's name as the server keeps it."""
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"


@dataclass(frozen=True, slots=True)
class Said:
    """A model's reply to a prompt. `reason` is why it stopped; None ends the stream without a last line."""

    text: str
    thinking: str = ""
    reason: str | None = "stop"


Words = str | Mapping[str, Any] | Said
"""A mapping is said as JSON."""


@dataclass(frozen=True, slots=True)
class Script:
    """The reply to prompts that hold a text, or of which a predicate holds. `say` may look at the request's body."""

    when: str | Callable[[Body], bool]
    say: Words | Callable[[Body], Words]

    def fits(self, body: Body) -> bool:
        """Tell whether this script answers a request."""
        return self.when in prompt(body) if isinstance(self.when, str) else self.when(body)


def prompt(body: Any) -> str:
    """All the text of a request: a chat's messages, or the texts to embed."""
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
    """All that a stand-in is told beforehand. Times are in seconds.

    A prompt is answered by the first script that fits, else by `mind`, which sees the request's body as far as it fits
    into the context; without a mind by an instance of the schema. The first fault that fits a call happens.
    """

    models: tuple[Model, ...] = (CHAT, SMALLER, EMBEDDER, CLOUD)
    scripts: tuple[Script, ...] = ()
    mind: Callable[[Body], Words | None] | None = None
    faults: tuple[Fault, ...] = ()
    seed: int = 0  # of what happens with a chance
    version: str = "0.33.0"
    first_byte: float = 0.0  # before a reply begins
    pace: float = 0.0  # between two tokens, or two lines of a pull
    parallel: int = 1  # calls worked on at a time
    max_queue: int = 512  # calls that wait, before the next one is told that the server is busy
    max_loaded: int = 1  # models in memory at a time
    library: tuple[Model, ...] = ()  # what can be pulled
    layer_steps: int = 4  # lines of progress for each layer of a pull
