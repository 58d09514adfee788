"""Embedders: texts to vectors whose cosine is their similarity.

Two are embedded: `minilm` knows meaning in English and needs its weights (`curator.models.weights`); `hashing` knows
spelling only, in any language, and needs nothing. The third, `ollama`, asks a model of the person's own server.
"""

from __future__ import annotations

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
    """Texts to vectors. Safe to call from several threads at once."""

    @property
    def fingerprint(self) -> Fingerprint:
        """The fingerprint of vectors that these may be compared with."""
        ...

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        """Return (len(texts), fingerprint.dimension), one row of length 1 a text, in the order given.

        Any string has a vector: empty, of any length, in any script, with broken surrogates. `progress` is called
        with the number of texts done so far. What it raises stops the work and comes through. An embedder that asks a
        server may raise any ModelError.
        """
        ...

    def embed_query(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return what `embed` does, for texts to search with: some models want to be told which these are."""
        ...


def load_embedder(name: str, cache: Path, model: str = "") -> Embedder:
    """Return the embedder `name` ("minilm", "ollama" or "hashing"); loaded once a process, later calls are free.

    `cache` is the folder of caches that holds the weights. Raises `ModelMissing` when it does not hold them or this
    machine cannot run them, `ValueError` on another name. The server and the model of `ollama` are those of the
    settings, or `model`, if that is given; it raises `Offline`, `ModelMissing`, `NotAllowed` and what else a call may
    come to, and must not be loaded or used in an event loop's own thread.
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
