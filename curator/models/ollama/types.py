"""Types of a server, its models and its replies."""

import re
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, FiniteFloat

from store.sanitize import storable


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Timeouts in seconds: for the first token, between two tokens, and for a call from its first token.

    `connect` is for a connection, `short` for an answer that needs no model.
    """

    first_byte: float = 300
    between: float = 60
    total: float = 600
    connect: float = 2
    short: float = 10


@dataclass(frozen=True, slots=True)
class Allowed:
    """Permissions to send text beyond this machine: one host, and names of models that run elsewhere."""

    host: str = ""
    cloud: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Installed:
    """A model on the server. `remote`: it runs elsewhere, and the server only forwards text.

    `parameters` is as reported ("4.0B"); `context` and `dimension` are None if not reported.
    """

    name: str
    digest: str
    size: int
    parameters: str
    quantization: str
    family: str
    capabilities: frozenset[str]
    context: int | None
    dimension: int | None
    remote: bool

    @property
    def billions(self) -> float | None:
        """Parameters in billions; None if not reported."""
        found = re.fullmatch(r"(?:(\d+)x)?(\d+(?:\.\d+)?)([KMBT])", self.parameters.strip(), re.IGNORECASE)
        if not found:
            return None
        times, number, unit = found.groups()
        return int(times or 1) * float(number) * {"K": 1e-6, "M": 1e-3, "B": 1.0, "T": 1e3}[unit.upper()]

    @property
    def chats(self) -> bool:
        """True if the model can chat."""
        return "completion" in self.capabilities

    @property
    def embeds(self) -> bool:
        """True if the model makes embeddings."""
        return "embedding" in self.capabilities


@dataclass(frozen=True, slots=True)
class Pulled:
    """Progress of a pull: the server's status, and bytes over all layers known so far."""

    status: str
    done: int
    total: int


Text = Annotated[str, AfterValidator(storable)]
"""JSON may escape a lone surrogate or NUL, which no file and no table can store."""


class Part(BaseModel):
    """Base of the server's messages."""

    model_config = ConfigDict(extra="ignore", protected_namespaces=())


class Version(Part):
    """/api/version"""

    version: Text


class Details(Part):
    """Family, size and quantization of a model."""

    family: Text | None = ""
    parameter_size: Text | None = ""
    quantization_level: Text | None = ""


class Tag(Part):
    """A model in /api/tags. `remote_host` or `remote_model` is set if another machine runs it."""

    name: Text
    digest: Text = ""
    size: int = 0
    details: Details | None = None
    remote_host: Text | None = None
    remote_model: Text | None = None


class Tags(Part):
    """/api/tags"""

    models: list[Tag] | None


class Shown(Part):
    """/api/show"""

    details: Details | None = None
    model_info: dict[str, object] | None = None
    capabilities: list[Text] | None = None
    remote_host: Text | None = None
    remote_model: Text | None = None

    def number(self, ending: str) -> int | None:
        """Return a number of the model's architecture by the end of its key, such as context_length."""
        known = self.model_info or {}
        value = known.get(f"{known.get('general.architecture')}.{ending}")
        return value if isinstance(value, int) and value > 0 else None


class Loaded(Part):
    """A loaded model; `context_length` is its actual context size in tokens."""

    name: Text = ""
    model: Text = ""
    context_length: int | None = None


class Running(Part):
    """/api/ps"""

    models: list[Loaded] | None


class Said(Part):
    """A piece of an answer."""

    content: Text | None = ""
    thinking: Text | None = ""


class ChatPart(Part):
    """A line of /api/chat. The last has `done`."""

    message: Said = Said()
    done: bool
    done_reason: Text | None = None
    prompt_eval_count: int | None = None
    eval_count: int | None = None


class Vectors(Part):
    """/api/embed"""

    embeddings: list[list[FiniteFloat]]


class PullPart(Part):
    """A line of /api/pull."""

    status: Text = ""
    digest: Text = ""
    total: int | None = Field(default=None, ge=0)
    completed: int | None = Field(default=None, ge=0)


def full_name(name: str) -> str:
    """Return a model's name with its tag, `latest` if none is given."""
    name = name.strip()
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"


def is_cloud(name: str) -> bool:
    """Return True if a model's name means that it runs elsewhere."""
    tag = full_name(name).rpartition(":")[2].casefold()
    return tag == "cloud" or tag.endswith("-cloud")
