"""Types that model servers share: waits, permissions, models, and the base of messages."""

import re
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

from curator.config import settings
from curator.models.interfaces import NotAllowed
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

    def check_model(self, name: str, remote: bool = False) -> None:
        """Raise NotAllowed if a model runs elsewhere and is not allowed."""
        if (remote or is_cloud(name)) and full_name(name).casefold() not in {
            full_name(one).casefold() for one in self.cloud
        }:
            raise NotAllowed(
                f"{name} runs on other machines, and your text would be sent there; if you want that, allow it with: "
                f"curator config ollama.allow_cloud {name}"
            )


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


Text = Annotated[str, AfterValidator(storable)]
"""JSON may escape a lone surrogate or NUL, which no file and no table can store."""


class ServerMessage(BaseModel):
    """Base of the server's messages."""

    model_config = ConfigDict(extra="ignore", protected_namespaces=())


def configured_limits() -> tuple[Allowed, Timeouts]:
    """Return permissions and waits in the settings. Raises ConfigError."""
    now = settings().ollama
    names = (name.strip() for name in now.allow_cloud.split(","))
    allowed = Allowed(now.allow_host, frozenset(name for name in names if name))
    return allowed, Timeouts(now.first_byte, now.between, now.total)


def full_name(name: str) -> str:
    """Return a model's name with its tag, `latest` if none is given."""
    name = name.strip()
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"


def is_cloud(name: str) -> bool:
    """Return True if a model's name means that it runs elsewhere."""
    tag = full_name(name).rpartition(":")[2].casefold()
    return tag == "cloud" or tag.endswith("-cloud")
