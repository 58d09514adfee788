"""The configured model servers, and discovery of others on this machine."""

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
"""A server of chat models, by Ollama's or OpenAI's protocol."""
DEFAULT_ADDRESSES = tuple(f"http://127.0.0.1:{port}/v1" for port in (1234, 8080, 9931, 8000))
"""Default addresses of LM Studio, llama.cpp (now, and as announced) and vLLM."""
_CONNECT_TIMEOUT, _ANSWER_TIMEOUT = 0.5, 2.0  # seconds to wait for a local connection, and for the list of models


@dataclass(frozen=True, slots=True)
class AvailableServer:
    """A server that answered, with its models."""

    name: str
    host: str
    models: tuple[Installed, ...]

    def model(self, name: str) -> Installed | None:
        """Return the model with a name, or None. For Ollama a name without a tag means `latest`."""
        wanted = full_name(name).casefold()
        return next((model for model in self.models if full_name(model.name).casefold() == wanted), None)

    def uses(self, model: Installed) -> list[str]:
        """Return the uses of a model in the settings: "chat", "embed", both or none."""
        config, name = settings().ollama, full_name(model.name)
        embed = settings().embed
        chats = (
            model.chats
            and config.model
            and full_name(config.model) == name
            and self.host == configured_host(config.host)
        )
        embeds = model.embeds and embed.provider == "ollama" and full_name(embed.model) == name
        embeds = embeds and self.host == ollama.embedding_host()
        return [use for use, wanted in (("chat", chats), ("embed", embeds)) if wanted]


def server_at(host: str) -> ChatServer:
    """Return a client for the server at an address. Raises NotAllowed if the settings forbid it, ConfigError."""
    config, (allowed, timeouts) = settings().ollama, configured_limits()
    if speaks_openai(host):
        keyed = parse_host(host) == configured_host(config.host)
        return openai.Server(host, allowed, timeouts, config.context, keyed)
    return ollama.Server(host, allowed, timeouts, config.context, config.keep_alive)


def chat_server() -> ChatServer:
    """Return a client for the configured chat model's server. Raises NotAllowed, ConfigError."""
    return server_at(configured_host(settings().ollama.host))


async def find_servers() -> tuple[list[AvailableServer], list[ModelError]]:
    """Return the servers that answer, configured ones first, and the errors of configured servers that do not.

    Servers found at the default local addresses are only asked for their models; no API key is sent.
    """
    servers: list[AvailableServer] = []
    problems: dict[str, ModelError] = {}
    config = settings()
    named: list[Callable[[], ChatServer]] = [chat_server]
    if config.ollama.embed_host or config.embed.provider == "ollama":
        named.append(lambda: ollama.configured(embedding=True))
    for opened in named:
        host = ""
        try:
            server = opened()
            host = server.host
            if host not in problems and all(server.host != host for server in servers):
                servers.append(await _query_server(server))
        except ModelError as error:
            problems[host or str(error)] = error
    others = await running_servers({*problems, *(server.host for server in servers)})
    if others and not (config.ollama.host or config.ollama.model):  # Ollama is only the default, and not running
        problems.pop(configured_host(""), None)
    return [*servers, *others], list(problems.values())


async def running_servers(known: Container[str] = ()) -> list[AvailableServer]:
    """Return the servers running on this machine, except those at `known` addresses. Takes up to 2.5 seconds."""
    hosts = []
    with contextlib.suppress(ModelError):
        hosts = [configured_host(settings().ollama.host), configured_host("")]
    wanted = dict.fromkeys(host for host in (*hosts, *DEFAULT_ADDRESSES) if is_loopback(host) and host not in known)
    return [found for found in await asyncio.gather(*map(_query_address, wanted)) if found is not None]


async def _query_address(host: str) -> AvailableServer | None:
    url = urlsplit(host)
    try:
        async with asyncio.timeout(_CONNECT_TIMEOUT):  # cheaper than importing a client; most machines have no server
            _, writer = await asyncio.open_connection(url.hostname, url.port)
        writer.close()
        async with asyncio.timeout(_ANSWER_TIMEOUT):
            return await _query_server(server_at(host))
    except (OSError, ModelError, TimeoutError):
        return None


async def _query_server(server: ChatServer) -> AvailableServer:
    async with server:
        models = await server.installed()
        return AvailableServer(server.name, server.host, tuple(models))


def settings_for_host(host: str) -> dict[str, str]:
    """Return the settings to change in order to use a chat model at an address.

    An empty `ollama.host` means OLLAMA_HOST or its default. The server used for embeddings does not change.
    """
    config, former = settings().ollama, ollama.embedding_host()
    if host == configured_host(config.host):
        return {}
    changes = {"ollama.host": "" if host == configured_host("") else host}
    following = configured_host("") if speaks_openai(host) else host
    if settings().embed.provider == "ollama" and not config.embed_host and following != former:
        changes["ollama.embed_host"] = former
    return changes


def chat_model_name() -> str:
    """Return the name of the configured chat model as its server writes it; for Ollama it includes the tag."""
    config = settings().ollama
    return config.model if speaks_openai(configured_host(config.host)) else full_name(config.model)
