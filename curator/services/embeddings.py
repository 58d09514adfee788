"""Giving every memory its vector, also what was let go: idempotent, in pieces, resumed by asking what is missing."""

from collections.abc import Callable, Sequence
from zlib import crc32

from curator.models import Embedder
from store import Store
from store.model import Fingerprint, Life

SWEEP = "embed"
"""What failures are kept under: the item is a memory, `first` the sign of its text, the model a fingerprint."""
_PIECE = 512


def embed_missing(
    store: Store,
    embedder: Embedder,
    progress: Callable[[int], None] | None = None,
    lives: Sequence[Life] = (Life.LIVE, Life.FORGOTTEN),
) -> int:
    """Embed what has no vector yet; each piece is kept before the next begins. Returns how many were made.

    What was let go is embedded too, to be recognised by its meaning when it comes back, unless other `lives` are given.
    `progress` is called with the number made so far. What is known to fail is left out.
    """
    made = 0
    for life in lives:
        while missing := missing_texts(store, embedder.fingerprint, _PIECE, life):
            vectors = embedder.embed([text for _, text in missing])
            rows = [(memory, text, row.tobytes()) for (memory, text), row in zip(missing, vectors, strict=True)]
            store.vectors.add(embedder.fingerprint, rows)
            made += len(missing)
            if progress is not None:
                progress(made)
    return made


def missing_texts(store: Store, fingerprint: Fingerprint, limit: int, life: Life = Life.LIVE) -> list[tuple[int, str]]:
    """Memories of a life, with their texts, that have no vector and at which the sweep has not failed."""
    failed = {(one.item, one.first) for one in store.sweeps.failures(SWEEP) if one.model == fingerprint.label}
    missing = store.vectors.missing(fingerprint, limit + len(failed), life)
    return [one for one in missing if (one[0], sign(one[1])) not in failed][:limit]


def sign(text: str) -> int:
    """A number for a text, by which it is seen that it was changed."""
    return crc32(text.encode("utf-8", "surrogatepass"))
