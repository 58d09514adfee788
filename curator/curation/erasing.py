"""Purge: for good, by a person only."""

import shutil
from collections.abc import Sequence

from store import Busy, Erased, Filter, Purged, Store, StoreError
from store.model import Life

ENDS_UNDO = "After it, the import that brought these words can no longer be undone as a whole."
"""What is said wherever a purge is asked for."""
_AGAIN = "run `curator doctor --compact` to finish"


def purge(store: Store, memories: Sequence[int]) -> tuple[Purged, tuple[str, ...]]:
    """Erase memories, and all that say exactly the same, from every place in the store. There is no undo.

    Returns what was erased, and in words what could not be done yet (`finish_purge`). Raises NotFound, Forbidden,
    Conflict.
    """
    return store.purge(memories), finish_purge(store)


def purge_logs(store: Store, conversations: Sequence[int], before: int) -> tuple[Erased, tuple[str, ...]]:
    """Erase what was said in those of these conversations that came in before a moment. There is no undo.

    One that went on since it was listed stays. Memories that were made of them stay, with their quotes. Returns how
    much was erased, and in words what could not be done yet (`finish_purge`).
    """
    erased = store.erase_logs(conversations, before)
    return erased, finish_purge(store, erased=True) if erased.conversations else ()


def finish_purge(store: Store, erased: bool = False) -> tuple[str, ...]:
    """Remove what may still hold purged words: copies the program made by itself, freed pages, snapshots, the index.

    Every step is tried, whatever became of the others; returns in words what is left, empty when nothing is. The
    copies stay in a store where nothing was purged, or `erased` otherwise.
    """
    from store.analytics import Analytics
    from store.index import Index

    left: list[str] = []
    copies = store.folder / "backups"
    if copies.exists() and (erased or store.count(Filter(lives=(Life.PURGED,)))):
        shutil.rmtree(copies, ignore_errors=True)
        if copies.exists():
            left.append(f"not every copy in {copies} could be deleted: see what keeps them there, then {_AGAIN}")
    try:
        if not store.compact():
            left.append(f"another program is reading the store, old pages stay until it has closed: then {_AGAIN}")
    except StoreError as error:
        left.append(f"{error}; then {_AGAIN}")
    try:
        Analytics.drop(store)
    except Busy as error:
        left.append(f"{error}, then {_AGAIN}")
    try:
        Index.drop(store)
    except Busy:
        left.append(f"another program is writing the search index, which could not be deleted: close it, then {_AGAIN}")
    if any((store.folder / "index").glob("*/g*")):
        left.append(f"a search index of before stays until the program that reads it has closed: then {_AGAIN}")
    return tuple(left)
