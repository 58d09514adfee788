"""The models that sweeps work with, opened when they are needed."""

from typing import TYPE_CHECKING

from curator.config import settings
from curator.models import Embedder, load_embedder
from curator.paths import cache_folder

if TYPE_CHECKING:
    from curator.models.chat import Chat
    from curator.models.ollama import Server
    from store import Store


class Models:
    """The models that the settings name. Raises the errors of `curator.models.errors`."""

    def __init__(self) -> None:
        self._server: Server | None = None
        self._embedder: Embedder | None = None

    async def chat(self) -> "Chat":
        """Return the chat model, asked for anew before each run: it may have been changed on the server."""
        if self._server is None:
            from curator.models.ollama import configured

            server = configured()
            await server.__aenter__()
            self._server = server
        return await self._server.chat(settings().ollama.model)

    def wanted(self) -> Embedder:
        """Return the embedder whose vectors every memory is to have. Blocks."""
        self._embedder = load_embedder(settings().embed.provider, cache_folder())
        return self._embedder

    def working(self, store: "Store") -> Embedder:
        """Return the embedder whose vectors the memories have now. Blocks.

        Raises what the server's embedder does: letters are no stand-in for what it made.
        """
        from curator.services.search_session import searched_embedder

        self._embedder, _ = searched_embedder(store)
        return self._embedder

    def drop(self) -> None:
        """Let no call of an embedder go on."""
        drop = getattr(self._embedder, "drop", None)
        if drop is not None:
            drop()

    async def close(self) -> None:
        """Close what is open; it is opened again when it is needed."""
        server, self._server = self._server, None
        if server is not None:
            await server.__aexit__(None, None, None)
