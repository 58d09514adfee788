"""Purge from the store and from all places outside of it that hold its words. Only a person can start it.

The purge of the store alone is `curator.curation.purge`; app and commands use these. The resident process cannot import
them: no assistant purges.
"""

import contextlib
import os
import time
from collections.abc import Sequence

from curator import curation
from curator.curation.purge import Holder
from curator.paths import is_own_store
from store import Cleaned, Erased, Store

_LONGEST = 20.0
"""Seconds to wait for the resident process."""


def holders() -> tuple[Holder, ...]:
    """Return the steps that erase words outside of the record. Whatever else keeps words is to be listed here."""
    return (drop_server_caches, _drop_blocks, erase_snapshot)


def purge(store: Store, memories: Sequence[int], variants: bool = False) -> tuple[Cleaned, tuple[str, ...]]:
    """Erase memories everywhere; see `curation.purge`."""
    cleaned, left = curation.purge(store, memories, variants, holders())
    return cleaned, (*left, *_missing_block_files(store))


def purge_logs(store: Store, conversations: Sequence[int], before: int) -> tuple[Erased, tuple[str, ...]]:
    """Erase the messages of conversations everywhere; see `curation.purge_logs`."""
    erased, left = curation.purge_logs(store, conversations, before, holders())
    return erased, (*left, *_missing_block_files(store))


def finish_purge(store: Store) -> tuple[str, ...]:
    """Remove what remains of purged words everywhere, also of files that are back; see `curation.finish_purge`."""
    left = curation.finish_purge(store, others=holders())
    return (*(left or _drop_blocks(store, 0)), *_missing_block_files(store))


def continue_purge(store: Store) -> tuple[str, ...]:
    """Continue an interrupted purge everywhere, without waiting for other programs."""
    return curation.continue_purge(store, holders())


def _missing_block_files(store: Store) -> list[str]:
    """Return a message for each listed block file that is missing. Its block cannot be renewed until it is back."""
    from curator.services.block_files import missing_file_messages

    return missing_file_messages() if is_own_store(store.folder) else []


def _drop_blocks(store: Store, wait: float) -> Sequence[str]:
    """Rewrite the memory blocks that contain lines of no current memory. Return a message for each failure."""
    from curator.paths import block_files_list
    from curator.services.block_files import renew_blocks

    own = is_own_store(store.folder)
    return renew_blocks(store) if own and block_files_list().exists() else ()


def erase_snapshot(store: Store, wait: float) -> Sequence[str]:
    """Erase the snapshot for other machines; the next run of its sweep writes a new one."""
    from curator.snapshot.writer import erase

    return erase(store, wait)


def drop_server_caches(store: Store, wait: float) -> Sequence[str]:
    """Make the server drop its caches, and wait for its reply. Return a message on failure.

    A server of another version is stopped. One that is still starting counts: it holds the lock.
    """
    from curator.serve import client

    if not is_own_store(store.folder):
        return ()  # nobody serves that one for us
    until = time.monotonic() + min(wait, _LONGEST)
    named, remedy = "", "`curator serve --stop` stops it"
    while client.is_running():
        left = max(until - time.monotonic(), 0.1)
        try:
            with contextlib.closing(client.connect(left)) as connection:
                named = f" {connection.pid}"
                if connection.pid == os.getpid():
                    from curator.services import forget_requests, search_session

                    search_session.clear_cache()
                    forget_requests.clear_cache()
                    return ()
                current = connection.is_current()
                connection.send({"do": "drop" if current else "stop"})
                if connection.receive(left).get("dropped"):
                    return ()
        except client.Hung as error:
            remedy = str(error)
        except (client.Unreachable, OSError):  # it begins, or leaves
            pass
        if time.monotonic() > until:
            return (f"the background process{named} still holds what was erased: {remedy}",)
        time.sleep(0.05)
    return ()
