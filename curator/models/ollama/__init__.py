"""Models of an Ollama server, called over its native protocol.

    async with configured() as server:
        chat = await server.chat(settings().ollama.model)
        reply = await chat.ask(question)

Light to import: the client libraries are loaded when a server is opened.
"""

from curator.models.ollama.host import DEFAULT, is_loopback, parse_host
from curator.models.ollama.server import OllamaChat, Server, configured
from curator.models.ollama.types import Allowed, Installed, Pulled, Timeouts, full_name

__all__ = [
    "DEFAULT",
    "Allowed",
    "Installed",
    "OllamaChat",
    "Pulled",
    "Server",
    "Timeouts",
    "configured",
    "full_name",
    "is_loopback",
    "parse_host",
]
