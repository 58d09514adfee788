"""Giving every live memory its vector: idempotent, in pieces, resumed by asking again what is missing."""

from collections.abc import Callable

from curator.models import Embedder
from store import Store

_PIECE = 512


def embed_missing(store: Store, embedder: Embedder, progress: Callable[[int], None] | None = None) -> int:
    """Embed what has no vector yet; each piece is kept before the next begins. Returns how many were made.

    `progress` is called with the number made so far.
    """
    made = 0
    while missing := store.missing_vectors(embedder.fingerprint, _PIECE):
        vectors = embedder.embed([text for _, text in missing])
        rows = [(memory, text, row.tobytes()) for (memory, text), row in zip(missing, vectors, strict=True)]
        store.add_vectors(embedder.fingerprint, rows)
        made += len(missing)
        if progress is not None:
            progress(made)
    return made
