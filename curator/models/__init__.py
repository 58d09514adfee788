"""Embedders: map texts to vectors whose cosine measures similarity.

Two are built in: `minilm` captures meaning in English and needs its weights (`curator.models.weights`); `hashing`
captures spelling only, in any language, and needs nothing. The third, `ollama`, calls a model on the person's server.
"""

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from curator.models.errors import FetchFailed, ModelMissing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from store.model import Fingerprint

__all__ = ["Embedder", "FetchFailed", "ModelMissing", "load_embedder"]


class Embedder(Protocol):
    """Maps texts to vectors. Safe to call from several threads at once."""

    @property
    def fingerprint(self) -> "Fingerprint":
        """The fingerprint shared by all vectors that can be compared with these."""
        ...

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> "NDArray[np.float32]":
        """Return an array of shape (len(texts), fingerprint.dimension): one row of length 1 per text, in order.

        Any string has a vector: empty, of any length, in any script, with broken surrogates. `progress` is called with
        the number of texts done so far; an exception it raises stops the work and propagates. An embedder that uses a
        server may raise any ModelError.
        """
        ...

    def embed_query(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Embed search queries: some models use another prefix for them than for stored texts."""
        ...


def load_embedder(name: str, cache: Path, model: str = "") -> Embedder:
    """Return the embedder `name` ("minilm", "ollama" or "hashing"); loaded once per process, later calls are free.

    `cache` is the cache folder that contains the weights. Raises `ModelMissing` if they are missing or this machine
    cannot run them, `ValueError` for another name. The server and model of `ollama` come from the settings, or from
    `model` if given; loading it raises `Offline`, `ModelMissing`, `NotAllowed` and other model errors, and must not be
    done in an event loop's thread, nor may it be used there.
    """
    if name == "ollama":
        from curator.config import settings
        from curator.models import ollama_embedder
        from curator.models.ollama import configured

        return ollama_embedder.load(configured(embedding=True), model or settings().embed.model)
    with _loading:
        return _load(name, cache)


_loading = Lock()


@functools.cache
def _load(name: str, cache: Path) -> Embedder:
    if name == "hashing":
        from curator.models.hash_embedder import Hashing

        return Hashing()
    if name == "minilm":
        from curator.models import minilm

        return minilm.load(cache)
    raise ValueError(f"there is no embedder {name!r}; choose minilm, ollama or hashing")
