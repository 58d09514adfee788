"""Types of an Ollama server's messages, and of its names of models."""

from dataclasses import dataclass

from pydantic import Field, FiniteFloat

from curator.models.server_types import ServerMessage, Text


@dataclass(frozen=True, slots=True)
class Pulled:
    """Progress of a pull: the server's status, and bytes over all layers known so far."""

    status: str
    done: int
    total: int


class Version(ServerMessage):
    """/api/version"""

    version: Text


class Details(ServerMessage):
    """Family, size and quantization of a model."""

    family: Text | None = ""
    parameter_size: Text | None = ""
    quantization_level: Text | None = ""


class Tag(ServerMessage):
    """A model in /api/tags. `remote_host` or `remote_model` is set if another machine runs it."""

    name: Text
    digest: Text = ""
    size: int = 0
    details: Details | None = None
    remote_host: Text | None = None
    remote_model: Text | None = None


class Tags(ServerMessage):
    """/api/tags"""

    models: list[Tag] | None


class Shown(ServerMessage):
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


class Loaded(ServerMessage):
    """A loaded model; `context_length` is its actual context size in tokens."""

    name: Text = ""
    model: Text = ""
    context_length: int | None = None


class Running(ServerMessage):
    """/api/ps"""

    models: list[Loaded] | None


class Said(ServerMessage):
    """A piece of an answer."""

    content: Text | None = ""
    thinking: Text | None = ""


class ChatPart(ServerMessage):
    """A line of /api/chat. The last has `done`."""

    message: Said = Said()
    done: bool
    done_reason: Text | None = None
    prompt_eval_count: int | None = None
    eval_count: int | None = None


class Vectors(ServerMessage):
    """/api/embed"""

    embeddings: list[list[FiniteFloat]]


class PullPart(ServerMessage):
    """A line of /api/pull."""

    status: Text = ""
    digest: Text = ""
    total: int | None = Field(default=None, ge=0)
    completed: int | None = Field(default=None, ge=0)
