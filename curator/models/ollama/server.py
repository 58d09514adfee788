"""An Ollama server: its models, chats, embeddings and pulls."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, TypeVar

from curator.config import settings
from curator.models.base_server import ModelServer
from curator.models.host import configured_host, speaks_openai
from curator.models.interfaces import (
    BadReply,
    CallFailed,
    ChatModel,
    ModelMissing,
    Offline,
    Question,
    ServerFailed,
    TimedOut,
)
from curator.models.ollama.types import (
    ChatPart,
    Pulled,
    PullPart,
    Running,
    Shown,
    Tag,
    Tags,
    Vectors,
    Version,
)
from curator.models.server_chat import AnswerPiece, messages
from curator.models.server_types import (
    Allowed,
    Installed,
    ServerMessage,
    Timeouts,
    configured_limits,
    full_name,
    is_cloud,
)

if TYPE_CHECKING:
    from curator.models.ollama.client import Wire

_Read = TypeVar("_Read", bound=ServerMessage)
_EMBEDDING_FAMILIES = {"bert", "nomic-bert"}  # for servers too old to report capabilities


class Server(ModelServer["Wire"]):
    """An Ollama. `context` and `keep_alive` are passed to chat models."""

    name = "Ollama"
    context_remedy = "make ollama.context smaller, and see what Ollama is started with"

    def __init__(
        self,
        host: str = "",
        allowed: Allowed = Allowed(),
        timeouts: Timeouts = Timeouts(),
        context: int = 8192,
        keep_alive: str = "10m",
    ) -> None:
        super().__init__(host, allowed, timeouts, context)
        self.keep_alive: int | str = int(keep_alive) if keep_alive.lstrip("-").isdigit() else keep_alive

    def connected(self) -> "Wire":
        """See `ModelServer.connected`."""
        from curator.models.ollama.client import Wire

        return Wire(self.host, self.timeouts.connect)

    async def version(self) -> str:
        """Return the server's version, such as "0.21.1"."""
        return (await self._told(Version, "/api/version")).version

    async def installed(self) -> list[Installed]:
        """Return the installed models, cloud models included, in the server's order."""
        return [await self._known(tag, strict=False) for tag in await self._tags()]

    async def find(self, name: str) -> Installed:
        """Return the model of a name; without a tag, the `latest`. Raises ModelMissing."""
        wanted = full_name(name).casefold()
        tag = next((tag for tag in await self._tags() if full_name(tag.name).casefold() == wanted), None)
        if tag is None:
            raise ModelMissing(f"{self.host} has no model {name}; get it with: curator models pull {name}")
        return await self._known(tag)

    async def usable(self, name: str) -> Installed:
        """See `ModelServer.usable`."""
        found = await self.find(name)
        self._allowed.check_model(found.name, found.remote)
        return found

    async def answer(self, model: ChatModel, question: Question) -> AsyncGenerator[AnswerPiece, None]:
        """See `Answering.answer`. Thinking is off; the context size is fixed, as another would reload the model."""
        body = {
            "model": model.name,
            "messages": messages(question),
            "stream": True,
            "think": False,  # if unset, models that can would think first and ignore the schema
            "format": question.schema,
            "truncate": False,
            "shift": False,
            "keep_alive": self.keep_alive,
            "options": {
                "num_ctx": model.context,
                "num_predict": question.limit,
                "temperature": question.temperature,
                "seed": question.seed,
            },
        }
        async with aclosing(await self.wire.lines(ChatPart, "/api/chat", body)) as parts:
            async for part in parts:
                ended = (part.done_reason or "") if part.done else None
                said = part.message
                yield AnswerPiece(
                    said.content or "", said.thinking or "", ended, part.prompt_eval_count, part.eval_count
                )

    async def embed(self, name: str, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of texts, in order, in one call. Texts must not be empty.

        The server truncates texts longer than the model's context.
        """
        self._allowed.check_model(name)
        body = {"model": name, "input": list(texts), "truncate": True, "keep_alive": self.keep_alive}
        limit = self.timeouts.first_byte + self.timeouts.between
        try:
            async with asyncio.timeout(limit):
                with self.wire.translated(name):
                    found = (await self.wire.read(Vectors, "/api/embed", body)).embeddings
        except TimeoutError as error:
            raise TimedOut(f"{name} at {self.host} made no vectors within {limit:g} s") from error
        if len(found) != len(texts):
            raise BadReply(f"{name} at {self.host} made {len(found)} vectors of {len(texts)} texts")
        return found

    async def pull(self, name: str) -> AsyncGenerator[Pulled, None]:
        """Download a model and yield the progress; resume a partial download. Iterate under `contextlib.aclosing`.

        Finishes only once the model is installed, and raises otherwise.
        """
        self._allowed.check_model(name)
        parts: dict[str, tuple[int, int]] = {}
        last = ""
        with self.wire.translated():
            stream = await self.wire.lines(PullPart, "/api/pull", {"model": name, "stream": True})
        async with aclosing(stream) as lines:
            while True:
                try:
                    async with asyncio.timeout(self.timeouts.first_byte):
                        with self.wire.translated():
                            line = await anext(lines, None)
                except TimeoutError as error:
                    raise TimedOut(f"{self.host} stopped responding while pulling {name}; try again") from error
                except ServerFailed as error:
                    if "file does not exist" in str(error):
                        raise ModelMissing(f"Ollama has no model {name}; check the spelling") from error
                    raise ServerFailed(f"{name} could not be pulled: {error}") from error
                if line is None:
                    break
                last = line.status
                if line.digest:
                    before = parts.get(line.digest, (0, 0))
                    parts[line.digest] = (max(line.completed or 0, before[0]), line.total or before[1])
                yield Pulled(last, sum(done for done, _ in parts.values()), sum(total for _, total in parts.values()))
        if last != "success":
            raise BadReply(f"the pull of {name} ended early; run it again to resume")

    async def allocated(self, name: str) -> int | None:
        """Return the actual context size in tokens of a loaded model; None if the server does not report it."""
        for loaded in (await self._told(Running, "/api/ps")).models or []:
            if full_name(loaded.name or loaded.model).casefold() == full_name(name).casefold():
                return loaded.context_length
        return None

    async def _tags(self) -> list[Tag]:
        return (await self._told(Tags, "/api/tags")).models or []

    async def _known(self, tag: Tag, strict: bool = True) -> Installed:
        """Return the details of a model; unless `strict`, fall back to the listed ones if the server cannot show it."""
        try:
            shown = await self._told(Shown, "/api/show", {"model": tag.name}, tag.name)
        except (CallFailed, ModelMissing):
            if strict:
                raise
            shown = None
        return _installed(tag, shown)

    async def _told(
        self, kind: type[_Read], path: str, body: Mapping[str, object] | None = None, model: str = ""
    ) -> _Read:
        """Return an answer that needs no model. A server that does not answer in time counts as offline."""
        try:
            async with asyncio.timeout(self.timeouts.short):
                with self.wire.translated(model):
                    return await self.wire.read(kind, path, body)
        except (TimeoutError, TimedOut) as error:
            raise Offline(f"{self.host} accepts connections but does not answer; restart Ollama") from error


def configured(embedding: bool = False) -> Server:
    """Return the server in the settings; embeddings may use another. Raises NotAllowed and ConfigError.

    If the chat model is on a server that is no Ollama, it is that of OLLAMA_HOST, or of this machine.
    """
    now, (allowed, timeouts) = settings().ollama, configured_limits()
    host = embedding_host() if embedding else _own_host()
    return Server(host, allowed, timeouts, now.context, now.keep_alive)


def embedding_host() -> str:
    """Return the address of the server in the settings that makes vectors. Raises NotAllowed, ConfigError."""
    own = settings().ollama.embed_host
    return configured_host(own) if own else _own_host()


def _own_host() -> str:
    host = configured_host(settings().ollama.host)
    return configured_host("") if speaks_openai(host) else host


def _installed(tag: Tag, shown: Shown | None) -> Installed:
    details = (shown and shown.details) or tag.details
    family = (details and details.family) or ""
    capabilities = frozenset((shown and shown.capabilities) or ())
    return Installed(
        name=tag.name,
        digest=tag.digest.removeprefix("sha256:"),
        size=tag.size,
        parameters=(details and details.parameter_size) or "",
        quantization=(details and details.quantization_level) or "",
        family=family,
        capabilities=capabilities or frozenset({"embedding" if family in _EMBEDDING_FAMILIES else "completion"}),
        context=shown.number("context_length") if shown else None,
        dimension=shown.number("embedding_length") if shown else None,
        remote=is_cloud(tag.name) or any((tag.remote_host, tag.remote_model, shown and shown.remote_host)),
    )
