"""Purge: for good, by a person only."""

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence

from store import Busy, Cleaned, Erased, Place, Store, StoreError, UnfinishedPurge, copies

ENDS_UNDO = "The import of these words can no longer be undone as a whole."
"""What is said wherever a purge is asked for."""
ELSEWHERE = "Files you wrote elsewhere with `curator backup` or `curator export` are not tracked: delete them yourself."
_AGAIN = "run `curator doctor --compact` to finish"
_PATIENCE = 60.0  # seconds that a purge waits for other programs, each time


def purge(store: Store, memories: Sequence[int], variants: bool = False) -> tuple[Cleaned, tuple[str, ...]]:
    """Erase memories, and all that say exactly the same, from every place in the store. There is no undo.

    With `variants` also where the words stand in another writing (`Store.other_writings`). Returns what was erased,
    and in words what could not be done yet (`finish_purge`). Raises NotFound, Forbidden, Conflict, Busy.
    """
    with _alone(store, _PATIENCE):
        return store.purge(memories, variants), _finish(store, _PATIENCE)


def purge_logs(store: Store, conversations: Sequence[int], before: int) -> tuple[Erased, tuple[str, ...]]:
    """Erase what was said in those of these conversations that came in before a moment. There is no undo.

    One that went on since it was listed stays. Memories that were made of them stay, with their quotes. Returns how
    much was erased, and in words what could not be done yet (`finish_purge`). Raises Busy.
    """
    with _alone(store, _PATIENCE):
        erased = store.erase_logs(conversations, before)
        return erased, _finish(store, _PATIENCE) if erased.conversations else ()


def finish_purge(store: Store, wait: float = _PATIENCE) -> tuple[str, ...]:
    """Remove what may still hold purged words: copies the program made by itself, freed pages, snapshots, the index.

    Copies go only for a purge that is not done (`Store.unfinished_purge`). Every step is tried, whatever became of the
    others; returns in words what is left, empty when nothing is. Other programs are waited for `wait` seconds a step.
    """
    try:
        with _alone(store, wait):
            return _finish(store, wait)
    except Busy as error:
        return (str(error),)


def continue_purge(store: Store) -> tuple[str, ...]:
    """Go on with a purge that was interrupted, without waiting for others. Returns in words what is left."""
    return finish_purge(store, wait=0.5) if store.unfinished_purge() else ()


def counted_places(places: Sequence[Place]) -> str:
    """Return how many places there are of each kind: `3 messages, 1 tag`."""
    kinds = Counter(place.kind for place in places)
    several = {kind: f"{kind[:-1]}ies" if kind.endswith("y") else f"{kind}s" for kind in kinds}
    return ", ".join(f"{number:,} {kind if number == 1 else several[kind]}" for kind, number in kinds.items())


@contextlib.contextmanager
def _alone(store: Store, wait: float) -> Iterator[None]:
    """Hold the lock of a purge, so that no other process finishes it meanwhile. Raises Busy."""
    from filelock import FileLock, Timeout

    try:
        held = FileLock(store.folder / "purge.lock").acquire(timeout=wait)
    except Timeout:
        raise Busy("another process is purging: wait until it has finished") from None
    except OSError as error:  # on a read-only disk, too
        why = error.strerror or error
        raise Busy(f"{store.folder} cannot be written ({why}): make it writable, then {_AGAIN}") from None
    with held:
        yield


def _finish(store: Store, wait: float) -> tuple[str, ...]:
    from store.analytics import Analytics
    from store.index import Index

    unfinished, left = store.unfinished_purge(), list[str]()
    if unfinished is not None and (kept := _delete_copies(store, unfinished)):
        named = ", ".join(kept)
        left.append(f"not every copy in {store.folder / 'backups'} could be deleted ({named}): see why, then {_AGAIN}")
    try:
        if not store.compact(wait):
            left.append(f"another program is reading the store, old pages stay until it has closed: then {_AGAIN}")
    except StoreError as error:
        left.append(f"{error}; then {_AGAIN}")
    try:
        Analytics.drop(store, wait)
    except Busy as error:
        left.append(f"{error}, then {_AGAIN}")
    try:
        Index.drop(store, wait)
    except Busy:
        left.append(f"another program is writing the search index, which could not be deleted: close it, then {_AGAIN}")
    if any((store.folder / "index").glob("*/g*")):
        left.append(f"a search index of before stays until the program that reads it has closed: then {_AGAIN}")
    if unfinished is not None and not left:
        store.end_purge(unfinished)
    return tuple(left)


def _delete_copies(store: Store, purge: UnfinishedPurge) -> list[str]:
    """Delete the copies of before a purge but those known to hold none of its words; return those that stay."""
    left = []
    for file in copies(store.folder):
        try:
            if file.name not in purge.clean and file.stat().st_mtime_ns // 1000 <= purge.at:
                file.unlink()
        except FileNotFoundError:
            continue  # the person, or another program, was faster
        except OSError as error:
            left.append(f"{file.name}: {error.strerror}")
    return left
