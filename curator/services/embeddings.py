"""Embed every memory without a vector, forgotten ones included: idempotent, in pieces, resumable."""

from collections.abc import Callable, Sequence
from zlib import crc32

from curator.models import Embedder
from store import Store
from store.model import Fingerprint, Life

SWEEP = "embed"
"""Key of stored failures: the item is a memory, `first` the `sign` of its text, the model a fingerprint."""
_PIECE = 512


def embed_missing(
    store: Store,
    embedder: Embedder,
    progress: Callable[[int], None] | None = None,
    lives: Sequence[Life] = (Life.LIVE, Life.FORGOTTEN),
) -> int:
    """Embed memories without a vector, storing each piece before the next begins; return the number embedded.

    Forgotten memories are embedded too, so that they are recognized by meaning when said again, unless `lives` excludes
    them. `progress` is called with the number embedded so far. Memories with a stored failure are skipped.
    """
    made = 0
    for life in lives:
        while missing := missing_texts(store, embedder.fingerprint, _PIECE, life):
            store.vectors.add(embedder.fingerprint, embedded(embedder, missing))
            made += len(missing)
            if progress is not None:
                progress(made)
    return made


def embedded(embedder: Embedder, texts: Sequence[tuple[int, str]]) -> list[tuple[int, str, bytes]]:
    """Return the texts of memories with their vectors, as `Store.vectors` takes them."""
    vectors = embedder.embed([text for _, text in texts])
    return [(memory, text, row.tobytes()) for (memory, text), row in zip(texts, vectors, strict=True)]


def missing_texts(store: Store, fingerprint: Fingerprint, limit: int, life: Life = Life.LIVE) -> list[tuple[int, str]]:
    """Return memories of a life, with their texts, that have neither a vector nor a stored failure."""
    failed = {(one.item, one.first) for one in store.sweeps.failures(SWEEP) if one.model == fingerprint.label}
    missing = store.vectors.missing(fingerprint, limit + len(failed), life)
    return [one for one in missing if (one[0], sign(one[1])) not in failed][:limit]


def sign(text: str) -> int:
    """Return a number for a text, to detect that it was changed."""
    return crc32(text.encode("utf-8", "surrogatepass"))
