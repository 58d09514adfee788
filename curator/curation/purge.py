"""Purge: erase memories and messages for good. Only a person can start it."""

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from curator.display import counted
from store import Busy, Cleaned, Erased, Store, StoreError, UnfinishedPurge, Unreachable, WordVariant, copies
from store.file_lock import locked
from store.record.asides import core
from store.record.backup import lacks_purge
from store.record.text_redaction import is_distinctive

ENDS_UNDO = "Commands that added these words, such as an import, can then no longer be undone as a whole."
"""Notice shown wherever a purge is confirmed."""
ELSEWHERE = "Copies you wrote with `curator backup`, and exports in JSONL, are not tracked: delete them yourself."
Holder = Callable[[Store, float], Sequence[str]]
"""Erases words outside of the store, waiting so many seconds for others; returns in words what it could not erase."""
_AGAIN = "run `curator doctor --compact` to finish"
_PATIENCE = 60.0  # seconds to wait for other programs, per step


def purge(
    store: Store, memories: Sequence[int], variants: bool = False, others: Sequence[Holder] = ()
) -> tuple[Cleaned, tuple[str, ...]]:
    """Erase memories, and all that say exactly the same, from every place in the store, and `others`. No undo.

    With `variants`, also where the words are written differently (`Store.find_variants`). Return what was erased, and
    in words the steps that failed (`finish_purge`). Raises NotFound, Forbidden, Conflict, Busy.
    """
    with _alone(store, _PATIENCE):
        from curator.text import content_key  # imported here for quick commands
        from curator.text.dates import without_dates

        also = {
            (memory.id, key): text
            for memory in store.get_many(memories)
            for bare in (without_dates(memory.text),)
            for text in (bare, *filter(is_distinctive, (core(memory.text), core(bare))))
            if text and (key := content_key(text)) != content_key(memory.text)
        }
        return store.purge(memories, variants, also), _finish(store, _PATIENCE, others)


def purge_logs(
    store: Store, conversations: Sequence[int], before: int, others: Sequence[Holder] = ()
) -> tuple[Erased, tuple[str, ...]]:
    """Erase the messages of those conversations that were imported before a moment. This cannot be undone.

    Conversations that have grown since are kept. Memories made from them stay, with their quotes. Return what was
    erased, and in words the steps that failed (`finish_purge`). Raises Busy.
    """
    with _alone(store, _PATIENCE):
        erased = store.erase_logs(conversations, before)
        return erased, _finish(store, _PATIENCE, others) if erased.conversations else ()


def finish_purge(store: Store, wait: float = _PATIENCE, others: Sequence[Holder] = ()) -> tuple[str, ...]:
    """Remove remaining copies of purged words: the program's own backups, freed pages, snapshots, the index, `others`.

    Backups and others are cleaned only for an unfinished purge (`Store.unfinished_purge`). Every step is tried even if
    one fails. Return in words the steps that failed. Each step waits up to `wait` seconds for other programs.
    """
    try:
        with _alone(store, wait):
            return _finish(store, wait, others)
    except Busy as error:
        return (str(error),)


def continue_purge(store: Store, others: Sequence[Holder] = ()) -> tuple[str, ...]:
    """Continue an interrupted purge, without waiting for other programs. Return in words the steps that failed."""
    return finish_purge(store, 0.5, others) if store.unfinished_purge() else ()


def counted_places(places: Sequence[WordVariant]) -> str:
    """Return the number of places of each kind: `3 messages, 1 tag`."""
    kinds = Counter(place.kind for place in places)
    return ", ".join(counted(number, kind) for kind, number in kinds.items())


@contextlib.contextmanager
def _alone(store: Store, wait: float) -> Iterator[None]:
    """Hold the purge lock, so that no other process finishes the purge meanwhile. Raises Busy."""
    try:
        held = locked(store.folder / "purge.lock", wait, Busy("another process is purging: wait until it has finished"))
    except OSError as error:  # also on a read-only disk
        why = error.strerror or error
        raise Busy(f"{store.folder} cannot be written ({why}): make it writable, then {_AGAIN}") from None
    with held:
        yield


def _finish(store: Store, wait: float, others: Sequence[Holder]) -> tuple[str, ...]:
    from store.analytics import Analytics
    from store.index import Index

    unfinished, left = store.unfinished_purge(), list[str]()
    if unfinished is not None and (kept := _delete_copies(store, unfinished)):
        named = ", ".join(kept)
        left.append(f"not every copy in {store.folder / 'backups'} could be deleted ({named}): fix this, then {_AGAIN}")
    if unfinished is not None:
        left += [f"{what}; then {_AGAIN}" for erase in others for what in erase(store, wait)]
    try:
        if not store.compact(wait):
            left.append(f"another program is reading the store, and old pages remain until it is closed: then {_AGAIN}")
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
    except Unreachable as error:
        return (*left, f"{error}; then {_AGAIN}")
    if any((store.folder / "index").glob("*/g*")):
        left.append(f"an old search index remains until the program that reads it is closed: then {_AGAIN}")
    if unfinished is not None and not left:
        store.end_purge(unfinished)
    return tuple(left)


def _delete_copies(store: Store, purge: UnfinishedPurge) -> list[str]:
    """Delete the backups from before a purge unless known to contain none of its words; return those that remain."""
    left = []
    for file in copies(store.folder):
        try:
            made = file.stat().st_mtime_ns // 1000
            if file.name not in purge.clean and (made <= purge.at or lacks_purge(file, purge.command)):
                file.unlink()
        except FileNotFoundError:
            continue  # already deleted
        except OSError as error:
            left.append(f"{file.name}: {error.strerror}")
    return left
