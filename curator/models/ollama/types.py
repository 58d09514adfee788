"""Types of a server and its models."""

import re
from dataclasses import dataclass


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


def full_name(name: str) -> str:
    """A model's name with its tag, `latest` where none is given."""
    name = name.strip()
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"


def is_cloud(name: str) -> bool:
    """Tell whether a model's name means that it runs elsewhere."""
    tag = full_name(name).rpartition(":")[2].casefold()
    return tag == "cloud" or tag.endswith("-cloud")
