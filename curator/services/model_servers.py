"""Model servers: the one in the settings, and others that run on this machine."""

import asyncio
import contextlib
from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from curator.config import settings
from curator.errors import ModelError
from curator.models import ollama, openai
from curator.models.base_server import ModelServer
from curator.models.host import configured_host, is_loopback, parse_host, speaks_openai
from curator.models.server_types import Installed, configured_limits, full_name

ChatServer = ModelServer[Any]
"""A server with chat models, of either protocol."""
USUAL = ("http://127.0.0.1:1234/v1", "http://127.0.0.1:8080/v1", "http://127.0.0.1:8000/v1")
"""Addresses at which LM Studio, llama.cpp and vLLM listen by default."""
_KNOCK, _ANSWER = 0.5, 2.0  # seconds to wait for a connection to this machine, and for the models


@dataclass(frozen=True, slots=True)
class AvailableServer:
    """A server that answered, with its models."""

    name: str
    host: str
    models: tuple[Installed, ...]

    def model(self, name: str) -> Installed | None:
        """Return the model of a name; on an Ollama, without a tag the `latest`."""
        wanted = full_name(name).casefold()
        return next((model for model in self.models if full_name(model.name).casefold() == wanted), None)

    def uses(self, model: Installed) -> list[str]:
        """Return what the settings use a model of this server for: "chat", "embed"."""
        now, name = settings().ollama, full_name(model.name)
        embed = settings().embed
        chats = model.chats and now.model and full_name(now.model) == name and self.host == configured_host(now.host)
        embeds = model.embeds and embed.provider == "ollama" and full_name(embed.model) == name
        embeds = embeds and self.host == ollama.embedding_host()
        return [use for use, wanted in (("chat", chats), ("embed", embeds)) if wanted]


def server_at(host: str) -> ChatServer:
    """Return the server at an address, as the settings allow it. Raises NotAllowed, ConfigError."""
    now, (allowed, timeouts) = settings().ollama, configured_limits()
    if speaks_openai(host):
        keyed = parse_host(host) == configured_host(now.host)
        return openai.Server(host, allowed, timeouts, now.context, keyed)
    return ollama.Server(host, allowed, timeouts, now.context, now.keep_alive)


def chat_server() -> ChatServer:
    """Return the server of the chat model in the settings. Raises NotAllowed, ConfigError."""
    return server_at(configured_host(settings().ollama.host))


async def find_servers() -> tuple[list[AvailableServer], list[ModelError]]:
    """Return the servers that answer, those in the settings first, and the errors of those that do not.

    At the usual addresses of this machine, whatever listens is asked for its models and sent nothing else, no key.
    """
    found: list[AvailableServer] = []
    problems: dict[str, ModelError] = {}
    now = settings()
    named: list[Callable[[], ChatServer]] = [chat_server]
    if now.ollama.embed_host or now.embed.provider == "ollama":
        named.append(lambda: ollama.configured(embedding=True))
    for opened in named:
        host = ""
        try:
            server = opened()
            host = server.host
            if host not in problems and all(one.host != host for one in found):
                found.append(await _asked(server))
        except ModelError as error:
            problems[host or str(error)] = error
    others = await running_servers({*problems, *(one.host for one in found)})
    if others and not (now.ollama.host or now.ollama.model):  # nobody chose Ollama
        problems.pop(configured_host(""), None)
    return [*found, *others], list(problems.values())


async def running_servers(known: Container[str] = ()) -> list[AvailableServer]:
    """Return the servers that listen on this machine, but for those at `known` addresses. Takes up to 2.5 seconds."""
    hosts = []
    with contextlib.suppress(ModelError):
        hosts = [configured_host(settings().ollama.host), configured_host("")]
    wanted = dict.fromkeys(host for host in (*hosts, *USUAL) if is_loopback(host) and host not in known)
    return [found for found in await asyncio.gather(*map(_running, wanted)) if found is not None]


async def _running(host: str) -> AvailableServer | None:
    url = urlsplit(host)
    try:
        async with asyncio.timeout(_KNOCK):  # before a client is imported, as most machines have no server
            _, writer = await asyncio.open_connection(url.hostname, url.port)
        writer.close()
        async with asyncio.timeout(_ANSWER):
            return await _asked(server_at(host))
    except (OSError, ModelError, TimeoutError):
        return None


async def _asked(server: ChatServer) -> AvailableServer:
    async with server:
        models = await server.installed()
        return AvailableServer(server.name, server.host, tuple(models))


def moved_to(host: str) -> dict[str, str]:
    """Return the settings to change for a chat model at an address; an empty one means OLLAMA_HOST.

    Embeddings in use stay at the server that makes them.
    """
    now, former = settings().ollama, ollama.embedding_host()
    if host == configured_host(now.host):
        return {}
    changes = {"ollama.host": "" if host == configured_host("") else host}
    following = configured_host("") if speaks_openai(host) else host
    if settings().embed.provider == "ollama" and not now.embed_host and following != former:
        changes["ollama.embed_host"] = former
    return changes


def chat_model_name() -> str:
    """Return the chat model in the settings as its server writes it, which for Ollama is with a tag."""
    now = settings().ollama
    return now.model if speaks_openai(configured_host(now.host)) else full_name(now.model)
