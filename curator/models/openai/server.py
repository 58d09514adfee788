"""A server that speaks the OpenAI protocol: its models, and chats with them."""

import asyncio
import contextlib
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

from curator.models.base_server import ModelServer
from curator.models.interfaces import ChatModel, ModelMissing, NotAllowed, Offline, Question, TimedOut
from curator.models.openai.types import Cards, Choice, Delta, model_name
from curator.models.server_chat import AnswerPiece, messages
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


class Server(ModelServer["Wire"]):
    """A server whose address ends in /v1. `context` cannot be set from here; a smaller one that it reports counts.

    The key is sent if `keyed`.
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
        super().__init__(host, allowed, timeouts, context)
        self.name = _UNKNOWN
        self._keyed = keyed
        self._untaken: set[str] = set()  # optional fields that this server does not take

    def connected(self) -> "Wire":
        """See `ModelServer.connected`."""
        from curator.models.openai.client import Wire

        return Wire(self.host, self.timeouts.connect, self._keyed)

    async def version(self) -> str:
        """Return an empty text: the protocol has no version. Raises Offline if the server does not answer."""
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
        """See `ModelServer.usable`. Also an Ollama is NotAllowed: it does not tell here what it only forwards to."""
        known = {model.name.casefold(): model for model in await self.installed()}
        wanted = name.strip().casefold()
        found = known.get(wanted) or known.get(model_name(wanted))
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
                            f"write the address without /v1: curator config ollama.host {own}"
                        )
        return found

    async def answer(self, model: ChatModel, question: Question) -> AsyncGenerator[AnswerPiece, None]:
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
                        yield AnswerPiece(said.content or "", thought, ended, read, written)
                return
            except Refused as error:
                field = next(
                    (name for name, told in _OPTIONAL.items() if name in taken and told.search(error.said)), ""
                )
                if not field or error.overlong or error.status not in (400, 422, 500, 501):
                    raise
                self._untaken.add(field)

    async def allocated(self, name: str) -> int | None:
        """See `Answering.allocated`."""
        return next((model.context for model in await self.installed() if model.name == name), None)
