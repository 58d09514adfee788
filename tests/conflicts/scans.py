"""Helpers of the scan tests: hand-made vectors, whole scans, and their alerts."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from curator.sweeps.compare import CompareProgress, scan_all
from store import Filter, Store
from store.model import Fingerprint, Relation

SPACE = Fingerprint("test", "plain", "1", 8)
EAST: NDArray[np.float64] = np.eye(8)[0]
NORTH: NDArray[np.float64] = np.eye(8)[1]


def embed(store: Store, ids: Sequence[int], *rows: NDArray[np.float64]) -> None:
    """Store vectors for memories; a single row is used for all of them."""
    texts = [found.text for found in store.get_many(ids)]
    vectors = [row.astype("<f4").tobytes() for row in (rows if len(rows) > 1 else rows * len(ids))]
    store.vectors.add(SPACE, list(zip(ids, texts, vectors, strict=True)))


def scan(store: Store, again: bool = False) -> CompareProgress:
    """Compare all pending memories."""
    return scan_all(store, again)


def alerts(store: Store) -> list[tuple[str, str, Relation]]:
    """Return the open alerts as both texts, in the order they were written, with their relation."""
    texts = {found.id: found.text for found in store.get_many(store.list_ids(Filter(lives=())))}
    return sorted((texts[one.a], texts[one.b], one.relation) for one in store.alerts.open())


def texts(store: Store) -> list[str]:
    return sorted(found.text for found in store.get_many(store.list_ids(Filter())))
