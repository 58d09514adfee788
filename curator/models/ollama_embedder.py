"""Vectors from a model on an Ollama server; quality, speed and languages depend on the model.

Some models use different prefixes for stored texts and for queries. Vectors of stored texts are compared with each
other and with those of queries; so the prefix of stored texts is part of the fingerprint.
"""

import asyncio
import functools
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from curator.models.interfaces import BadReply, ModelMissing, Offline, ServerFailed, TooLong
from curator.models.ollama import Installed, Server, full_name
from store.model import Fingerprint

BATCH = 32  # texts per call
BATCH_CHARACTERS = 32_000
MAX_CHARACTERS = 20_000  # sent per text; the model reads as many tokens as its context allows
_SHORTEST = 64  # characters, below which a text that is too long is no longer halved
_CHECKED = 10.0  # seconds for which the model is assumed to be unchanged on the server
_PREFIXES = {  # model name without tag: prefix of a stored text, prefix of a query
    "nomic-embed-text": ("search_document: ", "search_query: "),
    "nomic-embed-text-v2-moe": ("search_document: ", "search_query: "),
    "mxbai-embed-large": ("", "Represent this sentence for searching relevant passages: "),
    "embeddinggemma": ("title: none | text: ", "task: search result | query: "),
}

_T = TypeVar("_T")


class OllamaEmbedder:
    """An `Embedder` over one server. Its calls run in a thread of their own and can be dropped."""

    def __init__(self, server: Server, model: Installed, dimension: int) -> None:
        self._server = server
        self._kept, self._query = _PREFIXES.get(model.name.rpartition("/")[2].partition(":")[0], ("", ""))
        self._seen = time.monotonic()
        self._calls: set[Future[Any]] = set()
        self.fingerprint = Fingerprint(
            provider="ollama",
            model=model.name,
            digest=model.digest[:16],
            dimension=dimension,
            prefix=self._kept,
            max_tokens=model.context or 0,
        )

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        """See `Embedder.embed`. Raises the errors of `curator.models`; must not be called in an event loop."""
        return self._embed(texts, self._kept, progress)

    def embed_query(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder.embed_query`. Raises as `embed` does."""
        return self._embed(texts, self._query, None)

    def embed_prompt(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder.embed_prompt`. Raises as `embed` does."""
        return self.embed_query(texts)

    def is_word(self, word: str) -> None:
        """Return None: a server does not report its vocabulary."""
        return None

    def drop(self) -> None:
        """Close the connections of the calls in flight; their callers get Offline. May be called from any thread."""
        for call in tuple(self._calls):
            call.cancel()

    def _embed(self, texts: Sequence[str], prefix: str, progress: Callable[[int], None] | None) -> NDArray[np.float32]:
        vectors = np.empty((len(texts), self.fingerprint.dimension), np.float32)
        cut = [text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8").replace("\0", " ") for text in texts]
        whole = [prefix + (text if text.strip() else ".") for text in cut]  # none may be empty
        start = 0
        if whole:
            _waited(self._check(), self._calls)
        while start < len(whole):
            stop, characters = start, 0
            while stop < len(whole) and stop - start < BATCH and (stop == start or characters < BATCH_CHARACTERS):
                characters += len(whole[stop])
                stop += 1
            vectors[start:stop] = _waited(self._batch(whole[start:stop]), self._calls)
            start = stop
            if progress is not None:
                progress(start)
        return vectors

    async def _check(self) -> None:
        """Raise ModelMissing if the server replaced the model of this name: its vectors would not be comparable."""
        if time.monotonic() - self._seen < _CHECKED:
            return
        name = self.fingerprint.model
        if (await self._server.find(name)).digest[:16] != self.fingerprint.digest:
            _loaded.pop(_key(self._server, name), None)
            raise ModelMissing(f"{name} was changed on {self._server.host}; new embeddings use the new one")
        self._seen = time.monotonic()

    async def _batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed a batch of texts. A batch that fails is halved until the failing text is found."""
        try:
            return _checked(await self._server.embed(self.fingerprint.model, texts), self.fingerprint.dimension)
        except (BadReply, ServerFailed, TooLong) as error:
            if len(texts) > 1:
                half = len(texts) // 2
                return np.vstack([await self._batch(texts[:half]), await self._batch(texts[half:])])
            if isinstance(error, TooLong) and len(texts[0]) > _SHORTEST:
                return await self._batch([texts[0][: len(texts[0]) // 2]])
            text = texts[0].removeprefix(self._kept or self._query)[:60]
            raise type(error)(f"{error} (with the text that begins: {text!r})", error.reply) from error


def load(server: Server, name: str) -> OllamaEmbedder:
    """Return the embedder of a server's model, cached until the model of that name changes.

    `server` must not be open yet; it is not used if the embedder is cached. Raises the errors of
    `curator.models`, mainly Offline, ModelMissing and NotAllowed.
    """
    with _loading:
        known = _loaded.get(_key(server, name))
        if known is None:
            known = _loaded[_key(server, name)] = _waited(_found(server, name), set())
        return known


_loading = threading.Lock()
_loaded: dict[tuple[str, str], OllamaEmbedder] = {}


def _key(server: Server, name: str) -> tuple[str, str]:
    return server.host, full_name(name).casefold()


async def _found(server: Server, name: str) -> OllamaEmbedder:
    await server.__aenter__()
    try:
        model = await server.usable(name)
        if not model.embeds:
            raise ModelMissing(f"{model.name} makes no vectors; choose another: curator models")
        dimension = model.dimension or len((await server.embed(model.name, ["one"]))[0])
    except BaseException:
        await server.__aexit__()
        raise
    return OllamaEmbedder(server, model, dimension)


@functools.cache
def _loop() -> asyncio.AbstractEventLoop:
    """Return the event loop of all embedders, in a daemon thread."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="embedding", daemon=True).start()
    return loop


def _waited(work: Coroutine[object, object, _T], calls: set[Future[Any]]) -> _T:
    """Run a coroutine in the loop and return its result; cancel it if the wait is interrupted."""
    call = asyncio.run_coroutine_threadsafe(work, _loop())
    calls.add(call)
    try:
        return call.result()
    except CancelledError as error:
        raise Offline("the call was dropped; it is made again when it is needed") from error
    except BaseException:
        call.cancel()
        raise
    finally:
        calls.discard(call)


def _checked(rows: list[list[float]], dimension: int) -> NDArray[np.float32]:
    """Return the vectors normalized to length 1. Raises BadReply for other dimensions or zero vectors."""
    if other := {len(row) for row in rows} - {dimension}:
        raise BadReply(f"a vector has {min(other)} numbers and not {dimension}")
    with suppress(FloatingPointError), np.errstate(divide="raise", invalid="raise", over="raise"):
        made = np.asarray(rows, np.float64).reshape(len(rows), dimension)
        lengths = np.linalg.norm(made, axis=1, keepdims=True)
        return np.asarray(made / lengths, np.float32)
    raise BadReply("a vector has no direction")
