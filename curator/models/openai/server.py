"""A server that speaks the OpenAI protocol: its models, and chats with them."""

import asyncio
import contextlib
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager, aclosing
from typing import TYPE_CHECKING

from curator.models.host import check_host, parse_host
from curator.models.interfaces import ChatModel, ModelMissing, NotAllowed, Offline, Question, TimedOut
from curator.models.openai.types import Cards, Choice, Delta
from curator.models.server_chat import Piece, ServerChat, messages, opened
from curator.models.server_types import Allowed, Installed, Timeouts

if TYPE_CHECKING:
    from curator.models.openai.client import Wire

_OPTIONAL = {
    "response_format": re.compile(r"response_format|json_schema|grammar|guided|structured", re.IGNORECASE),
    "chat_template_kwargs": re.compile(r"chat_template|thinking", re.IGNORECASE),
    "stream_options": re.compile(r"stream_options|include_usage", re.IGNORECASE),
    "seed": re.compile(r"\bseed\b", re.IGNORECASE),
}
"""Fields that not every server takes, and what one says that does not."""
_UNKNOWN = "OpenAI-compatible server"
_OWNERS = {
    "llamacpp": "llama.cpp",
    "vllm": "vLLM",
    "organization_owner": "LM Studio",
    "sglang": "SGLang",
    "koboldcpp": "KoboldCpp",
}
"""Servers by what they write as the owner of their models."""


class Server:
    """A server, to be used in `async with` and in one event loop. Cancelling a call closes its connection.

    `context` is the size of a chat model's context in tokens, where the server does not report a smaller one; it cannot
    be set from here. The key is sent if `keyed`. The constructor raises NotAllowed if `host` is another machine and not
    the allowed one. Methods raise the errors of `curator.models` only.
    """

    context_remedy = "load it there with a longer context, or make ollama.context smaller"

    def __init__(
        self,
        host: str,
        allowed: Allowed = Allowed(),
        timeouts: Timeouts = Timeouts(),
        context: int = 8192,
        keyed: bool = False,
    ) -> None:
        self.host = parse_host(host)
        check_host(self.host, allowed.host)
        self.timeouts = timeouts
        self.context = context
        self.name = _UNKNOWN
        self._allowed, self._keyed = allowed, keyed
        self._untaken: set[str] = set()  # optional fields that this server does not take
        self._wire: Wire | None = None

    async def __aenter__(self) -> "Server":
        def make() -> "Wire":
            from curator.models.openai.client import Wire

            return Wire(self.host, self.timeouts.connect, self._keyed)

        self._wire = await opened(make)
        return self

    async def __aexit__(self, *_: object) -> None:
        wire, self._wire = self.wire, None
        await wire.close()

    @property
    def wire(self) -> "Wire":
        """The open connection."""
        if self._wire is None:
            raise RuntimeError("the server is used outside of its `async with`")
        return self._wire

    async def version(self) -> str:
        """Return an empty text: the protocol tells no version. Raises Offline if the server does not answer."""
        await self.installed()
        return ""

    async def installed(self) -> list[Installed]:
        """Return the models that the server offers, in its order; it may load them when they are asked."""
        try:
            async with asyncio.timeout(self.timeouts.short):
                with self.wire.translated():
                    cards = (await self.wire.read(Cards, "/models")).data
        except (TimeoutError, TimedOut) as error:
            raise Offline(f"{self.host} accepts connections but does not answer; restart it") from error
        owners = [_OWNERS[card.owned_by] for card in cards if card.owned_by in _OWNERS]
        self.name = owners[0] if owners else self.name
        return [card.installed() for card in cards]

    async def usable(self, name: str) -> Installed:
        """Return the model of a name. Raises ModelMissing, or NotAllowed if it runs elsewhere and is not allowed.

        Also for an Ollama, which does not tell here which models it only forwards to.
        """
        found = {model.name.casefold(): model for model in await self.installed()}.get(name.strip().casefold())
        if found is None:
            raise ModelMissing(f"{self.host} has no model {name}; load it there, or choose another: curator models")
        self._allowed.check_model(found.name, found.remote)
        if self.name == _UNKNOWN:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self.timeouts.short):
                    if await self.wire.is_ollama():
                        own = self.host.removesuffix("/v1")
                        raise NotAllowed(
                            f"{self.host} is an Ollama, which does not tell there which models run on other machines; "
                            f"write the address without /v1: curator config --set ollama.host={own}"
                        )
        return found

    async def chat(self, name: str) -> ServerChat:
        """Return a chat model. Raises ModelMissing if it is not offered or cannot chat, and NotAllowed."""
        found = await self.usable(name)
        if not found.chats:
            raise ModelMissing(f"{found.name} cannot be asked, it makes vectors only; choose another: curator models")
        return ServerChat(self, ChatModel(found.name, found.digest, min(self.context, found.context or self.context)))

    async def answer(self, model: ChatModel, question: Question) -> AsyncGenerator[Piece, None]:
        """See `Answering.answer`. Thinking is off, and the schema enforced, where the server can do that.

        One that cannot says so, and is asked again without: the prompts describe the schema, and replies are checked.
        """
        from curator.models.openai.client import Refused

        body: dict[str, object] = {
            "model": model.name,
            "messages": messages(question),
            "stream": True,
            "stream_options": {"include_usage": True},
            "temperature": question.temperature,
            "seed": question.seed,
            "max_tokens": question.limit,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": question.schema},
            },
            "chat_template_kwargs": {"enable_thinking": False},
        }
        while True:
            taken = {field: value for field, value in body.items() if field not in self._untaken}
            ended, read, written = None, None, None
            try:
                async with aclosing(self.wire.chunks("/chat/completions", taken)) as chunks:
                    async for chunk in chunks:
                        choice = chunk.choices[0] if chunk.choices else Choice()
                        said = choice.delta or Delta()
                        ended = choice.finish_reason or ended
                        if chunk.usage is not None:
                            read, written = chunk.usage.prompt_tokens, chunk.usage.completion_tokens
                        thought = said.reasoning_content or said.reasoning or ""
                        yield Piece(said.content or "", thought, ended, read, written)
                return
            except Refused as error:
                field = next(
                    (name for name, told in _OPTIONAL.items() if name in taken and told.search(error.said)), ""
                )
                if not field or error.overlong or error.status not in (400, 422, 500, 501):
                    raise
                self._untaken.add(field)

    def translated(self, model: str, so_far: Callable[[], str]) -> AbstractContextManager[None]:
        """See `Answering.translated`."""
        return self.wire.translated(model, so_far)

    async def allocated(self, name: str) -> int | None:
        """See `Answering.allocated`."""
        return next((model.context for model in await self.installed() if model.name == name), None)
