"""Types of a server and its models, and of its replies."""

import re
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, FiniteFloat

from store.sanitize import storable


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds that are waited: for the first word, between two words, and for a call from its first word on.

    `connect` is for a connection, `short` for an answer that needs no model.
    """

    first_byte: float = 300
    between: float = 60
    total: float = 600
    connect: float = 2
    short: float = 10


@dataclass(frozen=True, slots=True)
class Allowed:
    """Permissions to send text beyond this machine: one host, and models that run elsewhere, by name."""

    host: str = ""
    cloud: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Installed:
    """A model that the server has. `remote`: it runs elsewhere, and the server only hands text on.

    `parameters` is as the server says it ("4.0B"); `context` and `dimension` are None where it does not say.
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
        """Parameters in billions; None if the server does not say."""
        found = re.fullmatch(r"(?:(\d+)x)?(\d+(?:\.\d+)?)([KMBT])", self.parameters.strip(), re.IGNORECASE)
        if not found:
            return None
        times, number, unit = found.groups()
        return int(times or 1) * float(number) * {"K": 1e-6, "M": 1e-3, "B": 1.0, "T": 1e3}[unit.upper()]

    @property
    def chats(self) -> bool:
        """True if it answers chats."""
        return "completion" in self.capabilities

    @property
    def embeds(self) -> bool:
        """True if it makes embeddings."""
        return "embedding" in self.capabilities


@dataclass(frozen=True, slots=True)
class Pulled:
    """Progress of a pull: the server's status, and bytes over all parts known so far."""

    status: str
    done: int
    total: int


Text = Annotated[str, AfterValidator(storable)]
"""JSON may escape half a character (a lone surrogate) or NUL, which no file and no table can hold."""


class Part(BaseModel):
    """A part of the server's protocol."""

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
        """Return a number of the model's architecture, such as its context_length."""
        known = self.model_info or {}
        value = known.get(f"{known.get('general.architecture')}.{ending}")
        return value if isinstance(value, int) and value > 0 else None


class Loaded(Part):
    """A model in memory; `context_length` is what it really runs with."""

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
    """Return a model's name with its tag, `latest` where none is given."""
    name = name.strip()
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"


def is_cloud(name: str) -> bool:
    """Tell whether a model's name means that it runs elsewhere."""
    tag = full_name(name).rpartition(":")[2].casefold()
    return tag == "cloud" or tag.endswith("-cloud")
