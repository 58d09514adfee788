"""Ready memories that an import brings, and what was let go: which of them come back, told before they are admitted."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from curator.compare import relate
from curator.curation import Return, returning, said_again
from curator.models import Embedder
from curator.services.admission import nearest_stored
from store import Store
from store.model import Life

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def coming_back(
    store: Store, texts: Sequence[str], vectors: "NDArray[np.float32] | None" = None, embedder: Embedder | None = None
) -> dict[int, tuple[int, Return]]:
    """Of texts that say what was let go, by place: that memory, and how surely. Without vectors words alone tell."""
    found: dict[int, tuple[int, Return]] = {}
    if not store.tombstones.any():
        return found
    near: Sequence[Sequence[tuple[int, float]]] = [()] * len(texts)
    if vectors is not None and embedder is not None:
        near = nearest_stored(store, embedder, vectors, Life.FORGOTTEN)
    gone = store.tombstones.texts(sorted({memory for row in near for memory, _ in row}))
    for place, text in enumerate(texts):
        said = said_again(store, text)
        if said is not None:
            found[place] = (said, Return.SAME)
            continue
        for memory, cosine in near[place]:
            old = gone.get(memory)
            sure = None if old is None else returning(old, text, relate(old, text, cosine))
            if sure is not None and (place not in found or sure is Return.SAME):
                found[place] = (memory, sure)
            if sure is Return.SAME:
                break
    return found
