"""Models of an Ollama server, called over its native protocol.

    async with configured() as server:
        chat = await server.chat(settings().ollama.model)
        reply = await chat.ask(question)

Light to import: the client libraries are loaded when a server is opened.
"""

from curator.models.host import DEFAULT, is_loopback, parse_host
from curator.models.ollama.server import Server, configured, embedding_host
from curator.models.ollama.types import Pulled
from curator.models.server_types import Allowed, Installed, Timeouts, full_name

__all__ = [
    "DEFAULT",
    "Allowed",
    "Installed",
    "Pulled",
    "Server",
    "Timeouts",
    "configured",
    "embedding_host",
    "full_name",
    "is_loopback",
    "parse_host",
]
